import fc from "../../support/properties.js";
import { describe, expect, it } from "vitest";
import { answerEnd, eventCounter, type Reading } from "../../../bench/servers/http-line.js";

/** Cuts a text into pieces at the given places, which are taken from any numbers. */
function cut(text: string, places: readonly number[]): Buffer[] {
  const bytes = Buffer.from(text);
  const inside = [...new Set(places.map((place) => place % bytes.length))].sort((a, b) => a - b);
  const ends = [...inside, bytes.length];
  return ends.map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end)).filter(({ length }) => length > 0);
}

/** Reads pieces one by one, and gives how many of them it takes to the end. */
function piecesRead(read: Reading, pieces: readonly Buffer[]): number {
  return pieces.findIndex((piece) => read(piece)) + 1;
}

function counting(make: (seen: (responses: number) => void) => Reading): {
  readonly read: Reading;
  readonly count: () => number;
} {
  let count = 0;
  return { read: make((responses) => void (count += responses)), count: () => count };
}

const places = fc.array(fc.nat(), { maxLength: 60 });

describe("the HTTP client of the benchmarks", () => {
  it("finds the end of an answer wherever it is cut", () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 80 }), places, (body, at) => {
        const head = `HTTP/1.1 200 OK\r\nContent-Length: ${Buffer.byteLength(body)}\r\nX: y\r\n\r\n`;
        const pieces = cut(head + body, at);
        const { read, count } = counting(answerEnd);
        expect(piecesRead(read, pieces)).toBe(pieces.length);
        expect(count()).toBe(1);
      }),
    );
  });

  it("counts the events of a stream wherever it is cut", () => {
    fc.assert(
      fc.property(fc.array(fc.stringMatching(/^[a-z0-9:]{0,9}$/), { maxLength: 9 }), places, (events, at) => {
        const chunks = events.map((event) => `data: ${event}\n\n`);
        const framed = chunks.map((chunk) => `${chunk.length.toString(16)}\r\n${chunk}\r\n`);
        const pieces = cut(`HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${framed.join("")}0\r\n\r\n`, at);
        const { read, count } = counting(eventCounter);
        expect(piecesRead(read, pieces)).toBe(pieces.length);
        expect(count()).toBe(events.length);
      }),
    );
  });

  it("does not take a refusal for an answer", () => {
    const refusal = Buffer.from("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n");
    expect(() => answerEnd(() => undefined)(refusal)).toThrow("404");
    expect(() => eventCounter(() => undefined)(refusal)).toThrow("404");
  });
});
