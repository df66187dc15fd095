import { bearerTokens } from "../../../examples/echo-agent/auth.js";
import { startEchoAgent } from "../../../examples/echo-agent/server.js";
import { bearerTokens as oldBearerTokens } from "../../../examples/echo-agent-0.3/auth.js";
import { startEchoAgent as startOldEchoAgent } from "../../../examples/echo-agent-0.3/server.js";
import type { Environment } from "../../../examples/shared/environment.js";
import type { PushOptions } from "../../../examples/shared/poster.js";
import { grpc } from "../../../generated/1.0/client/grpc.js";
import * as current from "../../../generated/1.0/index.js";
import { grpc as oldGrpc } from "../../../generated/0.3.0/client/grpc.js";
import * as old from "../../../generated/0.3.0/index.js";
import { fixedEnvironment } from "../../support/environment.js";
import { all, everywhere } from "../../support/everywhere.js";
import { v03, v1, type Dialect } from "../interop/dialect.js";
import { at, isObject, textAt, type Json } from "../interop/json.js";
import { callsOf } from "../interop/ours.js";
import { bindings, type Binding, type Caller, type CallerOptions } from "../interop/peers.js";

/** How an echo agent differs from the usual one. */
export interface AgentOptions {
  readonly environment?: Environment;
  readonly push?: PushOptions;
  /** Users by their bearer tokens. Without users, every caller may do everything. */
  readonly users?: ReadonlyMap<string, string>;
}

/** An agent with a client that speaks one version over one binding to it, in JSON. */
export interface Side {
  readonly edition: Edition;
  readonly binding: Binding;
  readonly agent: { readonly url: string; readonly card: object; close(): Promise<void> };
  readonly client: Pick<Caller, "card" | "call" | "stream" | "close">;
}

/** Version of an echo agent. Together with the transports, it selects the tests. */
export interface Edition {
  readonly version: string;
  readonly dialect: Dialect;
  readonly isTask: (value: unknown) => boolean;
  readonly isEvent: (value: unknown) => boolean;
  /**
   * Returns an event in its canonical form. In JSON, agents may send default values, which clients
   * keep and protobuf omits.
   */
  readonly parseEvent: (value: unknown) => unknown;
  readonly open: (binding: Binding, options: AgentOptions) => Promise<Side>;
}

const edition10: Edition = {
  version: "1.0",
  dialect: v1,
  isTask: current.isTask,
  isEvent: current.isStreamResponse,
  parseEvent: (value) => current.parseStreamResponse(value),
  async open(
    binding,
    { users, push: { onError, ...push } = {}, environment = fixedEnvironment() },
  ) {
    const agent = await startEchoAgent({
      environment,
      push: { allowPrivateAddresses: true, maxAttempts: 1, ...push },
      ...(onError && { onError: (error) => onError(error, "") }),
      ...(users && { authenticate: bearerTokens(users) }),
    });
    const transports = { JSONRPC: current.jsonRpc(), "HTTP+JSON": current.rest(), GRPC: grpc() };
    const client = await current.connect(agent.url, {
      transports: [transports[binding]],
      trustedOrigins: [agent.grpcUrl],
    });
    return sideOf(edition10, binding, agent, client);
  },
};

const edition03: Edition = {
  version: "0.3.0",
  dialect: v03,
  isTask: old.isTask,
  isEvent: old.isStreamResponse,
  parseEvent: (value) => old.parseStreamResponse(value),
  async open(binding, { users, ...options }) {
    const agent = await startOldEchoAgent({
      environment: fixedEnvironment(),
      ...options,
      ...(users && { authenticate: oldBearerTokens(users) }),
    });
    const transports = { JSONRPC: old.jsonRpc(), "HTTP+JSON": old.rest(), GRPC: oldGrpc() };
    const client = await old.connect(agent.url, {
      transports: [transports[binding]],
      trustedOrigins: [agent.grpcUrl],
    });
    return sideOf(edition03, binding, agent, client);
  },
};

/** The versions, for `describe.each`. */
export const editions: readonly Edition[] = [edition10, edition03];

function sideOf(
  edition: Edition,
  binding: Binding,
  agent: Side["agent"],
  client: { readonly card?: unknown; close(): void },
): Side {
  const close = () => client.close();
  return { edition, binding, agent, client: { card: client.card, ...callsOf(client), close } };
}

/**
 * Plays a scene over each transport with a new agent each time, expects the same result from all of
 * them, and returns it.
 */
export function onEveryBinding<T>(
  edition: Edition,
  scene: (side: Side) => Promise<T>,
  options: AgentOptions = {},
): Promise<T> {
  return everywhere(bindings, (binding) => edition.open(binding, options), scene);
}

/** A message of the user in the JSON of 1.0, with these parts or with this text. */
export function userMessage(
  content: string | current.Part[],
  more: Partial<current.Message> = {},
): current.Message {
  const parts = typeof content === "string" ? [{ text: content }] : content;
  return { messageId: "m-1", role: "ROLE_USER", parts, ...more };
}

/** Options of a message. */
export interface Sending extends CallerOptions {
  readonly configuration?: current.SendMessageConfiguration;
  readonly metadata?: Record<string, unknown>;
}

