import type { ServerSentEvent } from "./sse.js";

/** A deviation of a stream: an event that is not a response. */
export interface OddEvent {
  readonly expected: string;
  readonly found: string;
  /** Set if no event may follow. */
  readonly isEnd?: true;
}

/**
 * Returns the deviation of an event that is not a response, but the mark at the end of a stream, a
 * heartbeat, or JSON outside an event. Returns `undefined` for any other event. `isAnswer` returns
 * whether a value has the form of a response.
 */
export function oddEvent(
  { data, type, isBare }: ServerSentEvent,
  isAnswer: (value: unknown) => boolean,
): OddEvent | undefined {
  if (isBare) return { expected: "events", found: "JSON" };
  if (data === "[DONE]") return { expected: "the end of the stream", found: data, isEnd: true };
  if (isAnswer(valueOf(data))) return undefined;
  const expected = "a response";
  const isNamed = type !== "" && type !== "message" && type !== "error";
  if (isNamed) return { expected, found: `an event of type ${type.slice(0, 40)}` };
  const isEmptyObject = /^\s*\{\s*\}\s*$/.test(data);
  return isEmptyObject ? { expected, found: "an empty object" } : undefined;
}

/** Returns the value of JSON; `undefined` for any other text, such as the time in a heartbeat. */
function valueOf(data: string): unknown {
  try {
    return JSON.parse(data);
  } catch {
    return undefined;
  }
}
