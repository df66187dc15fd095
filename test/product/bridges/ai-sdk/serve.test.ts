import { describe, expect, it } from "vitest";
import { aiAgent, type AiAgent } from "../../../../library/bridges/ai-sdk.js";
import { gate, talkTo, untilAbort } from "../talk.js";
import { anyInput, calling, scripted, sdks, type Item, type Prompted } from "./scripted.js";

type Version = "6" | "7";
const png = "iVBORw0KGgo=";

/** Makes an agent with all tools of these tests. */
function agentOf(version: Version, model: ReturnType<typeof scripted>["model"], sent: string[]) {
  const { tool, ToolLoopAgent } = sdks[version];
  const mail = {
    inputSchema: anyInput,
    execute: ({ to }: Record<string, unknown>) => {
      sent.push(String(to));
      return "sent";
    },
  };
  const weather = tool({
    inputSchema: anyInput,
    execute: ({ city }: Record<string, unknown>) => ({ sky: "sunny", city: String(city) }),
  });
  const broken = tool({
    inputSchema: anyInput,
    execute: (): string => {
      throw new Error("secret path /etc");
    },
  });
  // A tool without `execute` is answered by the caller.
  const ask = { inputSchema: anyInput };
  if (version === "6") {
    const tools = { weather, broken, ask, mail: { ...mail, needsApproval: true } };
    return new ToolLoopAgent({ model, tools: tools });
  }
  const tools = { weather, broken, ask, mail };
  const toolApproval = { mail: "user-approval" } as never;
  return new ToolLoopAgent({ model, tools: tools, toolApproval });
}

function answerTo(last: string): readonly Item[] {
  if (last.includes("execution-denied")) return ["All right, ", "not sent."];
  if (last.includes("sunny")) return ["It is sunny in Oslo."];
  if (last.includes('"sent"')) return ["The mail is on its way."];
  if (last.includes("tool-result"))
    return [`The tool said ${last.includes("blue") ? "blue" : "?"}.`];
  if (last.includes("weather")) return ["Let me look.", calling("weather", { city: "Oslo" })];
  if (last.includes("both"))
    return [calling("mail", { to: "ada" }, "c-1"), calling("mail", { to: "bob" }, "c-2")];
  if (last.includes("mail")) return ["I will send it.", calling("mail", { to: "ada" })];
  if (last.includes("colour")) return [calling("ask", { question: "Which colour?" })];
  if (last.includes("broken")) return [calling("broken", {})];
  if (last.includes("picture"))
    return ["Here:", { type: "file", mediaType: "image/png", data: png }, source];
  if (last.includes("fail")) return ["Hm ", { type: "error", error: new Error("overloaded sk-1") }];
  return ["Hello there."];
}

const source = { type: "source", sourceType: "url", id: "s1", url: "https://example.org" };

async function conversation(version: Version, options: Parameters<typeof aiAgent>[1] = {}) {
  const sent: string[] = [];
  const { model, prompts } = scripted(answerTo);
  const agent = agentOf(version, model, sent);
  return { ...(await talkTo(aiAgent(agent, { everyMs: 0, ...options }))), sent, prompts };
}

/** Returns the roles and the content of a prompt in short. */
function brief(prompt: readonly Prompted[] | undefined): string[] {
  return (prompt ?? []).map(({ role, content }) =>
    [role, ...(Array.isArray(content) ? content.map(briefPart) : [content])].join(" "),
  );
}

function briefPart({ type, text }: { type: string; text?: string }): string {
  return text ?? type;
}

