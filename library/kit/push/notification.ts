import { TaskState } from "../model.js";
import type { ServiceHost } from "../../runtime/server/host.js";
import type { PostFacts } from "../kit-facts.js";
import type { EventEntry, Stored, TaskStore, Webhook, WebhookLease } from "../store.js";
import { fitsHeader, shortDigestOf } from "./secrets.js";

/** The body of a push notification, with its version. */
export interface PushBody {
  readonly contentType: string;
  readonly body: string;
  /** Protocol version of the body. */
  readonly version: string;
  /**
   * Text of the event that is the same in each delivery. It is omitted if the body is the same in
   * each delivery.
   */
  readonly lasting?: string;
}

/**
 * Returns the push notification for an event, in the version of the caller that registered the
 * webhook. If the agent no longer serves that version, uses the agent's version.
 * @throws A `ValidationError` if the version cannot represent the event.
 */
export type PushBodyOf = (lease: WebhookLease, entry: EventEntry) => PushBody | Promise<PushBody>;

/** Name of the header that contains the token of a webhook. */
export const tokenHeader = "x-a2a-notification-token";

/** Name of the token header that the SDKs for Go (2.4.0) and Rust (a2a-server-lf 0.5.3) send. */
export const bareTokenHeader = "a2a-notification-token";

/** Name of the header that identifies an event, so that receivers recognize a repeated event. */
export const keyHeader = "idempotency-key";

/**
 * Returns the push notification for an event in the agent's version: the JSON of a stream response,
 * with the media type of HTTP+JSON.
 */
export function bodyOf({ event }: EventEntry, protocol: PostFacts): PushBody {
  return {
    contentType: protocol.mediaTypes.http,
    body: JSON.stringify(event),
    version: protocol.version,
  };
}

/**
 * Returns a function that creates the body of an event in the version of its webhook. For a version
 * that posts tasks instead of events, the body is the current task with the status at the time of
 * the event.
 */
export function bodiesOf(
  { webhookForm }: Pick<ServiceHost, "webhookForm">,
  store: Pick<TaskStore, "read">,
  protocol: PostFacts,
): PushBodyOf {
  return async (lease, entry) => {
    const { webhook, scope } = lease;
    const form = webhookForm(webhook.version);
    if (form === undefined) return bodyOf(entry, protocol);
    const { contentType } = form;
    const { version } = webhook;
    if (form.type !== "Task")
      return { contentType, body: JSON.stringify(form.bodyOf(entry.event)), version };
    const task = taskAfter(entry, lease.events, await store.read(scope, webhook.taskId));
    // The task may have changed when the event is posted again.
    const lasting = JSON.stringify(entry.event);
    return { contentType, body: JSON.stringify(form.bodyOf(task)), version, lasting };
  };
}

function taskAfter(
  { generation }: EventEntry,
  events: readonly EventEntry[],
  stored: Stored | undefined,
): unknown {
  if (stored === undefined) throw new Error("The task was deleted");
  const { task } = stored;
  if (stored.generation <= generation) return task;
  const before = events.flatMap((entry) =>
    "statusUpdate" in entry.event && entry.generation <= generation
      ? [entry.event.statusUpdate.status]
      : [],
  );
  // The event changes an artifact, so the task was working.
  return { ...task, status: before.at(-1) ?? { state: TaskState.Working } };
}

/**
 * Returns the headers of a push notification: credentials, token, version, and the key of the
 * event. The key is the same in each delivery of an event. It contains a digest of the event,
 * because a database may lose the latest events in a failover, and other events then get their
 * generations.
 */
export async function headersOf(
  { config, taskId }: Pick<Webhook, "config" | "taskId">,
  generation: number,
  body: PushBody,
  protocol: PostFacts,
): Promise<Record<string, string>> {
  const digest = await shortDigestOf(body.lasting ?? body.body);
  const key = `"${encodeURIComponent(taskId)}/${String(generation)}/${digest}"`;
  return { ...postHeaders(config, body, protocol), [keyHeader]: key };
}

/** Returns whether a key contains a digest of its event, as {@link headersOf} creates it. */
export function isExactKey(key: string): boolean {
  return /^"[^"/]*\/\d+\/[\da-f]{16}"$/.test(key);
}

/** Returns the headers of a push notification without the key of the event. */
export function postHeaders(
  { authentication, token }: Webhook["config"],
  { contentType, version }: PushBody,
  protocol: PostFacts,
): Record<string, string> {
  const headers: Record<string, string> = {
    "content-type": contentType,
    [protocol.headers.version.toLowerCase()]: version,
  };
  if (authentication !== undefined)
    headers["authorization"] = [authentication.scheme, authentication.credentials ?? ""]
      .join(" ")
      .trim();
  if (token !== undefined && token !== "") headers[tokenHeader] = token;
  // A store may contain webhooks with invalid headers. Check the headers here, because platforms
  // print invalid headers in error messages.
  if (!Object.values(headers).every(fitsHeader))
    throw new Error(
      "The credentials or the token of the webhook contain characters that are not allowed in a " +
        "header",
    );
  return headers;
}
