import { describe, expect, it, vi } from "vitest";
import { all, refusal } from "../../support/everywhere.js";
import { at } from "../interop/json.js";
import {
  artifactsOf,
  begin,
  contentOf,
  editions,
  idOf,
  onEveryBinding,
  outline,
  read,
  send,
  sendMessage,
  stateOf,
  stream,
  streamed,
  textsOf,
  userMessage,
} from "./editions.js";

describe.each(editions)("$version over every binding", (edition) => {
  const { dialect, version } = edition;

  it("the agent returns the finished task with the text as an artifact and the message in its history", async () => {
    const task = await onEveryBinding(edition, (side) => send(side, "hello there"));
    const expected = dialect.task({
      id: "id-1",
      contextId: "id-2",
      status: {
        state: "TASK_STATE_COMPLETED",
        timestamp: `2026-01-01T00:00:0${version === "1.0" ? 4 : 3}.250Z`,
      },
      artifacts: [
        {
          artifactId: version === "1.0" ? "echo-1" : "id-3",
          name: "echo",
          parts: [{ text: "hello " }, { text: "there" }],
        },
      ],
      history: [userMessage("hello there", { taskId: "id-1", contextId: "id-2" })],
    });
    expect(task).toEqual(JSON.parse(JSON.stringify(expected)));
  });

  it("the agent returns a plain message on request", async () => {
    const message = await onEveryBinding(edition, (side) =>
      sendMessage(side, userMessage("message: hi")),
    );
    expect(message).toMatchObject({ role: expect.stringMatching(/agent$/i) as string });
    expect(textsOf(message["parts"])).toEqual(["hi"]);
    expect([message["messageId"], message["contextId"]].toSorted()).toEqual(["id-1", "id-2"]);
  });

  it.each([
    ["fail no luck", "failed", "no luck"],
    ["reject", "rejected", "I would rather not."],
    ["ask Which one?", "input-required", "Which one?"],
    ["auth", "auth-required", "Please sign in."],
  ])("the agent responds when the task has ended or paused: %s", async (text, state, says) => {
    const task = await onEveryBinding(edition, (side) => send(side, text));
    expect(stateOf(task)).toBe(state);
    expect(textsOf(at(task, "status", "message", "parts"))).toEqual([says]);
  });

  it("the agent responds immediately if the caller does not wait and the transport can represent that", async () => {
    const state = await onEveryBinding(edition, async (side) => {
      const task = await send(
        side,
        "slow 20 one two",
        {},
        { configuration: { returnImmediately: true } },
      );
      await vi.waitFor(async () => {
        const now = await read(side, idOf(task));
        expect([stateOf(now), artifactsOf(now).length]).toEqual(["completed", 1]);
      });
      // The proto of 0.3 has no way to tell false from absent here.
      const isTold = version !== "0.3.0" || side.binding !== "GRPC";
      return isTold ? stateOf(task) : stateOf(task).replace("completed", "working");
    });
    expect(state).toBe("working");
  });

  it("the agent streams the task, then every update, and ends with the task", async () => {
    const events = await onEveryBinding(edition, async (side) => {
      const received = await all(stream(side, userMessage("one two three four five")));
      return received.map(edition.parseEvent);
    });
    expect(outline(events)).toEqual([
      "task submitted",
      "status working",
      'artifact ["one two "]',
      'artifact ["three four "]',
      'artifact ["five"]',
      "status completed",
    ]);
    const artifacts = events.map(contentOf).filter(({ kind }) => kind === "artifact");
    expect(artifacts.map(({ body }) => [at(body, "append"), at(body, "lastChunk")])).toEqual([
      [undefined, undefined],
      [true, undefined],
      [true, true],
    ]);
    // In 0.3 an update says of itself that it is the last one.
    const finals = events.map((event) => at(event, "final") === true);
    expect(finals.lastIndexOf(true)).toBe(version === "0.3.0" ? events.length - 1 : -1);
  });

  it("the agent streams exactly one message on request", async () => {
    const lines = await onEveryBinding(edition, (side) =>
      streamed(side, "message: hi", { contextId: "c" }),
    );
    expect(lines).toEqual(["message"]);
  });

  it("the agent ends the stream if the task pauses", async () => {
    const lines = await onEveryBinding(edition, (side) => streamed(side, "ask"));
    expect(lines.at(-1)).toBe("status input-required");
  });

  it("the task continues if the caller leaves the stream", async () => {
    const state = await onEveryBinding(edition, async (side) =>
      stateOf(await read(side, idOf(await begin(side, "slow 60000 never")))),
    );
    expect(state).toBe("working");
  });

  it("the agent refuses an unsupported request before the first event of a stream", async () => {
    const refused = await onEveryBinding(edition, (side) =>
      refusal(streamed(side, "hi", { taskId: "none" })),
    );
    expect(refused).toEqual({ name: "TaskNotFoundError", message: "Task not found" });
  });
});
