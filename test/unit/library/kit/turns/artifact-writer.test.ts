import { describe, expect, it } from "vitest";
import type { Part } from "../../../../../generated/1.1-draft/models.js";
import { artifact } from "../../../../../library/kit/turns/artifact.js";
import type { ArtifactChunk } from "../../../../../library/kit/turns/artifact-chunk.js";
import type { Source } from "../../../../../library/kit/turns/source.js";
import { type Update, working } from "../../../../../library/kit/turns/updates.js";

const said = ({ artifact: { parts }, append, last }: ArtifactChunk) => [parts, append, last];

/** Returns the updates that `from` yields for a source. */
async function updatesFrom(source: Source<Part, Update>, everyMs?: number): Promise<unknown[]> {
  const found: unknown[] = [];
  for await (const update of artifact("a").from(source, everyMs === undefined ? {} : { everyMs })) {
    found.push(
      "artifact" in update
        ? [...said(update), ...("everyMs" in update ? [update.everyMs] : [])]
        : update,
    );
  }
  return found;
}

/** A source that waits forever after its first item. */
function silent() {
  let isClosed = false;
  const source: AsyncIterable<string> = {
    [Symbol.asyncIterator]() {
      const items = ["1"];
      return {
        next: () => {
          const value = items.shift();
          return value === undefined
            ? new Promise(() => undefined)
            : Promise.resolve({ value, done: false });
        },
        return: () => {
          isClosed = true;
          return Promise.reject(new Error("The source cannot be closed"));
        },
      };
    },
  };
  return { source, isClosed: () => isClosed };
}

describe("from", () => {
  it("each item of a source is a chunk, which is never marked as last", async () => {
    expect(await updatesFrom(["1", { data: 2 }])).toEqual([
      [[{ text: "1" }], false, false],
      [[{ data: 2 }], true, false],
    ]);
    expect(await updatesFrom(["1"], 50)).toEqual([[[{ text: "1" }], false, false, 50]]);
  });

  it("updates of a source are passed on in their order, and empty strings are omitted", async () => {
    const other = artifact("b").finish("file");
    expect(await updatesFrom(["", "1", working("Calling"), other, "", "2"])).toEqual([
      [[{ text: "1" }], false, false],
      working("Calling"),
      [[{ text: "file" }], false, true],
      [[{ text: "2" }], true, false],
    ]);
  });

  it("an error of the source is rethrown after the chunks before it", async () => {
    const pieces = artifact("a").from(
      (function* () {
        yield "1";
        throw new Error("No");
      })(),
    );
    expect((await pieces.next()).value).toMatchObject({ artifact: { parts: [{ text: "1" }] } });
    await expect(pieces.next()).rejects.toThrow("No");
  });

  it("the source is closed when the turn stops reading, or when the signal aborts while the source is silent", async () => {
    const first = silent();
    const left = artifact("a").from(first.source, { signal: new AbortController().signal });
    await left.next();
    await left.return();
    const second = silent();
    const controller = new AbortController();
    const aborted = artifact("a").from(second.source, { signal: controller.signal });
    await aborted.next();
    const waiting = aborted.next();
    controller.abort(new Error("The task was canceled"));
    await expect(waiting).rejects.toThrow("The task was canceled");
    expect([first.isClosed(), second.isClosed()]).toEqual([true, true]);
  });
});

describe("chunks of an artifact", () => {
  it("the last chunk of an artifact can contain text and data", () => {
    const writer = artifact("rows");
    expect(said(writer.text("1"))).toEqual([[{ text: "1" }], false, false]);
    expect(said(writer.data([1], { last: true }))).toEqual([[{ data: [1] }], true, true]);
    expect(said(artifact("a").text("1", { last: true }))).toEqual([[{ text: "1" }], false, true]);
  });

  it("metadata that is known at the end is added to the metadata of the artifact", () => {
    const writer = artifact("a", undefined, { metadata: { model: "m" } });
    expect(writer.text("1").artifact).toEqual({
      artifactId: "a",
      name: "a",
      metadata: { model: "m" },
      parts: [{ text: "1" }],
    });
    const end = writer.finish("2", { metadata: { sources: ["s"] } });
    expect(end).toEqual({
      artifact: { artifactId: "a", parts: [{ text: "2" }], metadata: { sources: ["s"] } },
      append: true,
      last: true,
    });
    const whole = artifact("b", undefined, { metadata: { model: "m" } }).finish("1", {
      metadata: { sources: [] },
    });
    expect(whole.artifact.metadata).toEqual({ model: "m", sources: [] });
  });
});
