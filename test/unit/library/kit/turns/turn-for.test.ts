import { describe, expect, it } from "vitest";
import { playTurn, turnFor } from "../../../../../library/kit/testing/turn-for.js";
import type { Behavior } from "../../../../../library/kit/turns/turn.js";
import { completed, textOf, working } from "../../../../../library/kit/turns/updates.js";

/** Returns an agent that does what its turns are given. */
const doing = (run: Behavior<string, number>["run"]): Behavior<string, number> => ({ run });

describe("turnFor", () => {
  it("a turn for a test has a message, a task with this message, and what the test specifies", async () => {
    const turn = turnFor({
      content: "Tea",
      user: "ada",
      state: 1,
      referencedTasks: [],
      message: { messageId: "m" },
    });
    expect(turn).toMatchObject({
      user: "ada",
      state: 1,
      resumed: false,
      extensions: [],
      message: { messageId: "m" },
    });
    expect(turn.task).toMatchObject({
      id: "task-1",
      contextId: "context-1",
      history: [turn.message],
    });
    expect([
      textOf(turn.message),
      await turn.referencedTasks(),
      await turn.contextTasks(1),
    ]).toEqual(["Tea", [], []]);
  });

  it("a turn for a test returns the related tasks that it is given, with their states", async () => {
    const task = (id: string) => ({ ...turnFor().task, id });
    const { contextTasks } = turnFor<string, number>({
      contextTasks: [task("a"), { task: task("b"), state: 2 }, task("c")],
    });
    expect(await contextTasks()).toEqual(["a", "b", "c"].map(task));
    expect(await contextTasks(2, { states: true })).toEqual([
      { task: task("a"), state: undefined },
      { task: task("b"), state: 2 },
    ]);
  });

  it("a turn for a test can be iterated", async () => {
    const seen: unknown[] = [];
    const behavior = doing(function* ({ message }) {
      yield working(textOf(message));
      return completed();
    });
    for await (const update of behavior.run(turnFor("Tea"))) seen.push(update);
    expect(seen).toEqual([working("Tea")]);
  });

  it("a turn for a test returns its updates in order, its end and its saved states", async () => {
    const turn = turnFor<string, number>("Tea");
    const behavior = doing(async function* ({ emit, checkpoint }) {
      yield working("one");
      await emit(working("two"));
      await checkpoint(1);
      yield working("three");
      return completed("Done");
    });
    const { updates, end } = await playTurn(behavior, turn);
    expect(updates).toEqual(["one", "two", "three"].map((text) => working(text)));
    expect([end, turn.checkpoints]).toEqual([completed("Done"), [1]]);
  });

  it("a turn for a test gets the messages that arrive while it runs and while it waits", async () => {
    const turn = turnFor<string, number>("Tea");
    turn.send("Milk?");
    const behavior = doing(async function* ({ pending }) {
      yield working(textOf(await pending.next()));
      expect(pending.take()).toBeUndefined();
      const next = pending.next();
      turn.send("Sugar?");
      return completed(textOf(await next));
    });
    expect(await playTurn(behavior, turn)).toEqual({
      updates: [working("Milk?")],
      end: completed("Sugar?"),
    });
  });

  it.each(["untilAborted", "pending"] as const)(
    "a turn for a test is canceled while it waits for %s",
    async (what) => {
      const turn = turnFor<string, number>("Tea");
      const behavior = doing(async function* ({ untilAborted, pending, signal }) {
        yield working();
        try {
          await (what === "untilAborted"
            ? untilAborted(new Promise<never>(() => undefined))
            : pending.next());
        } finally {
          expect(signal.aborted).toBe(true);
        }
        return completed();
      });
      const played = playTurn(behavior, turn);
      turn.cancel();
      await expect(played).rejects.toThrow("The task was canceled");
    },
  );
});
