import type { AgentCard, SecurityRequirement, SecurityScheme } from "../model.js";
import { UnauthenticatedError } from "../../errors.js";
import type { CredentialFacts } from "../kit-facts.js";
import { trustIn } from "../../runtime/client/origins.js";
import type { Call, Interceptor } from "../../runtime/protocol/transport.js";

/** Description of the credentials that a call requires. */
export interface CredentialRequest<Scheme extends SecurityScheme = SecurityScheme> {
  /** The scheme as the agent card declares it, for example with the issuer of tokens. */
  readonly scheme: Scheme;
  /** Scopes that the card requires. */
  readonly scopes: readonly string[];
  /** Credentials from a previous attempt that the agent rejected. Return different credentials. */
  readonly refused: string | undefined;
}

/**
 * Returns a key, a token, or the text after the name of an HTTP scheme; `undefined` if no credentials are available. An
 * empty string causes a `TypeError`, because it would otherwise be sent as credentials.
 */
export type FindCredentials<Scheme extends SecurityScheme = SecurityScheme> = (
  request: CredentialRequest<Scheme>,
) => string | undefined | Promise<string | undefined>;

/** Options for {@link withCredentials}. */
export interface CredentialsOptions {
  /** The agent card, for a client that has not fetched it. A card that `connect` fetches replaces it. */
  readonly card?: AgentCard;
  /**
   * Origins that may receive credentials, among the origins to which `connect` sends headers. If the agent card
   * contains any other origin, calls fail with a `TypeError` and are not sent.
   */
  readonly origins?: readonly string[];
  /**
   * Schemes by name, for agents that require credentials for their agent card. The client cannot read these schemes
   * from the card before it has the card. The credentials are sent to the URL from which `connect` requests the card,
   * and to redirects within the same origin. By default, the request for the card contains no credentials.
   */
  readonly forCard?: Readonly<Record<string, SecurityScheme>>;
}

/** Headers that satisfy a requirement, and the credentials that they contain for each scheme. */
interface Found {
  readonly headers: Readonly<Record<string, string>>;
  readonly used: ReadonlyMap<string, string>;
}

/** Parameters of a search for credentials. */
interface CredentialSearch {
  readonly schemes: Readonly<Record<string, SecurityScheme>>;
  readonly find: Readonly<Record<string, FindCredentials>>;
  /** Credentials that the agent has rejected, by scheme. */
  readonly refused: ReadonlyMap<string, string> | undefined;
  readonly reserved: ReadonlySet<string>;
}

/**
 * Returns an interceptor that sends the credentials that the agent card requires. It uses the first security
 * requirement whose schemes can all be satisfied, and sends each credential in the form that its scheme defines. If the
 * agent rejects the credentials, it requests other credentials and retries the call once. If no requirement can be
 * satisfied, the call is sent without credentials.
 *
 * An interceptor stores the card of one client, so create one for each client. Certificates belong to the connection,
 * so `mtls` counts as satisfied. Keys in the query are not supported.
 *
 * @param find - functions that find the credentials, by the name of the scheme in the card; a call throws a `TypeError`
 * if the credentials are empty
 *
 * @example
 * const token = async ({ refused }) => (refused === undefined ? cached : await refresh()); const client = await
 * connect(url, { interceptors: [withCredentials({ token })] });
 */
