import { AIMessage } from "@langchain/core/messages";
import { END, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import { describe, expect, it } from "vitest";
import { type Graph, graphAgent, kitSaver } from "../../../../library/bridges/langgraph.js";
import { testAgent, textsOf } from "./agent.js";
import { chat, ScriptedModel, weather } from "./graphs.js";

/** Something that has happened, which a test waits for. */
function event<T = undefined>() {
  let happen: (value: T) => void = () => undefined;
  const happened = new Promise<T>((resolve) => (happen = resolve));
  return { happen, happened };
}

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

describe("files, messages and cancellation", () => {
  it("the bridge gives files to the model as content blocks, and makes its files artifacts", async () => {
    const seen: unknown[] = [];
    const graph = new StateGraph(MessagesAnnotation)
      .addNode("draw", ({ messages }) => {
        seen.push(messages.at(-1)?.contentBlocks);
        const image = { type: "image" as const, mimeType: "image/png", data: "iVBORw0KGgo=" };
        const contentBlocks = [{ type: "text" as const, text: "Here" }, image];
        return { messages: [new AIMessage({ contentBlocks })] };
      })
      .addEdge(START, "draw")
      .addEdge("draw", END)
      .compile();
    const agent = await testAgent(graphAgent(graph));
    const raw = { raw: "iVBORw0KGgo=", mediaType: "image/png", filename: "a.png" };
    const { task } = await agent.say([{ text: "look" }, raw]);
    expect(seen).toEqual([
      [
        { type: "text", text: "look" },
        {
          type: "image",
          mimeType: "image/png",
          data: "iVBORw0KGgo=",
          metadata: { filename: "a.png" },
        },
      ],
    ]);
    expect(
      task.artifacts?.map(({ name, parts }) => [name, parts[0]?.text ?? parts[0]?.raw]),
    ).toEqual([
      ["answer", "Here"],
      ["file-1.png", "iVBORw0KGgo="],
    ]);
  });

  it("the bridge fetches files at URLs, but none at private addresses", async () => {
    const model = new ScriptedModel((messages) => ({
      text: JSON.stringify(messages.at(-1)?.contentBlocks),
    }));
    const part = [{ url: "http://127.0.0.1:9/a.png", mediaType: "image/png" }];
    const agent = await testAgent(graphAgent(chat(model)));
    const refused = await agent.say(part);
    expect(refused.state).toBe("failed");
    expect(refused.said).not.toContain("127.0.0.1");
    expect(textsOf(agent.errors)).toContain("127.0.0.1");
    const fetch = () => Promise.resolve(new Response("bytes"));
    const fetching = await testAgent(graphAgent(chat(model), { fetch }));
    expect((await fetching.say(part)).text).toContain('"data":"Ynl0ZXM="');
  });

  it("the bridge continues with messages that arrive during the turn", async () => {
    for (const saver of [undefined, kitSaver()]) {
      const [begun, sent] = [event(), event()];
      const model = new ScriptedModel((messages) => ({
        text: messages.map((message) => message.text).join("+"),
      }));
      const graph = new StateGraph(MessagesAnnotation)
        .addNode("model", async ({ messages }) => {
          begun.happen(undefined);
          await sent.happened;
          return { messages: [await model.invoke(messages)] };
        })
        .addEdge(START, "model")
        .addEdge("model", END)
        .compile(saver === undefined ? {} : { checkpointer: saver });
      const agent = await testAgent(graphAgent(graph));
      const taskId = await agent.begin("one");
      await begun.happened;
      await agent.begin("two", { taskId });
      sent.happen(undefined);
      const { text } = await agent.follow(taskId);
      expect(text).toBe("one\n\none+one+two");
    }
  });

  it("the bridge cancels the model", async () => {
    const aborted = event();
    let words = 0;
    const streaming = event();
    const model = new ScriptedModel(
      () => ({ text: "a b c d" }),
      async (signal) => {
        if (++words < 3) return;
        streaming.happen(undefined);
        await new Promise<void>((resolve) => {
          signal?.addEventListener("abort", () => {
            aborted.happen(undefined);
            resolve();
          });
        });
      },
    );
    const graph = new StateGraph(MessagesAnnotation)
      .addNode("model", async ({ messages }, config) => ({
        messages: [await model.invoke(messages, config)],
      }))
      .addEdge(START, "model")
      .addEdge("model", END)
      .compile();
    const agent = await testAgent(graphAgent(graph));
    const id = await agent.begin("count");
    await streaming.happened;
    await agent.client.cancelTask({ id });
    expect((await agent.follow(id)).state).toBe("canceled");
    await aborted.happened;
    expect(agent.errors).toEqual([]);
  });

  it("the bridge cancels a tool that ignores the signal", async () => {
    const running = event();
    const run = async () => {
      running.happen(undefined);
      return new Promise<string>(() => undefined);
    };
    const agent = await testAgent(graphAgent(weather(kitSaver(), {}, run)));
    const id = await agent.begin("Oslo");
    await running.happened;
    await agent.client.cancelTask({ id });
    expect((await agent.follow(id)).state).toBe("canceled");
    expect(agent.errors).toEqual([]);
  });
});

describe("graphs that fail", () => {
  it("the caller does not see the errors of models and tools", async () => {
    const model = new ScriptedModel(() => {
      throw new Error("secret key");
    });
    const tool = weather(undefined, {}, () => {
      throw new Error("secret key");
    });
    for (const graph of [chat(model), tool]) {
      const agent = await testAgent(graphAgent(graph));
      const { state, task } = await agent.say("Oslo");
      expect(state).toBe("failed");
      expect(JSON.stringify(task)).not.toContain("secret");
      expect(textsOf(agent.errors)).toContain("secret key");
    }
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
      const agent = await testAgent(graphAgent(fake(stream)));
      const { state, said } = await agent.say("go");
      expect(state).toBe("failed");
      expect(said).not.toContain("streamed");
      expect(textsOf(agent.errors)).toContain(`The graph has streamed ${what} with an unexpected`);
    }
  });

  it("the bridge ignores modes that it does not know", async () => {
    const agent = await testAgent(
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
      const agent = await testAgent(graphAgent(graph));
      expect((await agent.say("go")).state).toBe("failed");
      expect(agent.errors).toHaveLength(1);
    }
  });

  it("the bridge makes a paragraph of each id that changes in mid-stream", async () => {
    const agent = await testAgent(
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

  it("the bridge ends a stream that never ends", async () => {
    const graph = fake(async function* () {
      yield token("Tea");
      await new Promise(() => undefined);
    });
    const agent = await testAgent({ ...graphAgent(graph), limits: { turnWithinMs: 100 } });
    expect((await agent.say("go")).state).toBe("failed");
  });

  it("the graph writes 10,000 tokens at once", async () => {
    const agent = await testAgent(
      graphAgent(
        fake(async function* () {
          for (let index = 0; index < 10_000; index += 1) yield token("x ", "a");
        }),
      ),
    );
    const { text, events } = await agent.say("go");
    expect(text).toHaveLength(20_000);
    expect(events.length).toBeLessThan(1_000);
  });
});
