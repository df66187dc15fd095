import type { IncomingMessage, ServerResponse } from "node:http";
import type { SecurityScheme } from "../../../generated/1.0/models.js";
import type {
  AuthorizationReceiver,
  OAuthOptions,
  Tokens,
  TokenStore,
} from "a2a-codegen-runtime/auth/oauth";
import { loadOptional } from "../../agents/load-optional.js";
import { trustOptions } from "../../agents/oauth.js";

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

const timeoutMs = 300_000;

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
    const [state = "", ...others] = url.searchParams.getAll("state");
    const isOwn =
      request.method === "GET" && `http://${request.headers.host ?? ""}` === this.#origin;
    const receive = isOwn && others.length === 0 ? this.#waiting.get(state) : undefined;
    this.#waiting.delete(state);
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
    return () => {
      let state = "";
      const close = (): void => void this.#waiting.delete(state);
      const redirectToAuthorization = async (url: URL): Promise<URL> => {
        state = url.searchParams.get("state") ?? "";
        signal.throwIfAborted();
        const ended = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
        return new Promise((resolve, reject) => {
          this.#waiting.set(state, resolve);
          ended.addEventListener(
            "abort",
            () => reject(new Error("The user did not sign in in time")),
            { once: true },
          );
          open(url);
        });
      };
      return Promise.resolve({
        redirectUrl: `${this.#origin}${callbackPath}`,
        redirectToAuthorization,
        close,
      });
    };
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
    const options: OAuthOptions =
      flow === "code"
        ? { ...common, authorizationCode: { ...client, receiver } }
        : {
            ...common,
            deviceCode: {
              ...client,
              showCode: ({ userCode, verificationUri: url }) => report({ userCode, url }),
            },
          };
    const token = await oauth(options)({ scheme, scopes: [], refused: undefined });
    if (token === undefined) throw new Error("The issuer has no endpoints for this sign-in");
    report({ token, ...(found?.expiresAt !== undefined && { expiresAt: found.expiresAt }) });
  } catch (error) {
    report({ error: error instanceof Error ? error.message : String(error) });
  }
}

function missingPackage(cause: Error): Error {
  const hint = "run `npm install oauth4webapi` and start the inspector again";
  return new Error(`Sign-ins require a package: ${hint}`, { cause });
}
