import { expect, it, vi } from "vitest";
import { artifact } from "../../../../../library/kit/turns/artifact.js";
import { completed, working } from "../../../../../library/kit/turns/updates.js";
import {
  isPrepared,
  Prepared,
  type PreparedEvents,
} from "../../../../../library/runtime/server/prepared.js";
import { kitAgent, message } from "../../../../support/kit.js";

/**
 * Has a task say what a test tells it to, chunk by chunk, to some subscribers who have its first
 * event.
 */
async function talking(count: number) {
  const pieces: ((piece: string | undefined) => void)[] = [];
  const agent = kitAgent({
    async *run() {
      yield working();
      const writer = artifact("talk");
      for (;;) {
        const piece = await new Promise<string | undefined>((resolve) => pieces.push(resolve));
        if (piece === undefined) return completed();
        yield writer.text(piece);
      }
    },
  });
  const { id } = await agent.send({
    ...message("hello"),
    configuration: { returnImmediately: true },
  });
  const readers = await Promise.all(
    Array.from({ length: count }, async () => open(await agent.subscribe(id))),
  );
  for (const reader of readers) await reader.nextPrepared();
  const say = async (...said: (string | undefined)[]): Promise<void> => {
    for (const piece of said) {
      pieces.shift()?.(piece);
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  return { say, readers };
}

function open(events: AsyncIterable<unknown>): PreparedEvents {
  const iterator: AsyncIterator<unknown, unknown> = events[Symbol.asyncIterator]();
  if (!isPrepared(iterator)) throw new TypeError("The events are not prepared");
  return iterator;
}

/** Returns the next event, and those behind it that are there. */
async function chunkOf(reader: PreparedEvents): Promise<unknown[]> {
  const found = [(await reader.nextPrepared()).value];
  for (let more = reader.takePrepared(); more !== undefined; more = reader.takePrepared())
    found.push(more);
  return found;
}

it("subscribers of a task share the encoded events until the last event", async () => {
  const { say, readers } = await talking(3);
  const chunks = readers.map(chunkOf);
  await say("a");
  await say("b", undefined);
  const [first = [], ...others] = await Promise.all(
    readers.map(async (reader, at) => [...((await chunks[at]) ?? []), ...(await chunkOf(reader))]),
  );
  expect(first).toHaveLength(3);
  for (const [at, event] of first.entries()) {
    expect(event).toBeInstanceOf(Prepared);
    for (const other of others) expect(other[at]).toBe(event);
  }
});

it.each([
  [1, 1],
  [100, 3],
])(
  "%i subscribers of a fast turn get the first event immediately, and then %i events together",
  async (count, together) => {
    // The test decides how much time the writes take.
    vi.useFakeTimers({ toFake: ["setTimeout", "performance"] });
    try {
      const { say, readers } = await talking(count);
      const lengths = async (chunks: readonly Promise<unknown[]>[]) =>
        new Set((await Promise.all(chunks)).map(({ length }) => length));
      const first = readers.map(chunkOf);
      // The turn has been silent for a while.
      await vi.advanceTimersByTimeAsync(1_000);
      await say("a");
      expect(await lengths(first)).toEqual(new Set([1]));
      const second = readers.map(chunkOf);
      await say("b", "c", "d");
      await vi.advanceTimersByTimeAsync(1_000);
      expect(await lengths(second)).toEqual(new Set([together]));
    } finally {
      vi.useRealTimers();
    }
  },
);

it("a pause that writes have used up is extended if the next event is already available", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout"] });
  const clock = vi.spyOn(performance, "now");
  const readAfter = async (wroteMs: number, ...available: string[]) => {
    // The test decides how much time the writes take, also those before the first event.
    clock.mockReturnValue(0);
    const { say, readers } = await talking(100);
    const chunks = readers.map(chunkOf);
    await say(...available);
    clock.mockReturnValue(wroteMs);
    // The planned pause of 100 subscribers takes 2 ms.
    await vi.advanceTimersByTimeAsync(2);
    await say("later");
    await vi.advanceTimersByTimeAsync(1_000);
    // The first subscriber has already read the event that extends the pause.
    const [, ...lengths] = (await Promise.all(chunks)).map(({ length }) => length);
    return new Set(lengths);
  };
  try {
    expect(await readAfter(2, "a")).toEqual(new Set([1]));
    expect(await readAfter(10, "a")).toEqual(new Set([2]));
    expect(await readAfter(10)).toEqual(new Set([1]));
  } finally {
    clock.mockRestore();
    vi.useRealTimers();
  }
});
