import { Agent } from "@mastra/core/agent";
import { Mastra } from "@mastra/core/mastra";
import { InMemoryStore } from "@mastra/core/storage";
import { describe, expect, it } from "vitest";
import { mastraAgent } from "../../../../library/bridges/mastra.js";
import { agentTool } from "../../../../library/bridges/mastra-tool.js";
import { memberOf, optionalString } from "../../../../library/bridges/reading.js";
import type { RemoteAgent } from "../../../../library/client/remote-agent.js";
import { kinds, startPeer } from "../start-peer.js";
import { gate, talkTo } from "../talk.js";
import { call, type PromptMessage, scripted } from "./clerk.js";

const usedAs = { id: "researcher", description: "Answers." };

/** Returns an agent that passes each message to a remote agent, and repeats its answer. */
function asking(remote: RemoteAgent) {
  const { model, prompts } = scripted((last, prompt) =>
    last.includes('"tool-result"') ? ["Done."] : [call("researcher", inputOf(prompt))],
  );
  const agent = new Agent({
    id: "asker",
    name: "Asker",
    instructions: "Ask.",
    model,
    maxRetries: 0,
    tools: { researcher: agentTool(remote, usedAs) },
  });
  const mastra = new Mastra({ agents: { agent }, storage: new InMemoryStore(), logger: false });
  /** Returns the parts of the tool's last result, as the model reads it. */
  const read = (): unknown[] => {
    const [result] = [prompts.at(-1)?.at(-1)?.content ?? []].flat<unknown[]>();
    const value = memberOf(result, "output", "value");
    return Array.isArray(value) ? (value as unknown[]) : [value];
  };
  return { agent: mastra.getAgent("agent"), prompts, read };
}

/** Returns the text of a run. */
async function textOf(run: Promise<{ readonly text: Promise<string> }>): Promise<string> {
  return (await run).text;
}

/** Returns the input of the tool: the text of the user, and the `contextId` in it. */
function inputOf(prompt: readonly PromptMessage[]): object {
  const parts = prompt
    .filter(({ role }) => role === "user")
    .flatMap<unknown>((each) => each.content);
  const text = String(memberOf(parts.at(-1), "text"));
  const contextId = /in context (\S+)/.exec(text)?.[1];
  return contextId === undefined ? { message: text } : { message: text, contextId };
}

describe.each(kinds)("a tool of Mastra that asks an agent on %s", (kind) => {
  it("the model reads the report about the answer", async () => {
    const { remote } = await startPeer(kind);
    const { agent, read } = asking(remote);
    const output = await agent.stream("tea");
    const chunks: unknown[] = [];
    for await (const chunk of output.fullStream)
      if (chunk.type === "tool-output") chunks.push(chunk.payload.output);
    expect(await output.text).toBe("Done.");
    expect(read()).toMatchObject([{ state: "completed", answer: "# Tea\n\nYou said tea." }]);
    const texts = chunks.map((chunk) => optionalString(chunk, "text") ?? "");
    expect(texts.join("")).toBe("# Tea\n\nYou said tea.");
    expect(chunks.map((chunk) => memberOf(chunk, "type"))).toContain("progress");
  });

  it("the model reads a file of the agent", async () => {
    const { remote } = await startPeer(kind);
    const { agent, read } = asking(remote);
    await textOf(agent.stream("a file"));
    const [report, file] = read();
    expect(JSON.parse(String(memberOf(report, "text")))).toMatchObject({ state: "completed" });
    expect(file).toMatchObject({ data: btoa("bytes"), mediaType: "text/plain" });
  });

  it("a question suspends the run, and its answer resumes the same task", async () => {
    const { remote } = await startPeer(kind);
    const { agent, read } = asking(remote);
    const output = await agent.stream("book");
    await output.consumeStream();
    expect(await output.finishReason).toBe("suspended");
    expect(JSON.stringify(await output.suspendPayload)).toContain("For how many nights?");
    const resumed = await agent.resumeStream({ answer: "two" }, { runId: output.runId });
    expect(await resumed.text).toBe("Done.");
    expect(read()).toMatchObject([{ state: "completed", answer: "Booked Oslo for two" }]);
  });

  it("a failure is a result with its reason", async () => {
    const { remote } = await startPeer(kind);
    const { agent, read } = asking(remote);
    await textOf(agent.stream("fail"));
    expect(read()).toMatchObject([{ state: "failed", answer: "Out of paper" }]);
  });

  it("an abort of the run cancels the task of the agent", async () => {
    const { remote, canceled } = await startPeer(kind);
    const { agent } = asking(remote);
    const controller = new AbortController();
    const output = await agent.stream("slow", { abortSignal: controller.signal });
    for await (const { type } of output.fullStream) if (type === "tool-output") controller.abort();
    await canceled;
  });
});

describe("a tool of Mastra that asks an agent", () => {
  it("the model can continue a conversation", async () => {
    const { remote } = await startPeer("the kit, 1.0");
    const { agent, read } = asking(remote);
    await textOf(agent.stream("tea"));
    const contextId = String(memberOf(read()[0], "contextId"));
    await textOf(agent.stream(`More in context ${contextId}`));
    expect(memberOf(read()[0], "contextId")).toBe(contextId);
  });

  it("a sign-in suspends the run with the link, and the answer continues the task", async () => {
    const { remote } = await startPeer("the kit, 1.0");
    const { agent, read } = asking(remote);
    const output = await agent.stream("sign in");
    await output.consumeStream();
    expect(JSON.stringify(await output.suspendPayload)).toContain(
      '"signInAt":["https://login.example/x"]',
    );
    const resumed = await agent.resumeStream({ answer: "done" }, { runId: output.runId });
    expect(await resumed.text).toBe("Done.");
    expect(read()).toMatchObject([{ answer: "Signed in as done" }]);
  });

  it("a reply without a task is the answer", async () => {
    const { remote } = await startPeer("the kit, 1.0");
    const { agent, read } = asking(remote);
    await textOf(agent.stream("ping"));
    expect(read()).toMatchObject([{ state: "completed", answer: "pong" }]);
  });

  it("a question reaches the caller of a served agent that uses the tool", async () => {
    const { remote } = await startPeer("the kit, 1.0");
    const { say, reply } = await talkTo(mastraAgent(asking(remote).agent));
    const question = await say("book");
    expect(question.state).toBe("TASK_STATE_INPUT_REQUIRED");
    expect(question.said).toBe("For how many nights?");
    const done = await reply(question, "two");
    expect(done).toMatchObject({ state: "TASK_STATE_COMPLETED", text: "Done." });
  });

  it("an agent that cannot be reached is an error of the tool", async () => {
    const { open, opened } = gate();
    const { remote } = await startPeer("the kit, 1.0");
    const { agent, prompts } = asking({
      ...remote,
      ask: () => {
        open();
        throw new Error("Not reachable");
      },
    });
    await textOf(agent.stream("tea"));
    await opened;
    expect(JSON.stringify(prompts.at(-1))).toContain("Not reachable");
  });
});
