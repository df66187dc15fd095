import { isObject, type Json } from "../../agents/findings.js";
import type { CallOptions, Lane } from "../lane.js";
import { replyOf, type Reply } from "../reply.js";
import type { RawStep } from "./format.js";

/** The protocol's operations, by their names in the suite format and in published suites. */
const operations: Readonly<Record<string, string>> = {
  send_message: "SendMessage",
  send_streaming_message: "SendStreamingMessage",
  get_task: "GetTask",
  list_tasks: "ListTasks",
  cancel_task: "CancelTask",
  subscribe_to_task: "SubscribeToTask",
  get_extended_agent_card: "GetExtendedAgentCard",
  create_push_config: "CreateTaskPushNotificationConfig",
  get_push_config: "GetTaskPushNotificationConfig",
  list_push_configs: "ListTaskPushNotificationConfigs",
  delete_push_config: "DeleteTaskPushNotificationConfig",
  set_push_notification_config: "CreateTaskPushNotificationConfig",
  get_push_notification_config: "GetTaskPushNotificationConfig",
  list_push_notification_configs: "ListTaskPushNotificationConfigs",
  delete_push_notification_config: "DeleteTaskPushNotificationConfig",
};

/** Operations that create or change data of the agent. */
const changes = [
  "SendMessage",
  "SendStreamingMessage",
  "CreateTaskPushNotificationConfig",
  "DeleteTaskPushNotificationConfig",
];

/** Bindings by their names in the suite format. */
export const bindings: Readonly<Record<string, string>> = {
  jsonrpc: "JSONRPC",
  rest: "HTTP+JSON",
  grpc: "GRPC",
};

/** Returns whether a step creates or changes data of the agent. */
export function isChange(operation: string | undefined, raw: RawStep | undefined): boolean {
  if (operation !== undefined) return changes.includes(operations[operation] ?? "");
  if (raw === undefined) return false;
  const text = raw.path + JSON.stringify(raw.body ?? "");
  return /Send(?:Streaming)?Message|message:|PushNotificationConfig"/.test(text);
}

/** Calls an operation by its name in the suite format. */
export async function callOperation(lane: Lane, name: string, params: Json): Promise<Reply> {
  if (name === "get_agent_card")
    return params["extended"] === true ? lane.call("GetExtendedAgentCard", {}) : publicCard(lane);
  const operation = operations[name];
  if (operation === undefined) return replyOf({ failure: `the operation ${name} is unknown` });
  return lane.call(operation, requestOf(operation, params));
}

async function publicCard(lane: Lane): Promise<Reply> {
  return lane.send({ method: "GET", url: lane.cardUrl, headers: { accept: "application/json" } });
}

/**
 * Converts parameters in the suite format to a request. Some suites write the ids of a message next
 * to the message.
 */
function requestOf(operation: string, params: Json): Json {
  const { message, taskId, contextId, pushNotificationConfig, cursor, ...rest } = params;
  const ids = {
    ...(taskId !== undefined && { taskId }),
    ...(contextId !== undefined && { contextId }),
  };
  if (operation.startsWith("Send") && isObject(message))
    return { ...rest, message: { messageId: crypto.randomUUID(), ...ids, ...message } };
  return {
    ...rest,
    ...ids,
    ...(isObject(pushNotificationConfig) && pushNotificationConfig),
    ...(cursor !== undefined && { pageToken: cursor }),
  };
}

/** Sends a request in its exact form. */
export async function sendRaw(
  lane: Lane,
  { method, path, headers = {}, body, body_raw }: RawStep,
  options: CallOptions,
): Promise<Reply> {
  const text = body_raw ?? (body === undefined ? undefined : JSON.stringify(body));
  // If the suite omits the version header, send the request without a version.
  const names = Object.keys(headers).map((name) => name.toLowerCase());
  const version = names.includes("a2a-version") ? {} : { "A2A-Version": "" };
  return lane.send(
    {
      method,
      url: urlOf(lane.target.url, path),
      headers: { ...version, ...headers },
      ...(text !== undefined && { body: text }),
    },
    options,
  );
}

function urlOf(interfaceUrl: string, path: string): string {
  if (path === "/") return interfaceUrl;
  // Well-known paths are at the root of the origin, even if the interface has a path.
  if (path.startsWith("/.well-known/")) return new URL(path, interfaceUrl).href;
  return interfaceUrl.replace(/\/$/, "") + path;
}
