import { describe, expect, it } from "vitest";
import { agentModel, agentTool, type ToolOutput } from "../../../../library/bridges/ai-sdk.js";
import { kinds, startPeer } from "../start-peer.js";
import { sdks } from "./scripted.js";

const { generateText, streamText } = sdks[7];

describe.each(kinds)("a model that is an agent on %s", (kind) => {
  const model = async () => {
    const { remote, ...peer } = await startPeer(kind);
    return { ...peer, model: agentModel(remote) };
  };

  it("the model answers with the text and the files of the agent", async () => {
    const { text, files } = await generateText({ ...(await model()), prompt: "tea with a file" });
    expect(text.replace(/\.$/, "")).toBe("# Tea\n\nYou said tea with a file");
    expect(files.map(({ uint8Array }) => new TextDecoder().decode(uint8Array))).toEqual(["bytes"]);
  });

  it("the next user message answers the question of the agent, and continues its conversation", async () => {
    const { model: agent, received } = await model();
    const first = await generateText({ model: agent, prompt: "book" });
    expect(first.text).toBe("For how many nights?");
    const said = { role: "user", content: "book" } as const;
    const answer = { role: "user", content: "two" } as const;
    const messages = [said, ...first.response.messages, answer];
    expect((await generateText({ model: agent, messages })).text).toBe("Booked Oslo for two");
    expect(new Set(received.map(({ contextId }) => contextId)).size).toBe(1);
  });

  it("a sign-in has its links, and the next message follows it", async () => {
    const { text, providerMetadata } = await generateText({
      ...(await model()),
      prompt: "sign in",
    });
    expect(text).toBe("Sign in at https://login.example/x");
    expect(providerMetadata?.["a2a"]).toMatchObject({ signInAt: ["https://login.example/x"] });
  });

  it("a failed task is an error with the reason, and a reply without a task is the text", async () => {
    const { model: agent } = await model();
    const failing = generateText({ model: agent, prompt: "fail", maxRetries: 0 });
    await expect(failing).rejects.toThrow("The agent failed: Out of paper");
    expect((await generateText({ model: agent, prompt: "ping" })).text).toBe("pong");
  });

  it("an aborted stream cancels the task of the agent", async () => {
    const { model: agent, canceled } = await model();
    const controller = new AbortController();
    const { textStream } = streamText({
      model: agent,
      prompt: "slow",
      abortSignal: controller.signal,
    });
    for await (const delta of textStream) if (delta !== "") controller.abort();
    await canceled;
  });

  it("a tool answers with the report, and the id of a task that waits answers its question", async () => {
    const { remote } = await startPeer(kind);
    const tool = agentTool(remote, { description: "Answers." });
    const call = async (input: { message: string; taskId?: string }) => {
      let last: ToolOutput | undefined;
      for await (const output of tool.execute(input, {})) last = output;
      return last;
    };
    const asked = await call({ message: "book" });
    expect(asked).toMatchObject({ state: "input-required", answer: "For how many nights?" });
    const { taskId = "" } = asked ?? {};
    expect(await call({ message: "two", taskId })).toMatchObject({
      state: "completed",
      answer: "Booked Oslo for two",
    });
  });
});
