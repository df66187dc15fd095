import { protocol } from "../../generated/1.0/operations.js";
import type { StreamResponse, TaskPushNotificationConfig } from "../../generated/1.0/index.js";
import { Poster, refusalOf, type PushOptions } from "../shared/poster.js";
import { invalid } from "./paging.js";

/** Throws an `InvalidParamsError` that names `field` where the agent cannot or may not call `url`. */
export function checkWebhookUrl(url: string, field: string, options: PushOptions): void {
  const refusal = refusalOf(url, options);
  if (refusal !== undefined) throw invalid(field, refusal);
}

/** A webhook of a task. It gets each update in one POST, in order. */
export class Webhook {
  readonly config: TaskPushNotificationConfig;
  readonly #poster: Poster;

  constructor(config: TaskPushNotificationConfig, options: PushOptions = {}) {
    this.config = config;
    this.#poster = new Poster(config.url, headersOf(config), options);
  }

  /** Sends an update as soon as those before it are through. */
  deliver(update: StreamResponse): void {
    this.#poster.post(update);
  }

  /** Sends nothing more, and breaks off what is on its way. */
  stop(): void {
    this.#poster.stop();
  }
}

function headersOf({ authentication, token }: TaskPushNotificationConfig): Record<string, string> {
  const headers: Record<string, string> = { "content-type": protocol.mediaTypes.http };
  if (authentication !== undefined) {
    headers["authorization"] = [authentication.scheme, authentication.credentials ?? ""].join(" ").trim();
  }
  if (token) headers["x-a2a-notification-token"] = token;
  return headers;
}
