import { formatEvent, keepAlive } from "../http/sse.js";
import { A2AError } from "../protocol/error.js";
import type { EventStream } from "./event-stream.js";
import type { HttpResponse } from "../http/server.js";

/** Format of the events of a binding. */
export interface EventFormat {
  /**
   * Strings before and after each event. Together with the event, these strings must form one line.
   */
  readonly around: readonly [before: string, after: string];
  /** Formats an error as one line, after which the stream ends. */
  readonly error: (error: A2AError) => string;
  readonly keepAliveMs: number;
  /**
   * The media type of a stream in which each event is a line of JSON. By default, the stream consists
   * of server-sent events. Lines have no comments, so `keepAliveMs` has no effect.
   */
  readonly lines?: string | undefined;
}

// `no-transform` keeps proxies and compression from delaying events.
const fixed = {
  "content-type": "text/event-stream",
  "cache-control": "no-cache, no-transform",
  "x-accel-buffering": "no",
};

/** Returns the response that sends a stream as server-sent events or as lines. */
export function eventResponse(
  stream: EventStream<string>,
  headers: Record<string, string>,
  format: EventFormat,
): HttpResponse {
  const { lines } = format;
  const type = lines === undefined ? {} : { "content-type": lines };
  const body = new EventBody(stream, format);
  return { status: 200, headers: { ...fixed, ...type, ...headers }, body };
}

/**
 * Returns the response for a stream that failed before its first event: a single event with the
 * error.
 */
export function errorEvent(error: string, headers: Record<string, string>): HttpResponse {
  return { status: 200, headers: { ...fixed, ...headers }, body: formatEvent(error) };
}

type Chunk = IteratorResult<string, undefined>;

/**
 * Length in characters at which a chunk is complete and further available events go into the next
 * chunk.
 */
const chunkSize = 16_384;

const end: Chunk = { done: true, value: undefined };

/** Strings before and after the JSON of an event. */
type Frame = readonly [before: string, after: string];

const eventFrame: Frame = ["data: ", "\n\n"];
const lineFrame: Frame = ["", "\n"];

/**
 * A stream of server-sent events, with a comment after each period of silence, or of lines. Only
 * requests the next event when the next chunk is requested. `return` ends the stream immediately,
 * even while an event is awaited.
 */
class EventBody implements AsyncIterableIterator<string> {
  readonly #stream: EventStream<string>;
  readonly #format: EventFormat;
  readonly #frame: Frame;
  readonly #start: string;
  readonly #end: string;
  #asked = false;
  #ready: Chunk | undefined;
  /** Ends the current pause; absent if `next` does not wait. */
  #resume: (() => void) | undefined;
  /** When the current pause began. */
  #pausedAt = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** Whether the last requested event was the end of the stream. */
  #done = false;
  /** Whether `return` has been called. */
  #isLeft = false;

  constructor(stream: EventStream<string>, format: EventFormat) {
    const [before, after] = format.around;
    this.#stream = stream;
    this.#format = format;
    this.#frame = format.lines === undefined ? eventFrame : lineFrame;
    this.#start = this.#frame[0] + before;
    this.#end = after + this.#frame[1];
  }

  async next(): Promise<Chunk> {
    // The last event may arrive while the caller processes a comment, so it must still be returned.
    const isFinished = this.#done && !this.#asked;
    if (this.#isLeft || isFinished) return end;
    if (!this.#asked) void this.#ask();
    if (this.#ready === undefined) await this.#pause();
    const chunk = this.#ready;
    if (chunk === undefined) return this.#silence();
    this.#asked = false;
    this.#ready = undefined;
    return chunk;
  }

  async return(): Promise<Chunk> {
    if (!this.#isLeft) {
      this.#isLeft = true;
      clearTimeout(this.#timer);
      // Wakes a pending `next`, which then returns the end, so that a stream without events does
      // not delay the end.
      this.#wake();
      await this.#stream.return();
    }
    return end;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  /** Returns the chunk to send if no event is available. */
  #silence(): Chunk {
    return this.#isLeft ? end : { done: false, value: keepAlive };
  }

  /** Requests the next event. Never rejects. */
  async #ask(): Promise<void> {
    this.#asked = true;
    const { done, value } = await this.#stream.next();
    if (done === true) this.#done = true;
    this.#ready = done === true ? end : { done: false, value: this.#chunkOf(value) };
    if (this.#done) clearTimeout(this.#timer);
    this.#wake();
  }

  /** Waits for the event, the time of the next comment, or the end. */
  #pause(): Promise<void> {
    const { keepAliveMs, lines } = this.#format;
    if (keepAliveMs > 0 && lines === undefined) {
      this.#pausedAt = performance.now();
      // A running timer is not replaced, because timers take longer than most events.
      this.#timer ??= setTimeout(this.#onTime, keepAliveMs);
    }
    return new Promise((resolve) => {
      this.#resume = resolve;
    });
  }

  /** Ends the current pause if it is long enough, or else waits for the rest of the time. */
  readonly #onTime = (): void => {
    this.#timer = undefined;
    if (this.#resume === undefined) return;
    const restMs = this.#pausedAt + this.#format.keepAliveMs - performance.now();
    if (restMs > 0) this.#timer = setTimeout(this.#onTime, restMs);
    else this.#wake();
  };

  #wake(): void {
    const resume = this.#resume;
    this.#resume = undefined;
    resume?.();
  }

  #chunkOf(value: string | A2AError): string {
    return value instanceof A2AError ? this.#last(value) : this.#withAvailable(value);
  }

  /**
   * Formats an event together with the available events after it, because one large write is much
   * faster than many small writes.
   */
  #withAvailable(first: string): string {
    const events = [first];
    let error = "";
    let { length } = first;
    while (length < chunkSize) {
      const more = this.#stream.take();
      if (more === undefined) break;
      if (more instanceof A2AError) {
        error = this.#last(more);
        break;
      }
      events.push(more);
      length += more.length;
    }
    return this.#start + events.join(this.#end + this.#start) + this.#end + error;
  }

  /** Formats the error at the end of a stream. */
  #last(error: A2AError): string {
    this.#done = true;
    return this.#frame[0] + this.#format.error(error) + this.#frame[1];
  }
}
