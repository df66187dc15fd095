import { memoryStore } from "../../../../../library/kit/memory/store.js";
import { storeCopy } from "../../../../../library/kit/store.js";
import { describe, expect, it } from "vitest";
import { TaskState } from "../../../../../generated/1.1-draft/models.js";
import { artifact } from "../../../../../library/kit/turns/artifact.js";
import type { Turn } from "../../../../../library/kit/turns/turn.js";
import { completed, textOf, working } from "../../../../../library/kit/turns/updates.js";
import { kitAgent, message } from "../../../../support/kit.js";

/** An object that throws when it is read. */
const trap: object = new Proxy(
  {},
  {
    get() {
      throw new Error("Do not look");
    },
  },
);

const never = (): Promise<never> => new Promise(() => undefined);

type Run = (turn: Turn<string>) => unknown;

const failing: readonly (readonly [what: string, run: Run])[] = [
  ["throws an error", () => asTurn(() => raise(new Error("No")))],
  ["throws null", () => asTurn(() => raise(null))],
  ["throws undefined", () => asTurn(() => raise(undefined))],
  ["throws a frozen error", () => asTurn(() => raise(Object.freeze(new Error("No"))))],
  ["throws a value that throws when it is read", () => asTurn(() => raise(trap))],
  ["rejects later", () => asTurn(() => Promise.reject(new Error("No")))],
  ["yields nothing", () => yields(undefined)],
  ["yields a number", () => yields(7)],
  ["yields a list", () => yields([working()])],
  ["yields a value that throws when it is read", () => yields(trap)],
  ["yields the result of `completed`", () => yields(completed())],
  [
    "yields the result of `completed` as if the turn continued",
    () => yields({ ...completed(), keepsRunning: true }),
  ],
  [
    "yields an artifact that the protocol does not allow",
    () => yields({ artifact: { artifactId: 1, parts: [] } }),
  ],
  ["returns nothing", () => asTurn(() => undefined)],
  [
    "returns nothing after an interruption",
    () => yields({ ...working(), state: TaskState.AuthRequired }),
  ],
  ["returns an update", () => asTurn(() => working())],
  [
    "returns an update that claims to be an end",
    () => asTurn(() => ({ ...working(), ends: true })),
  ],
  ["returns an invalid state", () => asTurn(() => ({ ends: true, state: "DONE" }))],
  ["returns a value that throws when it is read", () => asTurn(() => trap)],
  ["emits an invalid update", ({ emit }) => asTurn(() => Promise.all([emit(7 as never), never()]))],
  ["is not a generator", () => ({})],
  ["is a promise", () => Promise.resolve(completed())],
  ["is undefined", () => undefined],
  ["throws before it starts", () => raise(new Error("No"))],
  ["has invalid steps", () => ({ next: () => Promise.resolve(null) })],
];

describe("an agent with an invalid handler", () => {
  it.each([
    [
      "`run` must return a generator, got a value of type object",
      { run: () => Promise.resolve(completed()) },
    ],
    [
      "`reply` must return message(content), or undefined for a task, got a value of type string",
      { reply: () => "pong" },
    ],
    ["`run` of a task service must be a function", { run: undefined }],
    [
      "`store` is from another copy of a2a-codegen-runtime or of its modules: run `npm dedupe`",
      { store: Object.assign(memoryStore(), { [storeCopy]: {} }) },
    ],
  ])("the error of an invalid handler names the mistake: %s", async (text, wrong) => {
    const outcome = async (): Promise<unknown[]> => {
      const agent = kitAgent({ run: () => asTurn(() => completed()), ...(wrong as object) });
      await agent.send("hello");
      return agent.errors;
    };
    expect(String(await outcome().catch(String))).toContain(`TypeError: ${text}`);
  });
});

