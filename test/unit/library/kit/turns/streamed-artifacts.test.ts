import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { artifact, type ArtifactOptions } from "../../../../../library/kit/turns/artifact.js";
import type { Part } from "../../../../../library/kit/model.js";
import type { Turn, TurnGenerator } from "../../../../../library/kit/turns/turn.js";
import {
  completed,
  failed,
  inputRequired,
  type Progress,
  textOf,
  working,
} from "../../../../../library/kit/turns/updates.js";
import { gist, kitAgent, message } from "../../../../support/kit.js";
import { Random } from "../../../../support/random/random.js";
import { sized } from "../../../../support/size.js";

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Yields items, and waits before each number. */
async function* timed<T>(...items: (T | number)[]): AsyncGenerator<Exclude<T, number>> {
  for (const item of items) {
    if (typeof item === "number") await pause(item);
    else yield item as Exclude<T, number>;
  }
}

/** Runs a turn, and returns its events with the times at which the caller receives them. */
async function played(run: (turn: Turn<string>) => TurnGenerator) {
  const agent = kitAgent({ run });
  const start = performance.now();
  const events: [ms: number, event: string][] = [];
  const reading = (async () => {
    for await (const event of await agent.stream("go"))
      events.push([performance.now() - start, gist(event)]);
  })();
  await vi.advanceTimersByTimeAsync(10_000);
  await reading;
  const { tasks } = await agent.list({ includeArtifacts: true });
  await agent.close();
  return { events, errors: agent.errors, task: tasks[0] };
}

