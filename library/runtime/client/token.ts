import { A2AError } from "../protocol/error.js";
import type { Interceptor } from "../protocol/transport.js";
import { repeating } from "./repeat.js";

/**
 * Returns a token; `undefined` if the caller has none, so that the call is sent without a token.
 * `refused` is the token that the server has rejected, if any: return a different token.
 */
export type FindToken = (request: {
  readonly refused: string | undefined;
}) => string | undefined | Promise<string | undefined>;

/**
 * Returns an interceptor that sends a bearer token with each call, in the header `authorization`.
 * If the server responds that the caller is not authenticated, the interceptor requests a different
 * token and repeats the call once. Does not repeat a stream that has yielded an event or a call that
 * streams requests. A call with its own header `authorization` is sent unchanged.
 *
 * A call throws a `TypeError` if the token is empty.
 *
 * @param find - is called for each call, so keep the token until it expires
 *
 * @example
 * const interceptors = [withToken(({ refused }) => (refused === undefined ? cached : refresh()))];
 */
export function withToken(find: FindToken): Interceptor {
  return repeating((call) => {
    if (call.headers["authorization"] !== undefined)
      return (failures, error) => {
        if (failures > 0) throw error;
        return call;
      };
    let token: string | undefined;
    return async (failures, error) => {
      const isFirst = failures === 0;
      if (!isFirst && (failures > 1 || !isUnauthenticated(error))) throw error;
      const refused = token;
      // The type excludes `null`, but JavaScript and casts may return it, which would be sent as
      // "Bearer null".
      token = (await find({ refused })) ?? undefined;
      if (!isFirst && (token === undefined || token === refused)) throw error;
      if (token === undefined) return call;
      if (token.trim() === "")
        throw new TypeError("The token is empty: return undefined to send no token");
      return { ...call, headers: { ...call.headers, authorization: `Bearer ${token}` } };
    };
  });
}

function isUnauthenticated(error: unknown): boolean {
  return error instanceof A2AError && error.grpcStatus === "UNAUTHENTICATED";
}
