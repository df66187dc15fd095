import { describe, expect, it } from "vitest";
import type { StreamResponse } from "../../../../generated/1.1-draft/models.js";
import { TaskState } from "../../../../generated/1.1-draft/models.js";
import { authRequestOf } from "../../../../library/client/unbound.js";
import { followTask } from "../../../support/bound-kit.js";
import { Agent, lost, piece, request, status } from "./follow-agent.js";
import { at } from "./follow-seen.js";

const parts = [
  { text: "Sign in at https://login.test/a?b=c (or http://plain.test). javascript:alert(1)" },
  { url: "https://login.test/page" },
  { url: "javascript:alert(1)" },
  { url: "http://plain.test" },
];
const message = { messageId: "sign-in", role: "ROLE_AGENT" as const, parts };
const waiting: StreamResponse = {
  statusUpdate: { taskId: "t", contextId: "c", status: { state: TaskState.AuthRequired, message } },
};
const log = [
  status(TaskState.Working),
  waiting,
  piece("x"),
  status(TaskState.Working),
  status(TaskState.Completed),
];

const expected = {
  kind: "authRequired",
  taskId: "t",
  contextId: "c",
  message,
  text: parts[0]?.text,
  links: ["https://login.test/page", "https://login.test/a?b=c"],
};

describe("a task that requires a sign-in elsewhere", () => {
  it.each([
    ["streams", { streaming: true }],
    ["does not stream", { streaming: false }],
    [
      "loses its streams",
      {
        streaming: true,
        fault: ({ method }: { method: string }) =>
          method === "sendStreamingMessage" ? lost() : undefined,
      },
    ],
  ])("a follower receives the request for the sign-in once if the agent %s", async (what, kind) => {
    const agent = new Agent(log, kind);
    const found: unknown[] = [];
    const options = { ...at, untilEnded: true };
    const following =
      what === "loses its streams"
        ? followTask(agent, { id: "t" }, options)
        : followTask(agent, request, options);
    for await (const { authRequired } of following)
      if (authRequired !== undefined) found.push(authRequired);
    expect(found).toEqual([expected]);
  });

  it("a follower that begins with the waiting task receives the request, and ends a message there", async () => {
    const task = { id: "t", contextId: "c", status: { state: TaskState.AuthRequired, message } };
    expect(authRequestOf(task)).toEqual(expected);
    expect(authRequestOf({ ...task, status: { state: TaskState.Completed } })).toBeUndefined();
    const following = followTask(new Agent(log.slice(0, 2), { streaming: true }), request, at);
    const requests: unknown[] = [];
    for await (const { authRequired } of following) requests.push(authRequired?.kind);
    expect(requests).toEqual([undefined, undefined, "authRequired"]);
    expect((await following.result()).task?.status.state).toBe(TaskState.AuthRequired);
  });
});
