/** One event on its way to a webhook. */
export interface PushRequest {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Whether the URL may lead into the network of the agent. */
  readonly mayBePrivate: boolean;
  /** Key of the tenant and owner of the webhook, by which a transport can share out what it has. */
  readonly owner: string;
  /** Fires when the webhook has taken too long. */
  readonly signal: AbortSignal;
}

/** What a webhook answered, as far as it matters. */
export interface PushResponse {
  readonly status: number;
  /** The header `Retry-After`. */
  readonly retryAfter?: string | undefined;
}

/** Posts to webhooks. */
export interface PushTransport {
  /**
   * Posts once, follows no redirect, and does not read the response. Rejects where there is none, and with a
   * {@link PrivateAddressError} where the address is one that may not be called.
   */
  post(request: PushRequest): Promise<PushResponse>;
  /** Closes all connections. */
  close?(): void;
}

/** Thrown for a webhook that leads to an address which may not be called. */
export class PrivateAddressError extends Error {
  override readonly name = "PrivateAddressError";

  constructor(host: string) {
    super(`${host} leads to an address that is not public`);
  }
}

/** Thrown for a webhook whose name leads to no address, or is not looked up at present. */
export class LookupError extends Error {
  override readonly name = "LookupError";
  /** How long the name is not looked up again, in milliseconds. */
  readonly afterMs: number;

  constructor(host: string, afterMs: number, problem: string, options?: ErrorOptions) {
    super(`The look-up of ${host} ${problem}`, options);
    this.afterMs = afterMs;
  }
}
