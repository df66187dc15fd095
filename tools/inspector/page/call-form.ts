import { isObject, type Json } from "../../agents/findings.js";
import type { RecordedRequest } from "../../agents/index.js";
import { messageOf, parsed, textOf, type MessageForm } from "./event-form.js";

/** A call about a task, in any version of A2A and over any transport. */
export interface CallForm {
  readonly kind: "send" | "get" | "cancel" | "subscribe" | "addWebhook" | "deleteWebhook";
  /** The task that the request names, or an empty string. */
  readonly taskId: string;
  /** The message that the call sends. */
  readonly message: MessageForm | undefined;
  /** URL or id of the webhook that the call adds or deletes, or an empty string. */
  readonly webhook: string;
}

type Kind = CallForm["kind"];

/** JSON-RPC methods, in the names of all versions. */
const methods: readonly (readonly [RegExp, Kind])[] = [
  [/^(?:Send(?:Streaming)?Message|message\/(?:send|stream)|tasks\/send(?:Subscribe)?)$/, "send"],
  [/^(?:GetTask|tasks\/get)$/, "get"],
  [/^(?:CancelTask|tasks\/cancel)$/, "cancel"],
  [/^(?:SubscribeToTask|tasks\/resubscribe)$/, "subscribe"],
  [/^(?:CreateTaskPushNotificationConfig|tasks\/pushNotification(?:Config)?\/set)$/, "addWebhook"],
  [/^(?:Delete.*PushNotificationConfig|tasks\/pushNotificationConfig\/delete)$/, "deleteWebhook"],
];

/** Methods and paths of HTTP, with the id of the task and the id of the webhook. */
const paths: readonly (readonly [RegExp, Kind])[] = [
  [/^POST .*\/message:(?:send|stream)$/, "send"],
  [/^GET .*\/tasks\/([^/:]+)$/, "get"],
  [/^POST .*\/tasks\/([^/:]+):cancel$/, "cancel"],
  [/^(?:GET|POST) .*\/tasks\/([^/:]+):subscribe$/, "subscribe"],
  [/^POST .*\/tasks\/([^/:]+)\/pushNotificationConfigs$/, "addWebhook"],
  [/^DELETE .*\/tasks\/([^/:]+)\/pushNotificationConfigs\/([^/]+)$/, "deleteWebhook"],
];

/** Reads a request. Returns `undefined` if it is not a call about a task. */
export function callOf({ method, url, body }: RecordedRequest): CallForm | undefined {
  const value = body === undefined ? undefined : parsed(body);
  const called = value?.["method"];
  if (typeof called === "string") {
    const [, kind] = methods.find(([pattern]) => pattern.test(called)) ?? [];
    const params = objectOf(value?.["params"]);
    return kind && formOf(kind, { params, taskId: "", webhook: "" });
  }
  const target = `${method} ${URL.canParse(url) ? new URL(url).pathname : url}`;
  for (const [pattern, kind] of paths) {
    const match = pattern.exec(target);
    if (match === null) continue;
    const [taskId = "", webhook = ""] = match.slice(1).map(decoded);
    return formOf(kind, { params: value ?? {}, taskId, webhook });
  }
  return undefined;
}

function formOf(
  kind: Kind,
  { params, taskId, webhook }: { params: Json; taskId: string; webhook: string },
): CallForm {
  const sent = objectOf(params["message"]);
  const message = kind === "send" ? messageOf(sent) : undefined;
  const named = textOf(params["taskId"] ?? params["id"]);
  return {
    kind,
    taskId: taskId || (message === undefined ? named : message.taskId),
    message,
    webhook: webhook || webhookOf(kind, params),
  };
}

function webhookOf(kind: Kind, params: Json): string {
  if (kind === "deleteWebhook") return textOf(params["pushNotificationConfigId"] ?? params["id"]);
  const { configuration, config, pushNotificationConfig, taskPushNotificationConfig } = params;
  for (const inner of [configuration, config, pushNotificationConfig, taskPushNotificationConfig]) {
    const url: string = inner === undefined ? "" : webhookOf(kind, objectOf(inner));
    if (url !== "") return url;
  }
  return textOf(params["url"]);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function objectOf(value: unknown): Json {
  return isObject(value) ? value : {};
}
