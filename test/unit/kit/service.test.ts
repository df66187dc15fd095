import { describe, expect, it } from "vitest";
import { artifact } from "../../../templates/kit/artifact.js";
import { completed, inputRequired, textOf, working } from "../../../templates/kit/updates.js";
import { gists, kitAgent, message } from "../../support/kit.js";

describe("a task service", () => {
  it("returns a task that has ended, with its history and artifacts", async () => {
    const agent = kitAgent({
      async *run({ message: asked }) {
        yield working("Thinking");
        yield artifact("answer").last(textOf(asked).toUpperCase());
        return completed("Done");
      },
    });
    const task = await agent.send("hello");
    expect(task.status).toMatchObject({ state: "TASK_STATE_COMPLETED", message: { parts: [{ text: "Done" }] } });
    expect(task.history?.map(textOf)).toEqual(["hello", "Thinking"]);
    expect(task.artifacts).toEqual([{ artifactId: "answer", name: "answer", parts: [{ text: "HELLO" }] }]);
    expect(await agent.get(task.id)).toEqual(task);
  });

  it("streams the task first, and then what becomes of it", async () => {
    const agent = kitAgent({
      async *run() {
        yield working("Thinking");
        await Promise.resolve();
        yield* artifact("answer").from(["a", "b", "c"]);
        return completed();
      },
    });
    expect(await gists(await agent.stream("hello"))).toEqual([
      "task submitted",
      "working Thinking",
      "answer a",
      "answer+ b",
      "answer+ c.",
      "completed",
    ]);
  });

  it("hands the state of a turn to the next one", async () => {
    const agent = kitAgent<{ topic: string }>({
      async *run({ message: asked, state }) {
        if (state === undefined) return inputRequired("For whom?", { state: { topic: textOf(asked) } });
        yield working();
        return completed(`${state.topic} for ${textOf(asked)}`);
      },
    });
    const first = await agent.send("tea");
    expect(first.status.state).toBe("TASK_STATE_INPUT_REQUIRED");
    const second = await agent.send(message("Ada", { taskId: first.id }));
    expect(second.status.message && textOf(second.status.message)).toBe("tea for Ada");
    expect(second.history?.map(textOf)).toEqual(["tea", "For whom?", "Ada"]);
  });
});
