import type { AgentCard, SecurityRequirement, SecurityScheme } from "../model.js";
import { UnauthenticatedError } from "../../errors.js";
import type { CredentialFacts } from "../kit-facts.js";
import { trustIn } from "../../runtime/client/origins.js";
import type { Call, Interceptor } from "../../runtime/protocol/transport.js";

/** What credentials are wanted for. */
export interface Wanted<Scheme extends SecurityScheme = SecurityScheme> {
  /** The scheme as the card declares it: where a token comes from, for instance. */
  readonly scheme: Scheme;
  /** The scopes that the card demands. */
  readonly scopes: readonly string[];
  /** What was found before, and the agent has refused: find another one. */
  readonly refused: string | undefined;
}

/**
 * Returns a key, a token, or what follows the name of an HTTP scheme; `undefined` if there is none. An empty text throws a
 * `TypeError`: it would reach the agent as credentials.
 */
export type FindCredentials<Scheme extends SecurityScheme = SecurityScheme> = (
  wanted: Wanted<Scheme>,
) => string | undefined | Promise<string | undefined>;

/** How {@link withCredentials} works. */
export interface CredentialsOptions {
  /** The card, for a client that has not found it: one that `connect` finds counts instead. */
  readonly card?: AgentCard;
  /**
   * The origins that may get credentials, of those that `connect` sends headers to. A call to an agent whose card names
   * any other is not sent.
   */
  readonly origins?: readonly string[];
  /**
   * Schemes, by name, of agents that show their card to known callers only: no card describes these schemes in time. The
   * credentials go to the URL at which `connect` looks for the card, and with redirects to the same origin. Default: the
   * request for the card has no credentials.
   */
  readonly forCard?: Readonly<Record<string, SecurityScheme>>;
}

/** Headers that meet a requirement, and the credentials in them by scheme. */
interface Found {
  readonly headers: Readonly<Record<string, string>>;
  readonly used: ReadonlyMap<string, string>;
}

/** What credentials are looked for with. */
interface Sought {
  readonly schemes: Readonly<Record<string, SecurityScheme>>;
  readonly find: Readonly<Record<string, FindCredentials>>;
  /** The credentials that the agent has refused, by scheme. */
  readonly refused: ReadonlyMap<string, string> | undefined;
  readonly reserved: ReadonlySet<string>;
}

/**
 * Returns an interceptor that sends what the card requires: for the first of its security requirements whose schemes
 * can all be met, each credential where its scheme wants it. Where the agent refuses them, it asks for others, and makes
 * the call once more. Without a requirement that can be met, the call is made without.
 *
 * It is for one client, as it knows one card. Certificates are a matter of the connection: `mtls` counts as met. A key in a query cannot be sent.
 *
 * @param find - finds the credentials for a scheme, by its name in the card; a call throws a `TypeError` if they are empty
 *
 * @example
 * const token = async ({ refused }) => (refused === undefined ? cached : await refresh());
 * const client = await connect(url, { interceptors: [withCredentials({ token })] });
 */
export function withCredentials(
  find: Readonly<Record<string, FindCredentials>>,
  { card, origins, forCard }: CredentialsOptions,
  { discovery, protocol }: CredentialFacts,
): Interceptor {
  /** Names of headers that carry no credentials, in lower case. */
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
  /** Returns a call with headers; those that it has itself count more. */
  const sending = (call: Call, found: Found | undefined): Call => {
    if (found === undefined) return call;
    const foreign = isTrusted && known?.supportedInterfaces.find(({ url }) => !isTrusted(url));
    if (foreign) throw new TypeError(`The agent is also at ${foreign.url}, which is not to get credentials`);
    // The client may call by a card that is not known here.
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
      // Checked by its type already.
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
        // An agent refuses a call before its first event.
        if (error instanceof UnauthenticatedError) other = await foundFor(found);
        if (!isNew(other, found)) throw error;
      }
      yield* next(sending(call, other));
    },
  };
}

/** Finds credentials for all schemes of a requirement; `undefined` where there are none for one of them. */
async function meet(
  named: NonNullable<SecurityRequirement["schemes"]>,
  { schemes, find, refused, reserved }: Sought,
): Promise<Found | undefined> {
  const headers: Record<string, string> = {};
  const used = new Map<string, string>();
  for (const [name, { list: scopes = [] }] of Object.entries(named)) {
    const scheme = Object.hasOwn(schemes, name) ? schemes[name] : undefined;
    if (scheme === undefined) return undefined;
    if (scheme.mtlsSecurityScheme !== undefined) continue;
    const finder = Object.hasOwn(find, name) ? find[name] : undefined;
    // The type excludes `null`, which JavaScript and casts bring: "Bearer null" is no credential.
    const found = (await finder?.({ scheme, scopes, refused: refused?.get(name) })) ?? undefined;
    if (found === undefined) return undefined;
    if (found.trim() === "")
      throw new TypeError(`The credentials for the scheme "${name}" are empty: return undefined if there are none`);
    if (!place(headers, scheme, found, reserved)) return undefined;
    used.set(name, found);
  }
  return { headers, used };
}

/** Adds the header of a scheme. Returns whether there is one. */
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
    // Headers of the protocol also go to origins that get no credentials.
    if (reserved.has(name)) return false;
    headers[name] = found;
  } else if (key.location === "cookie")
    headers["cookie"] = [...("cookie" in headers ? [headers["cookie"]] : []), `${key.name}=${found}`].join("; ");
  else return false;
  return true;
}
