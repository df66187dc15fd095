import type { EventEntry } from "./entries.js";
import type { TaskPushNotificationConfig } from "../model.js";
import type { Scope } from "./tasks.js";

/** A webhook of a task. */
export interface Webhook {
  readonly taskId: string;
  readonly id: string;
  readonly config: TaskPushNotificationConfig;
  /**
   * Protocol version of the caller that registered the webhook. Push notifications to the webhook
   * use the same version.
   */
  readonly version: string;
  /** Generation of the task when the webhook was registered. Only later events are delivered. */
  readonly after: number;
}

/** The right to deliver the events of a webhook, with the events to deliver. */
export interface WebhookLease {
  readonly webhook: Webhook;
  readonly scope: Scope;
  readonly holder: string;
  readonly epoch: number;
  /**
   * Events after the last delivered event. If too many events follow, the list contains only the
   * first events.
   */
  readonly events: readonly EventEntry[];
  /** Number of failed attempts to deliver the first event. */
  readonly failures: number;
  /**
   * Start of the lease by the clock of `performance`, in milliseconds, if the lease began before
   * the call that returns it.
   */
  readonly since?: number;
}

/** Outcome of a delivery. */
export type Delivery =
  | { readonly upTo: number }
  /** Events up to a generation were delivered; the next event must be retried. */
  | { readonly upTo: number; readonly retryInMs: number }
  /** The webhook gets no more events, and is never due again. */
  | { readonly givenUp: true };
