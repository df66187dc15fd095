import { TaskState } from "../model.js";
import type { ServiceHost } from "../../runtime/server/host.js";
import type { PostFacts } from "../kit-facts.js";
import type { EventEntry, Stored, TaskStore, Webhook, WebhookLease } from "../store.js";
import { fitsHeader } from "./secrets.js";

/** What is posted for an event. */
export interface PushBody {
  readonly contentType: string;
  readonly body: string;
  /** The version of the protocol that it is in. */
  readonly version: string;
}

/**
 * Returns what is posted to a webhook for an event: in the version of its caller, or in that of the agent where this is
 * not served any more. Throws a `ValidationError` for what that version cannot say.
 */
export type PushBodyOf = (lease: WebhookLease, entry: EventEntry) => PushBody | Promise<PushBody>;

/** The header of the token of a webhook. */
export const tokenHeader = "x-a2a-notification-token";

/** The header of the token as the SDKs of Go (2.4.0) and Rust (a2a-server-lf 0.5.3) send it. */
export const bareTokenHeader = "a2a-notification-token";

/** The header by which an event can be known again that comes twice. */
export const keyHeader = "idempotency-key";

/** Returns an event as the agent's version posts it: what a stream would send, in the media type of HTTP+JSON. */
export function bodyOf({ event }: EventEntry, protocol: PostFacts): PushBody {
  return { contentType: protocol.mediaTypes.http, body: JSON.stringify(event), version: protocol.version };
}

/**
 * Returns what is posted in the versions that an agent serves besides its own. Where a version posts tasks and not
 * events, it is the task as it is now, with the status of then.
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
    const value =
      form.type === "Task" ? taskAfter(entry, lease.events, await store.read(scope, webhook.taskId)) : entry.event;
    const { contentType } = form;
    return { contentType, body: JSON.stringify(form.bodyOf(value)), version: webhook.version };
  };
}

function taskAfter({ generation }: EventEntry, events: readonly EventEntry[], stored: Stored | undefined): unknown {
  if (stored === undefined) throw new Error("The task has gone");
  const { task } = stored;
  if (stored.generation <= generation) return task;
  const before = events.flatMap((each) =>
    "statusUpdate" in each.event && each.generation <= generation ? [each.event.statusUpdate.status] : [],
  );
  // A task whose artifacts change is at work.
  return { ...task, status: before.at(-1) ?? { state: TaskState.Working } };
}

/** Returns the headers of a post: credentials, token, version, and what makes the event known again. */
export function headersOf(
  { config, taskId }: Webhook,
  generation: number,
  { contentType, version }: PushBody,
  protocol: PostFacts,
): Record<string, string> {
  const { authentication, token } = config;
  const headers: Record<string, string> = {
    "content-type": contentType,
    [protocol.headers.version.toLowerCase()]: version,
    [keyHeader]: `"${encodeURIComponent(taskId)}/${String(generation)}"`,
  };
  if (authentication !== undefined)
    headers["authorization"] = [authentication.scheme, authentication.credentials ?? ""].join(" ").trim();
  if (token !== undefined && token !== "") headers[tokenHeader] = token;
  // A store may have others than callers can register, and platforms repeat a wrong header in their errors.
  if (!Object.values(headers).every(fitsHeader))
    throw new Error("The credentials or the token of the webhook have characters that no header can carry");
  return headers;
}
