import { describe, expect, it } from "vitest";
import {
  InvalidParamsError,
  PermissionDeniedError,
  TaskNotFoundError,
} from "../../../../generated/1.1-draft/errors.js";
import { TaskState, type Task } from "../../../../generated/1.1-draft/models.js";
import { followTask } from "../../../support/bound-kit.js";
import { TransportError } from "../../../../library/runtime/protocol/transport.js";
import { all } from "../../../support/everywhere.js";
import { processorTime } from "../../../support/processor-time.js";
import {
  Agent,
  broken,
  counted,
  lost,
  piece,
  request,
  status,
  submitted,
  type AgentKind,
  type Fault,
  type Moment,
} from "./follow-agent.js";
import { at, log, once, taken, textOf, whole, words } from "./follow-seen.js";

describe("a follower", () => {
  it("a follower yields each event of the stream with the task after it, until the task has ended", async () => {
    const agent = new Agent([...log, piece("late")], { streaming: true });
    const seen = await all(followTask(agent, request, at));
    expect(words(seen)).toEqual(whole);
    expect(seen.map(({ task }) => textOf(task))).toEqual(["", "", "a", "ab", "ab"]);
    expect(seen.at(-1)?.task).toEqual({ ...agent.task, artifacts: seen.at(-1)?.task?.artifacts });
    expect(agent.methods).toEqual(["sendStreamingMessage"]);
    expect(agent.open).toBe(0);
  });

  it("the result of a follower is the task at its end, even if a part was read before", async () => {
    const agent = new Agent(log, { streaming: true });
    const following = followTask(agent, request, at);
    await following.next();
    expect(textOf((await following.result()).task)).toBe("ab");
    expect(await following.result()).toEqual({ task: agent.task });
  });

  it("a follower ends with a message if the agent creates no task", async () => {
    const message = { messageId: "r", role: "ROLE_AGENT" as const, parts: [{ text: "pong" }] };
    const agent = new Agent([], { streaming: false });
    agent.sendMessage = () => Promise.resolve({ message });
    const following = followTask(agent, request, at);
    expect(await all(following)).toEqual([{ message, event: { message } }]);
    expect(await following.result()).toEqual({ message });
  });

  it.each([
    ["an error of the connection", lost()],
    ["an error of the agent", broken()],
    ["an early end of the stream", "end"],
    ["silence", "hang"],
  ] as const)(
    "a follower subscribes again after any event that is followed by %s",
    async (_, fault) => {
      for (const cut of [0, 1, 2, 3]) {
        const agent = new Agent(log, {
          streaming: true,
          fault: once(
            fault,
            ({ event, happened }) =>
              event?.task === undefined && event !== undefined && happened === cut,
          ),
        });
        expect(words(await all(followTask(agent, request, { ...at, silenceMs: 20 })))).toEqual(
          whole,
        );
        expect(agent.methods).toEqual(["sendStreamingMessage", "subscribeToTask"]);
        expect(agent.open).toBe(0);
      }
    },
  );

  it("a follower reports changes during a lost connection as events", async () => {
    const agent: Agent = new Agent(log, {
      streaming: true,
      fault: ({ method, event, happened }) => {
        if (method !== "sendStreamingMessage" || event === undefined || happened < 1)
          return undefined;
        agent.happened = log.length;
        return lost();
      },
    });
    const seen = await all(followTask(agent, request, at));
    expect(words(seen)).toEqual(["task submitted", "working", "a,b", "completed"]);
    expect(agent.methods).toEqual(["sendStreamingMessage", "subscribeToTask", "getTask"]);
  });

  it.each([
    ["does not stream", { streaming: false }, ["sendMessage", "getTask"]],
    [
      "does not support subscriptions",
      { streaming: true, subscribes: false },
      ["sendStreamingMessage", "subscribeToTask"],
    ],
  ] satisfies [string, AgentKind, string[]][])(
    "a follower polls the task of an agent that %s",
    async (_, kind, first) => {
      const fault = once(lost(), ({ event, happened }) => event !== undefined && happened === 1);
      const agent = new Agent(log, { ...kind, fault });
      expect(
        words(await all(followTask(agent, request, at))).map((word) => word.replace("+", "")),
      ).toEqual(whole.map((word) => word.replace("+", "")));
      expect(agent.methods.slice(0, 2)).toEqual(first);
      expect(new Set(agent.methods.slice(2))).toEqual(new Set(["getTask"]));
    },
  );

  it.each<[string, Error]>([
    ["the task is not found", new TaskNotFoundError()],
    ["the id is invalid", new InvalidParamsError()],
    ["the request is invalid", new TransportError("x", { url: "test:", status: 400 })],
  ])(
    "a follower polls the task of an agent that refuses a subscription because %s",
    async (_, refusal) => {
      const cut = once(lost(), ({ event, happened }) => event !== undefined && happened === 1);
      const agent = new Agent(log, {
        streaming: true,
        counts: false,
        fault: (moment) => (moment.method === "subscribeToTask" ? refusal : cut(moment)),
      });
      const seen = await all(followTask(agent, request, at));
      expect(words(seen)).toEqual(["task submitted", "working", "a", "+b", "completed"]);
      expect(agent.methods.filter((method) => method === "subscribeToTask")).toHaveLength(1);
    },
  );

  it("a follower throws the error for the task itself if the agent refuses a subscription", async () => {
    const agent = new Agent(log, { streaming: true, fault: () => new PermissionDeniedError() });
    await expect(all(followTask(agent, { id: "t" }, at))).rejects.toThrow(PermissionDeniedError);
    expect(agent.methods).toEqual(["subscribeToTask", "getTask"]);
  });

  it.each([
    ["sends each chunk", (task: Task) => task],
    ["joins chunks", joinedText],
  ])(
    "a follower corrects an artifact of an agent that %s and repeats a chunk after a subscription",
    async (_, shown) => {
      const cut = once(
        lost(),
        ({ event, happened }) => event?.artifactUpdate !== undefined && happened === 2,
      );
      const agent = new Agent(log, {
        streaming: true,
        counts: false,
        shown,
        pass: () => 0,
        replays: () => 1,
        fault: cut,
      });
      const following = followTask(agent, request, at);
      const seen = await all(following);
      expect(textOf((await following.result()).task)).toBe("ab");
      expect(words(seen).at(-1)).toBe("completed");
      expect(agent.methods).toEqual(["sendStreamingMessage", "subscribeToTask", "getTask"]);
    },
  );

  it("a follower relies on the events of a subscription if the task cannot be read or is outdated", async () => {
    const cut = once(
      lost(),
      ({ event, happened }) => event?.artifactUpdate !== undefined && happened === 1,
    );
    for (const fails of [true, false]) {
      const agent = new Agent(log, {
        streaming: true,
        counts: false,
        pass: () => 0,
        fault: (moment) => (fails && moment.method === "getTask" ? broken() : cut(moment)),
      });
      const early = agent.getTask.bind(agent);
      agent.getTask = async (asked) => ({
        ...(await early(asked)),
        status: { state: TaskState.Submitted },
      });
      const following = followTask(agent, request, at);
      expect(words(await all(following)).at(-1)).toBe("completed");
      expect(textOf((await following.result()).task)).toBe("ab");
    }
  });

  it("a follower sends the current generation to an agent that counts generations", async () => {
    const agent = new Agent(log, { streaming: false });
    await followTask(agent, request, at).result();
    expect(agent.calls[0]?.request).toEqual({
      ...request,
      configuration: { returnImmediately: true },
    });
    expect(agent.calls[1]?.request).toEqual({ id: "t", currentGeneration: "1" });
    const other = new Agent(log, { streaming: false, counts: false });
    await followTask(
      other,
      { ...request, tenant: "x", configuration: { historyLength: 2 } },
      at,
    ).result();
    expect(other.calls[1]?.request).toEqual({ id: "t", tenant: "x", historyLength: 2 });
  });

  it("a follower reads the task if generations show that an event is missing", async () => {
    const fault = ({ event, happened }: Moment): Fault =>
      event?.artifactUpdate && happened === 1 ? "skip" : undefined;
    const agent = new Agent(log, { streaming: true, fault, pass: () => 0 });
    expect(words(await all(followTask(agent, request, at)))).toEqual([
      "task submitted",
      "working",
      "a,b",
      "completed",
    ]);
    expect(agent.methods).toEqual(["sendStreamingMessage", "getTask"]);
  });

  it("a follower relies on events if generations are inconsistent, and never returns to an earlier state", async () => {
    const stray = [counted(piece("a"), 100), counted(status(TaskState.Completed), 200)];
    const agent = new Agent([], { streaming: true });
    agent.sendStreamingMessage = async function* () {
      yield* [{ task: { ...submitted, generation: "7" } }, ...(await Promise.resolve(stray))];
    };
    expect(words(await all(followTask(agent, request, at)))).toEqual([
      "task submitted",
      "+a",
      "completed",
    ]);
    expect(agent.methods).toEqual(["getTask"]);
  });

  it.each([
    ["1,2,2,2", [2, 2, 2, 3]],
    ["1,2,3,3,3", [2, 3, 3, 3]],
  ])(
    "a follower loses no artifact if the agent counts generations at first and then repeats a generation: %s",
    async (_, generations) => {
      const events = [
        status(TaskState.Working),
        piece("a"),
        piece("b"),
        status(TaskState.Completed),
      ];
      const agent = new Agent([], { streaming: true });
      agent.sendStreamingMessage = async function* () {
        yield* [{ task: { ...submitted, generation: "1" } }];
        for (const [index, event] of events.entries())
          yield await Promise.resolve(counted(event, generations[index] ?? 0));
      };
      const seen = await all(followTask(agent, request, at));
      expect(words(seen)).toEqual(["task submitted", "working", "+a", "+b", "completed"]);
      expect(textOf(seen.at(-1)?.task)).toBe("ab");
    },
  );

  it("a follower processes a repeated event once", async () => {
    const agent = new Agent(log, {
      streaming: true,
      fault: ({ event }) => (event?.task ? undefined : "twice"),
    });
    expect(words(await all(followTask(agent, request, at)))).toEqual(whole);
  });

  it("a follower ignores generations of more than 64 bits", async () => {
    const generation = "9".repeat(10_000_000);
    const agent = new Agent([], { streaming: true });
    agent.sendStreamingMessage = async function* () {
      yield* [
        { task: { ...submitted, generation } },
        await Promise.resolve(status(TaskState.Completed)),
      ];
    };
    const before = processorTime();
    expect(words(await all(followTask(agent, request, at)))).toEqual([
      "task submitted",
      "completed",
    ]);
    expect(processorTime() - before).toBeLessThan(300);
  });

  it("a follower accepts a stream that starts with an update and a subscription that does not start with the task", async () => {
    const agent = new Agent(log, { streaming: true, counts: false, pass: () => 0 });
    const [send, subscribe] = [
      agent.sendStreamingMessage.bind(agent),
      agent.subscribeToTask.bind(agent),
    ];
    agent.sendStreamingMessage = async function* (...given) {
      for await (const event of send(...given)) {
        if (event.artifactUpdate !== undefined) return;
        if (event.task === undefined) yield event;
      }
    };
    agent.subscribeToTask = async function* (...given) {
      for await (const event of subscribe(...given)) if (event.task === undefined) yield event;
    };
    expect(words(await all(followTask(agent, request, at)))).toEqual([
      "working",
      "a,b",
      "completed",
    ]);
  });

  it("a follower accepts events of an agent that counts tasks but not events", async () => {
    const agent = new Agent(log, {
      streaming: true,
      counts: false,
      shown: (task) => ({ ...task, generation: "7" }),
    });
    expect(words(await all(followTask(agent, request, at)))).toEqual(whole);
  });

  it("a follower ignores an earlier state of the task", async () => {
    const agent = new Agent(log, { streaming: false });
    const getTask = agent.getTask.bind(agent);
    let reads = 0;
    agent.getTask = async (asked) => {
      const task = await getTask(asked);
      return (reads += 1) % 2 === 0 ? { ...submitted, generation: "1" } : task;
    };
    expect(words(await all(followTask(agent, request, at)))).toEqual([
      "task submitted",
      "working",
      "a,b",
      "completed",
    ]);
  });

  it("a follower increases its delays while nothing changes, and does not wait for a change after a failure", async () => {
    const attempts: number[] = [];
    const delayMs = (attempt: number) => (attempts.push(attempt), 0);
    const passed = [0, 0, 1, 0, 3];
    let asked = 0;
    const agent = new Agent(log, {
      streaming: false,
      pass: () => passed.shift() ?? 0,
      fault: ({ method }) => (method === "getTask" && (asked += 1) % 2 === 0 ? lost() : undefined),
    });
    await followTask(agent, request, { delayMs, retries: 1 }).result();
    expect(attempts).toEqual([0, 1, 2, 3, 4, 0, 1, 2, 3]);
    const waits = agent.calls.slice(1).map(({ request: sent }) => "currentGeneration" in sent);
    expect(waits).toEqual([true, true, false, true, false, true, false, true, false]);
  });

  it("a follower may run longer than the time-out of a call", async () => {
    const agent = new Agent(log, { streaming: true });
    const limits: unknown[] = [];
    const send = agent.sendStreamingMessage.bind(agent);
    agent.sendStreamingMessage = (sent, options) => {
      limits.push(options?.timeoutMs);
      return send(sent, options);
    };
    await followTask(agent, request, at).result();
    expect(limits).toEqual([Infinity]);
  });

  it("a follower can start with a known task and yields only changes", async () => {
    const agent = new Agent(log, { streaming: true });
    const [first] = await all(taken(followTask(agent, { id: "t" }, at), 1));
    agent.happened = 2;
    const following = followTask(agent, first?.task ?? submitted, at);
    expect(words(await all(following))).toEqual(["a", "working", "+b", "completed"]);
    const count = agent.calls.length;
    expect(await followTask(agent, (await following.result()).task, at).result()).toEqual({
      task: agent.task,
    });
    expect(agent.calls).toHaveLength(count);
  });
});

function joinedText(task: Task): Task {
  const artifacts = task.artifacts?.map((artifact) => ({
    ...artifact,
    parts: [{ text: artifact.parts.map(({ text = "" }) => text).join("") }],
  }));
  return { ...task, ...(artifacts && { artifacts }) };
}
