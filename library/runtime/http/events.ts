import type { Call, TransportError } from "../protocol/transport.js";
import { issueOf, type Issue } from "../schema/issue.js";
import { linesAsEvents } from "./lines.js";
import { oddEvent } from "./odd-events.js";
import { valueLimit } from "./value-limit.js";
import { readEvents, type ReadEventsOptions } from "./sse.js";

// Clients only load this module for a stream. It only imports values from modules that no other
// part of a client uses, because bundlers would move them out of the file that every client loads.

/** A stream of a call, and how its transport reads it. */
export interface EventStream {
  readonly call: Pick<Call, "name" | "deviations">;
  /** Whether each line of the body is an event, instead of server-sent events. */
  readonly isLines?: boolean;
  /** Returns whether a value has the form of a response to the call, and not of a heartbeat. */
  readonly isAnswer: (value: unknown) => boolean;
  /** Unless it is set, a stream without an event is an error. */
  readonly mayBeEmpty: true | undefined;
}

/** The body of a response, and what its reader must do. */
export interface EventBody extends ReadEventsOptions {
  readonly chunks: AsyncIterable<Uint8Array>;
  /** Replaces the errors of a body, and of reading its events, by errors of the transport. */
  readonly guarded: <T>(parts: AsyncIterable<T>) => AsyncIterable<T>;
  /** Parses the JSON of an event. */
  parse(text: string): unknown;
  /** Maximum number of values of an event. */
  readonly maxValues: number;
  /** Returns whether a deviation of the stream is accepted. */
  accepts(deviation: Issue): boolean;
  /** Returns the error for a body that is not a stream of the protocol. */
  readonly unexpected: (found: string) => TransportError;
}

/** Yields the values of a stream of JSON events. */
export async function* eventsIn(
  body: EventBody,
  { isLines, isAnswer, mayBeEmpty }: EventStream,
): AsyncGenerator<unknown, void, undefined> {
  const { chunks, maxValues, unexpected } = body;
  const events = readEvents(isLines ? linesAsEvents(chunks) : chunks, body);
  let isEmpty = true;
  let isDone: true | undefined;
  for await (const event of body.guarded(events)) {
    const { data, type, isBare } = event;
    if (data === "") continue;
    if (isDone) throw unexpected("an event after the end of the stream");
    // Most events are too short to exceed the limit, so do not count their values.
    const mayExceed = data.length > maxValues;
    if (mayExceed && valueLimit(maxValues)(data, data))
      throw unexpected("more values than maxValues");
    // Few agents send other events than responses, which have no type and are longer.
    const mayBeOdd = type !== "" || isBare === true || data.length < 8;
    const odd = mayBeOdd ? oddEvent(event, isAnswer) : undefined;
    const isAccepted = odd && body.accepts(issueOf(odd.expected, odd.found));
    if (isAccepted) isDone = odd.isEnd;
    // An accepted deviation is ignored, except for JSON outside an event, which is otherwise
    // ignored.
    if (odd && isAccepted !== (isBare === true)) continue;
    isEmpty = false;
    yield body.parse(data);
  }
  if (isEmpty && !mayBeEmpty) throw unexpected("a stream without an event");
}
