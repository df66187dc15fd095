import {
  InvalidParamsError,
  type Task,
  type TaskPushNotificationConfig,
} from "../../generated/0.3.0/index.js";
import { Poster, refusalOf, type PushOptions } from "../shared/poster.js";

/** Throws an `InvalidParamsError` for `field` if the agent cannot or must not call `url`. */
export function checkWebhookUrl(url: string, field: string, options: PushOptions): void {
  const refusal = refusalOf(url, options);
  if (refusal !== undefined) throw invalid(field, refusal);
}

/**
 * Returns the error for an invalid parameter. `field` is the path of the parameter in the request.
 */
export function invalid(field: string, description: string): InvalidParamsError {
  const violation = { field, description };
  const badRequest = {
    "@type": "type.googleapis.com/google.rpc.BadRequest",
    fieldViolations: [violation],
  };
  return new InvalidParamsError(`${field} ${description}`, { details: [badRequest] });
}

/** A webhook of a task. It receives the current task after each update. */
export class Webhook {
  readonly config: TaskPushNotificationConfig;
  readonly #poster: Poster;

  constructor(config: TaskPushNotificationConfig, options: PushOptions = {}) {
    this.config = config;
    this.#poster = new Poster(config.pushNotificationConfig.url, headersOf(config), options);
  }

  /** Sends the task after the earlier deliveries have ended. */
  deliver(task: Task): void {
    this.#poster.post(task);
  }

  /** Stops sending, and aborts running deliveries. */
  stop(): void {
    this.#poster.stop();
  }
}

function headersOf({
  pushNotificationConfig: config,
}: TaskPushNotificationConfig): Record<string, string> {
  const { authentication, token } = config;
  const headers: Record<string, string> = { "content-type": "application/json" };
  const scheme = authentication?.schemes[0];
  if (scheme !== undefined)
    headers["authorization"] = [scheme, authentication?.credentials ?? ""].join(" ").trim();
  if (token) headers["x-a2a-notification-token"] = token;
  return headers;
}
