/** A request that posts one event to a webhook. */
export interface PushRequest {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Whether the URL may point into the network of the agent. */
  readonly mayBePrivate: boolean;
  /** Owner of the task. A transport can use it to share its resources fairly between owners. */
  readonly owner: string;
  /** Aborts if the webhook takes too long. */
  readonly signal: AbortSignal;
}

/** Relevant parts of a webhook's response. */
export interface PushResponse {
  readonly status: number;
  /** Value of the `Retry-After` header. */
  readonly retryAfter?: string | undefined;
}

/** Posts events to webhooks. */
export interface PushTransport {
  /**
   * Posts once, without following redirects and without reading the response.
   * @throws An error if no response arrives, and a {@link PrivateAddressError} if the address is
   *   not allowed.
   */
  post(request: PushRequest): Promise<PushResponse>;
  /** Closes all connections. */
  close?(): void;
}

/** Thrown if the address of a webhook or an agent is not allowed. */
export class PrivateAddressError extends Error {
  override readonly name = "PrivateAddressError";
  /**
   * The same value as in Node's errors for a connection that was not established, after which a
   * client may try another interface.
   */
  readonly syscall = "connect";

  constructor(host: string) {
    super(`${host} resolves to an address that is not public`);
  }
}

/**
 * Thrown if the look-up of a webhook's name has failed, was refused, or is paused after a failure.
 */
export class LookupError extends Error {
  override readonly name = "LookupError";
  /** Milliseconds until the next look-up of the name. */
  readonly afterMs: number;

  constructor(host: string, afterMs: number, problem: string, options?: ErrorOptions) {
    super(`The look-up of ${host} ${problem}`, options);
    this.afterMs = afterMs;
  }
}
