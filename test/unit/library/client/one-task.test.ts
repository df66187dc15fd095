import { describe, expect, it } from "vitest";
import { remoteAgent } from "../../../../generated/1.0/kit/client/index.js";
import {
  InvalidAgentResponseError,
  TransportError,
  type SendMessageResponse,
  type StreamResponse,
  type Task,
} from "../../../../generated/1.0/index.js";
import type { RemoteClient } from "../../../../library/client/answer.js";
import { aCard } from "../../../support/cards.js";

const working = { state: "TASK_STATE_WORKING" } as const;
const done = { state: "TASK_STATE_COMPLETED" } as const;
const waiting = { state: "TASK_STATE_INPUT_REQUIRED" } as const;

const taskOf = (id: string, status: Task["status"] = done): Task => ({
  id,
  contextId: "c",
  status,
  artifacts: [{ artifactId: "a", parts: [{ text: `text of ${id}` }] }],
});

/** Events of each kind about a task. */
const kinds: readonly [string, (id: string) => StreamResponse][] = [
  ["a task", (id) => ({ task: taskOf(id) })],
  ["a status", (id) => ({ statusUpdate: { taskId: id, contextId: "c", status: done } })],
  [
    "an artifact",
    (taskId) => ({
      artifactUpdate: {
        taskId,
        contextId: "c",
        artifact: { artifactId: "b", parts: [{ text: "secret" }] },
      },
    }),
  ],
  [
    "a reply",
    (taskId) => ({
      message: { messageId: "r", taskId, role: "ROLE_AGENT", parts: [{ text: "secret" }] },
    }),
  ],
];

/** A script: what the agent responds to each method. An error ends a stream. */
interface Script {
  readonly streaming?: boolean;
  readonly send?: SendMessageResponse;
  readonly stream?: readonly (StreamResponse | Error)[];
  readonly subscription?: readonly (StreamResponse | Error)[];
  readonly tasks?: readonly Task[];
}

/** Returns a remote agent whose responses are scripted, and the names of the calls. */
function scripted({ streaming = true, send, stream = [], subscription = [], tasks = [] }: Script) {
  const calls: string[] = [];
  const left = [...tasks];
  async function* events(name: string, values: readonly (StreamResponse | Error)[]) {
    calls.push(name);
    await Promise.resolve();
    for (const value of values) {
      if (value instanceof Error) throw value;
      yield value;
    }
  }
  const client: RemoteClient = {
    card: aCard("http://agent.test", { capabilities: { streaming } }),
    getTask() {
      calls.push("getTask");
      const task = left.length > 1 ? left.shift() : left[0];
      return Promise.resolve(task ?? taskOf("asked", waiting));
    },
    sendMessage() {
      calls.push("sendMessage");
      return Promise.resolve(send ?? { task: taskOf("asked") });
    },
    sendStreamingMessage: () => events("sendStreamingMessage", stream),
    subscribeToTask: () => events("subscribeToTask", subscription),
    cancelTask() {
      calls.push("cancelTask");
      return Promise.resolve(taskOf("asked"));
    },
    close: () => undefined,
  };
  return { agent: remoteAgent(client as never), calls };
}

const lost = new TransportError("The connection was lost", { url: "http://agent.test" });
const quick = { delayMs: () => 0 };

/** Checks that an answer fails because the agent has mixed the tasks `asked` and `other`. */
async function expectMixed(answer: { result(): Promise<unknown> }): Promise<void> {
  const failure: unknown = await answer.result().catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(InvalidAgentResponseError);
  expect(failure).toMatchObject({
    message: 'The agent is at fault: its response about the task "asked" contains the task "other"',
  });
}

