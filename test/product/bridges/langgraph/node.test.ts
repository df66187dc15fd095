import { HumanMessage } from "@langchain/core/messages";
import {
  type BaseCheckpointSaver,
  Command,
  END,
  MemorySaver,
  MessagesAnnotation,
  START,
  StateGraph,
} from "@langchain/langgraph";
import { describe, expect, it, onTestFinished } from "vitest";
import { agentNode, graphAgent, kitSaver } from "../../../../library/bridges/langgraph.js";
import type { A2AClient } from "../../../../generated/1.0/index.js";
import { remoteAgent } from "../../../../generated/1.0/kit/client/index.js";
import { v0_3 } from "../../../../generated/1.0/versions/0.3/client.js";
import { peers } from "../peers.js";
import { talkTo } from "../talk.js";
import { booking } from "./graphs.js";

/** A graph whose only node is a remote agent. */
function graphOf(target: string | A2AClient, checkpointer: BaseCheckpointSaver) {
  const remote = remoteAgent(target, { versions: [v0_3] });
  onTestFinished(() => remote.close());
  return new StateGraph(MessagesAnnotation)
    .addNode("researcher", agentNode(remote, { name: "researcher" }))
    .addEdge(START, "researcher")
    .addEdge("researcher", END)
    .compile({ checkpointer });
}

const said = (content: string, id?: string) => ({
  messages: [new HumanMessage({ content, ...(id !== undefined && { id }) })],
});

for (const [name, start] of Object.entries(peers))
  describe(`a node with an agent of ${name}`, () => {
    const config = { configurable: { thread_id: "1" } };

    it("the answer is a message with the text and the files of the agent", async () => {
      const { url, received } = await start();
      const graph = graphOf(url, new MemorySaver());
      const first = await graph.invoke(said("a file", "m1"), config);
      expect(first.messages.at(-1)?.contentBlocks).toEqual([
        { type: "text", text: "# Tea\n\nYou said a file." },
        {
          type: "file",
          mimeType: "text/plain",
          data: btoa("bytes"),
          metadata: { filename: "a.txt" },
        },
      ]);
      await graph.invoke(said("more"), config);
      expect(received.map(({ text }) => text)).toEqual(["a file", "more"]);
      expect(received[0]?.messageId).toBe("m1");
      expect(received[1]?.contextId).toBe(received[0]?.contextId);
    });

    it("a reply without a task is the answer", async () => {
      const { url } = await start();
      const { messages } = await graphOf(url, new MemorySaver()).invoke(said("ping"), config);
      expect(messages.at(-1)?.text).toBe("pong");
    });

    it("a question is an interrupt, whose answer goes to the same task", async () => {
      const { url, received } = await start();
      const graph = graphOf(url, new MemorySaver());
      await graph.invoke(said("book"), config);
      const { tasks } = await graph.getState(config);
      const taskId: unknown = expect.any(String);
      expect(tasks[0]?.interrupts[0]?.value).toEqual({ question: "For how many nights?", taskId });
      const { messages } = await graph.invoke(new Command({ resume: "three" }), config);
      expect(messages.at(-1)?.text).toBe("Booked Oslo for three");
      expect(received.map(({ text }) => text)).toEqual(["book", "three"]);
    });

    it("a sign-in is an interrupt with its links", async () => {
      const { url } = await start();
      const graph = graphOf(url, new MemorySaver());
      await graph.invoke(said("sign in"), config);
      const { tasks } = await graph.getState(config);
      expect(tasks[0]?.interrupts[0]?.value).toMatchObject({
        question: "Sign in at https://login.example/x",
        signInAt: ["https://login.example/x"],
      });
      const { messages } = await graph.invoke(new Command({ resume: "Ada" }), config);
      expect(messages.at(-1)?.text).toBe("Signed in as Ada");
    });

    it("a failure is an error", async () => {
      const { url } = await start();
      const run = graphOf(url, new MemorySaver()).invoke(said("fail"), config);
      await expect(run).rejects.toThrow(
        'The task of the agent "researcher" is failed: Out of paper',
      );
    });

    it("the task of the agent is canceled if the run is aborted", async () => {
      const { url, canceled } = await start();
      const controller = new AbortController();
      const options = { ...config, signal: controller.signal, streamMode: "custom" as const };
      const graph = graphOf(url, new MemorySaver());
      const stream = await graph.stream(said("slow"), { ...options, subgraphs: true });
      const run = stream[Symbol.asyncIterator]()
        .next()
        .then(async () => {
          controller.abort();
          for await (const chunk of stream) expect(chunk).toBeDefined();
        });
      await expect(run).rejects.toThrow();
      await canceled;
    });

    it("a served graph streams the answer, and passes questions on", async () => {
      const { url, received } = await start();
      const agent = await talkTo(graphAgent(graphOf(url, kitSaver())));
      const { progress, text } = await agent.say("tea");
      expect(text).toBe("# Tea\n\nYou said tea.");
      expect(progress).toContain("Reading");
      const asked = await agent.say("book");
      expect(asked.said).toBe("For how many nights?");
      const booked = await agent.reply(asked, "three");
      expect([booked.state, booked.text]).toEqual([
        "TASK_STATE_COMPLETED",
        "Booked Oslo for three",
      ]);
      expect(received.map((each) => each.text)).toEqual(["tea", "book", "three"]);
      const failed = await agent.say("fail");
      expect([failed.state, failed.said.includes("paper")]).toEqual(["TASK_STATE_FAILED", false]);
      expect(agent.errors.join()).toContain("Out of paper");
    });
  });

describe("a graph in a node of another graph in the same process", () => {
  it("the graphs run independently, because the agent is called like any other", async () => {
    const inner = await talkTo(graphAgent(booking(kitSaver())));
    const outer = await talkTo(graphAgent(graphOf(inner.client, kitSaver())));
    const asked = await outer.say("Oslo");
    expect([asked.state, asked.said]).toEqual(["TASK_STATE_INPUT_REQUIRED", "Book the flight?"]);
    const { state, text } = await outer.reply(asked, "yes");
    expect([state, text]).toEqual(["TASK_STATE_COMPLETED", 'Read 1: Oslo\n\nRead 3: answer "yes"']);
    expect(inner.errors).toEqual([]);
  });
});
