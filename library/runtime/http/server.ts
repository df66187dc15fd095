import type { ErrorTable } from "../protocol/error.js";
import type { CallHeaders, Peer } from "../protocol/headers.js";
import { challengeOf } from "../protocol/challenge.js";
import { shorten } from "../protocol/version.js";
import { byteLength } from "../base/text.js";
import {
  BodyPace,
  bytesPerSecond,
  largeBytes,
  tooMany,
  type PacedCaller,
  type PacedCallers,
} from "./body-pace.js";
import { excessOf } from "./body-values.js";

/**
 * Receives the size of each chunk of a body. Reading pauses until the result resolves, and fails if
 * the call throws.
 */
export type Arrived = (bytes: number) => Promise<void> | undefined;

/** An HTTP request, independent of the platform. */
export interface HttpRequest {
  readonly method: string;
  /** Path and query as received. */
  readonly url: string;
  /**
   * Path and query before a framework removed the path at which it mounts the handler, if it
   * reports them.
   */
  readonly originalUrl?: string | undefined;
  readonly headers: CallHeaders;
  /** The other end of the connection, if the platform knows it. */
  readonly peer?: Peer | undefined;
  /** The body, if a middleware has already parsed it. */
  readonly parsedBody?: unknown;
  /** Whether the platform responds with 404 to requests that the handler does not handle. */
  readonly isLast?: boolean;
  /** Receives the size of the body. Set by a handler that observes its requests. */
  watch?: RequestWatch;
  /**
   * Reads the body as a string. Throws a {@link BodyError} if it is too large, not UTF-8, or
   * incomplete. `arrived` is called for each chunk.
   */
  readBody(maxBytes: number, arrived?: Arrived): Promise<string>;
  /**
   * Registers a callback for a disconnect before the end of the response. If the caller has already
   * disconnected, calls the callback immediately.
   */
  onClose(listener: () => void): void;
}

/** Receives facts about a request while the request is read. */
export interface RequestWatch {
  /** Size of the received body in bytes. */
  requestBytes: number;
}

/** A stream of strings. Code that stops reading early must call `return`. */
export interface TextStream {
  [Symbol.asyncIterator](): AsyncIterator<string, undefined>;
}

/** A response over HTTP. */
export interface HttpResponse {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body?: string | TextStream;
}

/** Responds to HTTP requests. Returns `undefined` for requests that it does not handle. */
export type HttpHandler = (request: HttpRequest) => Promise<HttpResponse | undefined>;

/**
 * A part of a handler. If it does not handle a request, it immediately returns `undefined`, so that
 * the next part receives the request without delay. A probe only checks whether the part handles
 * the request. It has no side effects, and its response is empty.
 */
export type HttpPart = (
  request: HttpRequest,
  isProbe?: boolean,
) => Promise<HttpResponse> | undefined;

/** Limits of a handler. */
export interface HttpLimits {
  /**
   * Maximum size of a request body in bytes; 4 MiB by default, like gRPC messages. A larger body
   * blocks the event loop longer, and therefore delays all callers.
   */
  readonly maxBodyBytes?: number;
  /**
   * Rate in bytes per second at which one caller may send bodies above 256 KiB; 16 MiB by default.
   * A caller may send the bytes of one second at once. Further bodies wait.
   */
  readonly bodyBytesPerSecond?: number;
  /**
   * Milliseconds after which a comment is sent to keep an idle stream open; 15,000 by default, 0
   * for never.
   */
  readonly keepAliveMs?: number;
}

/** Error while reading a body. */
export class BodyError extends Error {
  override readonly name = "BodyError";
  readonly reason: "too large" | "not UTF-8" | "broken off";

  constructor(reason: BodyError["reason"]) {
    super(`The body is ${reason === "broken off" ? "incomplete" : reason}`);
    this.reason = reason;
  }
}

/** Limits of a handler, with their current state. */
export interface HeldLimits {
  readonly maxBodyBytes: number;
  readonly keepAliveMs: number;
  readonly pace: BodyPace;
}

