import type { ModelMessage, ToolSet } from "ai";
import { describe, expect, it } from "vitest";
import {
  artifact,
  authRequired,
  completed,
  failed,
  inputRequired,
  message as reply,
  textOf,
  working,
  type Behavior,
} from "../../../../generated/1.0/kit/index.js";
import { remoteAgent } from "../../../../generated/1.0/kit/client/index.js";
import { agentModel, agentTool, aiAgent } from "../../../../library/bridges/ai-sdk.js";
import { gate, talkTo } from "../talk.js";
import { anyInput, calling, scripted, sdks } from "./scripted.js";

const png = "iVBORw0KGgo=";

/** An agent with everything that a model or a tool meets. */
const assistant: Behavior<unknown, { city: string }> = {
  reply: ({ message }) => (textOf(message) === "ping" ? reply("pong") : undefined),
  async *run({ message, state }) {
    const text = textOf(message);
    if (state !== undefined) return completed(`Booked ${state.city} for ${text}`);
    if (text.includes("book")) return inputRequired("How long?", { state: { city: "Oslo" } });
    if (text.includes("secret")) return authRequired("Sign in at https://login.example/x");
    if (text.includes("fail")) return failed("Out of paper");
    yield working("Reading");
    const files = message.parts.filter(({ raw, url }) => raw !== undefined || url !== undefined);
    const seen = files.map(({ mediaType, url }) => url ?? mediaType).join();
    yield* artifact("report").from(["# Tea", "\n\n", `You said ${text}`, seen && ` with ${seen}`]);
    if (text.includes("picture")) {
      yield artifact("a.png").finish([{ raw: png, filename: "a.png", mediaType: "image/png" }]);
      yield artifact("link").finish([{ url: "https://files.example/b.pdf", filename: "b.pdf" }]);
      yield artifact("numbers").data({ cups: 2 });
    }
    return completed();
  },
};

async function remote() {
  const { client } = await talkTo(assistant);
  return remoteAgent(client);
}

describe.each(["7", "6"] as const)("a remote agent as a model of AI SDK %s", (version) => {
  const { generateText: generate, streamText: stream, ToolLoopAgent } = sdks[version];

  it("the model streams the text of the agent", async () => {
    const model = agentModel(await remote());
    const deltas: string[] = [];
    const result = stream({ model, prompt: "tea" });
    for await (const delta of result.textStream) deltas.push(delta);
    expect(deltas).toEqual(["# Tea", "\n\n", "You said tea"]);
    expect(await result.finishReason).toBe("stop");
  });

  it("a question is the text, and the next user message answers it", async () => {
    const model = agentModel(await remote());
    const first = await generate({ model, prompt: "book" });
    expect(first.text).toBe("How long?");
    expect(first.providerMetadata?.["a2a"]).toMatchObject({ state: "input-required" });
    const messages: ModelMessage[] = [
      { role: "user", content: "book" },
      ...first.response.messages,
      { role: "user", content: "two nights" },
    ];
    const second = await generate({ model, messages: messages });
    expect(second.text).toBe("Booked Oslo for two nights");
    // The task has ended, so a further message begins another task of the conversation.
    const third = await generate({
      model,
      messages: [...messages, ...second.response.messages, { role: "user", content: "tea" }],
    });
    expect(third.text).toBe("# Tea\n\nYou said tea");
    const ids = [first, second, third].map(({ providerMetadata }) => providerMetadata?.["a2a"]);
    expect(new Set(ids.map((id) => id?.["contextId"])).size).toBe(1);
  });

  it("files and links come with the text, and data as a block of code", async () => {
    const model = agentModel(await remote());
    const { files, sources, text } = await generate({ model, prompt: "picture" });
    expect(files.map(({ base64, mediaType }) => [base64, mediaType])).toEqual([[png, "image/png"]]);
    expect(sources).toMatchObject([{ url: "https://files.example/b.pdf", title: "b.pdf" }]);
    expect(text).toBe('# Tea\n\nYou said picture\n\n```json\n{\n  "cups": 2\n}\n```\n');
  });

  it("files of the user go to the agent, as bytes or as a URL", async () => {
    const model = agentModel(await remote());
    const { text } = await generate({
      model,
      messages: [
        {
          role: "user",
          content: [
            { type: "text", text: "look" },
            { type: "file", data: png, mediaType: "image/png" },
            { type: "file", data: new URL("https://files.example/c.pdf"), mediaType: "x/y" },
          ],
        },
      ],
    });
    expect(text).toBe("# Tea\n\nYou said look with image/png,https://files.example/c.pdf");
  });

  it("a sign-in is the text, with its links in the metadata", async () => {
    const { text, providerMetadata } = await generate({
      model: agentModel(await remote()),
      prompt: "secret",
    });
    expect(text).toBe("Sign in at https://login.example/x");
    expect(providerMetadata?.["a2a"]).toMatchObject({
      state: "auth-required",
      signInAt: ["https://login.example/x"],
    });
  });

  it("a reply without a task is the text", async () => {
    expect((await generate({ model: agentModel(await remote()), prompt: "ping" })).text).toBe(
      "pong",
    );
  });

  it("a failed task is an error, not an answer", async () => {
    const model = agentModel(await remote());
    await expect(generate({ model, prompt: "fail", maxRetries: 0 })).rejects.toThrow(
      "The agent failed: Out of paper",
    );
  });

  it("tools, JSON and system messages are warnings", async () => {
    const model = agentModel(await remote());
    const { warnings } = await generate({
      model,
      messages: [{ role: "user", content: "tea" }],
      system: "Be brief",
      tools: { ask: { inputSchema: anyInput } } as unknown as ToolSet,
    });
    expect(warnings?.map(({ type }) => type)).toEqual(["unsupported", "other"]);
  });

  it("an aborted call cancels the task of the agent", async () => {
    const [begun, ended] = [gate(), gate()];
    const { client } = await talkTo({
      async *run({ signal, untilAborted }) {
        yield artifact("a").text("x");
        signal.addEventListener("abort", ended.open);
        begun.open();
        await untilAborted(new Promise(() => undefined));
        return completed();
      },
    });
    const controller = new AbortController();
    const model = agentModel(remoteAgent(client));
    const { textStream } = stream({ model, prompt: "Go", abortSignal: controller.signal });
    const reading = (async () => {
      for await (const delta of textStream) if (delta !== "") controller.abort();
    })();
    await Promise.all([begun.opened, ended.opened, reading]);
    expect((await client.listTasks({})).tasks[0]?.status.state).toBe("TASK_STATE_CANCELED");
  });

  it("an agent of the SDK answers over A2A as it answers directly", async () => {
    const steps = (last: string) =>
      last.includes("weather?")
        ? ["Let me look.", calling("weather", {})]
        : ["Sunny.", { type: "file", mediaType: "image/png", data: png }];
    const agent = () =>
      new ToolLoopAgent({
        model: scripted(steps).model,
        tools: {
          weather: {
            inputSchema: anyInput,
            execute: () => "sun",
          } as never,
        },
      });
    const direct = await agent()
      .generate({ prompt: "weather?" })
      .catch(() => undefined);
    expect(direct).toBeUndefined(); // The script only streams.
    const alone = await agent().stream({ prompt: "weather?" });
    await alone.consumeStream();
    const { client } = await talkTo(aiAgent(agent()));
    const remotely = await generate({ model: agentModel(remoteAgent(client)), prompt: "weather?" });
    const aloneSteps = await alone.steps;
    expect(remotely.text).toBe(aloneSteps.map(({ text }) => text).join("\n\n"));
    expect(remotely.files.map(({ base64 }) => base64)).toEqual(
      (await alone.files).map(({ base64 }) => base64),
    );
    expect(remotely.totalUsage.inputTokens).toBe((await alone.totalUsage).inputTokens);
    expect(remotely.finishReason).toBe(await alone.finishReason);
  });
});

