import { answerEnd, eventCounter, HttpLine, requestBytes, type HttpRequest, type Reading } from "./http-line.js";
import type { Line } from "./line.js";
import { paths, userMessage } from "./work.js";

/** How many read the events of one task. */
export const subscribers = 100;

const headers = { "content-type": "application/json", "a2a-version": "1.0" };

function jsonRpc(method: string, params: unknown): Buffer {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
  const request: HttpRequest = { path: paths.jsonRpc, headers, body, stream: true };
  return requestBytes(request);
}

const begin = jsonRpc("SendStreamingMessage", { message: userMessage });
const go = requestBytes({ path: paths.go, headers, body: "", stream: false });

/** Opens what a call needs that begins a task, has many subscribe to it, and lets it go on once all of them have. */
export async function fanOutLine(port: number): Promise<Line> {
  const open = async (): Promise<HttpLine> => {
    const line = new HttpLine(port);
    await line.open();
    return line;
  };
  const [starter, opener, ...readers] = await Promise.all(Array.from({ length: subscribers + 2 }, open));
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

  call(seen: (responses: number) => void): Promise<void> {
    return this.#round((onFirst) =>
      eventCounter((count) => {
        seen(count);
        onFirst();
      }),
    );
  }

  async responses(): Promise<readonly Buffer[]> {
    const chunks: Buffer[][] = [];
    await this.#round((onFirst) => {
      const own: Buffer[] = [];
      chunks.push(own);
      const read = eventCounter(onFirst);
      return (chunk) => {
        own.push(chunk);
        return read(chunk);
      };
    });
    // The first event is the task, which is not the same where several messages make it.
    const [, ...events] = Buffer.concat(chunks.at(-1) ?? [])
      .toString("utf8")
      .matchAll(/^data: ?(.*)$/gm);
    return events.map(([, data = ""]) => Buffer.from(data));
  }

  close(): void {
    for (const line of [this.#starter, this.#opener, ...this.#readers]) line.close();
  }

  async #round(reading: (onFirst: () => void) => Reading): Promise<void> {
    const ends: Promise<void>[] = [];
    const id = await new Promise<string>((resolve, reject) => {
      ends.push(this.#starter.exchange(begin, withTaskId(resolve)));
      ends[0]?.catch(reject);
    });
    const subscribe = jsonRpc("SubscribeToTask", { id });
    const begun = this.#readers.map(
      (reader) =>
        new Promise<void>((resolve, reject) => {
          const end = reader.exchange(subscribe, reading(resolve));
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

/** Reads a stream to its end, and tells the id of the task that its first event has. */
function withTaskId(found: (id: string) => void): Reading {
  const read = eventCounter(() => undefined);
  let text: string | undefined = "";
  return (chunk) => {
    if (text !== undefined) {
      text += chunk.toString("latin1");
      const data = /^data: ?(.*)\n\n/m.exec(text)?.[1];
      if (data !== undefined) {
        text = undefined;
        found((JSON.parse(data) as { readonly result: { readonly task: { readonly id: string } } }).result.task.id);
      }
    }
    return read(chunk);
  };
}
