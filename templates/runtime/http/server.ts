import type { ErrorTable } from "../protocol/error.js";
import type { CallHeaders, Peer } from "../protocol/headers.js";
import { challengeOf } from "../protocol/challenge.js";
import { BodyPace } from "./body-pace.js";
import { hasMoreValues } from "./value-limit.js";

/** A request over HTTP, as each platform hands it over. */
export interface HttpRequest {
  readonly method: string;
  /** Path and query, as they came. */
  readonly url: string;
  readonly headers: CallHeaders;
  /** The other end of the connection, if the platform knows it. */
  readonly peer?: Peer | undefined;
  /** The body where something before the handler has parsed it already. */
  readonly parsedBody?: unknown;
  /** Reads the body as a string. Throws a {@link BodyError} where it is too large, not UTF-8, or breaks off. */
  readBody(maxBytes: number): Promise<string>;
  /** Registers what to do when the caller goes away before the response is complete; calls it at once where it has. */
  onClose(listener: () => void): void;
}

/** A stream of strings. Whoever reads it has to call `return` when stopping early. */
export interface TextStream {
  [Symbol.asyncIterator](): AsyncIterator<string, undefined>;
}

/** A response over HTTP. */
export interface HttpResponse {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body?: string | TextStream;
}

/** Responds to requests over HTTP; returns `undefined` for those that are not its own. */
export type HttpHandler = (request: HttpRequest) => Promise<HttpResponse | undefined>;

/**
 * A part of a handler. It says at once which requests are not its own, so that those do not wait for it. A probe only
 * asks that: it gets an empty response, and nothing is done.
 */
export type HttpPart = (request: HttpRequest, isProbe?: boolean) => Promise<HttpResponse> | undefined;

/** The limits of a handler. */
export interface HttpLimits {
  /** The largest body that a request may have; 10 MiB by default. */
  readonly maxBodyBytes?: number;
  /**
   * How many bytes of bodies above 256 KiB one caller may send in a second, with a burst of as many; 16 MiB by default.
   * Further bodies wait.
   */
  readonly bodyBytesPerSecond?: number;
  /**
   * How long a stream may be silent before a comment keeps it open, in milliseconds; 15,000 by default, 0 for never.
   */
  readonly keepAliveMs?: number;
}

/** Why a body cannot be read. */
export class BodyError extends Error {
  override readonly name = "BodyError";
  readonly reason: "too large" | "not UTF-8" | "broken off";

  constructor(reason: BodyError["reason"]) {
    super(`The body is ${reason}`);
    this.reason = reason;
  }
}

/** The limits of a handler, with what keeps them. */
export interface HeldLimits {
  readonly maxBodyBytes: number;
  readonly keepAliveMs: number;
  readonly pace: BodyPace;
}

/** Fills in the default limits. */
export function limitsOf(options: HttpLimits): HeldLimits {
  const { maxBodyBytes = 10 * MiB, keepAliveMs = 15_000, bodyBytesPerSecond = 16 * MiB } = options;
  return { maxBodyBytes, keepAliveMs, pace: new BodyPace(bodyBytesPerSecond) };
}

const MiB = 1024 * 1024;

/** Values of a body above which it is refused: parsing cannot be interrupted, and small values take the most time. */
const maxBodyValues = 2 ** 20;

/** Makes a handler of several parts: the first that takes a request responds to it. */
export function chain(...parts: readonly HttpPart[]): HttpHandler {
  return (request) => {
    for (const part of parts) {
      const response = part(request);
      if (response !== undefined) return response;
    }
    return Promise.resolve(undefined);
  };
}

/** Returns the response to a probe of a request that a part takes. */
export function probed(): Promise<HttpResponse> {
  return Promise.resolve({ status: 204, headers: {} });
}

/** Splits a request target into its path and its query; the query is empty where there is none. */
export function splitTarget(url: string): { readonly path: string; readonly query: string } {
  const mark = url.indexOf("?");
  return mark < 0 ? { path: url, query: "" } : { path: url.slice(0, mark), query: url.slice(mark + 1) };
}

/** Returns the path of a handler in one form: without a slash at its end, so empty for the root. */
export function basePath(path: string): string {
  const trimmed = path.endsWith("/") ? path.slice(0, -1) : path;
  return trimmed === "" || trimmed.startsWith("/") ? trimmed : `/${trimmed}`;
}

/** Returns whether a request declares a body of one of the media types, uncompressed. Parameters do not matter. */
export function hasMediaType(headers: CallHeaders, accepted: readonly string[]): boolean {
  const declared = headers.get("content-type");
  if (declared === undefined) return false;
  const encoding = headers.get("content-encoding");
  if (encoding !== undefined && encoding !== "" && encoding.toLowerCase() !== "identity") return false;
  if (accepted.includes(declared)) return true;
  const [type = ""] = declared.split(";", 1);
  return accepted.includes(type.trim().toLowerCase());
}

