import { isObject } from "../base/json.js";
import { isForgiven, reportDeviations, type DeviationOptions } from "../protocol/deviations.js";
import type { A2AError, ErrorTable } from "../protocol/error.js";
import type { DiscoveryFacts, ProtocolFacts } from "../protocol/operation.js";
import { issueOf } from "../schema/issue.js";
import type { Type } from "../schema/schema.js";
import { interceptUnary } from "../protocol/interceptor.js";
import { loadReader, readResponse } from "../protocol/response.js";
import { cardVersionKey, versionsIn } from "../protocol/version.js";
import type { AddressRule } from "./admission.js";
import type { CardCache } from "./card-cache.js";
import { setSource } from "./card-sources.js";
import { withoutCases } from "./cases.js";
import type { HttpOptions } from "../http/client.js";
import type { ClientOptions } from "./core.js";
import { cardUrls, fetchCard } from "./fetch-card.js";
import { openScope } from "./scope.js";
import { isOfOtherSpoken, type ClientVersion } from "./versions.js";
import { lowerCaseNames, TransportError, type Call } from "../protocol/transport.js";

/** Options for {@link discover}. */
export interface DiscoverOptions<Card>
  extends
    HttpOptions,
    Pick<ClientOptions, keyof DeviationOptions | "interceptors" | "timeoutMs" | "validate"> {
  readonly discovery: DiscoveryFacts;
  readonly protocol: ProtocolFacts;
  readonly errors: ErrorTable;
  /** Loads the type of the card. */
  readonly loadCard: () => Promise<Type<Card>>;
  /**
   * Cache for cards, which stores each card for as long as the agent allows. By default, every call
   * fetches the card.
   */
  readonly cache?: CardCache | undefined;
  readonly signal?: AbortSignal | undefined;
  /** The origins that may receive headers. Default: the agent's origin. */
  readonly trustedOrigins?: readonly string[] | undefined;
  readonly allowPrivateAddresses?: AddressRule["allowPrivateAddresses"];
  /** Other versions whose cards are supported. */
  readonly versions?: readonly ClientVersion[] | undefined;
}

/** An agent card and its URL, against which relative URLs in the card are resolved. */
export interface Discovered<Card> {
  readonly card: Card;
  /** The received card, in any version. */
  readonly body: unknown;
  readonly url: string;
}

/**
 * Fetches the card of an agent. `target` is the origin or base path of the agent, or the URL of the
 * card. If it does not end in `.json`, the well-known path below it is tried first. Interceptors
 * see the request as a unary call. A cached card is used for as long as its `Cache-Control` allows,
 * and is then revalidated with its `ETag`. Throws a `TransportError` if the card is not found, the
 * error for missing credentials or missing permission if the status is 401 or 403, and the error
 * for an invalid response if the card is invalid. If the signal aborts, throws the signal's reason.
 */
export async function discover<Card>(
  target: string | URL,
  options: DiscoverOptions<Card>,
): Promise<Discovered<Card>> {
  const { discovery, headers, interceptors = [], protocol, versions = [] } = options;
  const paths = [discovery.path, ...versions.map(({ cardPath }) => cardPath)];
  const urls = cardUrls(target, paths);
  const scope = openScope(options.signal, options.timeoutMs);
  let fetched: Discovered<Card> | undefined;
  const find = interceptUnary<Call>(interceptors, async (call) => {
    fetched = await findFirst(urls, call, options);
    return fetched.card;
  });
  try {
    const name = `GET ${discovery.path}`;
    const found = find({
      name,
      operation: { name, streaming: "none", safe: true },
      request: {},
      headers: lowerCaseNames({ [protocol.headers.version]: protocol.version }, headers, {
        accept: "application/json",
      }),
      signal: scope.signal,
    });
    // The card was checked above, or was returned by an interceptor.
    const card = (await scope.race(found)) as Card;
    const { body, url = urls[0] ?? "" }: Partial<Discovered<Card>> = fetched ?? {};
    return { card, body: fetched?.card === card ? body : card, url };
  } finally {
    scope.end();
  }
}

/**
 * Returns the card at the first URL that has a card. If no URL has a card, throws the error of the
 * first URL, unless credentials would help at another URL. The message lists the other URLs.
 */
async function findFirst<Card>(
  urls: readonly string[],
  call: Call,
  options: DiscoverOptions<Card>,
): Promise<Discovered<Card>> {
  const { unauthenticated, permissionDenied } = options.errors;
  const isRefused = (error: unknown): error is A2AError =>
    error instanceof unauthenticated || error instanceof permissionDenied;
  let first: Error | undefined;
  for (const url of urls) {
    try {
      return await findCard(url, call, options, first !== undefined);
    } catch (error) {
      if (!isRefused(error) && !isNoCard(error)) throw error;
      const isMoreUseful = isRefused(error) && !isRefused(first);
      if (first === undefined || isMoreUseful) first = error;
    }
  }
  if (first !== undefined && urls.length > 1)
    first.message += `; the client looked for a card at ${urls.join(", ")}`;
  throw first ?? new Error("No URL was tried");
}

