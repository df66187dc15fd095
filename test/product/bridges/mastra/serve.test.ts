import { Agent } from "@mastra/core/agent";
import { Mastra } from "@mastra/core/mastra";
import { InMemoryStore } from "@mastra/core/storage";
import { beforeEach, describe, expect, it } from "vitest";
import { mastraAgent } from "../../../../library/bridges/mastra.js";
import { optionalString } from "../../../../library/bridges/reading.js";
import type { Outcome } from "../../../../library/client/answer.js";
import { gate, talkTo, untilAbort } from "../talk.js";
import {
  call,
  clerk,
  type PromptMessage,
  results,
  scripted,
  sent,
  slowCall,
  type Step,
} from "./clerk.js";

const png = "iVBORw0KGgo=";
const two = ["a", "b"];

/** The script of most tests. */
function script(last: string, prompt: readonly PromptMessage[]): Step {
  const result = results(last);
  if (result !== undefined) return [result];
  if (last.includes("mail two")) return [call("mail", { to: "ada" }), call("mail", { to: "bob" })];
  if (last.includes("mail")) return ["I will mail. ", call("mail", { to: "ada" })];
  if (last.includes("weather")) return ["Let me look.", call("weather", { city: "Oslo" })];
  if (last.includes("Atlantis")) return [call("weather", { city: "Atlantis" })];
  if (last.includes("paint")) return [call("paint", {})];
  if (last.includes("book")) return [call("book", {})];
  if (last.includes("choose")) return two.map((what) => call("choose", { what }));
  if (last.includes("slow")) return [call("slow", {})];
  if (last.includes("picture"))
    return ["Here: ", { type: "file", mediaType: "image/png", data: png }];
  if (last.includes("fail")) return ["Hm ", new Error("secret of the model")];
  return [`I have read ${String(prompt.length - 1)}: ${textIn(prompt)}`];
}

/** Returns the texts of a prompt after the system message. */
function textIn(prompt: readonly PromptMessage[]): string {
  const parts = prompt.slice(1).flatMap<unknown>(({ content }) => content);
  return parts.map((part) => optionalString(part, "text") ?? "a file").join(" | ");
}

/** Returns the ids of the tool calls that a question is about. */
function callsIn({ parts }: Outcome): string[] {
  return parts.flatMap(({ data }) => optionalString(data, "toolCallId") ?? []);
}

beforeEach(() => {
  sent.length = 0;
});

