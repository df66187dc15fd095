import { describe, expect, it } from "vitest";
import { expectLinearTime } from "../../support/linear-time.js";
import fc from "../../support/properties.js";
import { all } from "./shop.js";
import { libraryService, loadLibrary } from "./library.js";

const library = await loadLibrary();
const handler = library.fetchHandler(libraryService(library));
const lines = "application/x-ndjson";
const book = (id: string) => `shelves/1/books/${id}`;

async function watch(id: string, accept?: string) {
  const headers = accept === undefined ? {} : { accept };
  const url = `http://library.test/v1/${book(id)}:watch`;
  const response = await handler(new Request(url, { headers }));
  return { type: response.headers.get("content-type"), status: response.status, response };
}

describe("a server stream over HTTP+JSON", () => {
  it("a caller that accepts lines receives each response as a line", async () => {
    const { type, status, response } = await watch("2", lines);
    expect([type, status]).toEqual([lines, 200]);
    expect(await response.text()).toBe(
      `{"method":"watchBook","call":{"name":"${book("2")}"}}\n{"method":"watchBook"}\n`,
    );
  });

  it("an error after the first response is the last line", async () => {
    const { response } = await watch("lost", lines);
    const received = (await response.text()).split("\n").slice(1);
    const error = { code: 500, status: "DATA_LOSS", message: "It is DataLossError", details: [] };
    expect(received).toEqual([JSON.stringify({ error }), ""]);
  });

  it("an error before the first response has its status and the type of JSON", async () => {
    const { type, status } = await watch("missing", lines);
    expect([type, status]).toEqual(["application/json", 404]);
  });

  it.each([
    [undefined, "text/event-stream"],
    ["*/*", "text/event-stream"],
    ["application/json", "text/event-stream"],
    ["text/event-stream, application/x-ndjson", "text/event-stream"],
    ["text/event-stream;q=0.5, application/x-ndjson", lines],
    ["application/*", lines],
  ])("with the header Accept %s, the stream has the type %s", async (accept, expected) => {
    const { type, response } = await watch("2", accept);
    await response.body?.cancel();
    expect(type).toBe(expected);
  });
});

describe("a client over HTTP+JSON", () => {
  const connect = (fetch: (url: string, init: RequestInit) => Promise<Response>) =>
    library.connectLibrary("http://library.test", { fetch });
  const seen = { method: "watchBook" };

  /** A client of a server that sends chunks of lines. */
  const reading = (...chunks: readonly Uint8Array[]) =>
    connect(() => {
      const body = new ReadableStream<Uint8Array>({
        start(controller) {
          for (const chunk of chunks) controller.enqueue(chunk);
          controller.close();
        },
      });
      return Promise.resolve(new Response(body, { headers: { "content-type": `${lines}; a=b` } }));
    });
  const bytes = (text: string) => new TextEncoder().encode(text);

  it("the client reads lines, and the error at their end", async () => {
    const accepted: unknown[] = [];
    const client = connect((url, init) => {
      accepted.push((init.headers as Record<string, string>)["accept"]);
      return handler(new Request(url, { ...init, headers: { accept: lines } }));
    });
    const name = book("2");
    expect(await all(client.watchBook({ name }))).toEqual([{ ...seen, call: { name } }, seen]);
    const lost = all(client.watchBook({ name: book("lost") }));
    await expect(lost).rejects.toMatchObject({ name: "DataLossError" });
    await expect(all(client.watchBook({ name: book("missing") }))).rejects.toMatchObject({
      name: "NotFoundError",
    });
    expect(accepted[0]).toBe(`text/event-stream, ${lines};q=0.9, application/json`);
  });

  it("the client reads lines in chunks of any size, with empty lines and any line ends", async () => {
    const text = '{"method":"é\\n"}\n\n{"method":"b"}\r\n\r\n{"method":"🎈"}';
    const whole = bytes(text);
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(whole.length)), async (cuts) => {
        const ends = [0, ...cuts.toSorted((a, b) => a - b), whole.length];
        const chunks = ends.slice(1).map((end, index) => whole.slice(ends[index], end));
        const read = await all(reading(...chunks).watchBook({ name: book("2") }));
        expect(read.map(({ method }) => method)).toEqual(["é\n", "b", "🎈"]);
      }),
    );
  });

  it("a stream of lines that is cut off is an error", async () => {
    const client = reading(bytes('{"method":"a"}\n{"met'));
    await expect(all(client.watchBook({ name: book("2") }))).rejects.toThrow(
      "responded with something other than JSON",
    );
  });

  it("the client reads millions of empty lines in linear time", async () => {
    const breaksOf = (count: number) => bytes("\n".repeat(count));
    await expectLinearTime(2 ** 22, breaksOf, async (breaks) => {
      const client = reading(breaks, bytes('{"method":"a"}'));
      expect(await all(client.watchBook({ name: book("2") }))).toEqual([{ method: "a" }]);
    });
  });

  it("a stream without a line has no responses", async () => {
    expect(await all(reading().watchBook({ name: book("2") }))).toEqual([]);
  });
});