/** Returns the limits with defaults for absent options. */
export function limitsOf(options: HttpLimits, callers: PacedCallers): HeldLimits {
  const {
    maxBodyBytes = 4 * MiB,
    keepAliveMs = 15_000,
    bodyBytesPerSecond = bytesPerSecond,
  } = options;
  return { maxBodyBytes, keepAliveMs, pace: new BodyPace(bodyBytesPerSecond, callers) };
}

const MiB = 1_048_576;

/** Combines parts into a handler. The first part that handles a request responds to it. */
export function chain(...parts: readonly HttpPart[]): HttpHandler {
  return (request) => {
    for (const part of parts) {
      const response = part(request);
      if (response !== undefined) return response;
    }
    return Promise.resolve(undefined);
  };
}

/** Returns the response to a request that no handler handles. The body ends with `more`. */
export function notFound(more = ""): HttpResponse {
  return { status: 404, headers: { "content-type": "text/plain" }, body: `Not Found${more}\n` };
}

/** Returns the response to a probe if a part handles the request. */
export function probed(): Promise<HttpResponse> {
  return Promise.resolve({ status: 204, headers: {} });
}

/** Splits a request target into its path and its query, which may be empty. */
export function splitTarget(url: string): { readonly path: string; readonly query: string } {
  const mark = url.indexOf("?");
  return mark < 0
    ? { path: url, query: "" }
    : { path: url.slice(0, mark), query: url.slice(mark + 1) };
}

/** Returns the normalized path of a handler: without a trailing slash, so the root is empty. */
export function basePath(path: string): string {
  const trimmed = path.endsWith("/") ? path.slice(0, -1) : path;
  return trimmed === "" || trimmed.startsWith("/") ? trimmed : `/${trimmed}`;
}

/**
 * Returns whether a request declares an uncompressed body of one of the media types. Parameters are
 * ignored.
 */
export function hasMediaType(
  headers: Pick<CallHeaders, "get">,
  accepted: readonly string[],
): boolean {
  const declared = headers.get("content-type");
  if (declared === undefined) return false;
  const encoding = headers.get("content-encoding") ?? "";
  const isCompressed = encoding !== "" && encoding.toLowerCase() !== "identity";
  if (isCompressed) return false;
  if (accepted.includes(declared)) return true;
  const [type = ""] = declared.split(";", 1);
  return accepted.includes(type.trim().toLowerCase());
}

/** Returns the message for a request without an accepted media type, or with a compressed body. */
export function mediaTypeProblem(headers: CallHeaders, accepted: readonly string[]): string {
  const declared = headers.get("content-type");
  const types = accepted.join(" or ");
  if (declared === undefined || declared === "")
    return `The header Content-Type is missing: send ${types}`;
  const sent = shorten(declared, 80);
  const typeOnly = { get: (name: string) => (name === "content-type" ? declared : undefined) };
  // The type is accepted without the other headers, so the encoding is the problem.
  if (hasMediaType(typeOnly, accepted)) {
    const encoding = shorten(headers.get("content-encoding") ?? "", 80);
    return `The content encoding ${encoding} is not supported: send plain ${sent}`;
  }
  return `The content type ${sent} is not supported: send ${types}`;
}

/**
 * Returns the media type of a response: `own`, unless the `Accept` header prefers another type in
 * `types`. If the header does not contain any of the types, for example because the caller only
 * requests a stream, returns the last of `types`: the caller may not know the media type of the
 * protocol, and be unable to read an error of that type.
 */
export function acceptedType(
  accept: string | undefined,
  own: string,
  types: readonly string[],
): string {
  const acceptsAll = accept === undefined || accept === "" || accept === "*/*";
  if (acceptsAll || accept === own) return own;
  if (types.includes(accept)) return accept;
  const ranges = accept.toLowerCase().split(",", maxRanges);
  let best = own;
  let bestWeight = preference(own, ranges);
  for (const type of types) {
    const weight = preference(type, ranges);
    if (weight > bestWeight) [best, bestWeight] = [type, weight];
  }
  return bestWeight > 0 ? best : (types.at(-1) ?? own);
}

/**
 * Maximum number of ranges that are read, because an `Accept` header may contain thousands of
 * ranges.
 */
