import { AIMessage } from "@langchain/core/messages";
import { describe, expect, it } from "vitest";
import { type Graph, graphAgent } from "../../../../library/bridges/langgraph.js";
import { gate, talkTo } from "../talk.js";
import { chat, ScriptedModel, weather } from "./graphs.js";

/** A graph whose stream is what a test says. */
function fake(stream: (input: unknown) => AsyncIterable<unknown> | Promise<never>): Graph {
  return {
    stream: async (input) => stream(input),
    getState: () => Promise.reject(new Error("no state")),
  };
}

const metadata = { langgraph_checkpoint_ns: "model:1" };
const token = (text: string, id?: string) => [
  [],
  "messages",
  [new AIMessage({ content: text, ...(id !== undefined && { id }) }), metadata],
];

describe("a graph without a checkpointer", () => {
  it("the graph continues with messages that arrive during the turn", async () => {
    const [begun, arrived] = [gate(), gate()];
    const model = new ScriptedModel((messages) => [
      () => {
        begun.open();
        return arrived.opened;
      },
      messages.map((message) => message.text).join("+"),
    ]);
    const { say, interject } = await talkTo(graphAgent(chat(model)));
    const answer = say("one");
    await begun.opened;
    await interject("two");
    arrived.open();
    expect((await answer).text).toBe("one\n\none+one+two");
  });
});

describe("graphs that fail", () => {
  it("the caller does not see the error of a node", async () => {
    const graph = weather(undefined, {}, () => {
      throw new Error("secret key");
    });
    const agent = await talkTo(graphAgent(graph));
    const { state, task } = await agent.say("Oslo");
    expect(state).toBe("TASK_STATE_FAILED");
    expect(JSON.stringify(task)).not.toContain("secret");
    expect(agent.errors.join()).toContain("secret key");
  });

  it("the task fails if the stream has values of other types", async () => {
    const streams: [string, unknown[]][] = [
      ["an event", ["text"]],
      ["an event", [[[], 7, "x"]]],
      ["a message", [[[], "messages", "text"]]],
      ["a message", [[[], "messages", [{ content: "plain" }, {}]]]],
      ["a task", [[[], "tasks", { id: 1 }]]],
    ];
    for (const [what, events] of streams) {
      const stream = async function* () {
        yield* events;
      };
      const agent = await talkTo(graphAgent(fake(stream)));
      const { state, said } = await agent.say("go");
      expect(state).toBe("TASK_STATE_FAILED");
      expect(said).not.toContain("streamed");
      expect(agent.errors.join()).toContain(`The graph has streamed ${what} with an unexpected`);
    }
  });

  it("the bridge ignores modes that it does not know", async () => {
    const agent = await talkTo(
      graphAgent(
        fake(async function* () {
          yield [[], "later", {}];
          yield token("Tea");
        }),
      ),
    );
    expect((await agent.say("go")).text).toBe("Tea");
  });

  it("the task fails if the graph throws at once or streams nothing that can be read", async () => {
    const throwing = fake(() => Promise.reject(new Error("secret")));
    const unreadable = fake(() => 7 as never);
    for (const graph of [throwing, unreadable]) {
      const agent = await talkTo(graphAgent(graph));
      expect((await agent.say("go")).state).toBe("TASK_STATE_FAILED");
      expect(agent.errors).toHaveLength(1);
    }
  });

  it("the bridge makes a paragraph of each id that changes in mid-stream", async () => {
    const agent = await talkTo(
      graphAgent(
        fake(async function* () {
          yield token("one ", "a");
          yield token("two", "a");
          yield token("three", "b");
          yield token("four");
        }),
      ),
    );
    expect((await agent.say("go")).text).toBe("one two\n\nthree\n\nfour");
  });
});
