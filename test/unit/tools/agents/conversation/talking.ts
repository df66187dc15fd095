import { onTestFinished } from "vitest";
import {
  scriptedAgent,
  type ScriptedAgentOptions,
} from "../../../../../generated/1.0/kit/testing.js";
import {
  ConversationLog,
  type Conversation,
  type ConversationAgent,
} from "../../../../../tools/agents/conversation/index.js";
import { openClient, readCard, type A2AClient } from "../../../../../tools/agents/index.js";

/** The agent of conversations in tests. */
export const agent: ConversationAgent = {
  url: "http://agent.test/",
  name: "My agent",
  binding: "JSONRPC",
  version: "1.0",
};

/** Starts a scripted agent, and returns a client whose calls are recorded. */
export async function talkTo(script: ScriptedAgentOptions) {
  const scripted = scriptedAgent(script);
  onTestFinished(() => scripted.close());
  const log = new ConversationLog();
  const { fetch, url } = scripted;
  const { card } = await readCard(url, { fetch });
  const target = { url, binding: "JSONRPC", version: "1.0", tenant: undefined };
  const client = openClient(target, { fetch, interceptors: [log.interceptor] }, card);
  onTestFinished(() => client.close());
  return { client, log, scripted };
}

/** Sends texts, each in the context and to the task that the user of a page would choose. */
export async function say(client: A2AClient, ...texts: readonly string[]): Promise<void> {
  let contextId: string | undefined;
  let taskId: string | undefined;
  for (const text of texts) {
    const message = {
      messageId: crypto.randomUUID(),
      role: "ROLE_USER" as const,
      parts: [{ text }],
      ...(contextId !== undefined && { contextId }),
      ...(taskId !== undefined && { taskId }),
    };
    let state = "";
    for await (const event of client.sendStreamingMessage({ message })) {
      const { task, statusUpdate } = event;
      contextId = task?.contextId ?? statusUpdate?.contextId ?? contextId;
      state = (task ?? statusUpdate)?.status.state ?? state;
      taskId = task?.id ?? statusUpdate?.taskId ?? taskId;
    }
    if (state !== "TASK_STATE_INPUT_REQUIRED") taskId = undefined;
  }
}

/** Records a conversation with a scripted agent. */
export async function conversationWith(
  turns: ScriptedAgentOptions["turns"],
  ...texts: readonly string[]
): Promise<Conversation> {
  const { client, log } = await talkTo({ turns });
  await say(client, ...texts);
  return log.conversation(agent);
}