describe("an agent of Mastra that is served", () => {
  it("the agent streams the same text as without the bridge, and reports its usage", async () => {
    const { agent } = clerk(script);
    const direct = await agent.stream("Hello there");
    const { say } = await talkTo(mastraAgent(agent));
    const { text, state, task } = await say("Hello there");
    expect(state).toBe("TASK_STATE_COMPLETED");
    expect(text).toBe(await direct.text);
    const { inputTokens, outputTokens, totalTokens } = await direct.usage;
    expect(task?.metadata?.["mastra"]).toEqual({
      finishReason: await direct.finishReason,
      usage: { inputTokens, outputTokens, totalTokens },
    });
    expect(task?.artifacts?.map(({ artifactId }) => artifactId)).toEqual(["answer"]);
  });

  it("the agent remembers the conversation of a context", async () => {
    const { say } = await talkTo(mastraAgent(clerk(script).agent));
    const { contextId } = await say("One");
    const second = await say([{ text: "Two" }, { data: { n: 2 } }], { contextId });
    expect(second.text).toBe('I have read 3: One | I have read 1: One | Two | {"n":2}');
    const forgetful = await talkTo(mastraAgent(clerk(script).agent, { memory: 0 }));
    const first = await forgetful.say("One");
    expect((await forgetful.say("Two", first)).text).toBe("I have read 1: Two");
  });

  it("the agent shows the names of its tools, their data, or nothing", async () => {
    const { agent } = clerk(script);
    const named = await (await talkTo(mastraAgent(agent))).say("weather");
    expect(named.progress).toEqual(["Calling weather"]);
    expect(named.text).toBe('Let me look.\n\nResult: {"Oslo":"sunny"}.');
    const data = await (await talkTo(mastraAgent(agent, { tools: "data" }))).say("weather");
    expect(data.progress).toMatchObject([
      { type: "tool-call", toolName: "weather", input: { city: "Oslo" } },
      { type: "tool-result", toolName: "weather", output: { Oslo: "sunny" } },
    ]);
    const none = await (await talkTo(mastraAgent(agent, { tools: "none" }))).say("weather");
    expect(none.progress).toEqual([]);
  });

  it("the agent asks for an approval, and runs the tool after a yes", async () => {
    const { say, reply } = await talkTo(mastraAgent(clerk(script).agent));
    const question = await say("mail ada");
    expect(question.state).toBe("TASK_STATE_INPUT_REQUIRED");
    expect(question.said).toBe('Allow mail({"to":"ada"})?');
    expect(question.parts.at(-1)?.data).toMatchObject({
      type: "tool-approval-request",
      toolName: "mail",
      input: { to: "ada" },
    });
    expect(sent).toEqual([]);
    const done = await reply(question, "Yes.");
    expect(done.state).toBe("TASK_STATE_COMPLETED");
    expect(done.text).toBe('I will mail. \n\nResult: {"mailed":"ada"}.');
    expect(sent).toEqual(["ada"]);
    const usage = { inputTokens: 20, outputTokens: 10, totalTokens: 30 };
    expect(done.task?.metadata?.["mastra"]).toMatchObject({ usage });
  });

  it.each([
    ["a text other than yes", "Not on a Sunday", "Not on a Sunday"],
    ["data", [{ data: { approved: false, reason: "Too late" } }], "Too late"],
  ])("the model reads the reason after %s", async (_name, answer, reason) => {
    const { say, reply } = await talkTo(mastraAgent(clerk(script).agent));
    const done = await reply(await say("mail ada"), answer);
    expect(done.state).toBe("TASK_STATE_COMPLETED");
    expect(done.text).toContain(reason);
    expect(sent).toEqual([]);
  });

  it("the agent accepts an approval as data about the same call only", async () => {
    const { say, reply } = await talkTo(mastraAgent(clerk(script).agent));
    const first = await say("mail ada");
    const [toolCallId = ""] = callsIn(first);
    await reply(first, [{ data: { toolCallId, approved: true } }]);
    expect(sent).toEqual(["ada"]);
    await reply(await say("mail ada"), [{ data: { toolCallId, approved: true } }]);
    expect(sent).toEqual(["ada"]);
  });

  it("the agent asks for the approvals of two calls one after the other", async () => {
    const { say, reply } = await talkTo(mastraAgent(clerk(script).agent));
    const first = await say("mail two");
    const second = await reply(first, [{ data: { approved: true } }]);
    expect(second.said).toBe('Allow mail({"to":"bob"})?');
    const done = await reply(second, "no");
    expect(done.state).toBe("TASK_STATE_COMPLETED");
    expect(sent).toEqual(["ada"]);
  });

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
    expect(question.parts.at(-1)?.data).toMatchObject({
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

  it("the agent passes files of callers to the model, and back", async () => {
    const { agent, prompts } = clerk(script);
    const { say } = await talkTo(mastraAgent(agent));
    await say([{ text: "Look" }, { raw: png, mediaType: "image/png", filename: "a.png" }]);
    expect(prompts.at(-1)?.at(-1)?.content).toMatchObject([
      { type: "text", text: "Look" },
      { type: "file", data: png, mediaType: "image/png", filename: "a.png" },
    ]);
    const { task, contextId } = await say("picture");
    expect(task?.artifacts?.[1]).toMatchObject({
      artifactId: "file-1.png",
      parts: [{ raw: png, mediaType: "image/png" }],
    });
    await say("And?", { contextId });
    expect(JSON.stringify(prompts.at(-1))).toContain(png);
  });

  it("the agent fetches files at URLs, but not from private addresses", async () => {
    const { agent, prompts } = clerk(script);
    const { say, errors } = await talkTo(mastraAgent(agent));
    const file = { url: "http://127.0.0.1:9/a.png", mediaType: "image/png" };
    const refused = await say([{ text: "Look" }, file]);
    expect(refused.state).toBe("TASK_STATE_FAILED");
    expect(errors).toHaveLength(1);
    expect(prompts).toEqual([]);
    const fetch = () => Promise.resolve(new Response("bytes"));
    const allowed = await talkTo(mastraAgent(agent, { fetch }));
    expect((await allowed.say([{ text: "Look" }, file])).state).toBe("TASK_STATE_COMPLETED");
    expect(prompts.at(-1)?.at(-1)?.content).toMatchObject([{}, { data: btoa("bytes") }]);
  });

  it("the agent answers a message that arrives during its turn in the same turn", async () => {
    const { open, opened } = gate();
    const talk = await talkTo(
      mastraAgent(
        clerk((last, prompt) =>
          last.includes("First") ? ["One. ", () => opened, "Two."] : script(last, prompt),
        ).agent,
      ),
    );
    const answer = talk.ask("First");
    const { value } = await answer.next();
    expect(value).toMatchObject({ type: "text", text: "One. " });
    await talk.interject("Second");
    open();
    const { text, state } = await answer.result();
    expect(state).toBe("TASK_STATE_COMPLETED");
    expect(text).toBe("One. Two.\n\nI have read 3: First | One.  | Two. | Second");
  });

  it("the agent aborts the model if its task is canceled", async () => {
    const aborted = gate();
    const { agent } = clerk(() => [
      "Begun ",
      (signal) =>
        untilAbort(signal).catch((error: unknown) => {
          aborted.open();
          throw error;
        }),
    ]);
    const { ask, cancel, errors } = await talkTo(mastraAgent(agent));
    const answer = ask("Count");
    await answer.next();
    await cancel();
    expect((await answer.result()).state).toBe("TASK_STATE_CANCELED");
    await aborted.opened;
    expect(errors).toEqual([]);
  });

  it.each([true, false])(
    "the agent ends a canceled task in a tool, whether or not the tool observes its signal: %s",
    async (observesSignal) => {
      const begun = gate();
      Object.assign(slowCall, { begun: begun.open, observesSignal, aborted: false });
      const { ask, cancel, errors } = await talkTo(mastraAgent(clerk(script).agent));
      const answer = ask("slow");
      await answer.next();
      await begun.opened;
      await cancel();
      expect((await answer.result()).state).toBe("TASK_STATE_CANCELED");
      expect(slowCall.aborted).toBe(true);
      expect(errors).toEqual([]);
    },
  );

  it("the agent reports the error of a model to the operator only", async () => {
    const { say, errors } = await talkTo(mastraAgent(clerk(script).agent));
    const failed = await say("fail");
    expect(failed.state).toBe("TASK_STATE_FAILED");
    expect(failed.text).toBe("Hm ");
    expect(JSON.stringify(failed)).not.toContain("secret");
    expect(errors.map(String)).toEqual([expect.stringContaining("secret of the model")]);
  });

  it("the agent does not show the error of a tool, which only the model reads", async () => {
    const { agent, prompts } = clerk((last) =>
      last.includes("tool-result") ? ["It failed."] : [call("weather", { city: "Atlantis" })],
    );
    const { say } = await talkTo(mastraAgent(agent, { tools: "data" }));
    const done = await say("Atlantis");
    expect(done.state).toBe("TASK_STATE_COMPLETED");
    expect(JSON.stringify(prompts.at(-1))).toContain("secret of the tool");
    expect(JSON.stringify(done)).not.toContain("secret");
    expect(done.progress).toMatchObject([{ type: "tool-call" }, { type: "tool-error" }]);
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

  it("the agent passes 10,000 tokens on", async () => {
    const long = "token ".repeat(10_000);
    const { say } = await talkTo(mastraAgent(clerk(() => [long]).agent));
    expect((await say("Count")).text).toBe(long);
  });

  it("the agent shows reasoning and sources if they are wanted", async () => {
    const { agent } = clerk(() => [
      { type: "reasoning-start", id: "r" },
      { type: "reasoning-delta", id: "r", delta: "Hm." },
      { type: "reasoning-end", id: "r" },
      { type: "source", sourceType: "url", id: "s", url: "https://tea.test", title: "Tea" },
      "Green.",
    ]);
    const shown = await (await talkTo(mastraAgent(agent, { reasoning: true }))).say("Tea");
    expect(shown.task?.artifacts?.map(({ name }) => name)).toEqual(["reasoning", "answer"]);
    expect(shown.task?.metadata).toMatchObject({
      mastra: { sources: [{ url: "https://tea.test", title: "Tea" }] },
    });
    const hidden = await (await talkTo(mastraAgent(agent))).say("Tea");
    expect(hidden.task?.artifacts?.map(({ name }) => name)).toEqual(["answer"]);
  });

  it("the agent passes the options of its author to each call", async () => {
    const { agent, prompts } = clerk(script);
    const call = () => Promise.resolve({ instructions: "Be brief." });
    const { say, reply } = await talkTo(mastraAgent(agent, { call }));
    await reply(await say("mail ada"), "yes");
    expect(prompts.map(([system]) => system?.content)).toEqual(["Be brief.", "Be brief."]);
  });
});
