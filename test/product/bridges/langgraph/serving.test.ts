import { MemorySaver } from "@langchain/langgraph";
import { describe, expect, it } from "vitest";
import { graphAgent, kitSaver } from "../../../../library/bridges/langgraph.js";
import { talkTo } from "../talk.js";
import { asking, booking, parallelTexts, twoQuestions, weather, withSubgraph } from "./graphs.js";

const savers = [
  ["MemorySaver", () => new MemorySaver()],
  ["kitSaver", kitSaver],
] as const;

describe("a served graph", () => {
  for (const [name, saver] of savers) {
    it(`the graph asks the question of an interrupt, and resumes with the answer (${name})`, async () => {
      const notes: string[] = [];
      const graph = booking(saver(), (what) => {
        if (what !== "word") notes.push(what);
      });
      const agent = await talkTo(graphAgent(graph));
      const asked = await agent.say("Oslo");
      expect(asked).toMatchObject({
        state: "TASK_STATE_INPUT_REQUIRED",
        progress: ["Planning"],
        text: "Read 1: Oslo",
        said: "Book the flight?",
      });
      const value = { question: "Book the flight?", price: 100 };
      const id: unknown = expect.any(String);
      expect(asked.asked).toEqual([{ type: "interrupt", id, value }]);
      const { state, text } = await agent.reply(asked, "yes");
      expect([state, text]).toEqual([
        "TASK_STATE_COMPLETED",
        'Read 1: Oslo\n\nRead 3: answer "yes"',
      ]);
      expect(notes).toEqual([
        ...["plan", "planned", "confirm"],
        ...["confirm", "confirmed", "book", "booked"],
      ]);
    });

    it(`the graph resumes with the data of an answer (${name})`, async () => {
      const agent = await talkTo(graphAgent(booking(saver())));
      const { text } = await agent.reply(await agent.say("Oslo"), [{ data: { seats: 2 } }]);
      expect(text).toContain('Read 3: answer {"seats":2}');
    });

    it(`the graph asks again if an answer names another question (${name})`, async () => {
      const agent = await talkTo(graphAgent(booking(saver())));
      const asked = await agent.say("Oslo");
      for (const id of ["another", 1, "__proto__"]) {
        const answer = [{ data: { id, value: false } }];
        const again = await agent.reply(asked, answer);
        expect(again.state).toBe("TASK_STATE_INPUT_REQUIRED");
        expect(again.asked).toEqual(asked.asked);
      }
      const { state, text } = await agent.reply(asked, "yes");
      expect([state, text]).toEqual([
        "TASK_STATE_COMPLETED",
        'Read 1: Oslo\n\nRead 3: answer "yes"',
      ]);
    });

    it(`the graph asks two questions at once, and resumes each with its answer (${name})`, async () => {
      const graph = twoQuestions(saver());
      const agent = await talkTo(graphAgent(graph, { input: () => ({ name: "" }) }));
      const asked = await agent.say("go");
      expect(asked.said).toBe("Name?\nAge?");
      const questions = asked.asked as { id: string; value: string }[];
      const answers = { "Name?": "Ada", "Age?": "36" } as Readonly<Record<string, string>>;
      const parts = questions.map(({ id, value }) => ({
        data: { id, value: answers[value] ?? "" },
      }));
      const { task } = await agent.reply(asked, parts);
      expect(task?.artifacts?.map(({ name, parts: found }) => [name, found[0]?.data])).toEqual([
        ["result", { name: "Ada", age: "36" }],
      ]);
    });

    it(`the graph asks again for the answer that is missing (${name})`, async () => {
      const graph = twoQuestions(saver());
      const agent = await talkTo(graphAgent(graph, { input: () => ({ name: "" }) }));
      const asked = await agent.say("go");
      const [{ id } = { id: "" }] = asked.asked as { id: string }[];
      const answer = [{ data: { id, value: "Ada" } }];
      const again = await agent.reply(asked, answer);
      expect(again.said).toBe("Age?");
      const { task } = await agent.reply(asked, "36");
      expect(task?.artifacts?.[0]?.parts[0]?.data).toEqual({ name: "Ada", age: "36" });
    });

    it(`the bridge keeps the answers of two waiting tasks of a conversation apart (${name})`, async () => {
      const agent = await talkTo(graphAgent(booking(saver()), { memory: 0 }));
      const [one, two] = [
        await agent.say("first", { contextId: "c" }),
        await agent.say("second", { contextId: "c" }),
      ];
      const answers = [
        await agent.reply(one, "yes to the first"),
        await agent.reply(two, "yes to the second"),
      ];
      expect(answers.map(({ text }) => text)).toEqual([
        'Read 1: first\n\nRead 3: answer "yes to the first"',
        'Read 1: second\n\nRead 3: answer "yes to the second"',
      ]);
    });

    it(`the graph asks and resumes inside of a subgraph (${name})`, async () => {
      const notes: string[] = [];
      const graph = withSubgraph(saver(), (what) => void notes.push(what));
      const agent = await talkTo(graphAgent(graph));
      const asked = await agent.say("Oslo");
      expect(asked.said).toBe("Inner?");
      const { state, text } = await agent.reply(asked, "yes");
      expect([state, text]).toEqual(["TASK_STATE_COMPLETED", "prepared\n\nasked yes\n\nwritten"]);
      expect(notes).toEqual(["prepare", "ask", "ask", "write"]);
    });

    it(`the graph asks whether to continue at a static breakpoint (${name})`, async () => {
      const graph = weather(saver(), { interruptBefore: ["tools"] });
      const agent = await talkTo(graphAgent(graph));
      const asked = await agent.say("Oslo");
      expect(asked.said).toBe("Continue with tools?");
      const done = await agent.reply(asked, "yes");
      expect([done.state, done.text]).toEqual(["TASK_STATE_COMPLETED", "It is sunny."]);
      const declined = await agent.reply(await agent.say("Oslo"), "no");
      expect(declined.state).toBe("TASK_STATE_CANCELED");
    });
  }

  it("the artifact contains the text once that a node writes again after its question", async () => {
    const agent = await talkTo(graphAgent(asking("Which colour?", kitSaver())));
    const asked = await agent.say("go");
    expect(asked.text).toBe("Let me ask.");
    const done = await agent.reply(asked, "blue");
    expect(done.text).toBe('Let me ask.\n\n"blue"');
  });

  it("the bridge asks LangChain's questions about actions, and decides by a plain yes", async () => {
    const actionRequests = [
      { name: "mail", args: { to: "Ada" } },
      { name: "call", args: {} },
    ];
    const agent = await talkTo(graphAgent(asking({ actionRequests }, kitSaver())));
    const decided = async (answer: string) => {
      const asked = await agent.say("go");
      expect(asked.said).toBe('Allow mail({"to":"Ada"})?\nAllow call({})?');
      return (await agent.reply(asked, answer)).text.split("\n\n").at(-1);
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
      const agent = await talkTo(graphAgent(asking(value, kitSaver())));
      expect((await agent.say("go")).said).toBe(text);
    }
  });

  it("the graph fails with a report to the operator if it asks without a checkpointer", async () => {
    const agent = await talkTo(graphAgent(booking(undefined)));
    const { state, said } = await agent.say("Oslo");
    expect(state).toBe("TASK_STATE_FAILED");
    expect(said).not.toContain("checkpointer");
    expect(agent.errors.join()).toContain("compile it with `kitSaver()`");
  });

  it("the graph does not mix the texts of nodes that run in parallel", async () => {
    const agent = await talkTo(graphAgent(parallelTexts()));
    const { text } = await agent.say("go");
    expect(text.split("\n\n").toSorted()).toEqual(["left 1 2 3 4 5", "right 1 2 3 4 5"]);
  });

  it("the graph streams the messages of the chosen nodes only", async () => {
    const agent = await talkTo(graphAgent(parallelTexts(), { nodes: ["right"] }));
    expect((await agent.say("go")).text).toBe("right 1 2 3 4 5");
  });

  it("the graph takes the input and the output from functions of the author", async () => {
    const graph = twoQuestions(kitSaver());
    const agent = await talkTo(
      graphAgent(graph, {
        input: ({ parts }) => ({ name: parts[0]?.text ?? "" }),
        output: ({ name, age }) => `${String(name)} is ${String(age)}`,
      }),
    );
    expect((await agent.reply(await agent.say("go"), "7")).text).toBe("7 is 7");
  });

  it("the bridge passes options for each turn to the graph", async () => {
    const agent = await talkTo(
      graphAgent(weather(undefined), { config: () => ({ recursionLimit: 1 }) }),
    );
    expect((await agent.say("Oslo")).state).toBe("TASK_STATE_FAILED");
    expect(agent.errors.join()).toContain("Recursion limit of 1");
  });
});
