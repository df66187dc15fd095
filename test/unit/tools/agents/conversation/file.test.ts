import { describe, expect, it } from "vitest";
import {
  compareConversations,
  ConversationError,
  ConversationLog,
  readConversation,
  writeConversation,
} from "../../../../../tools/agents/conversation/index.js";
import { agent, conversationWith } from "./talking.js";
import type { Task } from "../../../../../generated/1.0/models.js";
import { expectLinearTime } from "../../../../support/linear-time.js";

const message = { messageId: "m", role: "ROLE_USER" as const, parts: [{ text: "Hi" }] };
const file = (members: object = {}): string =>
  JSON.stringify({ format: "a2a-conversation", version: 1, agent, turns: [], ...members });
const withTurn = (members: object): string =>
  file({ turns: [{ message, events: [], ...members }] });

/** Returns the error with which a file is refused. */
function refusalOf(text: string): string {
  try {
    readConversation(text);
  } catch (error) {
    expect(error).toBeInstanceOf(ConversationError);
    return (error as Error).message.replace("This is not a saved conversation: ", "");
  }
  return "";
}

describe("the file of a conversation", () => {
  it.each([
    ["no JSON", "[", /^The file is not JSON: /],
    ["another value", "[]", "/format must be a string"],
    ["another format", file({ format: "x" }), '/format must be "a2a-conversation"'],
    ["a later version", file({ version: 2 }), /^\/version must be 1\. A later version of/],
    ["no agent", file({ agent: null }), "/agent must be an object"],
    [
      "a URL of a file",
      file({ agent: { ...agent, url: "file:///etc" } }),
      /^\/agent\/url must be a URL/,
    ],
    ["turns that are no list", file({ turns: {} }), "/turns must be a list"],
    ["a turn that is no object", file({ turns: [1] }), "/turns/0/events must be a list"],
    [
      "a message without parts",
      withTurn({ message: { messageId: "m", role: "ROLE_USER", parts: [] } }),
      /^\/turns\/0\/message\/parts must be /,
    ],
    [
      "a wrong event",
      withTurn({ events: [{ statusUpdate: { taskId: 1 } }] }),
      /^\/turns\/0\/events\/0\/statusUpdate/,
    ],
    ["a wrong cancellation", withTurn({ canceled: "yes" }), "/turns/0/canceled must be true"],
    ["a wrong error", withTurn({ error: { name: 1 } }), "/turns/0/error/name must be a string"],
    [
      "too many turns",
      file({ turns: Array.from({ length: 1_001 }, () => ({ message, events: [] })) }),
      "/turns has more than 1000 turns",
    ],
    [
      "too many events",
      withTurn({ events: Array.from({ length: 50_001 }, () => ({ message })) }),
      "/turns/0 exceeds 50000 events in total",
    ],
    [
      "a deep value",
      withTurn({ x: JSON.parse("[".repeat(200) + "]".repeat(200)) as unknown }),
      "The file is nested more than 100 levels deep",
    ],
    [
      "a very deep value",
      "[".repeat(100_000) + "]".repeat(100_000),
      "The file is nested more than 100 levels deep",
    ],
    ["too many characters", " ".repeat(2 ** 26 + 1), /^The file has 67,108,865 characters/],
  ])("a file with %s is refused with the path of the wrong member", (_name, text, expected) => {
    expect(refusalOf(text)).toMatch(expected);
  });

  it("members that the format does not have are left out, also those of prototypes", () => {
    const hostile = withTurn({
      message: { ...message, parts: [{ data: JSON.parse('{"__proto__": {"x": 1}}') as unknown }] },
      script: "alert(1)",
    }).replace('"turns"', '"__proto__": {"polluted": true}, "turns"');
    const conversation = readConversation(hostile);
    expect(Object.keys(conversation)).toEqual(["format", "version", "agent", "turns"]);
    expect(Object.keys(conversation.turns[0] ?? {})).toEqual(["message", "events"]);
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
    expect(writeConversation(conversation)).toContain('"__proto__": {');
  });

  it("ids, timestamps, metadata and repetitions that were added to a file are removed again", async () => {
    const conversation = await conversationWith(["Tea"], "Hi");
    const edited = writeConversation(conversation)
      .replaceAll("task-1", "b6f3")
      .replaceAll("context-1", "c")
      .replace('"state": "TASK_STATE_WORKING"', '"timestamp": "2026-01-01T00:00:00Z", $&');
    expect(readConversation(edited)).toEqual(conversation);
  });

  it("a file contains no credentials of the URL, of webhooks and of metadata", () => {
    const log = new ConversationLog();
    const metadata = { "x-api-key": "secret-1", note: { password: "secret-2", kept: "yes" } };
    log.begin({ ...message, metadata, parts: [{ text: "Hi", metadata: { token: "secret-3" } }] });
    const url = "https://ada:secret-4@agent.test/path?api_key=secret-5#secret-6";
    const text = writeConversation(log.conversation({ ...agent, url }));
    expect(text).not.toContain("secret");
    expect(text).toContain('"kept": "yes"');
    expect(text).toContain('"https://agent.test/path"');
  });

  it("events after the end of the room cost no comparison with the content before", () => {
    const log = new ConversationLog();
    const turn = log.begin(message);
    const snapshot = (text: string): Task => ({
      id: "t",
      contextId: "c",
      status: { state: "TASK_STATE_WORKING" },
      artifacts: [{ artifactId: "a", parts: [{ text }] }],
    });
    turn.add({ task: snapshot("x".repeat(2 ** 24 - 1_000)) });
    turn.add({ task: snapshot("y".repeat(2 ** 24)) });
    // With comparisons, this takes minutes.
    for (let count = 0; count < 20_000; count += 1) turn.add({ task: snapshot("z") });
    expect(turn.state).toBe("TASK_STATE_WORKING");
    expect(() => log.conversation(agent)).toThrow("too long to be saved");
  });

  it("artifacts whose chunks alternate are read in a time that is linear", () => {
    const chunk = (index: number) => ({
      artifactUpdate: {
        taskId: "task-1",
        contextId: "context-1",
        artifact: { artifactId: `artifact-${(index % 2) + 1}`, parts: [{ data: index }] },
        append: index > 1,
      },
    });
    const events = Array.from({ length: 49_000 }, (_, index) => chunk(index));
    const saved = readConversation(withTurn({ events }));
    // With a copy for each chunk, this takes a minute.
    expect(compareConversations(saved, saved)).toEqual([]);
  });

  it("a conversation with too many characters or events cannot be saved, and keeps no more", () => {
    const log = new ConversationLog();
    const turn = log.begin(message);
    const text = "x".repeat(2 ** 22);
    const ids = { taskId: "t", contextId: "c" };
    for (let index = 0; index < 8; index += 1)
      turn.add({
        artifactUpdate: { ...ids, artifact: { artifactId: `a-${index}`, parts: [{ text }] } },
      });
    expect(() => log.conversation(agent)).toThrow("too long to be saved");
    expect(JSON.stringify(turn.saved()).length).toBeLessThan(2 ** 24 + 1_000);
  });

  it("an artifact that the agent replaces again and again takes room once", () => {
    const log = new ConversationLog();
    const turn = log.begin(message);
    const ids = { taskId: "t", contextId: "c" };
    const artifactOf = (text: string) => ({ artifactId: "a", parts: [{ text }] });
    for (const digit of "0123456789")
      turn.add({ artifactUpdate: { ...ids, artifact: artifactOf(digit.repeat(2 ** 22)) } });
    turn.add({ artifactUpdate: { ...ids, artifact: artifactOf("Done") } });
    const [first, ...others] = log.conversation(agent).turns[0]?.events ?? [];
    expect([first?.artifactUpdate?.artifact.parts, others]).toEqual([[{ text: "Done" }], []]);
  });

  it("large conversations are compared in linear time", async () => {
    const long = (word: string, count: number) => {
      const log = new ConversationLog();
      const turn = log.begin(message);
      for (let index = 0; index < count; index += 1)
        turn.add({
          statusUpdate: {
            taskId: "t",
            contextId: "c",
            status: {
              state: "TASK_STATE_WORKING",
              message: { messageId: `${index}`, role: "ROLE_AGENT", parts: [{ text: word }] },
            },
          },
        });
      return log.conversation(agent);
    };
    const pairOf = (count: number) => ({ count, a: long("a", count), b: long("b", count) });
    await expectLinearTime(40_000, pairOf, ({ count, a, b }) => {
      const differences = compareConversations(a, b, { events: true });
      expect(differences.map(({ text }) => text)).toContain(
        `the events differ: ${count} instead of ${count}`,
      );
    });
  });
});
