import type { IncomingMessage, ServerResponse } from "node:http";
import type { SecurityScheme } from "../../../generated/1.0/models.js";
import type {
  AuthorizationReceiver,
  DeviceCode,
  OAuthOptions,
  Tokens,
  TokenStore,
} from "a2a-codegen-runtime/auth/oauth";
import { reasonOf } from "../../../support/diagnostics.js";
import { loadOptional } from "../../agents/load-optional.js";
import { trustOptions } from "../../agents/oauth.js";
import { withTimeLimit } from "../../agents/time-limit.js";

/** A sign-in that the page requests. The user has entered the issuer and the client. */
export interface SignInRequest {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly scopes: readonly string[];
  readonly flow: "code" | "device";
  readonly scheme: SecurityScheme;
}

/** A step of a sign-in, for the page. */
export type SignInStep =
  | { readonly url: string }
  | { readonly userCode: string; readonly url: string }
  | { readonly token: string; readonly expiresAt?: number }
  | { readonly error: string };

/**
 * Path that an issuer redirects the browser to. The path does not contain the token, because
 * issuers compare it with a registered path.
 */
export const callbackPath = "/callback";

/** Time for the user to sign in. */
const timeoutMs = 5 * 60_000;

/** The sign-ins that wait for the redirect of a browser. */
export class SignIns {
  /** Functions that receive the redirect, by the `state` of the sign-in, which is random. */
  readonly #waiting = new Map<string, (url: URL) => void>();
  readonly #origin: string;

  /** `origin` is the origin of the inspector. */
  constructor(origin: string) {
    this.#origin = origin;
  }

  /**
   * Receives the redirect of a browser. Only a known `state` has an effect, because any page can
   * send the browser to this path.
   */
  receive(request: IncomingMessage, response: ServerResponse): void {
    const url = new URL(request.url ?? "/", this.#origin);
    const [state, ...otherStates] = url.searchParams.getAll("state");
    const isOwn =
      request.method === "GET" && `http://${request.headers.host ?? ""}` === this.#origin;
    const receive =
      isOwn && state !== undefined && otherStates.length === 0
        ? this.#waiting.get(state)
        : undefined;
    const headers = {
      "content-type": "text/plain; charset=utf-8",
      "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
      "referrer-policy": "no-referrer",
      "x-content-type-options": "nosniff",
      "cache-control": "no-store",
    };
    if (receive === undefined) {
      response
        .writeHead(400, headers)
        .end("This sign-in is unknown: start it again on the page of the inspector\n");
      return;
    }
    response.writeHead(200, headers).end("You can close this page, and return to the inspector\n");
    receive(url);
  }

  /** Returns a receiver for one sign-in. `open` shows the URL of the issuer to the user. */
  receiver(open: (url: URL) => void, signal: AbortSignal): AuthorizationReceiver {
    return () =>
      Promise.resolve({
        redirectUrl: `${this.#origin}${callbackPath}`,
        redirectToAuthorization: (url: URL) => this.#redirect(url, open, signal),
        close: () => undefined,
      });
  }

  /** Shows the URL of the issuer to the user, and waits for the redirect with its state. */
  async #redirect(url: URL, open: (url: URL) => void, signal: AbortSignal): Promise<URL> {
    const state = url.searchParams.get("state") ?? "";
    // Any page could send a redirect without a state.
    if (state === "") throw new Error("The URL of the issuer has no state");
    signal.throwIfAborted();
    const ended = withTimeLimit(timeoutMs, signal);
    try {
      return await new Promise((resolve, reject) => {
        this.#waiting.set(state, resolve);
        const fail = (): void =>
          reject(
            new Error(
              signal.aborted
                ? "The page ended the sign-in"
                : "The user did not sign in within five minutes",
            ),
          );
        ended.addEventListener("abort", fail, { once: true });
        open(url);
      });
    } finally {
      this.#waiting.delete(state);
    }
  }
}

/** Signs the user in, and reports each step. Never throws: an error is the last step. */
export async function signIn(
  wanted: SignInRequest,
  signIns: SignIns,
  report: (step: SignInStep) => void,
  signal: AbortSignal,
): Promise<void> {
  const { issuer, clientId, clientSecret, scopes, flow, scheme } = wanted;
  try {
    const { oauth } = await loadOptional(
      () => import("a2a-codegen-runtime/auth/oauth"),
      missingPackage,
    );
    let found: Tokens | undefined;
    const store: TokenStore = {
      tokens: () => undefined,
      saveTokens: (_, tokens) => void (found = tokens),
    };
    const client = { clientId, ...(clientSecret !== "" && { clientSecret }) };
    const receiver = signIns.receiver(({ href }) => report({ url: href }), signal);
    // Stop polling for the token of a device code after the page has been closed.
    const fetchWhileOpen = async (url: string, init: RequestInit): Promise<Response> => {
      signal.throwIfAborted();
      return fetch(url, init);
    };
    const common = { ...trustOptions(scheme, issuer), store, scopes, fetch: fetchWhileOpen };
    const showCode: DeviceCode["showCode"] = ({ userCode, verificationUri: url }) =>
      report({ userCode, url });
    const options: OAuthOptions =
      flow === "code"
        ? { ...common, authorizationCode: { ...client, receiver } }
        : { ...common, deviceCode: { ...client, showCode } };
    const token = await oauth(options)({ scheme, scopes: [], refused: undefined });
    if (token === undefined) throw new Error("The issuer has no endpoints for this sign-in");
    report({ token, ...(found?.expiresAt !== undefined && { expiresAt: found.expiresAt }) });
  } catch (error) {
    report({ error: reasonOf(error) });
  }
}

function missingPackage(cause: Error): Error {
  const hint = "run `npm install oauth4webapi` and start the inspector again";
  return new Error(`Sign-ins require a package: ${hint}`, { cause });
}
