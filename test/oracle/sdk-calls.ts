import * as sdk from "@a2a-js/sdk";
import type { LegacyJsonRpcTransport } from "@a2a-js/sdk/compat/v0_3/client";
import { form, type Form } from "./sdk-forms.js";

/** A type of the specification, and what reads and writes its objects in the SDK. */
export type Typed = readonly [type: string, form: Form];

/** One call, as the SDK makes and handles it in 0.3. */
export interface Call {
  /** The method of the SDK's client. */
  readonly client?: keyof LegacyJsonRpcTransport;
  /** The method of JSON-RPC. */
  readonly method: string;
  /** The type of the params in 0.3. */
  readonly params?: Typed;
  /** The type of the request in 1.0. */
  readonly request?: Typed;
  /** The type of the result in 0.3. */
  readonly result?: Typed;
  /** The type of the response in 1.0. */
  readonly response?: Typed;
  readonly streams?: boolean;
}

type Name = keyof typeof sdk;

const typed = (type: string, name: Name) => [type, form(sdk[name])] as const;

/** The types of a request in 0.3 and in 1.0. */
const asking = (old: string, name: Name) => ({
  params: typed(old, name),
  request: typed(name, name),
});

/** The types of a response that both versions have. */
const answering = (name: Name) => ({ result: typed(name, name), response: typed(name, name) });

const sending = asking("MessageSendParams", "SendMessageRequest");
const task = answering("Task");
const stream = { ...answering("StreamResponse"), streams: true };
const config = answering("TaskPushNotificationConfig");
const push = "tasks/pushNotificationConfig";

/** All calls by their names in 1.0. */
export const calls: Readonly<Record<string, Call>> = {
  SendMessage: {
    ...{ client: "sendMessage", method: "message/send", ...sending },
    result: typed("SendMessageResult", "SendMessageResponse"),
  },
  SendStreamingMessage: {
    ...{ client: "sendMessageStream", method: "message/stream", ...sending, ...stream },
  },
  GetTask: {
    ...{ client: "getTask", method: "tasks/get", ...task },
    ...asking("TaskQueryParams", "GetTaskRequest"),
  },
  CancelTask: {
    ...{ client: "cancelTask", method: "tasks/cancel", ...task },
    ...asking("TaskIdParams", "CancelTaskRequest"),
  },
  SubscribeToTask: {
    ...{ client: "resubscribeTask", method: "tasks/resubscribe", ...stream },
    ...asking("TaskIdParams", "SubscribeToTaskRequest"),
  },
  CreateTaskPushNotificationConfig: {
    ...{ client: "createTaskPushNotificationConfig", method: `${push}/set`, ...config },
    ...asking("TaskPushNotificationConfig", "TaskPushNotificationConfig"),
  },
  GetTaskPushNotificationConfig: {
    ...{ client: "getTaskPushNotificationConfig", method: `${push}/get`, ...config },
    ...asking("GetTaskPushNotificationConfigParams", "GetTaskPushNotificationConfigRequest"),
  },
  ListTaskPushNotificationConfigs: {
    ...{ client: "listTaskPushNotificationConfig", method: `${push}/list` },
    ...asking("ListTaskPushNotificationConfigParams", "ListTaskPushNotificationConfigsRequest"),
    response: typed(
      "ListTaskPushNotificationConfigsResponse",
      "ListTaskPushNotificationConfigsResponse",
    ),
  },
  DeleteTaskPushNotificationConfig: {
    ...{ client: "deleteTaskPushNotificationConfig", method: `${push}/delete` },
    ...asking("DeleteTaskPushNotificationConfigParams", "DeleteTaskPushNotificationConfigRequest"),
  },
  GetExtendedAgentCard: {
    method: "agent/getAuthenticatedExtendedCard",
    response: typed("AgentCard", "AgentCard"),
  },
};

/** Returns the calls that have some members, with these members. */
export function callsWith<Key extends keyof Call>(
  ...keys: readonly Key[]
): [string, Call & Required<Pick<Call, Key>>][] {
  const has = (call: Call): call is Call & Required<Pick<Call, Key>> =>
    keys.every((key) => call[key] !== undefined);
  return Object.entries(calls).flatMap(([name, call]) => (has(call) ? [[name, call]] : []));
}
