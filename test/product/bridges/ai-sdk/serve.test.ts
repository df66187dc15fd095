import { describe, expect, it } from "vitest";
import { aiAgent, type AiAgent } from "../../../../library/bridges/ai-sdk.js";
import { TaskState } from "../../../../library/kit/model.js";
import { desk, sent } from "../framework.js";
import { gate, talkTo, untilAbort } from "../talk.js";
import { aiSdk } from "./clerk.js";
import { anyInput, calling, linesIn, scripted, sdks } from "./scripted.js";

describe.each(["7", "6"] as const)("an agent of AI SDK %s that is served", (version) => {
  it.each([
    ["a text", "blue"],
    ["data", [{ data: { toolCallId: "call-ask", output: { colour: "blue" } } }]],
  ])("the result of a tool without `execute` is %s of the caller", async (_, answer) => {
    const { model } = scripted((last) => [
      last.includes("blue") ? "The tool said blue." : calling("ask", { question: "Colour?" }),
    ]);
    const tools = { ask: { inputSchema: anyInput } };
    const { say, reply } = await talkTo(
      aiAgent(new sdks[version].ToolLoopAgent({ model, tools: tools })),
    );
    const asked = await say("colour");
    expect(asked.said).toBe('Result of ask({"question":"Colour?"})?');
    expect((await reply(asked, answer)).text).toBe("The tool said blue.");
  });

  it("an approval has an id of the SDK, which an answer can repeat", async () => {
    sent.length = 0;
    const calls = ["ada", "bob"].map((to) => calling("mail", { to }, `call-${to}`));
    const script = (last: string) => (last.startsWith("tool") ? ["Sent."] : calls);
    const { say, reply } = await talkTo(aiSdk(version).agent(script, desk).serve({}));
    const question = await say("mail both");
    const data = question.asked[1] as { approvalId: string };
    const call = { toolName: "mail", toolCallId: "call-bob", input: { to: "bob" } };
    expect(data).toMatchObject({ type: "tool-approval-request", ...call });
    const answer = { approvalId: data.approvalId, approved: false };
    const again = await reply(question, [{ data: answer }]);
    expect(again.said).toBe('Allow mail({"to":"ada"})?');
    await reply(again, "yes");
    expect(sent).toEqual(["ada"]);
  });

  it("sources of the model are metadata", async () => {
    const source = { type: "source", sourceType: "url", id: "s1", url: "https://example.org" };
    const script = () => ["Here:", source];
    const { say } = await talkTo(aiSdk(version).agent(script, desk).serve({}));
    const { task } = await say("Hi");
    expect(task?.metadata).toMatchObject({ aiSdk: { sources: [{ url: "https://example.org" }] } });
  });

  it("the model stops when its turn has failed, so that it calls no further tools", async () => {
    const stopped = gate();
    const { model } = scripted(() => ["Hello there"], {
      before: (part, signal) =>
        "delta" in part ? untilAbort(signal).catch(stopped.open) : undefined,
    });
    const agent: AiAgent = (call) => {
      const result = sdks[version].streamText({ model, ...call });
      return { fullStream: withNumber(result.fullStream) };
    };
    const { say, errors } = await talkTo(aiAgent(agent));
    expect((await say("Hello")).state).toBe(TaskState.Failed);
    await stopped.opened;
    expect(errors).toEqual([expect.objectContaining({ name: "TypeError" })]);
  });

  it("a stream that never waits and has no content ends with the time of its turn", async () => {
    const agent: AiAgent = () => ({ [version === "7" ? "stream" : "fullStream"]: endless() });
    const { say, errors } = await talkTo(aiAgent(agent), { limits: { turnWithinMs: 50 } });
    expect((await say("Hello")).state).toBe(TaskState.Failed);
    expect(errors).toEqual([expect.objectContaining({ name: "TimeoutError" })]);
  });
});

describe("a function that returns a stream instead of an agent", () => {
  it("the function gets the call and the turn", async () => {
    const { model, prompts } = scripted(() => ["Hello there."]);
    const { say } = await talkTo(
      aiAgent((call, { task }) => sdks[7].streamText({ model, ...call, instructions: task.id })),
    );
    const { task, text } = await say("Hi");
    expect(text).toBe("Hello there.");
    expect(prompts[0]?.[0]?.content).toBe(task?.id);
    expect(linesIn(prompts[0] ?? [])).toEqual(["user: Hi"]);
  });

  const streamOf = (...parts: unknown[]): AiAgent => {
    return () => ({
      stream: (async function* () {
        await Promise.resolve();
        yield* parts;
      })(),
      responseMessages: Promise.resolve([]),
    });
  };

  it("unknown parts are ignored, and changing ids begin paragraphs", async () => {
    const { say } = await talkTo(
      aiAgent(
        streamOf(
          { type: "text-delta", id: "a", text: "x" },
          { type: "nonsense" },
          { type: "text-delta", id: "b", text: "y" },
        ),
      ),
    );
    expect((await say("Hi")).text).toBe("x\n\ny");
  });

  it.each([
    [
      "throws",
      () => {
        throw new Error("secret");
      },
      "secret",
    ],
    ["returns no stream", () => ({}), "returned no stream"],
    [
      "yields a text that is a number",
      streamOf({ type: "text-delta", id: "a", text: 1 }),
      "`text` is not a string",
    ],
    ["yields no objects", streamOf("text"), "type string"],
    ["yields a file without content", streamOf({ type: "file", file: {} }), "base64"],
    ["yields an abort of its own", streamOf({ type: "abort", reason: "time" }), "was aborted"],
  ] satisfies [string, AiAgent, string][])(
    "a function that %s fails the task",
    async (_, agent, message) => {
      const { say, errors } = await talkTo(aiAgent(agent));
      expect(await say("Hi")).toMatchObject({ state: "TASK_STATE_FAILED", said: "" });
      expect(String(errors[0])).toContain(message);
    },
  );
});

/** Replaces the text by a number, which the types forbid. */
async function* withNumber(stream: AsyncIterable<{ readonly type: string }>) {
  for await (const part of stream)
    yield part.type === "text-start" ? { type: "text-delta", id: "0", text: 5 } : part;
}

async function* endless() {
  for (;;) yield { type: "raw" };
}