const maxRanges = 32;

/**
 * Returns the weight of the most specific range for a media type; 0 if no range includes the type.
 */
function preference(type: string, ranges: readonly string[]): number {
  let weight = 0;
  let bestPrecision = 0;
  for (const range of ranges) {
    const [name = "", ...parameters] = range.split(";");
    const precision = precisionOf(name.trim(), type);
    if (precision <= bestPrecision) continue;
    bestPrecision = precision;
    const quality = parameters
      .map((parameter) => /^\s*q=([\d.]+)\s*$/.exec(parameter)?.[1])
      .find(Boolean);
    // An invalid number, such as `1.2.3`, counts as 0.
    weight = quality === undefined ? 1 : Number(quality) || 0;
  }
  return weight;
}

/**
 * Returns how specific a range is for a media type: 3 for the type itself, 0 if the range does not
 * include the type.
 */
function precisionOf(range: string, type: string): number {
  if (range === type) return 3;
  if (range === "*/*") return 1;
  return range.endsWith("/*") && type.startsWith(range.slice(0, -1)) ? 2 : 0;
}

/** Returns a query parameter by its case-insensitive name. */
export function queryParameter(query: string, name: string): string | undefined {
  if (query === "") return undefined;
  for (const [key, value] of new URLSearchParams(query))
    if (key.toLowerCase() === name.toLowerCase()) return value;
  return undefined;
}

/** A request with a body to read, and the function that receives the body. */
export interface Reading<T> {
  readonly request: HttpRequest;
  readonly caller: PacedCaller;
  readonly errors: ErrorTable;
  /**
   * Receives the body. Its result is the result of {@link readBody}. A callback saves a promise for
   * every request.
   */
  readonly use: (text: string) => T;
}

/**
 * Reads the body of a request, without a byte order mark. The large bodies of a caller are read at
 * a limited rate. Rejects with the error to send if the body cannot be read, and with errors of
 * `use`.
 */
export async function readBody<T>(
  { request, caller, errors, use }: Reading<T>,
  { maxBodyBytes, pace }: HeldLimits,
): Promise<T> {
  try {
    const declared = request.headers.get("content-length");
    // The declared length is too large, so reject the body before reading it.
    if (declared !== undefined && Number(declared) > maxBodyBytes) throw new BodyError("too large");
    const turn = pace.enter(caller, Number(declared ?? 0));
    if (turn === false) throw tooMany(errors);
    if (turn !== undefined) await turn;
    const arrived = declared === undefined ? arrivalOf(caller, pace, errors) : undefined;
    const text = await request.readBody(maxBodyBytes, arrived);
    const { watch } = request;
    if (watch !== undefined)
      watch.requestBytes = declared === undefined ? byteLength(text) : Number(declared);
    const excess = excessOf(text);
    if (excess !== undefined)
      throw new errors.invalidRequest(`The body contains more than ${excess}`, { httpStatus: 413 });
    if (text.length > largeBytes) pace.measure(caller);
    return use(text.startsWith("\ufeff") ? text.slice(1) : text);
  } catch (thrown) {
    if (!(thrown instanceof BodyError)) throw thrown;
    if (thrown.reason === "not UTF-8") throw new errors.parse(thrown.message, { cause: thrown });
    const isTooLarge = thrown.reason === "too large";
    const limit = `The body is larger than ${String(maxBodyBytes)} bytes`;
    throw new errors.invalidRequest(isTooLarge ? limit : thrown.message, {
      cause: thrown,
      httpStatus: isTooLarge ? 413 : 400,
    });
  }
}

/** Returns a callback that counts a body without a declared length while the body arrives. */
function arrivalOf(caller: PacedCaller, pace: BodyPace, errors: ErrorTable): Arrived {
  const arrival = pace.arrival(caller);
  return (bytes) => {
    const waiting = arrival(bytes);
    if (waiting === false) throw tooMany(errors);
    return waiting;
  };
}

/**
 * Returns the headers for an error response: the challenge of the error or, for status 401, of the
 * server. For status 413, the headers close the connection, because the body may not have been
 * read.
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
