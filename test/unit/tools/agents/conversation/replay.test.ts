import { describe, expect, it } from "vitest";
import { UnsupportedOperationError } from "../../../../../generated/1.0/errors.js";
import {
  artifact,
  completed,
  failed,
  inputRequired,
  textOf,
  working,
} from "../../../../../generated/1.0/kit/index.js";
import type { ScriptedAgentOptions } from "../../../../../generated/1.0/kit/testing.js";
import {
  compareConversations,
  readConversation,
  replay,
  writeConversation,
  type Conversation,
  type ReplayOptions,
} from "../../../../../tools/agents/conversation/index.js";
import { partDifferences } from "../../../../../tools/agents/conversation/compare-parts.js";
import { agent, conversationWith, talkTo } from "./talking.js";

type Turns = ScriptedAgentOptions["turns"];

const tea: Turns = [
  [working("Looking"), inputRequired("Which tea?")],
  [artifact("report.md", "text/markdown").text("# Tea\n\nGreen"), completed("Done")],
  "Bye",
];

const saved = () => conversationWith(tea, "Tea, please", "Green", "Thanks");

/** Replays a conversation against another script, and returns the differences. */
async function differencesTo(
  conversation: Conversation,
  turns: Turns,
  options: Partial<ReplayOptions> & { readonly events?: boolean } = {},
) {
  const { client, scripted } = await talkTo({ turns });
  const actual = await replay(conversation, client, { agent, ...options });
  const differences = compareConversations(conversation, actual, options);
  return {
    actual,
    messages: scripted.messages,
    differences: differences.map(({ turn, text }) => `${turn}: ${text}`),
  };
}

