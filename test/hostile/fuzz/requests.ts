import type { OperationName, Subject } from "../subject.js";
import type { Random } from "../../support/random/random.js";
import { damaged } from "./bytes.js";
import { nastyJson, textOf } from "./nasty-json.js";

/** A request over HTTP, which need not be a good one. */
export interface HttpCase {
  readonly version: string;
  readonly method: string;
  /** Path and query in wire format. */
  readonly target: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Uint8Array;
}

const segments = [
  ...[
    "t1",
    "..",
    ".",
    "%2e%2e",
    "%",
    "%2",
    "%ff",
    "%00",
    "%2F",
    "a:b",
    "t1:cancel",
    "t1:subscribe",
    "*",
    "",
  ],
  ...["tasks", "message:send", "pushNotificationConfigs"],
];
const ends = [
  ...[
    "/message:send",
    "/message:stream",
    "/tasks",
    "/tasks/t1",
    "/tasks/t1:cancel",
    "/tasks/%74%31:subscribe",
  ],
  ...["/tasks/t1/pushNotificationConfigs", "/tasks/t1/pushNotificationConfigs/p1", "/card"],
];
const names = [
  ...[
    "historyLength",
    "history_length",
    "pageSize",
    "tenant",
    "id",
    "A2A-Version",
    "__proto__",
    "a.b",
    "status",
  ],
  ...["pageToken", "name", "parent", "configId", "pushNotificationConfig.id", ""],
];
const values = [
  "1",
  "",
  "%",
  "%ff",
  "1.0",
  "-1",
  "1e9",
  "acme",
  "true",
  ",",
  "%00",
  "+",
  "a%2Cb",
  "=",
  "%F0%9F",
];
const types = [
  "application/json",
  "application/json; charset=utf-8",
  "application/a2a+json",
  "APPLICATION/JSON",
  "text/plain",
  "multipart/form-data; boundary=x",
  "application/json;;=,",
  "",
];
const others: readonly (readonly [string, readonly string[]])[] = [
  ["a2a-version", ["1.0", "0.3", "", "9.9", "1.0, 0.3", "1", "x".repeat(100), "1.0.7"]],
  ["a2a-extensions", ["", ",", "https://a", "https://a, https://b", "x".repeat(5_000), "\u00e9"]],
  ["x-a2a-extensions", ["", "https://a"]],
  ["accept", ["*/*", "text/event-stream", "text/html", "", "application/json;q=0"]],
  ["content-encoding", ["gzip", "identity", "", "br, gzip"]],
  ["authorization", ["Bearer x", "Basic", "", "x"]],
  ["if-none-match", ["*", '"x"', "W/", ""]],
  ["x-http-method-override", ["DELETE"]],
  ["origin", ["null", "http://evil"]],
  ["cookie", ["a=b", "="]],
];

/** A random request for the agent of a version. */
export function httpCase(subject: Subject, random: Random): HttpCase {
  const [operation, params] = random.pick(goodRequests(subject));
  const isRpc = random.oneIn(2);
  const {
    method,
    path,
    body = params,
  } = subject.operations[operation].place(params as Record<string, unknown>);
  const target = isRpc ? "/rpc" : random.oneIn(2) ? path : targetFor(subject, random);
  const envelope = { jsonrpc: "2.0", id: 1, method: subject.operations[operation].jsonRpc, params };
  return {
    version: subject.version,
    method: random.oneIn(8)
      ? random.pick(["GET", "POST", "PUT", "DELETE", "HEAD", "OPTIONS", "PATCH"])
      : isRpc
        ? "POST"
        : method,
    target: `${target}${queryFor(random)}`,
    headers: headersFor(subject, random),
    body: bodyFor(isRpc || body === undefined ? envelope : body, random),
  };
}

/** Messages and configurations of each version with all their fields. */
const full: Readonly<
  Record<string, { readonly parts: readonly object[]; readonly configuration: object }>
> = {
  "1.0": {
    parts: [
      { text: "a", mediaType: "text/plain" },
      { raw: "AAEC" },
      { data: { a: [1, null, true] } },
    ],
    configuration: {
      taskPushNotificationConfig: { url: "http://hook", authentication: { scheme: "Bearer" } },
    },
  },
  "0.3.0": {
    parts: [
      { kind: "file", file: { bytes: "AAEC", mimeType: "text/plain" } },
      { kind: "data", data: { a: [1, null, true] } },
    ],
    configuration: {
      pushNotificationConfig: { url: "http://hook", authentication: { schemes: ["Bearer"] } },
    },
  },
};

