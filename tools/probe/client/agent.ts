import { operations, protocol } from "../../../generated/1.0/operations.js";
import { isObject, textAt, type Json } from "../../agents/findings.js";
import { rowOf } from "../errors.js";

/** A request that a client under test has sent. */
export interface ClientRequest {
  readonly method: string;
  /** Path and query. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly text: string;
  /** The body as JSON; `undefined` if it is not JSON. */
  readonly body: unknown;
  /** Binding of the called interface; empty for the card and for unknown paths. */
  readonly binding: string;
  /** Name of the called operation; empty if it is unknown. */
  readonly operation: string;
  /** Parameters of the call. */
  readonly params: unknown;
}

/** A response to a client under test. */
export interface ClientResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Paths of the card and of the interfaces. */
export const paths = {
  card: "/.well-known/agent-card.json",
  jsonRpc: "/rpc",
  http: "/rest",
} as const;

/** Id of the only task of the agent. */
export const taskId = "probe-task";

const contextId = "probe-context";
const cardTag = '"probe"';
/** Members that no version defines. Clients must ignore them. */
const unknown = { probeUnknown: { nested: [1, null] } };
const status = (state: string): object => ({
  state: `TASK_STATE_${state}`,
  timestamp: "2030-01-01T00:00:00Z",
  ...unknown,
});
const artifact = { artifactId: "a", parts: [{ text: "Hello", ...unknown }], ...unknown };
const task = {
  id: taskId,
  contextId,
  status: status("COMPLETED"),
  artifacts: [artifact],
  ...unknown,
};
const ids = { taskId, contextId };
const events: readonly object[] = [
  { task: { id: taskId, contextId, status: status("SUBMITTED"), ...unknown } },
  { statusUpdate: { ...ids, status: status("WORKING"), ...unknown } },
  { artifactUpdate: { ...ids, artifact, lastChunk: true } },
  { statusUpdate: { ...ids, status: status("COMPLETED") } },
];

/** Returns the card of the agent. */
export function cardAt(base: string): object {
  const { bindings, version: protocolVersion } = protocol;
  return {
    name: "Probe",
    description: "Checks the requests of clients.",
    version: "1.0.0",
    supportedInterfaces: [
      { url: base + paths.jsonRpc, protocolBinding: bindings.jsonRpc, protocolVersion },
      { url: base + paths.http, protocolBinding: bindings.http, protocolVersion },
    ],
    capabilities: { streaming: true },
    defaultInputModes: ["text/plain"],
    defaultOutputModes: ["text/plain"],
    skills: [
      { id: "probe", name: "Probe", description: "Responds to every message.", tags: ["test"] },
    ],
    ...unknown,
  };
}

/** Returns the response to a request, in the form of its binding. */
export function respond(request: ClientRequest, base: string): ClientResponse {
  const { url, headers, operation, binding, body, params } = request;
  const json = { "content-type": "application/json" };
  if (url.startsWith(paths.card)) {
    const cardHeaders = { ...json, etag: cardTag, "cache-control": "max-age=0" };
    if (headers["if-none-match"] === cardTag)
      return { status: 304, headers: cardHeaders, body: "" };
    return { status: 200, headers: cardHeaders, body: JSON.stringify(cardAt(base)) };
  }
  const isRpc = binding === protocol.bindings.jsonRpc;
  const id = isObject(body) ? (body["id"] ?? null) : null;
  const wrap = (content: object): string =>
    JSON.stringify(isRpc ? { jsonrpc: "2.0", id, ...content } : content);
  // Over HTTP+JSON, the result is the whole body.
  const wrapResult = (content: object): string => wrap(isRpc ? { result: content } : content);
  const isStream = operations.find(({ name }) => name === operation)?.streaming === "server";
  const result = resultOf(operation, params);
  if (typeof result === "string") return errorOf(result, isRpc, wrap);
  if (!isStream) return { status: 200, headers: json, body: wrapResult(result) };
  // Use comments and line ends that server-sent events allow.
  const lines = events.map((event) => `: comment\r\ndata: ${wrapResult(event)}\r\n\r\n`);
  return { status: 200, headers: { "content-type": "text/event-stream" }, body: lines.join("") };
}

/** Returns the result of an operation, or the name of its error. */
function resultOf(operation: string, params: unknown): object | string {
  if (operation === "SendMessage") return { task };
  if (operation === "SendStreamingMessage") return {};
  if (operation === "GetTask") return textAt(params, "id") === taskId ? task : "TaskNotFoundError";
  if (operation === "ListTasks")
    return { tasks: [task], nextPageToken: "", pageSize: 50, totalSize: 1 };
  if (operation === "CancelTask")
    return textAt(params, "id") === taskId ? "TaskNotCancelableError" : "TaskNotFoundError";
  return operation === "" ? "MethodNotFoundError" : "UnsupportedOperationError";
}

function errorOf(name: string, isRpc: boolean, wrap: (content: object) => string): ClientResponse {
  const row = rowOf(name);
  const message = "The probe refuses the call";
  const info = {
    "@type": "type.googleapis.com/google.rpc.ErrorInfo",
    reason: row?.reason,
    domain: "a2a-protocol.org",
  };
  const content = isRpc
    ? { code: row?.jsonRpc ?? -32603, message, data: [info] }
    : { code: row?.http ?? 500, status: row?.grpc, message, details: [info] };
  const headers = { "content-type": "application/json" };
  return { status: isRpc ? 200 : (row?.http ?? 500), headers, body: wrap({ error: content }) };
}

/** Finds the operation of a request. */
export function requestOf(
  method: string,
  url: string,
  headers: ClientRequest["headers"],
  text: string,
): ClientRequest {
  const body = parsed(text);
  const { pathname, searchParams } = new URL(url, "http://probe.example");
  const common = { method, url, headers, text, body };
  const { bindings } = protocol;
  if (pathname === paths.jsonRpc) {
    const found = operations.find(({ jsonRpc }) => jsonRpc === textAt(body, "method"));
    const params = isObject(body) ? (body["params"] ?? {}) : {};
    return { ...common, binding: bindings.jsonRpc, operation: found?.name ?? "", params };
  }
  if (!pathname.startsWith(`${paths.http}/`))
    return { ...common, binding: "", operation: "", params: {} };
  const path = pathname.slice(paths.http.length);
  const [, id = "", action = ""] = /^\/tasks\/([^/:]+)(:\w+)?$/.exec(path) ?? [];
  const template = id === "" ? path : `/tasks/{id}${action}`;
  const found = operations.find(({ http = [] }) =>
    http.some((route) => route.method === method && route.path === template),
  );
  const query: Json = {
    ...Object.fromEntries(searchParams),
    ...(id !== "" && { id: decodeURIComponent(id) }),
  };
  const params = method === "GET" ? query : { ...(isObject(body) ? body : {}), ...query };
  return { ...common, binding: bindings.http, operation: found?.name ?? "", params };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
