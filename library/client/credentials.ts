import type { AgentCard, SecurityScheme } from "../kit/model.js";
import { PermissionDeniedError, UnauthenticatedError } from "../errors.js";
import type { CredentialFacts } from "../kit/kit-facts.js";
import { trustIn } from "../runtime/client/origins.js";
import type { Call, Interceptor } from "../runtime/protocol/transport.js";
import type { BearerChallenge } from "./challenges.js";
import { CredentialExchange } from "./credential-exchange.js";
import { type CredentialSearch, type Found, meet, requirementsOf } from "./credential-locations.js";
import type { FindCredentials } from "./credential-request.js";

export type { CredentialRequest, FindCredentials } from "./credential-request.js";

/** Options for {@link withCredentials}. */
export interface CredentialsOptions {
  /**
   * The agent card, for a client that has not fetched it. A card that `connect` fetches replaces
   * it.
   */
  readonly card?: AgentCard;
  /**
   * Origins that may receive credentials. They must also be origins that `connect` sends headers
   * to. If the agent card contains an interface at any other origin, calls fail with a `TypeError`
   * and are not sent.
   */
  readonly trustedOrigins?: readonly string[];
  /**
   * Security schemes by name, for agents that require credentials for their agent card. The client
   * cannot read these schemes from the card, because it does not have the card yet. The credentials
   * are sent to the URL from which `connect` requests the card, and to redirects within the same
   * origin. By default, the request for the card contains no credentials.
   */
  readonly forCard?: Readonly<Record<string, SecurityScheme>>;
}

/** Implements {@link ClientFunctions.withCredentials} with facts about a version. */
export function withCredentials(
  find: Readonly<Record<string, FindCredentials>>,
  { card, trustedOrigins, forCard }: CredentialsOptions,
  { discovery, protocol }: CredentialFacts,
): Interceptor {
  /** Names of protocol headers in lower case. These headers must not contain credentials. */
  const reserved = new Set(Object.values(protocol.headers).map((name) => name.toLowerCase()));
  const isTrusted = trustedOrigins && trustIn(trustedOrigins);
  let known = card;
  /** Requirements from challenges, which also apply to later calls. */
  let required: Required = { scopes: [], resourceMetadata: undefined };

  const obtain = async (
    isCard: boolean,
    before: Found | undefined,
    { scopes, resourceMetadata }: Required,
  ) => {
    const requirements = isCard || known === undefined ? [] : requirementsOf(known);
    const search: Omit<CredentialSearch, "schemes"> = {
      requirements,
      find,
      before,
      scopes,
      resourceMetadata,
      reserved,
    };
    if (isCard) {
      if (forCard === undefined) return undefined;
      const schemes = Object.fromEntries(Object.keys(forCard).map((name) => [name, { list: [] }]));
      return meet(schemes, { ...search, schemes: forCard });
    }
    for (const { schemes = {} } of known?.securityRequirements ?? []) {
      const found = await meet(schemes, { ...search, schemes: known?.securitySchemes ?? {} });
      if (found !== undefined) return found;
    }
    return undefined;
  };

  /** Adds credentials to a call. Headers that the call already contains take precedence. */
  const sending = (call: Call, { found, exchange }: Attempt): Call => {
    // Requests for the card without credentials are sent unchanged.
    if (found === undefined)
      return forCard === undefined && isForCard(call) ? call : { ...call, via: exchange };
    const foreign = isTrusted && known?.supportedInterfaces.find(({ url }) => !isTrusted(url));
    if (foreign)
      throw new TypeError(
        `The agent has an interface at ${foreign.url}, whose origin is not in ` +
          "`trustedOrigins`: add the origin if it is trusted",
      );
    // The client may use a card that this interceptor does not know, so the transport also checks
    // the origins.
    return {
      ...call,
      headers: { ...found.headers, ...call.headers },
      via: exchange,
      ...(trustedOrigins && { trustedOrigins }),
    };
  };

  const attempt = (
    isCard: boolean,
    found: Found | undefined,
    now: Required,
    tried: readonly string[],
  ): Attempt => ({
    isCard,
    found,
    required: now,
    tried,
    exchange: new CredentialExchange(found?.query),
  });

  /**
   * Returns the next attempt after a rejected attempt. Throws the error if a further attempt could
   * not succeed. A call is repeated at most once for each kind of rejection.
   */
  const next = async (
    { isCard, found: before, exchange, required: old, tried }: Attempt,
    error: unknown,
  ) => {
    const { received: challenge } = exchange;
    const kind = kindOf(error, challenge);
    if (kind === undefined || tried.includes(kind)) throw error;
    const scopes = [...new Set([...old.scopes, ...(challenge?.scopes ?? [])])].slice(-maxScopes);
    // If the scopes do not change, the agent would reject the call again.
    if (kind === "scopes" && scopes.every((scope) => before?.scopes.has(scope) === true))
      throw error;
    const now = { scopes, resourceMetadata: challenge?.resourceMetadata ?? old.resourceMetadata };
    const found = await obtain(isCard, before, now);
    if (
      found === undefined ||
      [...found.used].every(([name, value]) => before?.used.get(name) === value)
    )
      throw error;
    return attempt(isCard, found, now, [...tried, kind]);
  };

  const first = async (isCard: boolean): Promise<Attempt> =>
    attempt(isCard, await obtain(isCard, undefined, required), required, []);

  const accepted = ({ tried, required: now }: Attempt): void => {
    // Another call may have changed the requirements since the first attempt began.
    if (tried.length > 0) required = now;
  };

  const isForCard = ({ operation }: Call): boolean => operation.name === `GET ${discovery.path}`;

  return {
    async unary(call, send) {
      const isCard = isForCard(call);
      for (let current = await first(isCard); ;) {
        try {
          const response = await send(sending(call, current));
          accepted(current);
          // The response has already been validated.
          if (isCard) known = response as AgentCard;
          return response;
        } catch (error) {
          if (streamsRequests(call)) throw error;
          current = await next(current, error);
        }
      }
    },
    async *stream(call, send) {
      for (let current = await first(false); ;) {
        let hasBegun = false;
        try {
          for await (const event of send(sending(call, current))) {
            if (!hasBegun) accepted(current);
            hasBegun = true;
            yield event;
          }
          return;
        } catch (error) {
          // Do not retry if the agent rejects a stream after its first event, because the call
          // would then take effect twice.
          if (hasBegun || streamsRequests(call)) throw error;
          current = await next(current, error);
        }
      }
    },
  };
}

/** Maximum number of scopes that an agent can require in challenges. */
const maxScopes = 50;

/** Requirements in the challenges of an agent. */
type Required = Pick<CredentialSearch, "scopes" | "resourceMetadata">;

/** An attempt to make a call. */
interface Attempt {
  readonly isCard: boolean;
  readonly found: Found | undefined;
  readonly required: Required;
  readonly exchange: CredentialExchange;
  /** The kinds of rejection after which the call was repeated. */
  readonly tried: readonly string[];
}

/**
 * Returns the kind of a rejection that different credentials may avoid; `undefined` for any other
 * error.
 */
function kindOf(
  error: unknown,
  challenge: BearerChallenge | undefined,
): "credentials" | "scopes" | undefined {
  if (error instanceof UnauthenticatedError) return "credentials";
  const isDenied =
    error instanceof PermissionDeniedError && challenge?.error === "insufficient_scope";
  return isDenied ? "scopes" : undefined;
}

/** Returns whether a call has a stream of requests, which cannot be sent again. */
function streamsRequests({ operation: { streaming } }: Call): boolean {
  return streaming === "client" || streaming === "both";
}
