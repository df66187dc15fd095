/** Options for calling webhooks. */
export interface PushOptions {
  /** Time-out for the response of a webhook in milliseconds. Default: 10,000. */
  readonly timeoutMs?: number;
  /**
   * Returns whether an address may be called. Default: all addresses. A public agent should refuse
   * addresses of its private network.
   */
  readonly allow?: (url: URL) => boolean;
  /** Called with failed deliveries. */
  readonly onError?: (error: unknown, url: string) => void;
}

/**
 * Returns the reason why the agent cannot or must not call `url`; `undefined` if it may call it.
 */
export function refusalOf(url: string, { allow }: PushOptions): string | undefined {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed?.protocol !== "http:" && parsed?.protocol !== "https:") return "must be an HTTP URL";
  return allow === undefined || allow(parsed)
    ? undefined
    : "must be an address that the agent may call";
}

/**
 * Posts JSON values to one address, one at a time and in order. Callers do not wait for a delivery.
 * Errors are only passed to `onError`.
 */
export class Poster {
  readonly #url: string;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #options: PushOptions;
  readonly #stop = new AbortController();
  #queue = Promise.resolve();

  constructor(url: string, headers: Readonly<Record<string, string>>, options: PushOptions) {
    this.#url = url;
    this.#headers = headers;
    this.#options = options;
  }

  /** Sends the current state of a value after the earlier values. */
  post(value: object): void {
    const body = JSON.stringify(value);
    this.#queue = this.#queue.then(() => this.#send(body));
  }

  /** Stops sending, and aborts running deliveries. */
  stop(): void {
    this.#stop.abort();
  }

  async #send(body: string): Promise<void> {
    const url = this.#url;
    const limit = AbortSignal.timeout(this.#options.timeoutMs ?? 10_000);
    try {
      // A redirect could lead to an address that is not allowed.
      const response = await fetch(url, {
        method: "POST",
        headers: this.#headers,
        body,
        signal: AbortSignal.any([this.#stop.signal, limit]),
        redirect: "error",
      });
      await response.body?.cancel();
      if (!response.ok) throw new Error(`${url} answered with HTTP status ${response.status}`);
    } catch (error) {
      if (this.#stop.signal.aborted) return;
      // Node 20 only keeps the timer of a combined signal while this function uses its signal.
      const reason = limit.aborted ? new Error(`${url} did not respond in time`) : error;
      this.#options.onError?.(reason, url);
    }
  }
}
