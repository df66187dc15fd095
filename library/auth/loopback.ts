import { timingSafeEqual } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AuthorizationAttempt, AuthorizationReceiver } from "./oauth-options.js";
import { TokenError } from "./token-error.js";

/** Options for {@link loopbackReceiver}. */
export interface LoopbackOptions {
  /** Opens a URL in the user's browser, or shows the URL to the user. */
  readonly open: (url: URL) => unknown;
  /** Path of the redirect URL, exactly as registered with the issuer; `/callback` by default. */
  readonly path?: string;
  /**
   * Port of the redirect URL. Default: any free port, because issuers must accept any port for
   * loopback addresses (RFC 8252).
   */
  readonly port?: number;
  /** Time-out for a sign-in, in milliseconds; five minutes by default. */
  readonly timeoutMs?: number;
}

const host = "127.0.0.1";

/**
 * Returns a receiver for the `authorizationCode` grant of `oauth`. The receiver gets the redirect
 * from a browser on this machine. For each sign-in, the receiver listens on 127.0.0.1 until a
 * request with the right `state` arrives or the time-out expires.
 *
 * @example
 * const receiver = loopbackReceiver({ open: (url) => console.log(`Sign in at ${url.href}`) });
 * const login = oauth({ issuer: "https://login.example", authorizationCode: { clientId: "cli",
 * receiver } });
 */
export function loopbackReceiver(options: LoopbackOptions): AuthorizationReceiver {
  const { path = "/callback", port = 0 } = options;
  if (!/^\/[\w./-]*$/.test(path))
    throw new TypeError(`\`path\` must be a path such as /callback, got ${path}`);
  return async () => {
    const server = createServer({
      requestTimeout: 10_000,
      headersTimeout: 10_000,
      keepAlive: false,
    });
    server.maxConnections = 20;
    server.listen(port, host);
    await once(server, "listening");
    return new LoopbackAttempt(server, `http://${host}:${String(portOf(server))}${path}`, options);
  };
}

/** Receives the redirect for one sign-in. */
class LoopbackAttempt implements AuthorizationAttempt {
  readonly redirectUrl: string;
  readonly #server: Server;
  readonly #options: LoopbackOptions;
  #state: string | undefined;
  #receive: ((url: URL) => void) | undefined;

  constructor(server: Server, redirectUrl: string, options: LoopbackOptions) {
    this.redirectUrl = redirectUrl;
    this.#server = server;
    this.#options = options;
    server.on("request", (request, response) => {
      this.#respond(request, response);
    });
  }

  async redirectToAuthorization(url: URL): Promise<URL> {
    const { open, timeoutMs = 300_000 } = this.#options;
    this.#state = url.searchParams.get("state") ?? undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const received = new Promise<URL>((resolve, reject) => {
      this.#receive = resolve;
      timer = setTimeout(() => {
        reject(new TokenError(`The user did not sign in within ${String(timeoutMs)} ms`));
      }, timeoutMs);
    });
    try {
      // `open` may return a promise that is pending until the user closes the browser, so only wait
      // for its rejection.
      const opened = (async () => {
        await open(url);
        return received;
      })();
      return await Promise.race([received, opened]);
    } finally {
      clearTimeout(timer);
      this.close();
    }
  }

  close(): void {
    this.#receive = undefined;
    this.#server.close();
    this.#server.closeIdleConnections();
  }

  #respond(request: IncomingMessage, response: ServerResponse): void {
    const { origin, pathname, host: own } = new URL(this.redirectUrl);
    const url = URL.canParse(request.url ?? "", origin)
      ? new URL(request.url ?? "", origin)
      : undefined;
    // Refuse other host names that resolve to this machine (DNS rebinding).
    if (request.headers.host !== own || url?.origin !== origin) {
      reply(response, 403, "Refused: `Host` is not the address of the sign-in");
    } else if (url.pathname !== pathname) reply(response, 404, "Not found");
    else if (request.method !== "GET") reply(response, 405, "Use GET");
    else if (!this.#isExpected(url.searchParams.getAll("state"))) {
      // Any web page can send the browser to this URL, so a request with an unknown state does not
      // end the sign-in.
      reply(response, 400, "This sign-in is unknown: start it again in the program");
    } else {
      const receive = this.#receive;
      this.#receive = undefined;
      reply(response, 200, "You can close this page, and return to the program");
      receive?.(url);
    }
  }

  /**
   * Returns whether a request contains the `state` of this sign-in and is the first such request.
   * Compares `state` in constant time.
   */
  #isExpected(states: readonly string[]): boolean {
    const [given = "", ...others] = states;
    if (this.#state === undefined || this.#receive === undefined || others.length > 0) return false;
    const [left, right] = [Buffer.from(given), Buffer.from(this.#state)];
    return left.length === right.length && timingSafeEqual(left, right);
  }
}

/**
 * Sends a text response. The browser must not store the page or send its URL to other sites,
 * because the URL contains the authorization code.
 */
function reply(response: ServerResponse, status: number, text: string): void {
  response
    .writeHead(status, {
      "content-type": "text/plain; charset=utf-8",
      "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
      "referrer-policy": "no-referrer",
      "x-content-type-options": "nosniff",
      "cache-control": "no-store",
      connection: "close",
    })
    .end(`${text}\n`);
}

function portOf(server: Server): number {
  const address = server.address();
  return typeof address === "object" && address !== null ? address.port : 0;
}
