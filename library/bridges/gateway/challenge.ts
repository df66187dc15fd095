import { isChallenge } from "../../runtime/protocol/challenge.js";
import { A2AError } from "../../runtime/protocol/error.js";
import type { Call, Interceptor } from "../../runtime/protocol/transport.js";

/**
 * Interceptor that adds the challenge of the upstream to the error for a refused call, so that the
 * caller learns which credentials or scopes it needs.
 */
export const keepChallenges: Interceptor = {
  async unary(call, next) {
    const watched = new Watched(call);
    try {
      return await next(watched.call);
    } catch (error) {
      throw watched.challenged(error);
    }
  },
  async *stream(call, next) {
    const watched = new Watched(call);
    try {
      yield* next(watched.call);
    } catch (error) {
      throw watched.challenged(error);
    }
  },
};

/** A call whose challenge is recorded. */
class Watched {
  readonly call: Call;
  #challenge: string | undefined;

  constructor(call: Call) {
    const { via } = call;
    this.call = {
      ...call,
      via: {
        fetch: (send) => {
          const inner = via?.fetch(send) ?? send;
          return async (url, init) => {
            const response = await inner(url, init);
            if (response.status === 401 || response.status === 403)
              this.#challenge = response.headers.get("www-authenticate") ?? undefined;
            return response;
          };
        },
        challenge: (text, url) => {
          this.#challenge = text;
          via?.challenge(text, url);
        },
        toJSON: () => via?.toJSON(),
      },
    };
  }

  /** Returns the error with the challenge, if there was a challenge. */
  challenged(error: unknown): unknown {
    const challenge = this.#challenge;
    const isRefusal = error instanceof A2AError && [401, 403].includes(error.httpStatus);
    if (isRefusal && challenge !== undefined && isChallenge(challenge))
      Object.assign(error, { challenge });
    return error;
  }
}
