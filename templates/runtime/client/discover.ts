import { isObject } from "../base/json.js";
import type { ErrorTable } from "../protocol/error.js";
import type { DiscoveryFacts, ProtocolFacts } from "../protocol/operation.js";
import { check, type Schema, type Type } from "../schema/schema.js";
import { struct } from "../schema/types.js";
import { interceptUnary } from "../protocol/interceptor.js";
import { parseResponse } from "../protocol/response.js";
import { adviceOn } from "../protocol/version.js";
import { withoutCases } from "./cases.js";
import { errorOf, send, type HttpOptions, type OutgoingRequest, type ReceivedResponse } from "../http/client.js";
import type { ClientOptions } from "./core.js";
import { trustIn } from "./origins.js";
import { openScope } from "./scope.js";
import { isOfOtherSpoken, type ClientVersion } from "./versions.js";
import { lowerCaseNames, TransportError, type Call } from "../protocol/transport.js";

/** How to look for an agent card. */
export interface DiscoverOptions<Card>
  extends HttpOptions, Pick<ClientOptions, "interceptors" | "onUnknown" | "timeoutMs" | "validate"> {
  readonly discovery: DiscoveryFacts;
  readonly protocol: ProtocolFacts;
  readonly errors: ErrorTable;
  /** The type of the card. */
  readonly card: Schema<Card>;
  /** Keeps cards between discoveries, as long as the agents allow. Default: every discovery fetches the card. */
  readonly cache?: CardCache | undefined;
  readonly signal?: AbortSignal | undefined;
  /** The origins that headers may go to. Default: that of the search. */
  readonly origins?: readonly string[] | undefined;
  /** Other versions whose cards are read, too. */
  readonly versions?: readonly ClientVersion[] | undefined;
}

/** An agent card and where it was found; the URLs in it are relative to that place. */
export interface Discovered<Card> {
  readonly card: Card;
  /** The card as it came, in whatever version it is. */
  readonly body: unknown;
  readonly url: string;
}

/** Where a card comes from. */
interface Source {
  /** The card as it came. */
  readonly body: unknown;
  /** The URL that was asked for, which redirects may have left. */
  readonly asked: string;
}

/** A card as it came, and for how long it can be used unasked. */
export interface CachedCard {
  readonly body: unknown;
  readonly url: string;
  readonly etag: string | null;
  /** Milliseconds since 1970. */
  readonly freshUntil: number;
}

const sources = /* @__PURE__ */ new WeakMap<object, Source>();

/** Returns what a card that {@link discover} has found was read from: it may have members that nobody here knows. */
export function receivedCard(card: object): unknown {
  return sources.get(card)?.body;
}

/**
 * Returns the origins that the headers of a client may go to: that of a URL, or the one that a card was asked for at, and
 * `others`. `undefined`, for any origin, if the application has the card from elsewhere and names none.
 */
export function originsFor(target: string | URL | object, others?: readonly string[]): readonly string[] | undefined {
  const asked = typeof target === "string" || target instanceof URL ? String(target) : sources.get(target)?.asked;
  return asked === undefined ? others : [asked, ...(others ?? [])];
}

/** Keeps agent cards in memory. It can be shared by any number of discoveries. */
export class CardCache {
  readonly #cards = new Map<string, CachedCard>();
  readonly #unserved = new Map<string, Set<string>>();
  readonly #capacity: number;

  /** The cache drops the card that was stored first when there are more than `capacity`. */
  constructor(capacity = 100) {
    this.#capacity = capacity;
  }

  get(key: string): CachedCard | undefined {
    return this.#cards.get(key);
  }

  set(key: string, card: CachedCard): void {
    this.#put(this.#cards, key, card);
  }

  delete(key: string): void {
    this.#cards.delete(key);
  }

  /** The interfaces of the card at a URL that turned out not to serve the version that the card names. */
  unservedAt(url: string): Set<string> {
    const known = this.#unserved.get(url) ?? new Set();
    this.#put(this.#unserved, url, known);
    return known;
  }