export function withCredentials(
  find: Readonly<Record<string, FindCredentials>>,
  { card, origins, forCard }: CredentialsOptions,
  { discovery, protocol }: CredentialFacts,
): Interceptor {
  /** Names of protocol headers in lower case, which must not carry credentials. */
  const reserved = new Set(Object.values(protocol.headers).map((name) => name.toLowerCase()));
  let known = card;
  const foundForCard = async (before?: Found): Promise<Found | undefined> => {
    if (forCard === undefined) return undefined;
    const schemes = Object.fromEntries(Object.keys(forCard).map((name) => [name, { list: [] }]));
    return meet(schemes, { schemes: forCard, find, refused: before?.used, reserved });
  };
  const foundFor = async (before?: Found): Promise<Found | undefined> => {
    for (const { schemes = {} } of known?.securityRequirements ?? []) {
      const sought = { schemes: known?.securitySchemes ?? {}, find, refused: before?.used, reserved };
      const found = await meet(schemes, sought);
      if (found !== undefined) return found;
    }
    return undefined;
  };
  const isTrusted = origins && trustIn(origins);
  /** Adds headers to a call; the call's own headers take precedence. */
  const sending = (call: Call, found: Found | undefined): Call => {
    if (found === undefined) return call;
    const foreign = isTrusted && known?.supportedInterfaces.find(({ url }) => !isTrusted(url));
    if (foreign)
      throw new TypeError(
        `The agent has an interface at ${foreign.url}, whose origin is not in \`origins\`: add the origin if it is trusted`,
      );
    // The client may use a card that this interceptor does not know, so the transport also checks the origins.
    return { ...call, headers: { ...found.headers, ...call.headers }, ...(origins && { origins }) };
  };
  const isNew = (found: Found | undefined, before: Found | undefined): found is Found =>
    found !== undefined && [...found.used].some(([name, value]) => before?.used.get(name) !== value);
  return {
    async unary(call, next) {
      const isCard = call.operation.name === `GET ${discovery.path}`;
      const obtain = isCard ? foundForCard : foundFor;
      const found = await obtain();
      let response: unknown;
      try {
        response = await next(sending(call, found));
      } catch (error) {
        const other = error instanceof UnauthenticatedError ? await obtain(found) : undefined;
        if (!isNew(other, found)) throw error;
        response = await next(sending(call, other));
      }
      // The response has already been validated.
      if (isCard) known = response as AgentCard;
      return response;
    },
    async *stream(call, next) {
      const found = await foundFor();
      let other: Found | undefined;
      try {
        for await (const event of next(sending(call, found))) yield event;
        return;
      } catch (error) {
        // If an agent rejects a call, it does so before the first event, so a retry does not repeat events.
        if (error instanceof UnauthenticatedError) other = await foundFor(found);
        if (!isNew(other, found)) throw error;
      }
      yield* next(sending(call, other));
    },
  };
}

/** Finds credentials for all schemes of a requirement; `undefined` if the credentials for a scheme are missing. */
async function meet(
  named: NonNullable<SecurityRequirement["schemes"]>,
  { schemes, find, refused, reserved }: CredentialSearch,
): Promise<Found | undefined> {
  const headers: Record<string, string> = {};
  const used = new Map<string, string>();
  for (const [name, { list: scopes = [] }] of Object.entries(named)) {
    const scheme = Object.hasOwn(schemes, name) ? schemes[name] : undefined;
    if (scheme === undefined) return undefined;
    if (scheme.mtlsSecurityScheme !== undefined) continue;
    const finder = Object.hasOwn(find, name) ? find[name] : undefined;
    // The type excludes `null`, but JavaScript code and casts may return `null`, which would be sent as "Bearer null".
    const found = (await finder?.({ scheme, scopes, refused: refused?.get(name) })) ?? undefined;
    if (found === undefined) return undefined;
    if (found.trim() === "")
      throw new TypeError(`The credentials for the scheme "${name}" are empty: return undefined instead`);
    if (!place(headers, scheme, found, reserved)) return undefined;
    used.set(name, found);
  }
  return { headers, used };
}

/** Adds the header of a scheme. Returns whether the scheme is supported. */
function place(
  headers: Record<string, string>,
  scheme: SecurityScheme,
  found: string,
  reserved: ReadonlySet<string>,
): boolean {
  const key = scheme.apiKeySecurityScheme;
  if (key === undefined) headers["authorization"] = `${scheme.httpAuthSecurityScheme?.scheme ?? "Bearer"} ${found}`;
  else if (key.location === "header") {
    const name = key.name.toLowerCase();
    // Protocol headers are also sent to origins that must not receive credentials.
    if (reserved.has(name)) return false;
    headers[name] = found;
  } else if (key.location === "cookie")
    headers["cookie"] = [...("cookie" in headers ? [headers["cookie"]] : []), `${key.name}=${found}`].join("; ");
  else return false;
  return true;
}