describe("a faulty turn", () => {
  it.each(failing)(
    "a turn that %s fails its task, is reported once, and harms no other task",
    async (_, run) => {
      let letGo = (): void => undefined;
      const waits = new Promise<void>((resolve) => (letGo = resolve));
      const agent = kitAgent({
        run: (turn) =>
          textOf(turn.message) === "bad"
            ? (run(turn) as never)
            : asTurn(() => waits.then(() => completed())),
      });
      const other = agent.send("good");
      expect((await agent.send("bad")).status.state).toBe("TASK_STATE_FAILED");
      expect(agent.errors).toHaveLength(1);
      letGo();
      expect((await other).status.state).toBe("TASK_STATE_COMPLETED");
      expect(agent.errors).toHaveLength(1);
    },
  );

  it.each(failing)(
    "a turn that %s after its task was canceled leaves the task canceled",
    async (_, run) => {
      let begun = (): void => undefined;
      const begins = new Promise<void>((resolve) => (begun = resolve));
      const agent = kitAgent({
        async *run(turn) {
          yield working();
          begun();
          await turn.untilAborted(never()).catch(() => undefined);
          return yield* run(turn) as AsyncGenerator<never, never, undefined>;
        },
        limits: { cancelWithinMs: 100 },
      });
      const { id } = await agent.send({
        ...message("work"),
        configuration: { returnImmediately: true },
      });
      await begins;
      expect((await agent.cancel(id)).status.state).toBe("TASK_STATE_CANCELED");
      expect((await agent.get(id)).status.state).toBe("TASK_STATE_CANCELED");
    },
  );

  it("a turn that ignores its signal is ended after its grace period", async () => {
    const agent = kitAgent({ run: () => asTurn(never), limits: { cancelWithinMs: 10 } });
    const { id } = await agent.send({
      ...message("work"),
      configuration: { returnImmediately: true },
    });
    expect((await agent.cancel(id)).status.state).toBe("TASK_STATE_CANCELED");
    expect(agent.errors).toEqual([]);
  });

  it("an error that a canceled turn throws is not reported, because frameworks convert the abort", async () => {
    const agent = kitAgent({
      onFailure: () => "unused",
      async *run({ untilAborted }) {
        yield working();
        try {
          await untilAborted(never());
        } catch (cause) {
          throw new TypeError("The model call was interrupted", { cause });
        }
        return completed();
      },
    });
    const { id } = await agent.send({
      ...message("a"),
      configuration: { returnImmediately: true },
    });
    expect((await agent.cancel(id)).status).toMatchObject({ state: "TASK_STATE_CANCELED" });
    expect(agent.errors).toEqual([]);
  });

  it("an unhandled rejection is not left behind if a turn races a promise that rejects after the cancellation", async () => {
    let reject = (_: Error): void => undefined;
    const late = new Promise<never>((_, refuse) => (reject = refuse));
    const agent = kitAgent({
      async *run({ untilAborted }) {
        yield working();
        await untilAborted(never()).catch(() => undefined);
        await untilAborted(late);
        return completed();
      },
    });
    const { id } = await agent.send({
      ...message("work"),
      configuration: { returnImmediately: true },
    });
    expect((await agent.cancel(id)).status.state).toBe("TASK_STATE_CANCELED");
    reject(new Error("Late"));
    await new Promise((resolve) => setImmediate(resolve));
    expect(agent.errors).toEqual([]);
  });

  it("an update keeps its value if the turn changes the object after yielding it", async () => {
    const data = { at: 0 };
    const part = { text: "one" };
    const agent = kitAgent({
      async *run() {
        yield working([part], { metadata: { data } });
        part.text = "two";
        yield artifact("a").data(data);
        data.at = 1;
        yield { ...artifact("b").parts({ data, metadata: data }), last: true };
        data.at = 2;
        return completed();
      },
    });
    const { metadata, history, artifacts } = await agent.send("work");
    expect(metadata).toEqual({ data: { at: 0 } });
    expect(history?.map(textOf)).toEqual(["work", "one"]);
    const parts = [{ data: { at: 0 } }, { data: { at: 1 }, metadata: { at: 1 } }];
    expect(artifacts?.flatMap((each) => each.parts)).toEqual(parts);
  });

  it("a turn that never waits does not starve other turns", async () => {
    let isHeard = false;
    let steps = 0;
    const agent = kitAgent({
      async *run() {
        setTimeout(() => (isHeard = true), 0);
        for (; !isHeard && steps < 50_000; steps += 1) yield working();
        return completed();
      },
    });
    await agent.send("work");
    expect(steps).toBeLessThan(50_000);
  });

  it("a turn that exceeds its time limit fails its task", async () => {
    const agent = kitAgent({ run: () => asTurn(never), limits: { turnWithinMs: 10 } });
    expect((await agent.send("work")).status.state).toBe("TASK_STATE_FAILED");
    expect(agent.errors).toMatchObject([{ name: "TimeoutError" }]);
  });

  it("the time limit of a turn may exceed the longest timer of the platform", async () => {
    const agent = kitAgent({
      run: () => asTurn(() => new Promise((resolve) => setTimeout(() => resolve(completed()), 20))),
      limits: { turnWithinMs: 2 ** 40 },
    });
    expect((await agent.send("work")).status.state).toBe("TASK_STATE_COMPLETED");
  });

  it("a turn that continues after its end adds nothing and is reported once", async () => {
    let late: Turn<string> | undefined;
    const agent = kitAgent({
      async *run(turn) {
        late = turn;
        yield working();
        return completed();
      },
    });
    const task = await agent.send("work");
    await late?.emit(working("late"));
    await late?.emit(working("later"));
    await expect(late?.checkpoint({})).rejects.toThrow("after the end");
    await expect(late?.pending.next()).rejects.toThrow("The turn has ended");
    expect(await agent.get(task.id)).toEqual(task);
    expect(agent.errors).toHaveLength(1);
  });

  it("an update that a turn emits before it first waits is in the log", async () => {
    const agent = kitAgent({
      async *run({ emit }) {
        void emit(working("at once"));
        yield working("then");
        return completed();
      },
    });
    expect((await agent.send("work")).history?.map(textOf)).toEqual(["work", "at once", "then"]);
  });
});

function raise(error: unknown): never {
  throw error;
}

/** A generator that yields nothing. */
function asTurn(end: () => unknown): AsyncGenerator<never, never, undefined> {
  return yieldsAll([], end);
}

async function* yieldsAll(
  updates: readonly unknown[],
  end: () => unknown,
): AsyncGenerator<never, never, undefined> {
  for (const update of updates) yield update as never;
  return (await end()) as never;
}

function yields(update: unknown): AsyncGenerator<never, never, undefined> {
  return yieldsAll([update], () => undefined);
}
