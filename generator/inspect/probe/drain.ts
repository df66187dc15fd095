import type { Recorder } from "../core/index.js";
import { replyOf, type Reply } from "./reply.js";

/** Maximum number of bytes to read of a response. */
const maxBytes = 2 ** 22;

/** A request with its limits. */
interface Limited {
  readonly url: string;
  readonly init: RequestInit;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** Sends a request, reads the response to its end or to a limit, and returns the recorded exchange as a reply. */
export async function drained(recorder: Recorder, { url, init, timeoutMs, signal }: Limited): Promise<Reply> {
  const limit = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
  let failure: string | undefined;
  try {
    const response = await recorder.fetch(url, { ...init, signal: limit });
    failure = await read(response);
  } catch (error) {
    failure = limit.aborted ? "no complete response within the time limit" : reasonOf(error);
  }
  const [exchange] = recorder.exchanges;
  const { response } = exchange ?? {};
  if (response === undefined) return replyOf({ failure: failure ?? "no response", isLate: limit.aborted, exchange });
  const { status, headers, events } = response;
  const frames = events?.map(({ data }) => parsed(data)) ?? [];
  const body = parsed(response.body);
  const isLate = limit.aborted && failure !== undefined;
  return replyOf({
    ...{ status, headers, body, result: body, frames, failure, isLate, exchange },
    ...(events !== undefined && { events: frames }),
  });
}

/** Reads a body. Returns the reason if it is not read to its end. */
async function read({ body }: Response): Promise<string | undefined> {
  if (body === null) return undefined;
  const reader = (body as ReadableStream<Uint8Array>).getReader();
  let bytes = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return undefined;
    bytes += value.byteLength;
    if (bytes <= maxBytes) continue;
    await reader.cancel();
    return `a response of more than ${maxBytes.toLocaleString("en")} bytes, of which the rest was not read`;
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error && error.cause.message !== "" ? error.cause.message : error.message;
}
