import { Agent, type AgentInputItem, run } from "@openai/agents";
import { describe, expect, it } from "vitest";
import { agentTool } from "../../../../library/bridges/openai-agents.js";
import { memberOf } from "../../../../library/bridges/reading.js";
import type { RemoteAgent } from "../../../../library/client/remote-agent.js";
import { kinds, startPeer } from "../start-peer.js";
import { call, scripted } from "./clerk.js";

/** Returns an agent that calls the tool with each input, one after the other. */
function asking(remote: RemoteAgent, ...inputs: ((last: unknown) => object)[]) {
  const reports: unknown[] = [];
  const outputs: unknown[] = [];
  let calls = 0;
  const { model } = scripted((_last, items) => {
    const output = outputOf(items.at(-1));
    if (output !== undefined) {
      outputs.push(output);
      const [text] = [output].flat<unknown[]>();
      reports.push(JSON.parse(String(memberOf(text, "text"))));
    }
    const input = inputs[calls];
    calls += 1;
    const ids = { taskId: null, contextId: null };
    return [
      input === undefined ? "Done." : call("researcher", { ...ids, ...input(reports.at(-1)) }),
    ];
  });
  const tools = [agentTool(remote, { name: "researcher", description: "Answers." })];
  return { agent: new Agent({ name: "Asker", model, tools }), reports, outputs };
}

function outputOf(item: AgentInputItem | undefined): unknown {
  return item?.type === "function_call_result" ? item.output : undefined;
}

const say = (message: string) => () => ({ message });

describe.each(kinds)("a tool of the OpenAI Agents SDK that asks an agent on %s", (kind) => {
  it("the model reads the report about the answer", async () => {
    const { remote } = await startPeer(kind);
    const { agent, reports } = asking(remote, say("tea"));
    const { finalOutput } = await run(agent, "Go", { stream: true }).then(async (result) => {
      await result.completed;
      return result;
    });
    expect(finalOutput).toBe("Done.");
    expect(reports).toMatchObject([{ state: "completed", answer: "# Tea\n\nYou said tea." }]);
  });

  it("the model reads a file of the agent", async () => {
    const { remote } = await startPeer(kind);
    const { agent, outputs } = asking(remote, say("a file"));
    await (
      await run(agent, "Go", { stream: true })
    ).completed;
    expect(JSON.stringify(outputs)).toContain(btoa("bytes"));
    expect(outputs[0]).toMatchObject([
      { type: "input_text" },
      { type: "input_file", filename: "a.txt" },
    ]);
  });

  it("the model reads a question, and answers it with the id of the task", async () => {
    const { remote } = await startPeer(kind);
    const { agent, reports } = asking(remote, say("book"), (last) => ({
      message: "two",
      taskId: memberOf(last, "taskId"),
    }));
    await (
      await run(agent, "Go", { stream: true })
    ).completed;
    expect(reports).toMatchObject([
      { state: "input-required", answer: "For how many nights?" },
      { state: "completed", answer: "Booked Oslo for two" },
    ]);
    expect(memberOf(reports[1], "taskId")).toBeUndefined();
  });

  it("a failure is a result with its reason", async () => {
    const { remote } = await startPeer(kind);
    const { agent, reports } = asking(remote, say("fail"));
    await (
      await run(agent, "Go", { stream: true })
    ).completed;
    expect(reports).toMatchObject([{ state: "failed", answer: "Out of paper" }]);
  });

  it("an abort of the run cancels the task of the agent", async () => {
    const { remote, canceled } = await startPeer(kind);
    const controller = new AbortController();
    const heard: RemoteAgent = {
      ...remote,
      ask: (content, options) => {
        const answer = remote.ask(content, options);
        const result = async () => {
          for await (const { type } of answer) if (type === "text") controller.abort();
          return answer.result();
        };
        return Object.assign(answer, { result });
      },
    };
    const { agent } = asking(heard, say("slow"));
    const result = await run(agent, "Go", { stream: true, signal: controller.signal });
    await result.completed.catch(() => undefined);
    await canceled;
  });
});

describe("a tool of the OpenAI Agents SDK that asks an agent", () => {
  it("the model can continue a conversation", async () => {
    const { remote } = await startPeer("the kit, 1.0");
    const { agent, reports } = asking(remote, say("tea"), (last) => ({
      message: "More",
      contextId: memberOf(last, "contextId"),
    }));
    await (
      await run(agent, "Go", { stream: true })
    ).completed;
    const [first, second] = reports.map((report) => memberOf(report, "contextId"));
    expect(second).toBe(first);
    expect(first).toBeDefined();
  });

  it("the model reads the link of a sign-in, and a reply without a task", async () => {
    const { remote } = await startPeer("the kit, 1.0");
    const { agent, reports } = asking(remote, say("sign in"), say("ping"));
    await (
      await run(agent, "Go", { stream: true })
    ).completed;
    expect(reports).toMatchObject([
      { state: "auth-required", signInAt: ["https://login.example/x"] },
      { state: "completed", answer: "pong" },
    ]);
  });
});