describe.each(["7", "6"] as const)("a remote agent as a tool of AI SDK %s", (version) => {
  const { ToolLoopAgent } = sdks[version];
  const options = { description: "Knows everything about tea" };

  /** Runs an agent whose model calls the tool once, and returns the result that the model reads. */
  async function called(input: object) {
    const { model, prompts } = scripted((_last, _prompt, call) =>
      call === 1 ? [calling("assistant", input)] : ["Done."],
    );
    const tools = { assistant: agentTool(await remote(), options) };
    const agent = new ToolLoopAgent({ model, tools });
    const result = await agent.stream({ prompt: "Ask" });
    const results: unknown[] = [];
    for await (const part of result.fullStream) {
      const { type, output } = part as { type: string; output?: unknown };
      if (type === "tool-result" || type === "tool-error") results.push(output);
    }
    return { results, read: JSON.stringify(prompts[1]?.at(-1)), text: await result.text };
  }

  it("the answer so far is a preliminary result, and the report is the result", async () => {
    const { results, read, text } = await called({ message: "tea" });
    expect(results.slice(0, 2)).toMatchObject([
      { state: "working", answer: "# Tea" },
      { state: "working", answer: "# Tea\n\n" },
    ]);
    expect(results.at(-1)).toMatchObject({ state: "completed", answer: "# Tea\n\nYou said tea" });
    expect(read).toContain("You said tea");
    expect(text).toBe("Done.");
  });

  it("files of the agent go to the model", async () => {
    const { results, read } = await called({ message: "picture" });
    expect(results.at(-1)).toMatchObject({
      files: [
        { mediaType: "image/png", filename: "a.png", data: png },
        { mediaType: "application/octet-stream", url: "https://files.example/b.pdf" },
      ],
    });
    expect(read).toContain(png);
  });

  it("a question comes with the id of the task, which answers it in the next call", async () => {
    const tool = agentTool(await remote(), options);
    const last = async (input: { message: string; taskId?: string }) => {
      const results = [];
      for await (const result of tool.execute(input, {})) results.push(result);
      return results.at(-1);
    };
    const asked = await last({ message: "book" });
    expect(asked).toMatchObject({ state: "input-required", answer: "How long?" });
    const { taskId } = asked ?? {};
    expect(
      await last({ message: "a week", ...(taskId !== undefined && { taskId }) }),
    ).toMatchObject({
      state: "completed",
      answer: "Booked Oslo for a week",
    });
    expect(await last({ message: "fail" })).toMatchObject({
      state: "failed",
      answer: "Out of paper",
    });
  });

  it("an input without a message is refused before the agent is asked", async () => {
    const { results, read } = await called({ taskId: "" });
    expect(results.every((result) => result === undefined)).toBe(true);
    expect(read).toContain("must be an object with the string `message`");
  });
});
