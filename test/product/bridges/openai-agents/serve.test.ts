import { Agent } from "@openai/agents";
import { beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { openAiAgent } from "../../../../library/bridges/openai-agents.js";
import type { Turn } from "../../../../library/kit/turns/turn.js";
import { sent } from "../framework.js";
import { talkTo } from "../talk.js";
import { call, clerk, message, results, scripted } from "./clerk.js";

const png = "iVBORw0KGgo=";

beforeEach(() => {
  sent.length = 0;
});

describe("an agent of the OpenAI Agents SDK that is served", () => {
  it("the agent passes audio of callers to the model", async () => {
    const { agent, inputs } = clerk(() => ["Loud."]);
    await (await talkTo(openAiAgent(agent))).say([{ raw: png, mediaType: "audio/mp3" }]);
    const audio = { type: "audio", audio: png, format: "mp3" };
    expect(inputs.at(-1)?.at(-1)).toMatchObject({ content: [audio] });
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

  it("the agent passes URLs of files to the model with the option `urls`", async () => {
    const { agent, inputs } = clerk(() => ["Nice."]);
    const file = { url: "http://127.0.0.1:9/a.png", mediaType: "image/png" };
    await (await talkTo(openAiAgent(agent, { urls: "pass" }))).say([file]);
    expect(JSON.stringify(inputs.at(-1))).toContain(file.url);
  });

  it("the agent rejects a message that a guardrail refuses", async () => {
    const execute = () => Promise.resolve({ tripwireTriggered: true, outputInfo: "secret" });
    const { agent } = clerk(() => [], { inputGuardrails: [{ name: "guard", execute }] });
    const outcome = await (await talkTo(openAiAgent(agent))).say("Who wins?");
    expect(outcome.state).toBe("TASK_STATE_REJECTED");
    expect(outcome.said).toBe("The agent does not answer this message.");
    expect(JSON.stringify(outcome)).not.toContain("secret");
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
    const step = ["Let me look.", call("weather", { city: "Oslo" })];
    const { agent } = clerk(() => step, { toolUseBehavior: "stop_on_first_tool" });
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
      model: scripted(() => ["Hi"]).model,
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
