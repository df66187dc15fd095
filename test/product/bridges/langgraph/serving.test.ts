import { MemorySaver } from "@langchain/langgraph";
import { describe, expect, it } from "vitest";
import { graphAgent, kitSaver } from "../../../../library/bridges/langgraph.js";
import { testAgent, textsOf } from "./agent.js";
import {
  asking,
  booking,
  chat,
  parallelTexts,
  ScriptedModel,
  twoQuestions,
  weather,
  withSubgraph,
} from "./graphs.js";

const tea = new ScriptedModel((messages) => ({
  text: messages.map((message) => `${message.type}: ${message.text}`).join("; "),
}));

const savers = [
  ["MemorySaver", () => new MemorySaver()],
  ["kitSaver", kitSaver],
] as const;

describe("a served graph", () => {
  it("the graph streams the words of its model into one artifact, and tells the usage", async () => {
    const agent = await testAgent(graphAgent(chat(tea), { everyMs: 0 }));
    const { events, text, task } = await agent.say("tea");
    expect(events[0]).toBe("task submitted");
    expect(events.at(-1)).toBe("completed");
    expect(text).toBe("human: tea");
    expect(task.metadata).toEqual({
      langGraph: { usage: { input_tokens: 10, output_tokens: 5, total_tokens: 15 } },
    });
  });

  it("the graph answers with what it streams and ends with on its own", async () => {
    const graph = chat(tea);
    const { messages } = await graph.invoke({ messages: [{ role: "user", content: "tea" }] });
    let streamed = "";
    const input = { messages: [{ role: "user", content: "tea" }] };
    for await (const [message] of await graph.stream(input, { streamMode: "messages" }))
      streamed += message.text;
    const agent = await testAgent(graphAgent(graph));
    const { text } = await agent.say("tea");
    expect([streamed, messages.at(-1)?.text]).toEqual([text, text]);
  });

  it("the bridge gives the graph the earlier tasks of the conversation", async () => {
    const agent = await testAgent(graphAgent(chat(tea)));
    await agent.say("green", { contextId: "c" });
    const { text } = await agent.say("black", { contextId: "c" });
    expect(text).toBe("human: green; ai: human: green; human: black");
    const without = await testAgent(graphAgent(chat(tea), { memory: 0 }));
    await without.say("green", { contextId: "c" });
    expect((await without.say("black", { contextId: "c" })).text).toBe("human: black");
  });

  for (const [name, saver] of savers) {
    it(`the graph asks the question of an interrupt, and resumes with the answer (${name})`, async () => {
      const notes: string[] = [];
      const graph = booking(saver(), (what) => {
        if (what !== "word") notes.push(what);
      });
      const agent = await testAgent(graphAgent(graph));
      const asked = await agent.say("Oslo");
      expect(asked.events).toEqual([
        "task submitted",
        "working Planning",
        "answer Read 1: Oslo",
        "input_required Book the flight?",
      ]);
      const value = { question: "Book the flight?", price: 100 };
      const id: unknown = expect.any(String);
      expect(asked.data).toEqual([{ type: "interrupt", id, value }]);
      const { state, text } = await agent.say("yes", { taskId: asked.task.id });
      expect([state, text]).toEqual(["completed", 'Read 1: Oslo\n\nRead 3: answer "yes"']);
      expect(notes).toEqual([
        ...["plan", "planned", "confirm"],
        ...["confirm", "confirmed", "book", "booked"],
      ]);
    });

    it(`the graph resumes with the data of an answer (${name})`, async () => {
      const agent = await testAgent(graphAgent(booking(saver())));
      const { task } = await agent.say("Oslo");
      const { text } = await agent.say([{ data: { seats: 2 } }], { taskId: task.id });
      expect(text).toContain('Read 3: answer {"seats":2}');
    });

    it(`the graph asks again if an answer names another question (${name})`, async () => {
      const agent = await testAgent(graphAgent(booking(saver())));
      const asked = await agent.say("Oslo");
      for (const id of ["another", 1, "__proto__"]) {
        const answer = [{ data: { id, value: false } }];
        const again = await agent.say(answer, { taskId: asked.task.id });
        expect([again.state, again.data]).toEqual(["input_required", asked.data]);
      }
      const { state, text } = await agent.say("yes", { taskId: asked.task.id });
      expect([state, text]).toEqual(["completed", 'Read 1: Oslo\n\nRead 3: answer "yes"']);
    });

    it(`the graph asks two questions at once, and resumes each with its answer (${name})`, async () => {
      const graph = twoQuestions(saver());
      const agent = await testAgent(graphAgent(graph, { input: () => ({ name: "" }) }));
      const asked = await agent.say("go");
      expect(asked.said).toBe("Name?\nAge?");
      const questions = asked.data as readonly { id: string; value: string }[];
      const answers = { "Name?": "Ada", "Age?": "36" } as Readonly<Record<string, string>>;
      const parts = questions.map(({ id, value }) => ({
        data: { id, value: answers[value] ?? "" },
      }));
      const { task } = await agent.say(parts, { taskId: asked.task.id });
      expect(task.artifacts?.map(({ name, parts: found }) => [name, found[0]?.data])).toEqual([
        ["result", { name: "Ada", age: "36" }],
      ]);
    });

    it(`the graph asks again for the answer that is missing (${name})`, async () => {
      const graph = twoQuestions(saver());
      const agent = await testAgent(graphAgent(graph, { input: () => ({ name: "" }) }));
      const asked = await agent.say("go");
      const [{ id } = { id: "" }] = asked.data as readonly { id: string }[];
      const answer = [{ data: { id, value: "Ada" } }];
      const again = await agent.say(answer, { taskId: asked.task.id });
      expect(again.events.at(-1)).toBe("input_required Age?");
      const { task } = await agent.say("36", { taskId: asked.task.id });
      expect(task.artifacts?.[0]?.parts[0]?.data).toEqual({ name: "Ada", age: "36" });
    });

    it(`the bridge keeps the answers of two waiting tasks of a conversation apart (${name})`, async () => {
      const agent = await testAgent(graphAgent(booking(saver()), { memory: 0 }));
      const [one, two] = [
        await agent.say("first", { contextId: "c" }),
        await agent.say("second", { contextId: "c" }),
      ];
      const answers = [
        await agent.say("yes to the first", { taskId: one.task.id }),
        await agent.say("yes to the second", { taskId: two.task.id }),
      ];
      expect(answers.map(({ text }) => text)).toEqual([
        'Read 1: first\n\nRead 3: answer "yes to the first"',
        'Read 1: second\n\nRead 3: answer "yes to the second"',
      ]);
    });

    it(`the graph asks and resumes inside of a subgraph (${name})`, async () => {
      const notes: string[] = [];
      const graph = withSubgraph(saver(), (what) => void notes.push(what));
      const agent = await testAgent(graphAgent(graph));
      const asked = await agent.say("Oslo");
      expect(asked.events.at(-1)).toBe("input_required Inner?");
      const { state, text } = await agent.say("yes", { taskId: asked.task.id });
      expect([state, text]).toEqual(["completed", "prepared\n\nasked yes\n\nwritten"]);
      expect(notes).toEqual(["prepare", "ask", "ask", "write"]);
    });

    it(`the graph asks whether to continue at a static breakpoint (${name})`, async () => {
      const graph = weather(saver(), { interruptBefore: ["tools"] });
      const agent = await testAgent(graphAgent(graph));
      const asked = await agent.say("Oslo");
      expect(asked.said).toBe("Continue with tools?");
      const done = await agent.say("yes", { taskId: asked.task.id });
      expect([done.state, done.text]).toEqual(["completed", "It is sunny."]);
      const { task } = await agent.say("Oslo");
      expect((await agent.say("no", { taskId: task.id })).state).toBe("canceled");
    });
  }

  it("the artifact contains the text once that a node writes again after its question", async () => {
    const agent = await testAgent(graphAgent(asking("Which colour?", kitSaver())));
    const { text, task } = await agent.say("go");
    expect(text).toBe("Let me ask.");
    const done = await agent.say("blue", { taskId: task.id });
    expect(done.text).toBe('Let me ask.\n\n"blue"');
  });

  it("the bridge asks LangChain's questions about actions, and decides by a plain yes", async () => {
    const actionRequests = [
      { name: "mail", args: { to: "Ada" } },
      { name: "call", args: {} },
    ];
    const agent = await testAgent(graphAgent(asking({ actionRequests }, kitSaver())));
    const decided = async (answer: string) => {
      const { said, task } = await agent.say("go");
      expect(said).toBe('Allow mail({"to":"Ada"})?\nAllow call({})?');
      return (await agent.say(answer, { taskId: task.id })).text.split("\n\n").at(-1);
    };
    const all = (decision: object) => JSON.stringify({ decisions: [decision, decision] });
    expect(await decided("Yes!")).toBe(all({ type: "approve" }));
    expect(await decided("Not today")).toBe(all({ type: "reject", message: "Not today" }));
  });

  it("the caller gets JSON as the text of a question without a text", async () => {
    for (const [value, text] of [
      [{ price: 1 }, '{"price":1}'],
      [undefined, "Continue?"],
    ] as const) {
      const agent = await testAgent(graphAgent(asking(value, kitSaver())));
      expect((await agent.say("go")).said).toBe(text);
    }
  });

  it("the graph fails with a report to the operator if it asks without a checkpointer", async () => {
    const agent = await testAgent(graphAgent(booking(undefined)));
    const { state, said } = await agent.say("Oslo");
    expect(state).toBe("failed");
    expect(said).not.toContain("checkpointer");
    expect(textsOf(agent.errors)).toContain("No checkpointer set");
  });

  it("the caller reads the names of the tools that the graph calls, but not their results", async () => {
    const agent = await testAgent(graphAgent(weather(undefined)));
    const { events, text } = await agent.say("Oslo");
    expect(events).toEqual([
      ...["task submitted", "working Calling weather"],
      ...["answer It is sunny..", "completed"],
    ]);
    expect(text).toBe("It is sunny.");
  });

  it("the bridge shows the calls and results of tools as data, or nothing of them", async () => {
    const progress = async (tools: "data" | "none") => {
      const agent = await testAgent(graphAgent(weather(kitSaver()), { tools }));
      const messages: unknown[] = [];
      const { task } = await agent.say("Oslo");
      for (const { role, parts } of task.history ?? [])
        if (role === "ROLE_AGENT") messages.push(parts[0]?.data);
      return messages;
    };
    expect(await progress("data")).toEqual([
      { type: "tool-call", toolName: "weather", toolCallId: "c1", input: { city: "Oslo" } },
      { type: "tool-result", toolName: "weather", toolCallId: "c1", output: "sunny" },
    ]);
    expect(await progress("none")).toEqual([]);
  });

  it("the graph does not mix the texts of nodes that run in parallel", async () => {
    const agent = await testAgent(graphAgent(parallelTexts()));
    const { text } = await agent.say("go");
    expect(text.split("\n\n").toSorted()).toEqual(["left 1 2 3 4 5", "right 1 2 3 4 5"]);
  });

  it("the graph streams the messages of the chosen nodes only", async () => {
    const agent = await testAgent(graphAgent(parallelTexts(), { nodes: ["right"] }));
    expect((await agent.say("go")).text).toBe("right 1 2 3 4 5");
  });

  it("the graph takes the input and the output from functions of the author", async () => {
    const graph = twoQuestions(kitSaver());
    const agent = await testAgent(
      graphAgent(graph, {
        input: ({ parts }) => ({ name: parts[0]?.text ?? "" }),
        output: ({ name, age }) => `${String(name)} is ${String(age)}`,
      }),
    );
    const { task } = await agent.say("go");
    expect((await agent.say("7", { taskId: task.id })).text).toBe("7 is 7");
  });

  it("the bridge passes options for each turn to the graph", async () => {
    const agent = await testAgent(
      graphAgent(weather(undefined), { config: () => ({ recursionLimit: 1 }) }),
    );
    expect((await agent.say("Oslo")).state).toBe("failed");
    expect(textsOf(agent.errors)).toContain("Recursion limit of 1");
  });

  it("the bridge shows reasoning if the option is set", async () => {
    const model = new ScriptedModel(() => ({ text: "Tea.", reasoning: "Thirst." }));
    const shown = await testAgent(graphAgent(chat(model), { reasoning: true }));
    const { task } = await shown.say("go");
    expect(task.artifacts?.map(({ name, parts }) => [name, parts[0]?.text])).toEqual([
      ["reasoning", "Thirst."],
      ["answer", "Tea."],
    ]);
    const hidden = await testAgent(graphAgent(chat(model)));
    expect((await hidden.say("go")).text).toBe("Tea.");
  });
});