describe.each(["7", "6"] as const)("an agent of AI SDK %s that is served over A2A", (version) => {
  it("the text of the model becomes one artifact, and usage becomes metadata", async () => {
    const { say } = await conversation(version);
    const { state, text, task } = await say("Hi");
    expect({ state, text }).toEqual({ state: "TASK_STATE_COMPLETED", text: "Hello there." });
    expect(task?.artifacts).toMatchObject([{ artifactId: "answer", name: "answer" }]);
    expect(task?.artifacts?.[0]?.parts[0]?.mediaType).toBe("text/markdown");
    expect(task?.metadata).toMatchObject({
      aiSdk: { finishReason: "stop", usage: { inputTokens: 10, outputTokens: 5 } },
    });
  });

  it("a tool is shown by its name, texts of steps are paragraphs, and usage adds up", async () => {
    const { say } = await conversation(version);
    const { progress, text, task } = await say("weather?");
    expect(progress).toEqual(["Calling weather"]);
    expect(text).toBe("Let me look.\n\nIt is sunny in Oslo.");
    expect(task?.metadata).toMatchObject({ aiSdk: { usage: { inputTokens: 20 } } });
  });

  it("with tools as data, callers see input and output of a tool, but no error", async () => {
    const { say } = await conversation(version, { tools: "data" });
    expect((await say("weather?")).progress).toMatchObject([
      { type: "tool-call", toolName: "weather", input: { city: "Oslo" } },
      { type: "tool-result", toolName: "weather", output: { sky: "sunny" } },
    ]);
    const { progress, state } = await say("broken");
    expect(progress).toMatchObject([{ type: "tool-call" }, { type: "tool-error" }]);
    expect(JSON.stringify(progress)).not.toContain("secret");
    expect(state).toBe("TASK_STATE_COMPLETED");
  });

  it("an approved tool runs in the next turn, which continues the answer", async () => {
    const { say, reply, sent, prompts } = await conversation(version);
    const asked = await say("mail ada");
    expect(asked).toMatchObject({
      state: "TASK_STATE_INPUT_REQUIRED",
      said: 'Allow mail({"to":"ada"})?',
      text: "I will send it.",
    });
    expect(asked.task?.status.message?.parts[1]?.data).toMatchObject({
      type: "tool-approval-request",
      toolName: "mail",
      toolCallId: "call-mail",
      input: { to: "ada" },
    });
    expect(sent).toEqual([]);
    const { state, text } = await reply(asked, "yes");
    expect(state).toBe("TASK_STATE_COMPLETED");
    expect(text).toBe("I will send it.\n\nThe mail is on its way.");
    expect(sent).toEqual(["ada"]);
    expect(prompts).toHaveLength(2);
  });

  it("any other text denies the tool, and the model reads it as the reason", async () => {
    const { say, reply, sent, prompts } = await conversation(version);
    const { text } = await reply(await say("mail ada"), "Not today");
    expect(text).toBe("I will send it.\n\nAll right, \n\nnot sent.");
    expect(sent).toEqual([]);
    expect(JSON.stringify(prompts.at(-1))).toContain("Not today");
  });

  it("a program answers with data that repeats an id of the question", async () => {
    const { say, reply, sent } = await conversation(version);
    const yes = await say("mail ada");
    await reply(yes, [{ data: { toolCallId: "call-mail", approved: true } }]);
    expect(sent).toEqual(["ada"]);
    const no = await say("mail ada");
    const { approvalId } = no.task?.status.message?.parts[1]?.data as { approvalId: string };
    await reply(no, [{ text: "yes" }, { data: { approvalId, approved: false, reason: "No" } }]);
    expect(sent).toEqual(["ada"]);
  });

  it("two approvals are asked at once and can be answered one by one in one message", async () => {
    const { say, reply, sent } = await conversation(version);
    const asked = await say("both");
    expect(asked.said.split("\n")).toHaveLength(2);
    const { state } = await reply(asked, [
      { data: { toolCallId: "c-2", approved: true } },
      { data: { toolCallId: "c-1", approved: false } },
    ]);
    expect(state).toBe("TASK_STATE_COMPLETED");
    expect(sent).toEqual(["bob"]);
  });

  it("an answer to one of two questions is kept, and the other question is asked again", async () => {
    const { say, reply, sent, prompts } = await conversation(version);
    const asked = await say("both");
    const again = await reply(asked, [{ data: { toolCallId: "c-2", approved: true } }]);
    expect(again).toMatchObject({
      state: "TASK_STATE_INPUT_REQUIRED",
      said: 'Allow mail({"to":"ada"})?',
    });
    const unknown = await reply(again, [{ data: { toolCallId: "c-9", approved: true } }]);
    expect(unknown.state).toBe("TASK_STATE_INPUT_REQUIRED");
    expect([sent, prompts.length]).toEqual([[], 1]);
    expect((await reply(unknown, "yes")).state).toBe("TASK_STATE_COMPLETED");
    expect(sent.toSorted()).toEqual(["ada", "bob"]);
  });

  it.each([
    ["a text", "blue"],
    ["data", [{ data: { toolCallId: "call-ask", output: { colour: "blue" } } }]],
  ])("the result of a tool without `execute` is %s of the caller", async (_, answer) => {
    const { say, reply } = await conversation(version);
    const asked = await say("colour");
    expect(asked.said).toBe('Result of ask({"question":"Which colour?"})?');
    expect((await reply(asked, answer)).text).toBe("The tool said blue.");
  });

  it("files go to the model, and callers get its files and sources", async () => {
    const { say, prompts } = await conversation(version);
    const file = { raw: png, mediaType: "image/png", filename: "a.png" };
    const { updates, task } = await say([{ text: "a picture like this" }, file]);
    expect(brief(prompts[0])).toEqual(["user a picture like this file"]);
    expect(updates.find(({ type }) => type === "part")).toMatchObject({
      part: { raw: png, mediaType: "image/png", filename: "file-1.png" },
    });
    expect(task?.metadata).toMatchObject({ aiSdk: { sources: [{ url: "https://example.org" }] } });
    // The next task of the conversation contains both files.
    await say("Hi", { contextId: task?.contextId });
    expect(brief(prompts[1])).toEqual([
      "user a picture like this file",
      "assistant Here: file",
      "user Hi",
    ]);
  });

  it("a file at a private address is not fetched", async () => {
    const { say, errors } = await conversation(version);
    const { state, said } = await say([
      { text: "Read" },
      { url: "http://localhost:1/a.png", mediaType: "image/png" },
    ]);
    expect({ state, said }).toEqual({ state: "TASK_STATE_FAILED", said: "" });
    expect(String(errors[0])).toContain("an address that is not public");
  });

  it("a file at a URL is fetched by the function in the options", async () => {
    const fetch = (url: string) => Promise.resolve(new Response(`bytes of ${url}`));
    const { say, prompts } = await conversation(version, { fetch });
    const { state } = await say([{ url: "https://files.example/a", mediaType: "image/png" }]);
    expect(state).toBe("TASK_STATE_COMPLETED");
    expect(JSON.stringify(prompts[0])).not.toContain("https://files.example/a");
  });

  it("an error of the model fails the task, and only the operator reads it", async () => {
    const { say, errors } = await conversation(version);
    const outcome = await say("fail");
    expect(outcome).toMatchObject({ state: "TASK_STATE_FAILED", said: "" });
    expect(JSON.stringify(outcome)).not.toContain("sk-1");
    expect(String(errors[0])).toContain("overloaded sk-1");
  });

  it("a message during a turn is answered before the task completes", async () => {
    const [reading, { open, opened }] = [gate(), gate()];
    let hasBegun = false;
    const { model, prompts } = scripted(
      (_last, _prompt, call) => [call === 1 ? "The first." : "The second."],
      {
        async before(part) {
          if (!("delta" in part) || hasBegun) return;
          hasBegun = true;
          reading.open();
          await opened;
        },
      },
    );
    const { say, interject } = await talkTo(aiAgent(agentOf(version, model, [])));
    const answer = say("One");
    await reading.opened;
    await interject("Two");
    open();
    expect((await answer).text).toBe("The first.\n\nThe second.");
    expect(brief(prompts[1])).toEqual(["user One", "assistant The first.", "user Two"]);
  });

  it.each(["the model", "a tool"])("a canceled task stops %s", async (place) => {
    const reading = gate();
    let stopped = false;
    const wait = async (signal: AbortSignal | undefined): Promise<never> => {
      reading.open();
      return untilAbort(signal).finally(() => {
        stopped = true;
      });
    };
    const { model } = scripted(() => (place === "a tool" ? [calling("wait", {})] : ["Hello"]), {
      async before(part, signal) {
        if ("delta" in part) await wait(signal);
      },
    });
    const { ToolLoopAgent } = sdks[version];
    const tools = {
      wait: {
        inputSchema: anyInput,
        execute: (_: unknown, { abortSignal }: { abortSignal?: AbortSignal }) => wait(abortSignal),
      },
    };
    const agent = new ToolLoopAgent({ model, tools: tools });
    const { say, cancel, errors } = await talkTo(aiAgent(agent));
    const answer = say("Go");
    await reading.opened;
    await cancel();
    expect((await answer).state).toBe("TASK_STATE_CANCELED");
    expect(stopped).toBe(true);
    expect(errors).toEqual([]);
  });

  it("a caller gets the text that the SDK alone streams", async () => {
    const texts = ["Let me look.", "It is sunny in Oslo."];
    const agent = agentOf(version, scripted(answerTo).model, []);
    const alone = await agent.stream({ prompt: "weather?" });
    const steps = (await alone.steps).map(({ text }) => text);
    expect(steps).toEqual(texts);
    const { say } = await conversation(version);
    expect((await say("weather?")).text).toBe(steps.join("\n\n"));
  });
});