  /** Stores a value, and drops what was stored first where there is too much. */
  #put<T>(map: Map<string, T>, key: string, value: T): void {
    map.delete(key);
    map.set(key, value);
    for (const oldest of map.keys()) {
      if (map.size <= this.#capacity) break;
      map.delete(oldest);
    }
  }
}

/**
 * Finds the card of an agent. `target` is the URL of the card, which ends in `.json`, or the origin or base path that
 * the well-known path of the protocol is added to. Interceptors see the search as a unary call; a card in the cache is
 * used below them as long as its `Cache-Control` says, and then revalidated by its `ETag`. Throws a `TransportError`
 * where there is no card, the error for missing access where the status is 401 or 403, the error for an invalid
 * response where the card is not valid, and the reason of the signal.
 */
export async function discover<Card>(target: string | URL, options: DiscoverOptions<Card>): Promise<Discovered<Card>> {
  const { discovery, headers, interceptors = [], card: response, protocol, versions = [] } = options;
  const paths = [discovery.path, ...versions.map(({ cardPath }) => cardPath)];
  const urls = [...new Set(paths.map((path) => cardUrl(target, path)))];
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
      operation: { name, streaming: "none", response, safe: true },
      request: {},
      headers: lowerCaseNames({ [protocol.headers.version]: protocol.version }, headers, {
        accept: "application/json",
      }),
      signal: scope.signal,
    });
    // Checked above, or by the interceptor that responded in its place.
    const card = (await scope.race(found)) as Card;
    const { body, url = urls[0] ?? "" }: Partial<Discovered<Card>> = fetched ?? {};
    return { card, body: fetched?.card === card ? body : card, url };
  } finally {
    scope.end();
  }
}

/** Finds the card at the first place that has one. */
async function findFirst<Card>(
  [url = "", ...others]: readonly string[],
  call: Call,
  options: DiscoverOptions<Card>,
): Promise<Discovered<Card>> {
  try {
    return await findCard(url, call, options);
  } catch (error) {
    const isElsewhere = error instanceof TransportError && error.status === 404 && others.length > 0;
    if (!isElsewhere) throw error;
    // What is said about the first place says most.
    return findFirst(others, call, options).catch((later: unknown) => {
      throw later instanceof TransportError && later.status === 404 ? error : later;
    });
  }
}

/**
 * Finds the card in the cache where it is fresh, or else at the agent; then the cache gets it once it has been read.
 */
async function findCard<Card>(url: string, call: Call, options: DiscoverOptions<Card>): Promise<Discovered<Card>> {
  const { cache } = options;
  // What an agent shows may depend on who asks.
  const key = JSON.stringify([url, Object.entries(call.headers).sort()]);
  const cached = cache?.get(key);
  const isFresh = cached !== undefined && cached.freshUntil > Date.now();
  const found = isFresh ? cached : await fetchCard(url, cached, call, options);
  // A copy, so that nobody changes what the cache keeps; made of what has been checked, which is not too deep to copy.
  const body = withoutCases(found.body);
  const card = structuredClone(readCard(url, options, found.body));
  if (isObject(card)) sources.set(card, { body: found.body, asked: url });
  if (!isFresh && found.freshUntil >= 0) cache?.set(key, found);
  else if (!isFresh) cache?.delete(key);
  return { card, body, url: found.url };
}

/** Checks a card. One that is only wrong in how it writes oneofs is read all the same. */
function readCard<Card>(url: string, options: DiscoverOptions<Card>, received: unknown): Card {
  const { errors, onUnknown, validate = true, versions = [] } = options;
  const isOwn = offersAny(received, options.discovery) && !isOfOtherSpoken(received, options, versions);
  const others = isOwn ? [] : versions.map((version) => version.readCard(received));
  const body = others.find((read) => read !== undefined) ?? received;
  const card: Type<unknown> = validate ? options.card : struct;
  const other = withoutCases(body);
  const isGood = other === body || check(card, body, "json").issues === undefined;
  const advice = adviceOn(body, options.protocol.version, options.discovery);
  let cause: unknown;
  try {
    const read = parseResponse(
      { name: `GET ${url}`, response: card, card: true },
      isGood ? body : other,
      errors,
      onUnknown,
    );
    if (advice === undefined || offersAny(read, options.discovery)) return read as Card;
  } catch (error) {
    if (advice === undefined) throw error;
    cause = error;
  }
  // What a card of another version lacks says less than that it is one.
  throw new errors.invalidResponse(`${url}: ${advice}`, { cause });
}