/** The request that sends a message, in the JSON of the version. */
function requestOf(
  { dialect }: Edition,
  message: current.Message,
  { configuration, metadata }: Sending,
) {
  return dialect.sendRequest({
    message,
    ...(configuration && { configuration }),
    ...(metadata && { metadata }),
  } as current.SendMessageRequest);
}

/** Sends a message and returns the resulting task or message. */
export async function sendMessage(
  side: Side,
  message: current.Message,
  sending: Sending = {},
): Promise<Json> {
  const response = await side.client.call(
    "sendMessage",
    requestOf(side.edition, message, sending),
    sending,
  );
  const found = at(response, "task") ?? at(response, "message") ?? response;
  if (!isObject(found)) throw new Error(`Invalid response: ${JSON.stringify(response)}`);
  return found;
}

/** Sends a text and returns the resulting task. */
export async function send(
  side: Side,
  text: string,
  more: Partial<current.Message> = {},
  sending: Sending = {},
): Promise<Json> {
  const task = await sendMessage(side, userMessage(text, more), sending);
  if (!side.edition.isTask(task)) throw new Error("The agent answered with a message");
  return task;
}

/** Sends a message and returns the stream of what happens. */
export function stream(
  side: Side,
  message: current.Message,
  sending: Sending = {},
): AsyncIterable<unknown> {
  return side.client.stream(
    "sendStreamingMessage",
    requestOf(side.edition, message, sending),
    sending,
  );
}

/** Sends a text and returns the task as soon as there is one. The stream of its updates is left. */
export async function begin(
  side: Side,
  text: string,
  more: Partial<current.Message> = {},
): Promise<Json> {
  for await (const event of stream(side, userMessage(text, more))) {
    const task = at(event, "task") ?? event;
    if (isObject(task) && side.edition.isTask(task)) return task;
  }
  throw new Error("The agent answered without a task");
}

/** Reads a task. */
export async function read(
  { client }: Side,
  id: string,
  more: Json = {},
  options?: CallerOptions,
): Promise<Json> {
  const task = await client.call("getTask", { id, ...more }, options);
  if (!isObject(task)) throw new Error("This is no task");
  return task;
}

/** Subscribes to a task. */
export function subscribe(
  { client }: Side,
  id: string,
  options?: CallerOptions,
): AsyncIterable<unknown> {
  return client.stream("subscribeToTask", { id }, options);
}

/** Calls an operation on a webhook. The requests differ only in their names. */
export function webhook(
  { client, edition: { dialect } }: Side,
  method: "create" | "get" | "delete",
  config: Partial<current.TaskPushNotificationConfig> & { readonly taskId: string },
  options?: CallerOptions,
): Promise<unknown> {
  const { id = "", taskId, url = "" } = config;
  const request =
    method === "create"
      ? dialect.config({ url, ...config })
      : dialect.configRequest({ taskId, id });
  return client.call(`${method}TaskPushNotificationConfig`, request, options);
}

/** Lists the webhooks of a task. */
export async function webhooks(
  { client, edition: { dialect } }: Side,
  taskId: string,
  options?: CallerOptions,
) {
  return await client.call(
    "listTaskPushNotificationConfigs",
    dialect.listConfigsRequest(taskId),
    options,
  );
}

/** The id of a task. */
export const idOf = (task: unknown): string => textAt(task, "id");

/** The state of a task or a status update in lower case, as 0.3 spells it: `input-required`. */
export function stateOf(value: unknown): string {
  return textAt(value, "status", "state")
    .replace("TASK_STATE_", "")
    .toLowerCase()
    .replaceAll("_", "-");
}

/** Returns the text of each part. */
export function textsOf(parts: unknown): unknown[] {
  return Array.isArray(parts) ? parts.map((part: unknown) => at(part, "text") ?? part) : [];
}

/** Returns the conversation of a task: the first text of each message. */
export function saidIn(task: unknown): unknown[] {
  const history = at(task, "history");
  return Array.isArray(history)
    ? history.map((message: unknown) => textsOf(at(message, "parts"))[0])
    : [];
}

/** Returns the texts of each artifact of a task. */
export function artifactsOf(task: unknown): unknown[][] {
  const artifacts = at(task, "artifacts");
  return Array.isArray(artifacts)
    ? artifacts.map((artifact: unknown) => textsOf(at(artifact, "parts")))
    : [];
}

/** Returns the kind of an event and the event itself, in any version. */
export function contentOf(event: unknown): { readonly kind: string; readonly body: unknown } {
  const kind = at(event, "kind");
  const [member, content] = Object.entries(isObject(event) ? event : {})[0] ?? [];
  const [name, body] = typeof kind === "string" ? [kind, event] : [member ?? "", content];
  return { kind: name.replace(/-?update$/i, ""), body };
}

/** Says in a few words what each event of a stream is. */
export function outline(events: readonly unknown[]): string[] {
  return events.map(contentOf).map(({ kind, body }) => {
    if (kind === "artifact")
      return `artifact ${JSON.stringify(textsOf(at(body, "artifact", "parts")))}`;
    return kind === "message" ? kind : `${kind} ${stateOf(body)}`;
  });
}

/** Sends a text and returns the outline of the stream. */
export async function streamed(
  side: Side,
  text: string,
  more: Partial<current.Message> = {},
): Promise<string[]> {
  return outline(await all(stream(side, userMessage(text, more))));
}
