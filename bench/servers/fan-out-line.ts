import { answerEnd, eventCounter, HttpLine, requestBytes, type Reading } from "./http-line.js";
import type { Line } from "./line.js";
import { paths, talks, userMessage } from "./work.js";

/** Number of subscribers of a task. */
export const subscribers = 100;

/** Number of events for each subscriber: the task, the words, and the end. */
const eventCount = talks.fanOut.count + 2;

const headers = { "content-type": "application/json", "a2a-version": "1.0" };

/** Returns the request of a call for which the response is a stream. */
export function jsonRpc(id: number, method: string, params: unknown): Buffer {
  const body = JSON.stringify({ jsonrpc: "2.0", id, method, params });
  return requestBytes({ path: paths.jsonRpc, headers, body, stream: true });
}

/** Starts a task, which waits for {@link go}. */
export const begin = jsonRpc(0, "SendStreamingMessage", { message: userMessage });

/** Lets the task continue. */
export const go = requestBytes({ path: paths.go, headers, body: "", stream: false });

/**
 * Opens the connections for a call that starts a task, waits for many subscribers, and then lets
 * the task continue.
 */
export async function fanOutLine(port: number): Promise<Line> {
  const open = async (): Promise<HttpLine> => {
    const line = new HttpLine(port);
    await line.open();
    return line;
  };
  const [starter, opener, ...readers] = await Promise.all(
    Array.from({ length: subscribers + 2 }, open),
  );
  if (starter === undefined || opener === undefined) throw new Error("No line is open");
  return new FanOutLine(starter, opener, readers);
}

class FanOutLine implements Line {
  readonly #starter: HttpLine;
  readonly #opener: HttpLine;
  readonly #readers: readonly HttpLine[];

  constructor(starter: HttpLine, opener: HttpLine, readers: readonly HttpLine[]) {
    this.#starter = starter;
    this.#opener = opener;
    this.#readers = readers;
  }

  async call(seen: (responses: number) => void): Promise<void> {
    const counts = this.#readers.map(() => 0);
    await this.#round((reader, onFirst) =>
      eventCounter((count) => {
        counts[reader] = (counts[reader] ?? 0) + count;
        seen(count);
        onFirst();
      }),
    );
    const other = counts.find((count) => count !== eventCount);
    if (other !== undefined)
      throw new Error(`A subscriber got ${other} events in place of ${eventCount}`);
  }

  /**
   * Returns the events of one subscriber. Rejects if another subscriber received different events,
   * or in another order.
   */
  async responses(): Promise<readonly Buffer[]> {
    const chunks = this.#readers.map((): Buffer[] => []);
    await this.#round((reader, onFirst) => {
      const read = eventCounter(onFirst);
      return (chunk) => {
        chunks[reader]?.push(chunk);
        return read(chunk);
      };
    });
    const [events = [], ...others] = chunks.map((own, reader) =>
      eventsOf(Buffer.concat(own).toString("utf8"), reader),
    );
    const one = events.join("\n");
    if (others.some((other) => other.join("\n") !== one))
      throw new Error("The subscribers got different events");
    // The first event is the task, whose history is not the same on both sides.
    return events.slice(1).map((event) => Buffer.from(event));
  }

  close(): void {
    for (const line of [this.#starter, this.#opener, ...this.#readers]) line.close();
  }

  /** Runs a task from start to end, with a reader for the events of each subscriber. */
  async #round(reading: (reader: number, onFirst: () => void) => Reading): Promise<void> {
    const ends: Promise<void>[] = [];
    const id = await new Promise<string>((resolve, reject) => {
      const end = this.#starter.exchange(begin, withTaskId(resolve));
      end.catch(reject);
      ends.push(end);
    });
    const begun = this.#readers.map(
      (line, reader) =>
        new Promise<void>((resolve, reject) => {
          const end = line.exchange(
            jsonRpc(reader, "SubscribeToTask", { id }),
            reading(reader, resolve),
          );
          end.catch(reject);
          ends.push(end);
        }),
    );
    await Promise.all(begun);
    await this.#opener.exchange(
      go,
      answerEnd(() => undefined),
    );
    await Promise.all(ends);
  }
}

/** Returns the events of a stream with the same request id for all subscribers. */
function eventsOf(text: string, id: number): string[] {
  const events = Array.from(text.matchAll(/^data: ?(.*)$/gm), ([, data = ""]) => data);
  return events.map((event) => event.replace(`"id":${id}`, `"id":0`));
}

/** Reads a stream to its end, and reports the id of the task in its first event. */
export function withTaskId(found: (id: string) => void): Reading {
  const read = eventCounter(() => undefined);
  let text: string | undefined = "";
  return (chunk) => {
    if (text !== undefined) {
      text += chunk.toString("latin1");
      const data = /^data: ?(.*)\n\n/m.exec(text)?.[1];
      if (data !== undefined) {
        text = undefined;
        found(
          (JSON.parse(data) as { readonly result: { readonly task: { readonly id: string } } })
            .result.task.id,
        );
      }
    }
    return read(chunk);
  };
}
