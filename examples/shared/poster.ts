/** How webhooks are called. */
export interface PushOptions {
  /** How long a webhook may take to answer, in milliseconds; 10,000 by default. */
  readonly timeoutMs?: number;
  /**
   * Decides which addresses may be called; all by default. An agent that strangers can reach should refuse those inside
   * of its own network.
   */
  readonly allow?: (url: URL) => boolean;
  /** Is called with deliveries that failed. */
  readonly onError?: (error: unknown, url: string) => void;
}

/** Says why the agent cannot or may not call `url`; `undefined` where it can and may. */
export function refusalOf(url: string, { allow }: PushOptions): string | undefined {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed?.protocol !== "http:" && parsed?.protocol !== "https:") return "must be an HTTP URL";
  return allow === undefined || allow(parsed) ? undefined : "must be an address that the agent may call";
}

/**
 * Posts JSON to one address, one after the other and in order. Nobody waits for it: what goes wrong goes to `onError` and
 * nowhere else.
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

  /** Sends a value, as it is now, as soon as those before it are through. */
  post(value: object): void {
    const body = JSON.stringify(value);
    this.#queue = this.#queue.then(() => this.#send(body));
  }

  /** Sends nothing more, and breaks off what is on its way. */
  stop(): void {
    this.#stop.abort();
  }

  async #send(body: string): Promise<void> {
    const signal = AbortSignal.any([this.#stop.signal, AbortSignal.timeout(this.#options.timeoutMs ?? 10_000)]);
    const url = this.#url;
    try {
      // A redirect could lead where the agent may not go.
      const response = await fetch(url, { method: "POST", headers: this.#headers, body, signal, redirect: "error" });
      await response.body?.cancel();
      if (!response.ok) throw new Error(`${url} answered with HTTP status ${response.status}`);
    } catch (error) {
      if (!this.#stop.signal.aborted) this.#options.onError?.(error, url);
    }
  }
}
