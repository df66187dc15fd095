import { type AgentInputItem, Agent, run } from "@openai/agents";
import { beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { openAiAgent } from "../../../../library/bridges/openai-agents.js";
import { memberOf, optionalString } from "../../../../library/bridges/reading.js";
import type { Outcome } from "../../../../library/client/answer.js";
import type { Turn } from "../../../../library/kit/turns/turn.js";
import { gate, talkTo, untilAbort } from "../talk.js";
import { call, clerk, message, results, scripted, sent, slowCall, type Step } from "./clerk.js";

const png = "iVBORw0KGgo=";

/** The script of most tests. */
function script(last: string, input: readonly AgentInputItem[]): Step {
  const result = results(input);
  if (result !== undefined) return [result];
  if (last.includes("mail two")) return [call("mail", { to: "ada" }), call("mail", { to: "bob" })];
  if (last.includes("mail")) return ["I will mail. ", call("mail", { to: "ada" })];
  if (last.includes("weather")) return ["Let me look.", call("weather", { city: "Oslo" })];
  if (last.includes("Atlantis")) return [call("weather", { city: "Atlantis" })];
  if (last.includes("slow")) return [call("slow", {})];
  if (last.includes("fail")) return ["Hm ", new Error("secret of the model")];
  return [`I have read ${String(input.length)}: ${textIn(input)}`];
}

/** Returns the texts of an input. */
function textIn(input: readonly AgentInputItem[]): string {
  const parts = input.flatMap<unknown>((item) => memberOf(item, "content"));
  return parts.map((part) => optionalString(part, "text") ?? "a file").join(" | ");
}

/** Returns the ids of the tool calls that a question is about. */
function callsIn({ parts }: Outcome): string[] {
  return parts.flatMap(({ data }) => optionalString(data, "toolCallId") ?? []);
}

beforeEach(() => {
  sent.length = 0;
});

describe("an agent of the OpenAI Agents SDK that is served", () => {
  it("the agent streams the same text as without the bridge, and reports its usage", async () => {
    const { agent } = clerk(script);
    const direct = await run(
      agent,
      [{ role: "user", content: [{ type: "input_text", text: "Hello" }] }],
      { stream: true },
    );
    await direct.completed;
    const { text, state, task } = await (await talkTo(openAiAgent(agent))).say("Hello");
    expect(state).toBe("TASK_STATE_COMPLETED");
    expect(text).toBe(direct.finalOutput);
    const { requests, inputTokens, outputTokens, totalTokens } = direct.state.usage;
    expect(task?.metadata?.["openAiAgents"]).toEqual({
      usage: { requests, inputTokens, outputTokens, totalTokens },
    });
    expect(task?.artifacts?.map(({ artifactId }) => artifactId)).toEqual(["answer"]);
  });

  it("the agent remembers the conversation of a context", async () => {
    const { say } = await talkTo(openAiAgent(clerk(script).agent));
    const { contextId } = await say("One");
    const second = await say([{ text: "Two" }, { data: { n: 2 } }], { contextId });
    expect(second.text).toBe('I have read 3: One | I have read 1: One | Two | {"n":2}');
    const forgetful = await talkTo(openAiAgent(clerk(script).agent, { memory: 0 }));
    const first = await forgetful.say("One");
    expect((await forgetful.say("Two", first)).text).toBe("I have read 1: Two");
  });

  it("the agent shows the names of its tools, their data, or nothing", async () => {
    const { agent } = clerk(script);
    const named = await (await talkTo(openAiAgent(agent))).say("weather");
    expect(named.progress).toEqual(["Calling weather"]);
    expect(named.text).toBe('Let me look.\n\nResult: "Oslo is sunny".');
    const data = await (await talkTo(openAiAgent(agent, { tools: "data" }))).say("weather");
    expect(data.progress).toMatchObject([
      { type: "tool-call", toolName: "weather", input: { city: "Oslo" } },
      { type: "tool-result", toolName: "weather", output: "Oslo is sunny" },
    ]);
    const none = await (await talkTo(openAiAgent(agent, { tools: "none" }))).say("weather");
    expect(none.progress).toEqual([]);
  });

  it("the agent asks for an approval, and runs the tool after a yes", async () => {
    const { say, reply } = await talkTo(openAiAgent(clerk(script).agent));
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
    expect(done.text).toBe('I will mail. \n\nResult: "mailed ada".');
    expect(sent).toEqual(["ada"]);
    const usage = { requests: 2, inputTokens: 20, outputTokens: 10, totalTokens: 30 };
    expect(done.task?.metadata?.["openAiAgents"]).toEqual({ usage });
  });

  it.each([
    ["a text other than yes", "Not on a Sunday", "Not on a Sunday"],
    ["data", [{ data: { approved: false, reason: "Too late" } }], "Too late"],
    ["a no", [{ data: { approved: false } }], "not approved"],
  ])("the model reads the reason after %s", async (_name, answer, reason) => {
    const { say, reply } = await talkTo(openAiAgent(clerk(script).agent));
    const done = await reply(await say("mail ada"), answer);
    expect(done.state).toBe("TASK_STATE_COMPLETED");
    expect(done.text).toContain(reason);
    expect(sent).toEqual([]);
  });

  it("the agent asks two questions at once, and each can be answered by its id", async () => {
    const { say, reply } = await talkTo(openAiAgent(clerk(script).agent));
    const question = await say("mail two");
    expect(question.said).toBe('Allow mail({"to":"ada"})?\nAllow mail({"to":"bob"})?');
    const [ada = "", bob = ""] = callsIn(question);
    const done = await reply(question, [
      { data: { toolCallId: bob, approved: true } },
      { data: { toolCallId: ada, approved: false, reason: "Busy" } },
    ]);
    expect(done.text).toBe('Result: "Busy", "mailed bob".');
    expect(sent).toEqual(["bob"]);
    await reply(await say("mail two"), "yes");
    expect(sent).toEqual(["bob", "ada", "bob"]);
  });

  it("the agent passes files of callers to the model", async () => {
    const { agent, inputs } = clerk(script);
    const { say } = await talkTo(openAiAgent(agent));
    await say([
      { text: "Look" },
      { raw: png, mediaType: "image/png", filename: "a.png" },
      { raw: png, mediaType: "application/pdf", filename: "a.pdf" },
      { raw: png, mediaType: "audio/mp3" },
    ]);
    expect(inputs.at(-1)?.at(-1)).toMatchObject({
      content: [
        { type: "input_text", text: "Look" },
        { type: "input_image", image: `data:image/png;base64,${png}` },
        { type: "input_file", file: `data:application/pdf;base64,${png}`, filename: "a.pdf" },
        { type: "audio", audio: png, format: "mp3" },
      ],
    });
  });

  it("the agent passes files of the model to callers, and keeps their names", async () => {
    const { agent, inputs } = clerk((last) =>
      last.includes("And?")
        ? ["Both are mine."]
        : [
            {
              type: "hosted_tool_call",
              name: "image_generation_call",
              status: "completed",
              output: png,
              providerData: { output_format: "webp" },
            },
            message(
              { type: "output_text", text: "Here." },
              { type: "image", image: `data:image/png;base64,${png}` },
              { type: "audio", audio: png, format: "mp3" },
            ),
          ],
    );
    const { say } = await talkTo(openAiAgent(agent));
    const { task, contextId, text } = await say("picture");
    expect(text).toBe("Here.");
    expect(task?.artifacts?.map(({ name, parts }) => [name, parts[0]?.mediaType])).toEqual([
      ["file-1.webp", "image/webp"],
      ["answer", "text/markdown"],
      ["file-2.png", "image/png"],
      ["file-3.mp3", "audio/mp3"],
    ]);
    await say("And?", { contextId });
    expect(JSON.stringify(inputs.at(-1))).toContain("[file-2.png, image/png]");
  });

  it("the agent fetches files at URLs, but not from private addresses", async () => {
    const { agent, inputs } = clerk(script);
    const { say, errors } = await talkTo(openAiAgent(agent));
    const file = { url: "http://127.0.0.1:9/a.png", mediaType: "image/png" };
    const refused = await say([{ text: "Look" }, file]);
    expect(refused.state).toBe("TASK_STATE_FAILED");
    expect(errors).toHaveLength(1);
    expect(inputs).toEqual([]);
    const fetch = () => Promise.resolve(new Response("bytes"));
    const allowed = await talkTo(openAiAgent(agent, { fetch }));
    expect((await allowed.say([{ text: "Look" }, file])).state).toBe("TASK_STATE_COMPLETED");
    expect(JSON.stringify(inputs.at(-1))).toContain(`data:image/png;base64,${btoa("bytes")}`);
    await (await talkTo(openAiAgent(agent, { urls: "pass" }))).say([file]);
    expect(JSON.stringify(inputs.at(-1))).toContain(file.url);
  });

  it("the agent answers a message that arrives during its turn in the same turn", async () => {
    const { open, opened } = gate();
    const { agent } = clerk((last, input) =>
      last.includes("First") ? ["One. ", () => opened] : script(last, input),
    );
    const talk = await talkTo(openAiAgent(agent));
    const answer = talk.ask("First");
    const { value } = await answer.next();
    expect(value).toMatchObject({ type: "text", text: "One. " });
    await talk.interject("Second");
    open();
    const { text, state, task } = await answer.result();
    expect(state).toBe("TASK_STATE_COMPLETED");
    expect(text).toBe("One. \n\nI have read 3: First | One.  | Second");
    const usage = { requests: 2, inputTokens: 20, outputTokens: 10, totalTokens: 30 };
    expect(task?.metadata?.["openAiAgents"]).toEqual({ usage });
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
    const { ask, cancel, errors } = await talkTo(openAiAgent(agent));
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
      const { ask, cancel, errors } = await talkTo(openAiAgent(clerk(script).agent));
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
    const { say, errors } = await talkTo(openAiAgent(clerk(script).agent));
    const failed = await say("fail");
    expect(failed.state).toBe("TASK_STATE_FAILED");
    expect(failed.text).toBe("Hm ");
    expect(JSON.stringify(failed)).not.toContain("secret");
    expect(errors.map(String)).toEqual([expect.stringContaining("secret of the model")]);
  });

  it("the agent does not show the error of a tool", async () => {
    const { agent } = clerk((_last, input) =>
      results(input) === undefined ? [call("weather", { city: "Atlantis" })] : ["It failed."],
    );
    const { say } = await talkTo(openAiAgent(agent));
    const done = await say("Atlantis");
    expect(done.state).toBe("TASK_STATE_COMPLETED");
    expect(JSON.stringify(done)).not.toContain("secret");
  });

  it("the agent rejects a message that a guardrail refuses", async () => {
    const execute = () => Promise.resolve({ tripwireTriggered: true, outputInfo: "secret" });
    const { agent } = clerk(script, { inputGuardrails: [{ name: "guard", execute }] });
    const outcome = await (await talkTo(openAiAgent(agent))).say("Who wins?");
    expect(outcome.state).toBe("TASK_STATE_REJECTED");
    expect(outcome.said).toBe("The agent does not answer this message.");
    expect(JSON.stringify(outcome)).not.toContain("secret");
  });

  it("the agent passes 10,000 tokens on", async () => {
    const long = "token ".repeat(10_000);
    const { say } = await talkTo(openAiAgent(clerk(() => [long]).agent));
    expect((await say("Count")).text).toBe(long);
  });

  it("the agent shows the reasoning of the model if it is wanted", async () => {
    const reasoning = { type: "reasoning", content: [{ type: "input_text", text: "Hm." }] };
    const { agent } = clerk(() => [reasoning, "Green."]);
    const shown = await (await talkTo(openAiAgent(agent, { reasoning: true }))).say("Tea");
    expect(shown.task?.artifacts?.map(({ name }) => name).toSorted()).toEqual([
      "answer",
      "reasoning",
    ]);
    const hidden = await (await talkTo(openAiAgent(agent))).say("Tea");
    expect(hidden.task?.artifacts?.map(({ name }) => name)).toEqual(["answer"]);
  });

  it("the agent shows texts that do not stream, and refusals", async () => {
    const { agent } = clerk(() => [
      message({ type: "output_text", text: "Partly." }, { type: "refusal", refusal: "Not that." }),
    ]);
    expect((await (await talkTo(openAiAgent(agent))).say("Tea")).text).toBe("Partly.\n\nNot that.");
  });

  it("the agent returns an output that is not text as data", async () => {
    const { agent } = clerk(() => ['{"price":3}'], { outputType: z.object({ price: z.number() }) });
    const { task, text } = await (await talkTo(openAiAgent(agent))).say("Tea");
    expect(text).toBe("");
    expect(task?.artifacts).toMatchObject([{ name: "object", parts: [{ data: { price: 3 } }] }]);
  });

  it("the agent returns the output of a tool that ends the run", async () => {
    const { agent } = clerk(script, { toolUseBehavior: "stop_on_first_tool" });
    const { text } = await (await talkTo(openAiAgent(agent))).say("weather");
    expect(text).toBe("Let me look.\n\nOslo is sunny");
  });

  it("the agent hands over to another agent, and shows it", async () => {
    const expert = clerk(() => ["I am the expert."], { name: "Expert" }).agent;
    const { agent } = clerk(() => [call("transfer_to_Expert", {})], { handoffs: [expert] });
    const { text, progress } = await (await talkTo(openAiAgent(agent))).say("Help");
    expect(text).toBe("I am the expert.");
    expect(progress).toEqual(["Calling transfer_to_Expert"]);
  });

  it("the agent asks for an approval after a handoff, and in an agent that is a tool", async () => {
    const inner = clerk(
      (_last, input) => [
        results(input)?.includes("mailed") ? "Sent." : call("mail", { to: "ada" }),
      ],
      { name: "Inner" },
    ).agent;
    const asTool = inner.asTool({ toolName: "inner", toolDescription: "Mails." });
    const after = [
      clerk(() => [call("transfer_to_Inner", {})], { handoffs: [inner] }),
      clerk((_last, input) => [results(input) ?? call("inner", { input: "mail" })], {
        tools: [asTool],
      }),
    ];
    for (const { agent } of after) {
      const { say, reply } = await talkTo(openAiAgent(agent));
      const question = await say("Write");
      expect(question.said).toBe('Allow mail({"to":"ada"})?');
      expect((await reply(question, "yes")).text).toContain("Sent.");
    }
    expect(sent).toEqual(["ada", "ada"]);
  });

  it("the agent gets a context for each turn", async () => {
    const seen: string[] = [];
    const agent = new Agent<{ id: string }>({
      name: "Clerk",
      model: scripted(script).model,
      instructions: ({ context }) => {
        seen.push(context.id);
        return "Help.";
      },
    });
    const context = ({ message: { messageId } }: Pick<Turn, "message">) =>
      Promise.resolve({ id: messageId });
    const { say } = await talkTo(openAiAgent(agent, { context, maxTurns: 3 }));
    await say("Hello", { messageId: "m1" });
    await say("Hello", { messageId: "m2" });
    expect(seen).toEqual(["m1", "m2"]);
  });
});
