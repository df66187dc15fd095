import { chunksOf, type ByteStream } from "./stream.js";

/** Limits of {@link readEvents}. */
export interface ReadEventsOptions {
  /**
   * The length of an event, in UTF-16 units, that ends the stream with an error; each further line counts 64 more. Default: 16
   * MiB.
   */
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
 * number however they are cut into chunks. Types, ids and reconnection times mean nothing here. Leaving the loop
 * cancels `body`. Throws what the body throws, and a `RangeError` for an event above the limit. What there is of an
 * event that the end of the body cuts off comes as the last one, and is not dropped as in browsers: its reader has to
 * learn of it.
 */
export async function* readEvents(
  body: ByteStream,
  { maxEventBytes = 2 ** 24 }: ReadEventsOptions = {},
): AsyncGenerator<string, void, undefined> {
  const decoder = new TextDecoder();
  let data = "";
  /** What further lines of the event cost beside their length. */
  let cost = 0;
  /** The beginning of a line whose end has not arrived. */
  let line = "";
  /** Whether the string so far ends in a carriage return, of which a line feed may be the second half. */
  let afterReturn = false;
  const takeLine = (): void => {
    const field = /^data(?:: ?|$)/.exec(line);
    if (field === null) return;
    if (data !== "") cost += 64;
    data += `${line.slice(field[0].length)}\n`;
  };
  for await (const chunk of chunksOf(body)) {
    const text = decoder.decode(chunk, { stream: true });
    const lines = text.slice(afterReturn && text.startsWith("\n") ? 1 : 0).split(/\r\n?|\n/);
    if (text !== "") afterReturn = text.endsWith("\r");
    for (const [index, piece] of lines.entries()) {
      if (index > 0) {
        takeLine();
        if (line === "" && data !== "") {
          yield data.slice(0, -1);
          data = "";
          cost = 0;
        }
        line = "";
      }
      line += piece;
      if (line.length + data.length + cost > maxEventBytes)
        throw new RangeError("A server-sent event is longer than maxEventBytes");
    }
  }
  takeLine();
  if (data !== "") yield data.slice(0, -1);
}