/** Good requests of a version, by their operations. */
export function goodRequests({ samples, version }: Subject): (readonly [OperationName, object])[] {
  const { parts = [], configuration } = full[version] ?? {};
  const metadata = { k: "v", list: [1, { b: null }] };
  const all = [...samples.message.parts, ...parts];
  const message = { ...samples.message, contextId: "c1", taskId: "t1", metadata, parts: all };
  const limits = { acceptedOutputModes: ["text/plain"], historyLength: 3, ...configuration };
  return [
    ["SendMessage", { message, configuration: limits, metadata }],
    ["SendStreamingMessage", { message }],
    ["GetTask", { id: "t1", historyLength: 2 }],
    ["CancelTask", { id: "t1", metadata: { a: {} } }],
    ["SubscribeToTask", { id: "t1" }],
    ["CreateTaskPushNotificationConfig", samples.webhook],
  ];
}

function targetFor({ base }: Subject, random: Random) {
  if (random.oneIn(4))
    return random.pick([
      "/",
      "//",
      "/rpc/",
      "/.well-known/agent-card.json",
      "/card",
      "/v1/card",
      "/?",
    ]);
  const end = random.oneIn(2)
    ? random.pick(ends)
    : `/${random.list(5, () => random.pick(segments)).join("/")}`;
  return `${random.oneIn(6) ? "/acme" : random.oneIn(6) ? "" : base}${end}`;
}

function queryFor(random: Random) {
  if (!random.oneIn(3)) return "";
  const parameter = () =>
    `${random.pick(names)}${random.oneIn(8) ? "" : "="}${random.pick(values)}`;
  return `?${random.list(5, parameter).join(random.oneIn(8) ? ";" : "&")}`;
}

function headersFor({ headers }: Subject, random: Random): [string, string][] {
  const type: [string, string] = [
    "content-type",
    random.oneIn(5) ? random.pick(types) : "application/json",
  ];
  const extra = random.list(random.oneIn(2) ? 0 : 4, (): [string, string] => {
    const [name, choices] = random.pick(others);
    return [name, random.pick(choices)];
  });
  return [type, ...Object.entries(headers), ...extra];
}

function bodyFor(good: unknown, random: Random): Uint8Array {
  const keys = [
    "jsonrpc",
    "id",
    "method",
    "params",
    "message",
    "parts",
    "role",
    "task_id",
    "kind",
    "content",
  ];
  if (random.oneIn(8)) return new Uint8Array();
  const copy = JSON.parse(JSON.stringify(good)) as Readonly<Record<string, unknown>>;
  const isInner = "params" in copy && !random.oneIn(3);
  const nasty = isInner
    ? { ...copy, params: nastyJson(random, copy["params"], keys) }
    : nastyJson(random, copy, keys);
  const text = textOf(random.oneIn(4) ? good : nasty) ?? "[".repeat(50_000);
  const bytes = Buffer.from(text);
  return random.oneIn(4) ? damaged(bytes, random) : bytes;
}

/** A request as HTTP/1.1 writes it, framed in some way, and perhaps broken. */
export function rawRequest(
  { method, target, headers, body }: HttpCase,
  random: Random,
): Uint8Array {
  const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`).join("");
  const framing = random.below(8);
  const length =
    framing === 0 ? random.pick([0, body.length + 9, -1, 1e12, "x", "1, 2"]) : body.length;
  const isChunked = framing === 1 || framing === 2;
  const frame = isChunked ? "transfer-encoding: chunked\r\n" : `content-length: ${length}\r\n`;
  const both = random.oneIn(20) ? "content-length: 3\r\n" : "";
  const start = `${method} ${target} HTTP/${random.oneIn(20) ? random.pick(["1.0", "2.0", "9"]) : "1.1"}\r\n`;
  const head = Buffer.from(`${start}host: agent\r\n${lines}${frame}${both}\r\n`, "latin1");
  const bytes = Buffer.concat([head, isChunked ? chunked(body, random) : body]);
  if (random.oneIn(3)) return damaged(bytes, random);
  return random.oneIn(4) ? bytes.subarray(0, random.below(bytes.length + 1)) : bytes;
}

function chunked(body: Uint8Array, random: Random): Uint8Array {
  const parts: Uint8Array[] = [];
  for (let at = 0; at < body.length;) {
    const size = 1 + random.below(random.pick([1, 16, 4_096]));
    const part = body.subarray(at, at + size);
    const said = random.oneIn(200) ? "zz" : part.length.toString(16);
    parts.push(
      Buffer.from(`${said}${random.oneIn(8) ? ";a=b" : ""}\r\n`),
      part,
      Buffer.from("\r\n"),
    );
    at += size;
  }
  if (parts.length > 300) return chunked(body.subarray(0, 100), random);
  return Buffer.concat([
    ...parts,
    Buffer.from(random.oneIn(8) ? "0\r\nx: y\r\n\r\n" : "0\r\n\r\n"),
  ]);
}
