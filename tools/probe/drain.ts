import type { Fetch, Recorder } from "../agents/index.js";
import { causeOf } from "../agents/record.js";
import { replyOf, type Reply } from "./reply.js";
import { withTimeLimit } from "../agents/time-limit.js";

/** Maximum number of bytes to read from a response. */
const maxBytes = 2 ** 22;

/** A request with its limits. */
interface Limited {
  readonly url: string;
  readonly init: RequestInit;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** Number of events after which the stream is closed. */
  readonly maxEvents?: number | undefined;
}

/**
 * Headers that `fetch` would otherwise add, so that a report shows them. Without compression, the
 * `curl` command in a report gets the same response.
 */
const ownHeaders = {
  "accept-encoding": "identity",
  "accept-language": "*",
  "user-agent": "a2a-codegen-probe",
};

/** Returns a `fetch` that records requests with all headers that the probe sends. */
export function withShownHeaders(recorder: Recorder): Fetch {
  return (url, init) => {
    const headers = { ...ownHeaders, ...Object.fromEntries(new Headers(init.headers).entries()) };
    return recorder.fetch(url, { ...init, headers });
  };
}

/**
 * Sends a request, reads the response to its end or to a limit, and returns the recorded exchange
 * as a reply.
 */
export async function drained(recorder: Recorder, limits: Limited): Promise<Reply> {
  const { url, init, timeoutMs, signal, maxEvents = Infinity } = limits;
  const limit = withTimeLimit(timeoutMs, signal);
  let failure: string | undefined;
  try {
    const response = await withShownHeaders(recorder)(url, { ...init, signal: limit });
    failure = await readUntil(
      response,
      () => (recorder.exchanges[0]?.response?.events?.length ?? 0) >= maxEvents,
    );
  } catch (error) {
    failure = limit.aborted ? "no complete response within the time limit" : causeOf(error);
  }
  const [exchange] = recorder.exchanges;
  const { response } = exchange ?? {};
  if (response === undefined)
    return replyOf({ failure: failure ?? "no response", isLate: limit.aborted, exchange });
  const { status, headers, events } = response;
  const frames = events?.map(({ data }) => parsed(data)) ?? [];
  const body = parsed(response.body);
  // The limit may also pass after the end of a complete response.
  const isLate = limit.aborted && failure !== undefined;
  return replyOf({
    status,
    headers,
    body,
    result: body,
    frames,
    failure,
    isLate,
    exchange,
    ...(events !== undefined && { events: frames }),
  });
}

/**
 * Reads a body until its end, or until `isEnough` returns true. If the body exceeds the size limit,
 * stops reading and returns the reason.
 */
async function readUntil({ body }: Response, isEnough: () => boolean): Promise<string | undefined> {
  if (body === null) return undefined;
  const reader = (body as ReadableStream<Uint8Array>).getReader();
  let bytes = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return undefined;
    bytes += value.byteLength;
    if (bytes <= maxBytes && !isEnough()) continue;
    // Do not wait until the connection is closed, because this may never happen.
    void reader.cancel().catch(() => undefined);
    if (bytes <= maxBytes) return undefined;
    return (
      `a response of more than ${maxBytes.toLocaleString("en")} bytes, of which the rest was not ` +
      "read"
    );
  }
}

/** Maximum depth of JSON. Checks are recursive, and a hostile agent must not exhaust the stack. */
const maxDepth = 200;

/** Parses JSON; returns `undefined` for any other text, and for JSON that is nested too deeply. */
export function parsed(text: string): unknown {
  try {
    return depthOf(text) > maxDepth ? undefined : (JSON.parse(text) as unknown);
  } catch {
    return undefined;
  }
}

/** Returns the depth of the brackets outside of strings. */
function depthOf(text: string): number {
  let depth = 0;
  let deepest = 0;
  let isString = false;
  for (let at = 0; at < text.length; at += 1) {
    const sign = text[at];
    if (sign === '"') isString = !isString;
    else if (isString && sign === "\\") at += 1;
    else if (!isString && (sign === "[" || sign === "{")) deepest = Math.max(deepest, (depth += 1));
    else if (!isString && (sign === "]" || sign === "}")) depth -= 1;
  }
  return deepest;
}
