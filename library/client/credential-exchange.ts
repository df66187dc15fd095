import type { Via } from "../runtime/protocol/transport.js";
import { type BearerChallenge, bearerChallengeIn } from "./challenges.js";

/**
 * Adds credentials to the query of each request in one call, and reads the challenges in the
 * responses.
 */
export class CredentialExchange implements Via {
  readonly #query: Readonly<Record<string, string>> | undefined;
  #challenge: BearerChallenge | undefined;

  constructor(query: Readonly<Record<string, string>> | undefined) {
    this.#query = query;
  }

  toJSON(): unknown {
    return this.#query;
  }

  /** The last challenge of the agent for bearer tokens. */
  get received(): BearerChallenge | undefined {
    return this.#challenge;
  }

  fetch(send: Parameters<Via["fetch"]>[0]): typeof send {
    return async (url, init) => {
      const response = await send(withQuery(url, this.#query), init);
      const header = response.headers.get("www-authenticate");
      if (header !== null && (response.status === 401 || response.status === 403))
        this.challenge(header, url);
      return response;
    };
  }

  challenge(text: string, url: string): void {
    this.#challenge = bearerChallengeIn(text, url);
  }
}

function withQuery(url: string, query: Readonly<Record<string, string>> | undefined): string {
  if (query === undefined) return url;
  const target = new URL(url);
  // Append the query as text, because setting a parameter would change the encoding of all other
  // parameters.
  target.search += (target.search === "" ? "" : "&") + new URLSearchParams(query).toString();
  return target.href;
}
