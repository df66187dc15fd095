import { MemorySaver } from "@langchain/langgraph";
import { beforeEach, describe, expect, it } from "vitest";
import { type GraphState, graphAgent, kitSaver } from "../../../../library/bridges/langgraph.js";
import { playTurn, type TestTurn, turnFor } from "../../../../library/testing.js";
import { booking, changes, keeping, looping, parallel, weather, withSubgraph } from "./graphs.js";
import { talkTo, textOfAnswer } from "../talk.js";

const notes: string[] = [];
const note = (what: string): void => {
  if (what !== "word") notes.push(what);
};
beforeEach(() => void notes.splice(0));

describe("a graph whose checkpoints are in its task", () => {
  it("the graph resumes from each state that a turn saves, without a step that has ended", async () => {
    const behavior = graphAgent(weather(kitSaver(), {}, () => (note("tool"), "sunny")));
    const turn = turnFor<unknown, GraphState>("Oslo");
    const whole = await playTurn(behavior, turn);
    expect(textOfAnswer(whole.updates)).toBe("It is sunny.");
    const runs: number[] = [];
    for (const state of turn.checkpoints) {
      notes.length = 0;
      const again = await playTurn(behavior, turnFor({ content: "Oslo", state, resumed: true }));
      expect(again.end.state).toBe("TASK_STATE_COMPLETED");
      expect(textOfAnswer(again.updates) || state.text).toBe("It is sunny.");
      runs.push(notes.length);
    }
    // The tool runs again until its result is saved.
    expect(runs).toEqual(runs.toSorted((one, other) => other - one));
    expect(new Set(runs)).toEqual(new Set([1, 0]));
  });

  it("the graph writes the text of steps that have ended again, and nothing twice", async () => {
    const behavior = graphAgent(booking(kitSaver(), note));
    const asking = turnFor<unknown, GraphState>("Oslo");
    const asked = await playTurn(behavior, asking);
    const state = asked.end.checkpoint;
    if (state === undefined) throw new Error("The turn has no state");
    const answering = turnFor<unknown, GraphState>({ content: "yes", state });
    await playTurn(behavior, answering);
    const artifacts = [{ artifactId: "answer", parts: [{ text: "Read 1: Oslo\n\nRead 3" }] }];
    for (const saved of answering.checkpoints) {
      notes.length = 0;
      const task = { ...answering.task, artifacts };
      const given = { content: "yes", state: saved, resumed: true, task };
      const { end, updates } = await playTurn(behavior, turnFor<unknown, GraphState>(given));
      expect(end.state).toBe("TASK_STATE_COMPLETED");
      expect(textOfAnswer(updates)).toBe('Read 1: Oslo\n\nRead 3: answer "yes"');
      expect(notes).not.toContain("plan");
    }
  });

  it("the graph passes an answer on once, even if the next question is open at the crash", async () => {
    const behavior = graphAgent(withSubgraph(kitSaver(), note));
    const asked = await playTurn(behavior, turnFor<unknown, GraphState>("Oslo"));
    const state = asked.end.checkpoint;
    if (state === undefined) throw new Error("The turn has no state");
    const answering = turnFor<unknown, GraphState>({ content: "yes", state });
    await playTurn(behavior, answering);
    for (const saved of answering.checkpoints) {
      notes.length = 0;
      const given = { content: "yes", state: saved, resumed: true };
      const { end } = await playTurn(behavior, turnFor<unknown, GraphState>(given));
      expect(end.state).toBe("TASK_STATE_COMPLETED");
      expect(notes).not.toContain("prepare");
    }
  });

  it("the graph does not run the ended nodes of a parallel step again", async () => {
    let store: (state: GraphState) => void = () => undefined;
    const afterFast = new Promise<GraphState>((resolve) => (store = resolve));
    const graph = parallel(kitSaver(), async (what) => {
      note(what);
      if (what === "slow") await afterFast;
    });
    const behavior = graphAgent(graph, { input: () => ({ done: [] }) });
    const turn: TestTurn<unknown, GraphState> = {
      ...turnFor<unknown, GraphState>("go"),
      checkpoint(state) {
        const writes = state.checkpoints?.writes ?? [];
        if (writes.some(([, , [, , value]]) => String(value).includes("fast"))) store(state);
        return Promise.resolve();
      },
    };
    await playTurn(behavior, turn);
    expect(notes.toSorted()).toEqual(["fast", "slow"]);
    notes.length = 0;
    const given = { content: "go", state: await afterFast, resumed: true } as const;
    await playTurn(behavior, turnFor<unknown, GraphState>(given));
    expect(notes).toEqual(["slow"]);
  });

  it("the saver keeps the newest checkpoint of each namespace only", async () => {
    const behavior = graphAgent(looping(kitSaver()), { input: () => ({ count: 0 }) });
    const turn = turnFor<unknown, GraphState>("go");
    await playTurn(behavior, turn);
    const sizes = turn.checkpoints.map(({ checkpoints }) => [
      checkpoints?.storage.length ?? 0,
      JSON.stringify(checkpoints).length,
    ]);
    expect(Math.max(...sizes.map(([count = 0]) => count))).toBeLessThanOrEqual(2);
    expect(Math.max(...sizes.map(([, size = 0]) => size))).toBeLessThan(10_000);
  });

  it("the saver keeps the checkpoints from which a channel with changes is read", async () => {
    const agent = await talkTo(
      graphAgent(changes(kitSaver()), { input: () => ({ words: ["zero"] }) }),
    );
    const done = await agent.reply(await agent.say("go"), "three");
    const words = ["zero", "one", "two", "three"];
    expect(done.task?.artifacts?.[0]?.parts[0]?.data).toEqual({ words });
  });

  it("the saver keeps the state of a subgraph that has a state of its own", async () => {
    const agent = await talkTo(graphAgent(keeping(kitSaver()), { input: () => ({ count: 0 }) }));
    const asked = await agent.say("go");
    expect(asked.said).toBe("Again?");
    const done = await agent.reply(asked, "yes");
    expect(done.task?.artifacts?.[0]?.parts[0]?.data).toEqual({ count: 2 });
  });

  it("the saver keeps nothing in the process after a turn", async () => {
    const graph = booking(kitSaver());
    const agent = await talkTo(graphAgent(graph));
    const { task } = await agent.say("Oslo");
    const { metadata } = await graph.getState({ configurable: { thread_id: task?.id } });
    expect(metadata).toBeUndefined();
  });

  it("the saver is a MemorySaver outside of turns", async () => {
    const graph = booking(kitSaver());
    const config = { configurable: { thread_id: "1" } };
    await graph.invoke({ messages: [{ role: "user", content: "Oslo" }] }, config);
    expect((await graph.getState(config)).next).toEqual(["confirm"]);
  });

  it("the saver does not mix tasks that run at once", async () => {
    const agent = await talkTo(graphAgent(booking(kitSaver())));
    const names = Array.from({ length: 10 }, (_, index) => `City ${String(index)}`);
    const asked = await Promise.all(names.map((name) => agent.say(name)));
    const answered = await Promise.all(
      asked.map((each, index) => agent.reply(each, String(index))),
    );
    expect(answered.map(({ text }) => text)).toEqual(
      names.map((name, index) => `Read 1: ${name}\n\nRead 3: answer "${String(index)}"`),
    );
  });
});

describe("a graph whose checkpoints are gone", () => {
  it("the graph starts again if nothing was asked", async () => {
    const behavior = graphAgent(booking(new MemorySaver(), note));
    const turn = turnFor<unknown, GraphState>("Oslo");
    await playTurn(behavior, turn);
    const other = graphAgent(booking(new MemorySaver(), note));
    notes.length = 0;
    const given = { content: "Oslo", state: turn.checkpoints.at(-1), resumed: true } as const;
    const { updates } = await playTurn(other, turnFor<unknown, GraphState>(given));
    expect(textOfAnswer(updates)).toBe("Read 1: Oslo");
    expect(notes).toContain("plan");
  });

  it("the graph fails if an answer arrives, and tells the operator what to do", async () => {
    let graph = booking(new MemorySaver());
    const agent = await talkTo<GraphState>({ run: (turn) => graphAgent(graph).run(turn) });
    const asked = await agent.say("Oslo");
    graph = booking(new MemorySaver());
    const { state, said } = await agent.reply(asked, "yes");
    expect(state).toBe("TASK_STATE_FAILED");
    expect(said).not.toContain("checkpoint");
    expect(agent.errors.join()).toContain("compile the graph with kitSaver()");
  });
});