describe("a replay of a conversation", () => {
  it("an agent that behaves the same has no differences, and gets answers to its new tasks", async () => {
    const conversation = await saved();
    const { differences, actual, messages } = await differencesTo(conversation, tea, {
      events: true,
    });
    expect(differences).toEqual([]);
    expect(actual).toEqual(conversation);
    expect(messages.map(textOf)).toEqual(["Tea, please", "Green", "Thanks"]);
    const [first, second, third] = messages;
    expect(second?.taskId).toMatch(/^[\da-f-]{36}$/);
    expect([first?.taskId, third?.taskId]).toEqual([undefined, undefined]);
    expect(third?.contextId).toBe(second?.contextId);
  });

  it("the conversation has numbers instead of ids, and no timestamps", async () => {
    const text = writeConversation(await saved());
    expect(text).not.toMatch(/[\da-f]{8}-[\da-f]{4}-|20\d\d-/);
    expect(readConversation(text)).toEqual(await saved());
    expect(JSON.parse(text)).toMatchObject({
      turns: [
        { message: { messageId: "message-1", parts: [{ text: "Tea, please" }] } },
        {
          message: { taskId: "task-1", contextId: "context-1" },
          events: [
            { statusUpdate: { taskId: "task-1", status: { state: "TASK_STATE_WORKING" } } },
            {
              artifactUpdate: {
                taskId: "task-1",
                artifact: {
                  artifactId: "artifact-1",
                  name: "report.md",
                  parts: [{ text: "# Tea\n\nGreen", mediaType: "text/markdown" }],
                },
              },
            },
            { statusUpdate: { status: { state: "TASK_STATE_COMPLETED" } } },
          ],
        },
        { events: [{ statusUpdate: { taskId: "task-3" } }, {}, {}, {}] },
      ],
    });
  });

  it("differences are sentences about what the caller has at the end of each turn", async () => {
    const { differences } = await differencesTo(await saved(), [
      [working("Thinking"), working("Looking"), inputRequired("Which one?")],
      [artifact("report.md", "text/plain").text("# Tea\n\nBlack"), failed("Sold out")],
      [artifact("answer", "text/plain").text("Bye"), artifact("receipt").text("1 EUR")],
    ]);
    expect(differences).toEqual([
      '1: the question: the text is "Which one?" instead of "Which tea?"',
      "2: the state is failed instead of completed",
      '2: the message: the text is "Sold out" instead of "Done"',
      '2: artifact report.md: the text differs at line 3: "Black" instead of "Green"',
      '2: artifact report.md: the media type is "text/plain" instead of "text/markdown"',
      "3: there is a new artifact receipt",
    ]);
  });

  it("a difference in a long text is displayed with the text around it", () => {
    const numbers = Array.from({ length: 200 }, (_, index) => String(index)).join(" ");
    const [difference = ""] = partDifferences(
      [{ text: numbers }],
      [{ text: numbers.replace(" 150 ", " one ") }],
    );
    expect(difference).toMatch(
      /^the text is "….* 149 one 151 .*…" instead of "….* 149 150 151 .*…"$/,
    );
  });

  it("artifacts that have the same name are compared in their order", async () => {
    const draft = (text: string, id: string) => artifact("draft", undefined, { id }).text(text);
    const turns: Turns = [[draft("Tea", "one"), draft("Cake", "two"), completed("Done")]];
    const conversation = await conversationWith(turns, "Plan");
    expect(compareConversations(conversation, conversation)).toEqual([]);
    const { differences } = await differencesTo(conversation, [
      [draft("Tea", "one"), draft("Pie", "two"), completed("Done")],
    ]);
    expect(differences).toEqual(['1: artifact draft: the text is "Pie" instead of "Cake"']);
  });

  it("event by event, progress counts, but not the chunks of an artifact", async () => {
    const turns: Turns = [["One ", "two ", working("Half"), "three"]];
    const conversation = await conversationWith(turns, "Count");
    const other: Turns = [["One two", working("Half"), working("Almost"), " three"]];
    expect((await differencesTo(conversation, other)).differences).toEqual([]);
    expect((await differencesTo(conversation, other, { events: true })).differences).toEqual([
      '1: one more status update: working "Almost"',
    ]);
  });

  it("an agent that asks where the saved agent did not gets the next message as a new task", async () => {
    const conversation = await conversationWith(["Tea", "Cake"], "First", "Second");
    const { differences, messages } = await differencesTo(conversation, [
      inputRequired("Really?"),
      "Cake",
    ]);
    expect(differences[0]).toBe("1: the state is input required instead of completed");
    expect(messages.map(({ taskId }) => taskId)).toEqual([undefined, undefined]);
    expect(differences.filter((text) => text.startsWith("2"))).toEqual([]);
  });

  it("the answer to a question that the agent no longer asks starts a new task", async () => {
    const { differences, messages } = await differencesTo(await saved(), [
      "Green tea",
      "# Tea",
      "Bye",
    ]);
    expect(messages[1]?.taskId).toBeUndefined();
    expect(differences).toContain("1: the state is completed instead of input required");
    expect(differences).toContain(
      "2: the answer belongs to the task that began in turn 2 instead of the task that began in turn 1",
    );
  });

  it("an error of the agent is a difference, and the replay continues", async () => {
    const refusing: Turns = ["Tea", new UnsupportedOperationError("Closed"), "Cake"];
    const conversation = await conversationWith(["Tea", "Tea", "Cake"], "a", "b", "c");
    expect((await differencesTo(conversation, refusing)).differences).toEqual([
      '2: the call fails with UnsupportedOperationError: "Closed"',
    ]);
    const { client, log } = await talkTo({ turns: refusing });
    for (const text of ["a", "b", "c"]) {
      const message = { messageId: text, role: "ROLE_USER" as const, parts: [{ text }] };
      await client.sendMessage({ message }).catch(() => undefined);
    }
    const withError = log.conversation(agent);
    expect(withError.turns[1]?.error).toEqual({
      name: "UnsupportedOperationError",
      message: "Closed",
    });
    expect((await differencesTo(withError, refusing)).differences).toEqual([]);
    expect((await differencesTo(withError, ["Tea", "Tea", "Cake"])).differences).toEqual([
      "2: the call does not fail with UnsupportedOperationError",
    ]);
  });

  it("a turn that takes too long ends the replay, whose later turns are missing", async () => {
    const conversation = await conversationWith(["Tea", "Cake"], "a", "b");
    const never: Turns = [[() => new Promise<undefined>(() => undefined)], "Cake"];
    const { differences } = await differencesTo(conversation, never, { turnMs: 200 });
    expect(differences).toEqual([
      expect.stringContaining("1: the call fails with TimeoutError"),
      "2: the turn is missing",
    ]);
  });

  it("a replay that is stopped throws the reason of its signal", async () => {
    const conversation = await conversationWith(["Tea"], "a");
    const stop = new AbortController();
    const never: Turns = [() => stop.abort(new Error("Stopped"))];
    await expect(differencesTo(conversation, never, { signal: stop.signal })).rejects.toThrow(
      "Stopped",
    );
  });

  it("an agent that cannot be reached is an error, and no difference", async () => {
    const conversation = await conversationWith(["Tea"], "a");
    const { client } = await talkTo({ turns: [], onRequest: down });
    await expect(replay(conversation, client, { agent })).rejects.toThrow("fetch failed");
  });

  it("a task that its user has canceled is canceled after the same results", async () => {
    const turns: Turns = [["Tea ", () => new Promise<undefined>(() => undefined)]];
    const { client, log } = await talkTo({ turns });
    const message = { messageId: "m", role: "ROLE_USER" as const, parts: [{ text: "Write" }] };
    for await (const { task, artifactUpdate } of client.sendStreamingMessage({ message }))
      if (artifactUpdate !== undefined) await client.cancelTask({ id: artifactUpdate.taskId });
      else expect(task?.status.state ?? "").not.toBe("TASK_STATE_FAILED");
    const conversation = log.conversation(agent);
    expect(conversation.turns[0]?.canceled).toBe(true);
    expect((await differencesTo(conversation, turns)).differences).toEqual([]);
    expect((await differencesTo(conversation, ["Tea "])).differences).toContain(
      "1: the state is completed instead of canceled",
    );
  });
});

function down(request: Request): undefined {
  if (request.method === "POST")
    throw new TypeError("fetch failed", { cause: { code: "ECONNREFUSED" } });
}
