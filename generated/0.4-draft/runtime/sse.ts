// Part of a2a-codegen 0.1.0. Do not edit.

import { chunksOf, type ByteStream } from "./stream.js";

/** Limits of {@link readEvents}. */
export interface ReadEventsOptions {
  /** The length of an event, in UTF-16 units, that ends the stream with an error. Default: 16 MiB. */
  readonly maxEventBytes?: number | undefined;
}

/** A comment that keeps an idle stream from being cut by what lies between the two sides. */
export const keepAlive = ": keep-alive\n\n";

/** Writes an event that carries `data`, which may have several lines. */
export function formatEvent(data: string): string {
  const lines = /[\r\n]/.test(data) ? data.replace(/\r\n|\r|\n/g, "\ndata: ") : data;
  return `data: ${lines}\n\n`;
}

/**
 * Reads the data of server-sent events from UTF-8 bytes, as the HTML standard defines them, in time linear in their
 * number however they are cut into chunks. Types, ids and reconnection times mean nothing here. Leaving the loop cancels `body`. Throws what the body throws, and a `RangeError` for an
 * event above the limit. An event that the end of the body cuts off is dropped.
 */
export async function* readEvents(
  body: ByteStream,
  { maxEventBytes = 16 * 1024 * 1024 }: ReadEventsOptions = {},
): AsyncGenerator<string, void, undefined> {
  const parser = new EventParser(maxEventBytes);
  const decoder = new TextDecoder();
  for await (const chunk of chunksOf(body)) yield* parser.push(decoder.decode(chunk, { stream: true }));
}

class EventParser {
  readonly #limit: number;
  /** The beginning of a line whose end has not arrived. */
  #line = "";
  /** Whether the text so far ends in a carriage return, of which a line feed may be the second half. */
  #afterReturn = false;
  #data = "";

  constructor(limit: number) {
    this.#limit = limit;
  }

  *push(text: string): Generator<string, void, undefined> {
    let start = 0;
    for (const { 0: end, index } of text.matchAll(/\r\n?|\n/g)) {
      const completesReturn = this.#afterReturn && index === 0 && end === "\n";
      if (!completesReturn) {
        this.#grow(text.slice(start, index));
        const line = this.#line;
        this.#line = "";
        if (line === "") yield* this.#dispatch();
        else this.#field(line);
      }
      start = index + end.length;
    }
    this.#grow(text.slice(start));
    if (text !== "") this.#afterReturn = text.endsWith("\r");
  }

  #grow(text: string): void {
    this.#line += text;
    if (this.#line.length + this.#data.length > this.#limit) {
      throw new RangeError(`A server-sent event is longer than ${this.#limit}`);
    }
  }

  *#dispatch(): Generator<string, void, undefined> {
    const data = this.#data;
    this.#data = "";
    if (data !== "") yield data.slice(0, -1);
  }

  #field(line: string): void {
    const data = /^data(?:: ?|$)/.exec(line);
    if (data !== null) this.#data += `${line.slice(data[0].length)}\n`;
  }
}