describe("a function that returns a stream instead of an agent", () => {
  it("the function gets the call and the turn", async () => {
    const { model, prompts } = scripted(answerTo);
    const { say } = await talkTo(
      aiAgent((call, { task }) => sdks[7].streamText({ model, ...call, instructions: task.id })),
    );
    const { task, text } = await say("Hi");
    expect(text).toBe("Hello there.");
    expect(brief(prompts[0])).toEqual([`system ${task?.id ?? ""}`, "user Hi"]);
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

  it("a stream that never ends is ended by the limit of the turn", async () => {
    const endless: AiAgent = () => ({
      stream: (async function* () {
        yield { type: "text-delta", id: "a", text: "x" };
        await new Promise(() => undefined);
      })(),
    });
    const { say } = await talkTo(aiAgent(endless), { limits: { turnWithinMs: 50 } });
    expect((await say("Hi")).state).toBe("TASK_STATE_FAILED");
  });

  it("ten thousand tokens become few events", async () => {
    const words = Array.from({ length: 10_000 }, (_, at) => `w${String(at)} `);
    const parts = words.map((text) => ({ type: "text-delta", id: "a", text }));
    const { say } = await talkTo(aiAgent(streamOf(...parts)));
    const { text, updates } = await say("Hi");
    expect(text).toBe(words.join(""));
    expect(updates.length).toBeLessThan(1_000);
  });
});