describe("an answer about another task", () => {
  it.each(kinds)("a stream that begins with %s of another task is an error", async (_, event) => {
    const { agent, calls } = scripted({ stream: [event("other")] });
    const answer = agent.ask("For two", { taskId: "asked", ...quick });
    const updates: unknown[] = [];
    const failure = await (async () => {
      for await (const update of answer) updates.push(update);
    })().catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(InvalidAgentResponseError);
    expect(updates).toEqual([]);
    await expectMixed(answer);
    expect(calls).toEqual(["getTask", "sendStreamingMessage"]);
  });

  it.each(kinds)(
    "a stream that continues with %s of another task is an error",
    async (_, event) => {
      for (const options of [{ taskId: "asked" }, {}]) {
        const { agent, calls } = scripted({
          stream: [{ task: taskOf("asked", working) }, event("other")],
        });
        await expectMixed(agent.ask("For two", { ...options, ...quick }));
        expect(calls.at(-1)).toBe("sendStreamingMessage");
      }
    },
  );

  it.each([
    ["a task", { task: taskOf("other") }],
    ["a reply", kinds[3]?.[1]("other") as SendMessageResponse],
  ])("a response that is %s of another task is an error", async (_, send) => {
    const { agent, calls } = scripted({ streaming: false, send });
    await expectMixed(agent.ask("For two", { taskId: "asked", ...quick }));
    expect(calls).toEqual(["getTask", "sendMessage"]);
  });

  it("another task from a poll is an error", async () => {
    const { agent, calls } = scripted({
      streaming: false,
      send: { task: taskOf("asked", working) },
      tasks: [taskOf("other")],
    });
    await expectMixed(agent.ask("Tea", quick));
    expect(calls).toEqual(["sendMessage", "getTask"]);
  });

  it("another task that is read before the message is sent is an error", async () => {
    const { agent, calls } = scripted({ tasks: [taskOf("other", waiting)] });
    await expectMixed(agent.ask("For two", { taskId: "asked", ...quick }));
    expect(calls).toEqual(["getTask"]);
  });

  it.each(kinds)("%s of another task after a lost connection is an error", async (_, event) => {
    const start: readonly StreamResponse[] = [{ task: taskOf("asked", working) }];
    const { agent } = scripted({
      stream: [...start, lost],
      subscription: [...start, event("other")],
    });
    await expectMixed(agent.ask("Tea", quick));
  });

  it("another task is an error if a task is followed", async () => {
    const polled = scripted({ streaming: false, tasks: [taskOf("other")] });
    await expectMixed(polled.agent.follow("asked", quick));
    const streamed = scripted({ subscription: [{ task: taskOf("other") }] });
    await expectMixed(streamed.agent.follow("asked", quick));
    expect(streamed.calls).toEqual(["subscribeToTask"]);
  });

  it("another task that confirms the end of a resumed stream is an error", async () => {
    const chunk = (text: string): StreamResponse => ({
      artifactUpdate: {
        taskId: "asked",
        contextId: "c",
        append: true,
        artifact: { artifactId: "a", parts: [{ text }] },
      },
    });
    const end: StreamResponse = { statusUpdate: { taskId: "asked", contextId: "c", status: done } };
    const { agent } = scripted({
      subscription: [{ task: taskOf("asked", working) }, chunk("more"), end],
      tasks: [taskOf("other")],
    });
    await expectMixed(agent.follow("asked", quick));
  });

  it("the error contains the beginning of an id of any length", async () => {
    const { agent } = scripted({ stream: [{ task: taskOf("x\n".repeat(10_000)) }] });
    const failure: unknown = await agent
      .ask("For two", { taskId: "asked", ...quick })
      .result()
      .catch((error: unknown) => error);
    expect(String(failure)).not.toContain("\n");
    expect(String(failure).length).toBeLessThan(400);
  });

  it("a reply that names a new task, or none, is an answer", async () => {
    const reply = (taskId?: string): StreamResponse => ({
      message: {
        messageId: "r",
        role: "ROLE_AGENT",
        parts: [{ text: "Hi" }],
        ...(taskId !== undefined && { taskId }),
      },
    });
    for (const [event, options] of [
      [reply("new"), {}],
      [reply(), { taskId: "asked" }],
      [reply("asked"), { taskId: "asked" }],
    ] as const) {
      const { agent } = scripted({ stream: [event] });
      expect((await agent.ask("Hello", { ...options, ...quick }).result()).text).toBe("Hi");
    }
  });
});
