import { Agent } from "@mastra/core/agent";
import { Mastra } from "@mastra/core/mastra";
import { InMemoryStore } from "@mastra/core/storage";
import { beforeEach, describe, expect, it } from "vitest";
import { mastraAgent } from "../../../../library/bridges/mastra.js";
import { optionalString } from "../../../../library/bridges/reading.js";
import { sent, type Step } from "../framework.js";
import { type Heard, talkTo } from "../talk.js";
import { call, clerk, results, scripted } from "./clerk.js";

/** The script of most tests. */
function script(last: string): Step {
  const result = results(last);
  if (result !== undefined) return [result];
  if (last.includes("mail")) return ["I will mail. ", call("mail", { to: "ada" })];
  if (last.includes("choose")) return ["a", "b"].map((what) => call("choose", { what }));
  return [call(last.includes("paint") ? "paint" : "book", {})];
}

/** Returns the ids of the tool calls that a question is about. */
function callsIn({ asked }: Heard): string[] {
  return asked.flatMap((data) => optionalString(data, "toolCallId") ?? []);
}

beforeEach(() => {
  sent.length = 0;
});

describe("an agent of Mastra that is served", () => {
  it("the agent passes a text to a suspended tool as its only property", async () => {
    const { say, reply } = await talkTo(mastraAgent(clerk(script).agent));
    const question = await say("paint");
    expect(question.said).toBe("Which colour?");
    const done = await reply(question, "blue");
    expect(done.text).toBe('Result: {"painted":"blue"}.');
  });

  it("the agent asks again for data that a text cannot contain", async () => {
    const { say, reply } = await talkTo(mastraAgent(clerk(script).agent));
    const question = await say("book");
    const said =
      "The stay is not known.\n" +
      "Answer with a data part with the members nights (number), view (string).";
    expect(question.said).toBe(said);
    expect(question.asked.at(-1)).toMatchObject({
      type: "tool-call-suspended",
      toolName: "book",
      payload: { reason: "The stay is not known." },
      resumeSchema: { required: ["nights"] },
    });
    for (const answer of ["two", [{ data: { view: "sea" } }]]) {
      const again = await reply(question, answer);
      expect(again.state).toBe("TASK_STATE_INPUT_REQUIRED");
      expect(again.said).toBe(said);
    }
    const done = await reply(question, [{ data: { nights: 2 } }]);
    expect(done.text).toBe('Result: {"nights":2}.');
  });

  it("the agent asks two questions at once, and accepts some of the answers", async () => {
    const { say, reply } = await talkTo(mastraAgent(clerk(script, { parallel: true }).agent));
    const both = await say("choose");
    const [a, b] = callsIn(both);
    expect(both.said.match(/Which .\?/g)).toEqual(["Which a?", "Which b?"]);
    const answer = (toolCallId = "", n = 0) => ({ data: { toolCallId, resumeData: { n } } });
    const done = await reply(both, [answer(b, 2), answer(a, 1)]);
    expect(done.text).toBe('Result: {"a":{"n":1}}, {"b":{"n":2}}.');
    const others = await say("choose");
    const [c, d] = callsIn(others);
    const rest = await reply(others, [answer(d, 4)]);
    expect(rest.said).toContain("Which a?");
    expect(rest.said).not.toContain("Which b?");
    expect((await reply(rest, [answer(c, 3)])).text).toBe('Result: {"a":{"n":3}}, {"b":{"n":4}}.');
  });

  it("the agent rejects a message that a processor of the agent blocks", async () => {
    const guard = {
      id: "guard",
      processInput: ({ abort }: { abort: (reason: string) => never }) => abort("No politics."),
    };
    const { agent, prompts } = clerk(script, { config: { inputProcessors: [guard] } });
    const { say } = await talkTo(mastraAgent(agent));
    const { state, said } = await say("Who wins?");
    expect({ state, said }).toEqual({ state: "TASK_STATE_REJECTED", said: "No politics." });
    expect(prompts).toEqual([]);
  });

  it("the agent asks for an approval in an agent that is a tool", async () => {
    const { agent: inner } = clerk(script);
    const { model } = scripted((last) => [
      last.includes('"tool-result"') ? "Done." : call("agent-inner", { prompt: "mail ada" }),
    ]);
    const given = { id: "outer", name: "Outer", description: "", instructions: "", model };
    const agents = { outer: new Agent({ ...given, agents: { inner } }), inner };
    const mastra = new Mastra({ agents, storage: new InMemoryStore(), logger: false });
    const { say, reply } = await talkTo(mastraAgent(mastra.getAgent("outer")));
    const question = await say("Write");
    expect(question.said).toBe('Allow mail({"to":"ada"})?');
    expect((await reply(question, "yes")).text).toBe("Done.");
    expect(sent).toEqual(["ada"]);
  });

  it("the agent reports the sources of its model", async () => {
    const source = { sourceType: "url", id: "s", url: "https://tea.test", title: "Tea" };
    const { agent } = clerk(() => [{ type: "source", ...source }, "Green."]);
    const { task } = await (await talkTo(mastraAgent(agent))).say("Tea");
    const sources = [{ url: "https://tea.test", title: "Tea" }];
    expect(task?.metadata).toMatchObject({ mastra: { sources } });
  });

  it("the agent passes the options of its author to each call", async () => {
    const { agent, prompts } = clerk(script);
    const call = () => Promise.resolve({ instructions: "Be brief." });
    const { say, reply } = await talkTo(mastraAgent(agent, { call }));
    await reply(await say("mail ada"), "yes");
    expect(prompts.map(([system]) => system?.content)).toEqual(["Be brief.", "Be brief."]);
  });
});
