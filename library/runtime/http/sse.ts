/** Limits of {@link readEvents}. */
export interface ReadEventsOptions {
  /**
   * Maximum length of an event in UTF-16 code units. A longer event ends the stream with an error.
   * Each additional line counts as 64 code units. Default: 16 MiB.
   */
  readonly maxEventBytes?: number | undefined;
}

/** A server-sent event. */
export interface ServerSentEvent {
  readonly data: string;
  /** The type of the event; empty if the event has none. */
  readonly type: string;
  /**
   * Set if the body contains no event, but begins with a brace. `data` is then the text of the
   * body.
   */
  readonly isBare?: true;
}

/** Comment that prevents proxies from closing an idle stream. */
export const keepAlive = ": keep-alive\n\n";

/** Formats an event with `data`, which may have several lines. */
export function formatEvent(data: string): string {
  const lines = /[\r\n]/.test(data) ? data.replace(/\r\n|\r|\n/g, "\ndata: ") : data;
  return `data: ${lines}\n\n`;
}

/**
 * Reads server-sent events from UTF-8 bytes, according to the HTML standard, in linear time for any
 * chunk sizes. Ids and reconnection times are ignored. Leaving the loop ends `chunks`. Throws the
 * errors of `chunks`, and a `RangeError` for an event above the limit. Unlike browsers, yields an
 * incomplete event at the end of the body, so that the client detects the loss.
 */
export async function* readEvents(
  chunks: AsyncIterable<Uint8Array>,
  { maxEventBytes = 2 ** 24 }: ReadEventsOptions = {},
): AsyncGenerator<ServerSentEvent, void, undefined> {
  const decoder = new TextDecoder();
  let data = "";
  let type = "";
  /** Text from the first line that begins with a brace, unless there was data before it. */
  let bare = "";
  let hasData = false;
  /** Cost of the additional lines of the event and of `bare`, beyond their length. */
  let cost = 0;
  /** The start of a line whose end has not arrived yet. */
  let line = "";
  /**
   * Whether the last chunk ended with a carriage return: a line feed at the start of the next chunk
   * belongs to it.
   */
  let afterReturn = false;
  const takeLine = (): void => {
    const [start = "", name] = /^(data|event)(?:: ?|$)/.exec(line) ?? [];
    const value = line.slice(start.length);
    if (name === "event") type = value;
    if (name === "data") {
      if (data !== "") cost += 64;
      data += `${value}\n`;
      bare = "";
      hasData = true;
    } else if (!hasData && (bare !== "" || line.trimStart().startsWith("{"))) {
      cost += 64;
      bare += `${line}\n`;
    }
  };
  for await (const chunk of chunks) {
    const text = decoder.decode(chunk, { stream: true });
    // A chunk may end between the two characters of a CR LF, which must not count as two line
    // breaks.
    const lines = text.slice(afterReturn && text.startsWith("\n") ? 1 : 0).split(/\r\n?|\n/);
    if (text !== "") afterReturn = text.endsWith("\r");
    for (const [index, piece] of lines.entries()) {
      if (index > 0) {
        takeLine();
        if (line === "") {
          if (data !== "") {
            yield { data: data.slice(0, -1), type };
            cost = 0;
          }
          data = type = "";
        }
        line = "";
      }
      line += piece;
      if (line.length + data.length + type.length + bare.length + cost > maxEventBytes)
        throw new RangeError("A server-sent event is longer than maxEventBytes");
    }
  }
  takeLine();
  if (data !== "") yield { data: data.slice(0, -1), type };
  else if (bare !== "") yield { data: bare, type, isBare: true };
}
