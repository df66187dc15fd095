import fc from "../../../../support/properties.js";
import { expectLinearTime } from "../../../../support/linear-time.js";
import { describe, expect, it } from "vitest";
import { formatEvent, keepAlive, readEvents } from "../../../../../library/runtime/http/sse.js";
import { chunksOf } from "../../../../../library/runtime/http/stream.js";
import { all, streamOf } from "../client-sample.js";

const encoder = new TextEncoder();

const chunksFrom = (...chunks: (string | Uint8Array)[]): AsyncIterable<Uint8Array> =>
  streamOf(...chunks.map((chunk) => (typeof chunk === "string" ? encoder.encode(chunk) : chunk)));

const dataIn = async (...chunks: (string | Uint8Array)[]) =>
  (await all(readEvents(chunksFrom(...chunks)))).map(({ data }) => data);

describe("readEvents", () => {
  it("readEvents yields an event as soon as its blank line arrives, without waiting for a line feed", async () => {
    const body = (async function* () {
      yield encoder.encode("data: a\r\r");
      await new Promise(() => undefined);
    })();
    const first = await readEvents(body).next();
    expect(first.value).toEqual({ data: "a", type: "" });
  });

  it("readEvents yields an event that the end of the body truncates, so that the truncation is noticed", async () => {
    expect(await dataIn("data: a\n\ndata: b\n")).toEqual(["a", "b"]);
    expect(await dataIn('data: a\n\ndata: {"b":\ndata: 1')).toEqual(["a", '{"b":\n1']);
    expect(await dataIn("data: a\n\nid: 1\n: bye")).toEqual(["a"]);
  });

  it("readEvents cancels the body if the loop is left or fails", async () => {
    let cancelled = 0;
    const body = (text: string): ReadableStream<Uint8Array> =>
      new ReadableStream({
        pull: (sink) => sink.enqueue(encoder.encode(text)),
        cancel: () => {
          cancelled++;
        },
      });
    for await (const { data } of readEvents(chunksOf(body("data: a\n\n")))) if (data === "a") break;
    expect(cancelled).toBe(1);
    await expect(
      all(readEvents(chunksOf(body("data: long\n")), { maxEventBytes: 50 })),
    ).rejects.toThrow(RangeError);
    expect(cancelled).toBe(2);
  });

  it("readEvents throws the error of the body, and reads a missing body as an empty body", async () => {
    const body = new ReadableStream<Uint8Array>({ start: (sink) => sink.error(new Error("cut")) });
    await expect(all(readEvents(body))).rejects.toThrow("cut");
    expect(await all(readEvents(chunksOf(null)))).toEqual([]);
  });

  it("readEvents counts each line of a body that is one JSON object, because a line takes more memory than its text", async () => {
    const body = chunksFrom("{\n", "\n".repeat(1000));
    await expect(all(readEvents(body, { maxEventBytes: 20_000 }))).rejects.toThrow(RangeError);
  });

  it("readEvents takes linear time in the number of bytes, also for a long line in small chunks", async () => {
    const lineOf = (chunks: number) => Array.from({ length: chunks }, () => "x".repeat(125));
    await expectLinearTime(8_000, lineOf, async (line) => {
      expect(await dataIn("data: ", ...line, "\n\n")).toEqual([line.join("")]);
    });
    const breaksOf = (count: number) => "\n".repeat(count);
    await expectLinearTime(500_000, breaksOf, async (breaks) => {
      expect(await dataIn(breaks)).toEqual([]);
    });
  });
});

describe("formatEvent", () => {
  it("readEvents reads what formatEvent writes, in chunks of any size", async () => {
    const text = fc.string({
      unit: fc.oneof(fc.constantFrom("\n", "\r", ":", " ", "é", "𝄞"), fc.string()),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(text, { maxLength: 5 }),
        fc.array(fc.nat(12)),
        async (datas, cuts) => {
          const bytes = encoder.encode(datas.map(formatEvent).join(keepAlive));
          const chunks: Uint8Array[] = [];
          let start = 0;
          for (const cut of cuts) chunks.push(bytes.subarray(start, (start += cut)));
          chunks.push(bytes.subarray(start));
          const expected = datas.map((data) => data.replace(/\r\n?/g, "\n"));
          expect(await dataIn(...chunks)).toEqual(expected);
        },
      ),
    );
  });

  it("formatEvent writes JSON as one line", () => {
    expect(formatEvent('{"a":1}')).toBe('data: {"a":1}\n\n');
  });
});