describe("a streamed artifact", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it("text is sent at once while the source is silent, and nothing overtakes it", async () => {
    const { events } = await played(async function* ({ emit }) {
      async function* model() {
        yield* timed(100, "Let me", 5, " look.", 5);
        await emit(working("Calling"));
        yield* timed<string | Progress>(2_000, "It is", working("Checking"), " sunny.");
      }
      yield* artifact("answer").from(model(), { everyMs: 50 });
      return completed();
    });
    const times = (each: string): number =>
      Math.round(events.find(([, event]) => event === each)?.[0] ?? NaN);
    expect(events.map(([, event]) => event)).toEqual([
      "task submitted",
      "working",
      "answer Let me",
      "answer+  look.",
      "working Calling",
      "answer+ It is",
      "working Checking",
      "answer+  sunny..",
      "completed",
    ]);
    expect(times("answer Let me")).toBeLessThanOrEqual(102);
    expect(times("answer+  look.")).toBeLessThanOrEqual(112);
    expect(times("answer+ It is")).toBeLessThanOrEqual(2_112);
  });

  it("without an interval, each chunk is sent at once", async () => {
    const { events } = await played(async function* () {
      yield* artifact("answer").from(timed(10, "a", 1_000, "b", 1_000));
      return completed();
    });
    expect(events.slice(2).map(([ms, event]) => [Math.round(ms / 10) * 10, event])).toEqual([
      [10, "answer a"],
      [1_010, "answer+ b"],
      [2_010, "completed"],
    ]);
  });

  it("200 tokens a second are at most 21 events a second, and no text waits for longer than the interval", async () => {
    const { events, task } = await played(async function* () {
      const tokens = Array.from({ length: 400 }, (_, index) => [5, `${String(index)} `]).flat();
      yield* artifact("answer").from(timed<string>(...tokens), { everyMs: 50 });
      return completed();
    });
    const times = events.flatMap(([ms, event]) => (event.startsWith("answer") ? [ms] : []));
    expect(times.filter((ms) => ms <= 1_000).length).toBeLessThanOrEqual(21);
    expect(times.filter((ms) => ms > 1_000 && ms <= 2_000).length).toBeLessThanOrEqual(21);
    expect(task?.artifacts?.map(textOf)).toEqual([
      Array.from({ length: 400 }, (_, at) => `${String(at)} `).join(""),
    ]);
  });

  it("texts with the same media type become one part, and other parts stay separate", async () => {
    const { task } = await played(function* () {
      const writer = artifact("answer", "text/markdown", { everyMs: 50 });
      yield writer.text("a");
      yield writer.text("b");
      yield writer.data(1);
      yield writer.text("c");
      yield writer.parts({ text: "d" }, { text: "e", filename: "f" }, { text: "g", filename: "f" });
      return completed();
    });
    expect(task?.artifacts?.[0]?.parts).toEqual([
      { text: "ab", mediaType: "text/markdown" },
      { data: 1, mediaType: "text/markdown" },
      { text: "c", mediaType: "text/markdown" },
      { text: "d" },
      { text: "e", filename: "f" },
      { text: "g", filename: "f" },
    ]);
  });

  it("the end of a completed task marks the chunks that are not sent yet as last", async () => {
    const { events } = await played(async function* () {
      const [one, two] = [artifact("one"), artifact("two")];
      yield one.text("a");
      yield two.text("b");
      await pause(100);
      yield two.text("c");
      yield one.text("d");
      yield one.text("e");
      return completed();
    });
    expect(events.slice(2).map(([, event]) => event)).toEqual([
      "one a",
      "two b",
      "two+ c.",
      "one+ d",
      "one+ e.",
      "completed",
    ]);
  });

  it.each([
    ["failed", failed()],
    ["input_required", inputRequired("And?")],
  ])("an artifact of a task that is %s is not marked as complete", async (state, end) => {
    const { events } = await played(function* () {
      yield artifact("a", undefined, { everyMs: 50 }).text("text");
      return end;
    });
    expect(events.map(([, event]) => event.split(" ").slice(0, 2).join(" "))).toEqual([
      "task submitted",
      "working",
      "a text",
      state === "failed" ? "failed" : "input_required And?",
    ]);
  });

  it("an error of the source fails the task after the text before it", async () => {
    const error = new Error("The model failed");
    const { events, errors } = await played(async function* () {
      async function* model() {
        yield* timed("Let me", 1);
        throw error;
      }
      yield* artifact("answer").from(model(), { everyMs: 50 });
      return completed();
    });
    expect(events.map(([, event]) => event)).toEqual([
      "task submitted",
      "working",
      "answer Let me",
      "failed",
    ]);
    expect(errors).toEqual([error]);
  });

  it("an invalid part fails the task when it is yielded", async () => {
    const { events, errors } = await played(async function* () {
      yield* artifact("answer").from(["a", {} as Part, "b"], { everyMs: 50 });
      return completed();
    });
    expect(events.map(([, event]) => event)).toEqual([
      "task submitted",
      "working",
      "answer a",
      "failed",
    ]);
    expect(String(errors)).toContain("/artifact/parts/0");
  });

  it("a large chunk does not wait for the interval", async () => {
    const { events } = await played(async function* () {
      yield* artifact("answer").from(timed("a".repeat(2 ** 15), "b".repeat(2 ** 15), "c", 500), {
        everyMs: 1_000,
      });
      return completed();
    });
    expect(events.slice(2).map(([ms, event]) => [ms < 10, event.length])).toEqual([
      [true, "answer ".length + 2 ** 16],
      [false, "answer+ c.".length],
      [false, "completed".length],
    ]);
  });

  it("a canceled turn sends its held text, and closes a source that is silent", async () => {
    let isClosed = false;
    const agent = kitAgent({
      async *run({ signal }) {
        async function* model() {
          try {
            yield "1";
            yield "2";
            await pause(60_000);
          } finally {
            isClosed = true;
          }
        }
        yield* artifact("a").from(model(), { everyMs: 5_000, signal });
        return completed();
      },
    });
    const sent = agent.send("go");
    await vi.advanceTimersByTimeAsync(1);
    const [task] = (await agent.list()).tasks;
    const canceling = agent.cancel(task?.id ?? "");
    await vi.advanceTimersByTimeAsync(10);
    expect((await sent).status.state).toBe("TASK_STATE_CANCELED");
    expect((await canceling).artifacts?.map(textOf)).toEqual(["12"]);
    await vi.advanceTimersByTimeAsync(60_000);
    expect([isClosed, agent.errors]).toEqual([true, []]);
    await agent.close();
    expect(vi.getTimerCount()).toBe(0);
  });

  it("messages, checkpoints and ends come after the text before them", async () => {
    const agent = kitAgent<number>({
      async *run({ state, pending, checkpoint }) {
        const writer = artifact("a", undefined, { everyMs: 60_000, append: true });
        if (state !== undefined) {
          yield writer.text(" three");
          return completed();
        }
        yield writer.text("one");
        await checkpoint(1);
        yield writer.text(" two");
        await pending.next();
        return inputRequired("More?", { state: 2 });
      },
    });
    const seen: string[] = [];
    const first = (async () => {
      for await (const event of await agent.stream("go")) seen.push(gist(event));
    })();
    await vi.advanceTimersByTimeAsync(1);
    const id = (await agent.list()).tasks[0]?.id ?? "";
    expect(seen.slice(2)).toEqual(["a one"]);
    void agent.send(message("second", { taskId: id }));
    await vi.advanceTimersByTimeAsync(1);
    await first;
    const { artifacts } = await agent.send(message("third", { taskId: id }));
    expect(artifacts).toEqual([
      {
        artifactId: "a",
        name: "a",
        parts: [{ text: "one" }, { text: " two" }, { text: " three" }],
      },
    ]);
    expect(seen.slice(2)).toEqual(["a one", "a+  two", "input_required More?"]);
    await agent.close();
  });

  it("random sources lose nothing, keep their order, and never wait for the next item", async () => {
    for (let seed = 0; seed < sized(20, 300); seed += 1) {
      const random = new Random(seed);
      const everyMs = random.pick([undefined, 1, 20, 50]);
      const options: ArtifactOptions = everyMs === undefined ? {} : { everyMs };
      /**
       * Text that was yielded and the time of each update, which the caller must see at most
       * `everyMs` later.
       */
      const sent: [ms: number, text: string][] = [];
      const start = performance.now();
      const { events, errors } = await played(async function* ({ emit }) {
        const writers = [artifact("0", undefined, options), artifact("1", undefined, options)];
        async function* source(at: number) {
          for (let count = 0; count < 20; count += 1) {
            if (random.oneIn(2)) await pause(random.pick([0, 1, 5, 30, 200]));
            const text = `${String(sent.length)};`;
            sent.push([performance.now() - start, text]);
            const kind = random.pick(["text", "text", "text", "emitted", "yielded", "other"]);
            if (kind === "emitted") await emit(working(text));
            else if (kind === "yielded") yield working(text);
            else yield (kind === "other" ? writers[1 - at]?.text(text) : undefined) ?? text;
          }
        }
        for (const [at, writer] of writers.entries()) yield* writer.from(source(at));
        return completed();
      });
      const texts = events
        .slice(1, -1)
        .map(([ms, event]) => [ms, event.replace(/^[^ ]* ?|\.$/g, "")] as const);
      expect([seed, texts.map(([, text]) => text).join("")]).toEqual([
        seed,
        sent.map(([, text]) => text).join(""),
      ]);
      const late = texts.flatMap(([ms, text]) =>
        sent.filter(
          ([at, one]) => text.split(/(?<=;)/).includes(one) && ms - at > (everyMs ?? 0) + 2,
        ),
      );
      expect([seed, late]).toEqual([seed, []]);
      expect(errors).toEqual([]);
    }
  });
});