/**
 * Returns the media type of a response: `own`, unless the `Accept` header of the caller prefers another of `types`. If
 * the header names none of them, as with callers that only ask for a stream, the last of `types` is returned: a caller
 * that does not know the media type of the protocol may not read it in an error either.
 */
export function acceptedType(accept: string | undefined, own: string, types: readonly string[]): string {
  if (accept === undefined || accept === "" || accept === "*/*" || accept === own) return own;
  const ranges = accept.toLowerCase().split(",", maxRanges);
  let best = own;
  let most = preference(own, ranges);
  for (const type of types) {
    const found = preference(type, ranges);
    if (found > most) [best, most] = [type, found];
  }
  return most > 0 ? best : (types.at(-1) ?? own);
}

/** The number of ranges of an `Accept` header that are read: a header may hold thousands. */
const maxRanges = 32;

/** Returns the weight that the most specific range for a media type has; 0 if no range includes the type. */
function preference(type: string, ranges: readonly string[]): number {
  let [weight, precision] = [0, 0];
  for (const range of ranges) {
    const [name = "", ...parameters] = range.split(";");
    const known = precisionOf(name.trim(), type);
    if (known <= precision) continue;
    const given = parameters.map((parameter) => /^\s*q=([\d.]+)\s*$/.exec(parameter)?.[1]).find(Boolean);
    [weight, precision] = [given === undefined ? 1 : Number(given) || 0, known];
  }
  return weight;
}

/** Returns how precisely a range names a media type: 3 for the type itself, 0 if the range does not include the type. */
function precisionOf(range: string, type: string): number {
  if (range === type) return 3;
  if (range === "*/*") return 1;
  return range.endsWith("/*") && type.startsWith(range.slice(0, -1)) ? 2 : 0;
}

/** Finds a parameter of a query by its name, in any case. */
export function queryParameter(query: string, name: string): string | undefined {
  if (query === "") return undefined;
  for (const [key, value] of new URLSearchParams(query)) if (key.toLowerCase() === name.toLowerCase()) return value;
  return undefined;
}

/**
 * Reads the body of a request, without a byte order mark. Large bodies of one caller wait for each other. Throws the
 * error to send if the body cannot be read.
 */
export async function readBody(
  request: HttpRequest,
  { maxBodyBytes, pace }: HeldLimits,
  errors: ErrorTable,
  caller: unknown,
): Promise<string> {
  try {
    const declared = request.headers.get("content-length");
    if (declared !== undefined && Number(declared) > maxBodyBytes) throw new BodyError("too large");
    const counted = BodyPace.bytesOf(declared);
    // A caller without a name goes by its address. Only large bodies are worth asking for it.
    const key = counted === 0 ? undefined : (caller ?? request.peer?.address);
    const turn = pace.enter(key, counted);
    if (turn === false) throw new errors.invalidRequest(tooMany, { httpStatus: 429, retryAfterSeconds: 5 });
    if (turn !== undefined) await turn;
    const text = await request.readBody(maxBodyBytes);
    const rest = pace.correct(key, text.length, counted);
    if (rest !== undefined) await rest;
    if (hasMoreValues(text, maxBodyValues))
      throw new errors.invalidRequest(`The body has more than ${String(maxBodyValues)} values`, { httpStatus: 413 });
    pace.measure(key, text.length);
    return text.startsWith("\ufeff") ? text.slice(1) : text;
  } catch (thrown) {
    if (!(thrown instanceof BodyError)) throw thrown;
    if (thrown.reason === "not UTF-8") throw new errors.parse(thrown.message, { cause: thrown });
    const message =
      thrown.reason === "too large" ? `The body is larger than ${String(maxBodyBytes)} bytes` : thrown.message;
    const httpStatus = thrown.reason === "too large" ? 413 : 400;
    throw new errors.invalidRequest(message, { cause: thrown, httpStatus });
  }
}

const tooMany = "Too many large requests of this caller wait: send fewer at the same time";

/**
 * Returns the headers that go with an error: the challenge of a 401, and the end of a connection with an unread body.
 */
export function errorHeaders(
  status: number,
  agents: string,
  error: { readonly challenge?: string | undefined } = {},
): Record<string, string> {
  const challenge = challengeOf(error, status === 401, agents);
  if (challenge !== undefined) return { "www-authenticate": challenge };
  return status === 413 ? { connection: "close" } : {};
}
