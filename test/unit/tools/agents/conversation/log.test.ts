import { describe, expect, it } from "vitest";
import { completed } from "../../../../../generated/1.0/kit/index.js";
import type { Conversation } from "../../../../../tools/agents/conversation/index.js";
import { agent, talkTo } from "./talking.js";

const message = (text: string) => ({
  messageId: crypto.randomUUID(),
  role: "ROLE_USER" as const,
  parts: [{ text }],
});

/** Returns the text of the artifacts in a turn, with a sign between events. */
function textIn({ turns }: Conversation, turn = 0): string {
  const events = turns[turn]?.events ?? [];
  const updates = events.flatMap(({ artifactUpdate }) => artifactUpdate ?? []);
  return updates.map(({ artifact }) => artifact.parts[0]?.text ?? "").join("|");
}

/** Starts an agent that writes "Tea ", and then "and cake" after `release` was called. */
async function gated() {
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => (release = resolve));
  const talking = await talkTo({
    turns: [["Tea ", () => released, "and cake", completed("Done")]],
  });
  return { ...talking, release };
}

describe("the log of a client's calls", () => {
  it("a call for the task does not repeat the chunks of an open stream", async () => {
    const { client, log, release } = await gated();
    for await (const { artifactUpdate } of client.sendStreamingMessage({ message: message("Go") }))
      if (artifactUpdate?.artifact.parts[0]?.text === "Tea ") {
        await client.getTask({ id: artifactUpdate.taskId });
        release();
      }
    expect(textIn(log.conversation(agent))).toBe("Tea and cake");
  });

  it("a stream that its user ends is not recorded as an error, and a subscription continues its turn", async () => {
    const { client, log, release } = await gated();
    const stop = new AbortController();
    let id = "";
    const call = async () => {
      const request = { message: message("Go") };
      for await (const event of client.sendStreamingMessage(request, { signal: stop.signal })) {
        id = event.task?.id ?? id;
        if (event.artifactUpdate !== undefined) stop.abort();
      }
    };
    await expect(call()).rejects.toThrow("aborted");
    expect(log.conversation(agent).turns[0]).not.toHaveProperty("error");
    release();
    for await (const event of client.subscribeToTask({ id })) expect(event).toBeDefined();
    const conversation = log.conversation(agent);
    expect(conversation.turns).toHaveLength(1);
    expect(textIn(conversation)).toBe("Tea and cake");
    expect(conversation.turns[0]?.events.at(-1)).toMatchObject({
      statusUpdate: { status: { state: "TASK_STATE_COMPLETED" } },
    });
  });

  it("a message that is sent again belongs to the same turn, and other calls to no turn", async () => {
    const { client, log } = await talkTo({ turns: ["Tea", "Cake"] });
    const request = { message: message("Go") };
    await client.sendMessage(request);
    await client.sendMessage(request);
    await client.listTasks({});
    await expect(client.getTask({ id: "unknown" })).rejects.toThrow();
    expect(log.conversation(agent).turns).toHaveLength(1);
  });
});