/**
 * Returns whether a URL has responded with something other than a card, so that the card may be at
 * another URL.
 */
function isNoCard(error: unknown): error is TransportError {
  if (!(error instanceof TransportError)) return false;
  const { status = 500 } = error;
  return status < 500 && status !== 408 && status !== 429;
}

/**
 * Returns the cached card if it is fresh, or else fetches the card and stores it after it has been
 * checked. If the URL is a guess, throws a {@link TransportError} for JSON without an interface.
 */
async function findCard<Card>(
  url: string,
  call: Call,
  options: DiscoverOptions<Card>,
  isGuess: boolean,
): Promise<Discovered<Card>> {
  const { cache } = options;
  // The card may depend on the caller, so headers are part of the key.
  const key = JSON.stringify([url, Object.entries(call.headers).sort(), call.via]);
  const stored = cache?.get(key);
  // Some clients that share the cache may check the text of cards, while other clients do not.
  const isUnchecked = call.checkText && !stored?.isChecked;
  const cached = isUnchecked ? undefined : stored;
  const isFresh = cached !== undefined && cached.freshUntil > Date.now();
  const found = isFresh ? cached : await fetchCard(url, cached, call, options);
  if (isGuess && !isCard(found.body, options))
    throw new TransportError(`${url} responded with something other than an agent card`, {
      url,
      status: 200,
    });
  // Copy the card, so that changes do not affect the cache. A checked card is never too deep to be
  // copied.
  const body = withoutCases(found.body);
  const card = structuredClone(await readCard(url, options, found.body));
  if (isObject(card)) setSource(card, { body: found.body, asked: url, url: found.url });
  // A negative time means that the card must not be stored.
  if (!isFresh && found.freshUntil >= 0) cache?.set(key, found);
  else if (!isFresh) cache?.delete(key);
  return { card, body, url: found.url };
}

/**
 * Checks a card and returns it in the client's version. Also accepts a card in which only oneofs
 * have an invalid form, which {@link withoutCases} corrects, and cards with the deviations of
 * {@link withVersion} and {@link withoutOptional}.
 */
async function readCard<Card>(
  url: string,
  options: DiscoverOptions<Card>,
  given: unknown,
): Promise<Card> {
  const { errors, validate = true, versions = [] } = options;
  const name = `GET ${url}`;
  const received = withVersion(given, name, options);
  const isOwn =
    offersAny(received, options.discovery) && !isOfOtherSpoken(received, options, versions);
  const converted = isOwn ? [] : versions.map((version) => version.readCard(received));
  const body = converted.find((candidate) => candidate !== undefined) ?? received;
  const { check, struct, type } = await loadReader(name, errors, options.loadCard);
  const card: Type<unknown> = validate ? type : struct;
  const corrected = withoutCases(body);
  const isValid = corrected === body || check(card, body, "json").issues === undefined;
  const form = isValid ? body : corrected;
  const expected = { name, response: card, card: true } as const;
  let read: unknown;
  let cause: Error | undefined;
  try {
    read = await readResponse(expected, form, errors, options);
    if (offersAny(read, options.discovery)) return read as Card;
  } catch (error) {
    // `readResponse` throws only errors.
    cause = error as Error;
  }
  const rejected = {
    card: form,
    named: versionsIn(body, options.discovery),
    cause,
    issuesOf: (value: unknown) => check(card, value, "json").issues ?? [],
  };
  // Only rejected cards load this module.
  const accepted = await import("./rejected-card.js").then(
    ({ acceptedPart }) => acceptedPart(url, rejected, options),
    () => undefined,
  );
  if (accepted !== undefined) {
    reportDeviations(options, name, accepted.issues);
    return readResponse(expected, accepted.card, errors, options) as Card;
  }
  if (cause !== undefined) throw cause;
  return read as Card;
}

/**
 * Returns a card with the client's version if the card as a whole has a version, but does not name
 * it. Early cards do not have this member.
 */
function withVersion<Card>(
  card: unknown,
  name: string,
  { discovery, protocol, ...options }: DiscoverOptions<Card>,
): unknown {
  const key = discovery.interfaces.main && cardVersionKey(discovery);
  if (key === undefined || !isObject(card)) return card;
  if (card[key] !== undefined || !offersAny(card, discovery)) return card;
  const isAccepted = isForgiven(options, name, issueOf("a version", "nothing", [key]));
  return isAccepted ? { ...card, [key]: `${protocol.version}.0` } : card;
}

/** Returns whether a card contains an interface. */
function offersAny(card: unknown, { interfaces: { main, list = "" } }: DiscoveryFacts): boolean {
  if (!isObject(card)) return false;
  if (main !== undefined) return typeof card[main.url] === "string";
  const listed = card[list];
  return Array.isArray(listed) && listed.length > 0;
}

/** Returns whether a value contains an interface of any version that the client supports. */
function isCard<Card>(
  value: unknown,
  { discovery, versions = [] }: DiscoverOptions<Card>,
): boolean {
  if (offersAny(value, discovery)) return true;
  return versions.some(({ interfaces }) => interfaces(value, undefined).length > 0);
}
