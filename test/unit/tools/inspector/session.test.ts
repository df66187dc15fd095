import { expect, it, onTestFinished } from "vitest";
import { completed } from "../../../../generated/1.0/kit/index.js";
import { scriptedAgent } from "../../../../generated/1.0/kit/testing.js";
import type { Conversation } from "../../../../tools/agents/conversation/index.js";
import type { A2AClient } from "../../../../tools/agents/index.js";

/** A session, as far as the test uses it. Its own types require those of browsers. */
interface Session {
  readonly log: { readonly length: number };
  readonly previous: Conversation | undefined;
  readonly conversationChanged: { readonly watch: (listener: () => void) => void };
  readonly open: (url: string) => Promise<void>;
  readonly client: () => A2AClient;
  readonly conversation: () => Conversation;
  readonly endConversation: () => void;
}

const path = "../../../../tools/inspector/page/session.js";
const { Session } = (await import(path)) as { Session: new (command: object) => Session };

const message = (text: string) => ({
  messageId: crypto.randomUUID(),
  role: "ROLE_USER" as const,
  parts: [{ text }],
});

it("a call of the last conversation adds nothing to the next conversation", async () => {
  const turns = [["Tea ", completed("Done")], "Cake"];
  const scripted = scriptedAgent({ turns });
  onTestFinished(() => scripted.close());
  const { fetch, url } = scripted;
  const session = new Session({ config: { url, grpc: false }, fetch });
  await session.open(url);
  const changes: number[] = [];
  session.conversationChanged.watch(() => changes.push(session.log.length));

  const events = session.client().sendStreamingMessage({ message: message("Tea") });
  const received = events[Symbol.asyncIterator]();
  await received.next();
  session.endConversation();
  expect(changes.at(-1)).toBe(0);
  while ((await received.next()).done !== true);
  await session.client().sendMessage({ message: message("Cake") });

  expect(session.previous?.turns).toMatchObject([{ message: { parts: [{ text: "Tea" }] } }]);
  const { turns: next } = session.conversation();
  expect(next).toMatchObject([{ message: { messageId: "message-1", parts: [{ text: "Cake" }] } }]);
  const ids = { taskId: "task-1", contextId: "context-1" };
  expect(next[0]?.events[0]?.artifactUpdate).toMatchObject(ids);
});
