import { protocol } from "../../generated/1.0/operations.js";
import type { StreamResponse, TaskPushNotificationConfig } from "../../generated/1.0/index.js";
import { invalid } from "./paging.js";

/** How webhooks are called. */
export interface PushOptions {
  /** How long a webhook may take to answer, in milliseconds; 10,000 by default. */
  readonly timeoutMs?: number;
  /**
   * Decides which addresses may be called; all by default. An agent that strangers can reach should refuse those inside
   * of its own network.
   */
  readonly allow?: (url: URL) => boolean;
  /** Hears of deliveries that failed. */
  readonly onError?: (error: unknown, config: TaskPushNotificationConfig) => void;
}

/** Throws an `InvalidParamsError` that names `field` where the agent cannot or may not call `url`. */
export function checkWebhookUrl(url: string, field: string, { allow }: PushOptions): void {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed?.protocol !== "http:" && parsed?.protocol !== "https:") throw invalid(field, "must be an HTTP URL");
  if (allow !== undefined && !allow(parsed)) throw invalid(field, "must be an address that the agent may call");
}

/**
 * A webhook of a task. It gets each update in one POST, one after the other and in order. Nobody waits for it: what goes
 * wrong goes to `onError` and nowhere else.
 */
export class Webhook {
  readonly config: TaskPushNotificationConfig;
  readonly #options: PushOptions;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #stop = new AbortController();
  #queue = Promise.resolve();

  constructor(config: TaskPushNotificationConfig, options: PushOptions = {}) {
    this.config = config;
    this.#options = options;
    this.#headers = headersOf(config);
  }

  /** Sends an update as soon as those before it are through. */
  deliver(update: StreamResponse): void {
    this.#queue = this.#queue.then(() => this.#post(JSON.stringify(update)));
  }

  /** Sends nothing more, and breaks off what is on its way. */
  stop(): void {
    this.#stop.abort();
  }

  async #post(body: string): Promise<void> {
    const signal = AbortSignal.any([this.#stop.signal, AbortSignal.timeout(this.#options.timeoutMs ?? 10_000)]);
    try {
      const { url } = this.config;
      // A redirect could lead where the agent may not go.
      const response = await fetch(url, { method: "POST", headers: this.#headers, body, signal, redirect: "error" });
      await response.body?.cancel();
      if (!response.ok) throw new Error(`${url} answered with HTTP status ${response.status}`);
    } catch (error) {
      if (!this.#stop.signal.aborted) this.#options.onError?.(error, this.config);
    }
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