/** Returns whether a card names an interface. */
function offersAny(card: unknown, { interfaces: { main, list = "" } }: DiscoveryFacts): boolean {
  if (!isObject(card)) return false;
  const listed = card[list];
  return main === undefined ? Array.isArray(listed) && listed.length > 0 : typeof card[main.url] === "string";
}

function cardUrl(target: string | URL, path: string): string {
  if (!URL.canParse(String(target))) {
    throw new TransportError(`"${String(target)}" is no URL, such as https://agent.example.com`, {
      url: String(target),
    });
  }
  const url = new URL(target);
  if (!url.pathname.endsWith(".json")) url.pathname = url.pathname.replace(/\/$/, "") + path;
  url.hash = "";
  return url.href;
}

async function fetchCard<Card>(
  url: string,
  cached: CachedCard | undefined,
  { headers: known, signal }: Call,
  options: DiscoverOptions<Card>,
): Promise<CachedCard> {
  const asked = Date.now();
  const headers = cached?.etag ? { ...known, "if-none-match": cached.etag } : known;
  const [received, place] = await follow(url, { method: "GET", headers, signal }, options);
  const { response } = received;
  const freshUntil = freshness(response.headers, asked);
  if (response.status === 304 && cached !== undefined) return { ...cached, freshUntil };
  if (!response.ok) {
    const error = await errorOf(received, options.errors, () => undefined);
    throw error instanceof TransportError ? received.unexpected("no agent card") : error;
  }
  const etag = response.headers.get("etag");
  return { body: await received.json(), url: place, etag, freshUntil };
}

/** Redirects that a search for a card follows at most. */
const maxRedirects = 5;

/**
 * Sends a request, follows its redirects, and returns the response with the URL that it came from. Headers of the
 * caller, which may hold credentials, go to `origins` only.
 */
async function follow(
  url: string,
  request: OutgoingRequest,
  { origins = [url], ...options }: HttpOptions & Pick<DiscoverOptions<unknown>, "origins">,
): Promise<[ReceivedResponse, string]> {
  let place = new URL(url);
  let { headers } = request;
  for (let redirects = 0; ; redirects += 1) {
    // The headers of the options are among those of the call, unless an interceptor took them out.
    const received = await send(place.href, { ...request, headers }, { ...options, headers: undefined });
    const { response } = received;
    const location = redirectOf(response);
    // Browsers do not say where to: there the platform follows, and keeps its own rules.
    const isHidden = response.type === "opaqueredirect";
    if (isHidden) {
      const followed = await send(
        url,
        { ...request, headers: { accept: "application/json" }, redirect: "follow" },
        { ...options, headers: undefined },
      );
      return [followed, followed.response.url];
    }
    const next = location !== null && URL.canParse(location, place.href) ? new URL(location, place) : undefined;
    const isSafe = next?.protocol === "https:" || (next?.protocol === "http:" && place.protocol === "http:");
    if (next === undefined || !isSafe || redirects === maxRedirects) return [received, place.href];
    await response.body?.cancel();
    if (!trustIn(origins)(next.href)) headers = { accept: "application/json" };
    place = next;
  }
}

function redirectOf({ status, headers }: Response): string | null {
  return status > 300 && status < 309 && status !== 304 ? headers.get("location") : null;
}

/** The time until which a card can be used unasked: 0 where it has to be asked for, -1 where it must not be kept. */
function freshness(headers: Headers, now: number): number {
  const control = headers.get("cache-control") ?? "";
  if (/\bno-store\b/i.test(control)) return -1;
  const maxAge = /(?:^|[\s,])max-age="?(\d+)/i.exec(control)?.[1];
  if (maxAge === undefined || /\bno-cache\b/i.test(control)) return 0;
  return now + (Number(maxAge) - (Number(headers.get("age")) || 0)) * 1000;
}
