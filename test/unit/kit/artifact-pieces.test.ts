import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Part } from "../../../generated/1.1-draft/models.js";
import { artifact, type ArtifactChunk } from "../../../templates/kit/turns/artifact.js";

/** A source whose bits the test sends. */
function scripted() {
  const waiting: (() => void)[] = [];
  const bits: (string | Part | Error | undefined)[] = [];
  let ended = false;
  async function* source() {
    try {
      for (;;) {
        while (bits.length === 0) await new Promise<void>((resolve) => void waiting.push(resolve));
        const bit = bits.shift();
        if (bit === undefined) return;
        if (bit instanceof Error) throw bit;
        yield bit;
      }
    } finally {
      ended = true;
    }
  }
  const send = (...more: typeof bits): void => {
    bits.push(...more);
    for (const wake of waiting.splice(0)) wake();
  };
  return { source: source(), send, hasEnded: () => ended };
}

const said = ({ artifact: { parts }, append, last }: ArtifactChunk) => [parts, append, last];

describe("chunks of an artifact", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it("streamArtifact sends chunks of a limited size by default and marks the last chunk", async () => {
    const pieces: unknown[] = [];
    for await (const piece of artifact("a").from(["1", "2"])) pieces.push(said(piece));
    expect(pieces).toEqual([
      [[{ text: "1" }], false, false],
      [[{ text: "2" }], true, true],
    ]);
  });

  it("streamArtifact joins the texts that arrive within the interval and keeps the type of the artifact", async () => {
    const { source, send } = scripted();
    const pieces = artifact("a", "text/markdown").from(source, { everyMs: 20 });
    send("Hel", "lo", { data: 1 }, "wor", "ld");
    const first = pieces.next();
    // The first chunk is sent when the next chunk is known, so that the last one can say that it is.
    await vi.advanceTimersByTimeAsync(20);
    send("!", undefined);
    const typed = (text: string) => ({ text, mediaType: "text/markdown" });
    expect((await first).value).toMatchObject({
      artifact: { parts: [typed("Hello"), { data: 1 }, typed("world")] },
      last: false,
    });
    expect((await pieces.next()).value).toMatchObject({ artifact: { parts: [typed("!")] }, append: true, last: true });
    expect((await pieces.next()).done).toBe(true);
  });

  it("a source that yields everything at once becomes one chunk", async () => {
    const pieces: unknown[] = [];
    for await (const piece of artifact("a").from(["1", "2", "3"], { everyMs: 1_000 })) pieces.push(said(piece));
    expect(pieces).toEqual([[[{ text: "123" }], false, true]]);
    for await (const piece of artifact("a").from([], { everyMs: 1_000 })) pieces.push(piece);
    expect(pieces).toHaveLength(1);
  });

  it("the chunks end with the error of the source, after the content before it", async () => {
    const { source, send } = scripted();
    const pieces = artifact("a").from(source, { everyMs: 1 });
    send("1", new Error("No"));
    expect(said((await pieces.next()).value as ArtifactChunk)).toEqual([[{ text: "1" }], false, false]);
    await expect(pieces.next()).rejects.toThrow("No");
  });

  it("the source is closed when the consumer stops reading", async () => {
    const { source, send, hasEnded } = scripted();
    const pieces = artifact("a").from(source, { everyMs: 1 });
    send("1");
    const first = pieces.next();
    await vi.advanceTimersByTimeAsync(1);
    send("2");
    await vi.advanceTimersByTimeAsync(1);
    send("3");
    await first;
    await pieces.return();
    send("4");
    await vi.advanceTimersByTimeAsync(1);
    expect(hasEnded()).toBe(true);
  });
});

it("the last chunk of an artifact can contain text and data", () => {
  const writer = artifact("rows");
  expect(said(writer.text("1"))).toEqual([[{ text: "1" }], false, false]);
  expect(said(writer.data([1], { last: true }))).toEqual([[{ data: [1] }], true, true]);
  expect(said(artifact("a").text("1", { last: true }))).toEqual([[{ text: "1" }], false, true]);
});
