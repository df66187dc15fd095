import { describe, expect, it, vi } from "vitest";
import { Role, type StreamResponse } from "../../../../../generated/1.1-draft/models.js";
import { artifact } from "../../../../../library/kit/turns/artifact.js";
import { memoryStore } from "../../../../../library/kit/memory/store.js";
import { taskService } from "../../../../support/bound-kit.js";
import { playTurn, turnFor } from "../../../../../library/kit/testing/turn-for.js";
import { type Behavior, message as replyWith } from "../../../../../library/kit/turns/turn.js";
import {
  asleep,
  authRequired,
  completed,
  inputRequired,
  working,
} from "../../../../../library/kit/turns/updates.js";
import { card, gists, kitAgent, message } from "../../../../support/kit.js";

/** Something that a turn waits for until the test opens it. */
function gate() {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { open, opened };
}

describe("the task at the start of a stream", () => {
  it.each([
    [undefined, 4],
    [0, 0],
    [1, 1],
    [10, 4],
  ])(
    "the task at the start of a stream has the last messages that `historyLength` %j requests",
    async (historyLength, count) => {
      const agent = kitAgent({
        async *run({ state }) {
          yield await Promise.resolve(working("one"));
          return state === undefined ? inputRequired("two", { state: 1 }) : completed("three");
        },
      });
      const { id: taskId } = await agent.send("a");
      const configuration = historyLength === undefined ? {} : { historyLength };
      let first: StreamResponse | undefined;
      for await (const event of await agent.stream({ ...message("b", { taskId }), configuration }))
        first ??= event;
      const { history = [] } = first?.task ?? {};
      expect(history).toHaveLength(count);
      if (count > 0) expect(history.at(-1)?.messageId).toBe("m-b");
    },
  );
});

describe("a turn", () => {
  it("a turn gets the metadata of the request that cancels its task", async () => {
    const found: unknown[] = [];
    const agent = kitAgent({
      async *run({ untilAborted, cancellation }) {
        found.push(cancellation());
        yield await Promise.resolve(working());
        await untilAborted(new Promise(() => undefined)).catch(() => undefined);
        found.push(cancellation());
        return completed();
      },
    });
    const { id } = await agent.send({
      ...message("a"),
      configuration: { returnImmediately: true },
    });
    await agent.service.cancelTask({ id, metadata: { reason: "late" } }, agent.context());
    expect(found).toEqual([undefined, { metadata: { reason: "late" } }]);
  });

  it("a turn sees the version of its caller, also if a later message starts the turn", async () => {
    const versions: unknown[] = [];
    const agent = kitAgent({
      reply: ({ version }) => (version === "0.3" ? replyWith("old") : undefined),
      async *run({ version }) {
        versions.push(version);
        yield await Promise.resolve(working());
        return inputRequired();
      },
    });
    const { service, context } = agent;
    const { task } = await service.sendMessage(message("a"), context("", { version: "1.0" }));
    await service.sendMessage(
      message("b", { taskId: task?.id ?? "" }),
      context("", { version: "1.1" }),
    );
    expect(versions).toEqual(["1.0", "1.1"]);
    expect(
      (await service.sendMessage(message("c"), context("", { version: "0.3" }))).message,
    ).toBeDefined();
  });

  it("a turn activates extensions in the response to its message, also with a reply", async () => {
    const agent = kitAgent({
      reply({ message: { messageId }, activateExtension }) {
        if (messageId !== "m-ping") return undefined;
        activateExtension("urn:reply");
        return replyWith("pong");
      },
      async *run({ activateExtension }) {
        activateExtension("urn:turn");
        yield await Promise.resolve(working());
        return inputRequired();
      },
    });
    const activated: string[] = [];
    const context = agent.context("", {
      activateExtension: (uri: string) => void activated.push(uri),
    });
    await agent.service.sendMessage(message("ping"), context);
    const { task } = await agent.service.sendMessage(message("a"), context);
    await agent.service.sendMessage(message("b", { taskId: task?.id ?? "" }), context);
    expect(activated).toEqual(["urn:reply", "urn:turn", "urn:turn"]);
  });

  it("a turn sets metadata of its task", async () => {
    const agent = kitAgent({
      async *run() {
        yield await Promise.resolve(working("a", { metadata: { one: 1 } }));
        return completed("b", { metadata: { two: 2 } });
      },
    });
    expect((await agent.send("a")).metadata).toEqual({ one: 1, two: 2 });
  });

  it("a turn may wait for its caller without a message", async () => {
    const agent = kitAgent({
      async *run({ state }) {
        yield await Promise.resolve(working());
        return state === undefined ? inputRequired(undefined, { state: 1 }) : authRequired();
      },
    });
    const { id: taskId, status } = await agent.send("a");
    expect(status).toEqual({ state: "TASK_STATE_INPUT_REQUIRED", timestamp: status.timestamp });
    expect((await agent.send(message("b", { taskId }))).status.state).toBe(
      "TASK_STATE_AUTH_REQUIRED",
    );
  });
});

describe("a caller that waits", () => {
  it("a waiting caller gets its response while the turn continues, if the turn declares this", async () => {
    const { open, opened } = gate();
    const agent = kitAgent({
      async *run() {
        yield await Promise.resolve(working("Thinking"));
        yield working("Come back later", { respond: true });
        await opened;
        return completed();
      },
    });
    const task = await agent.send("a");
    expect(task.status.message?.parts).toEqual([{ text: "Come back later" }]);
    const streamed = gists(await agent.subscribe(task.id));
    open();
    expect(await streamed).toEqual(["task working", "completed"]);
  });

  it("a waiting caller gets the task as it was at that update, also if the update is the first or is emitted", async () => {
    const { open, opened } = gate();
    const agent = kitAgent({
      async *run({ emit, pending }) {
        await emit(working("First", { respond: true }));
        await pending.next();
        yield working("Second", { respond: true });
        await opened;
        return completed();
      },
    });
    const { id: taskId, status } = await agent.send("a");
    expect(status.message?.parts).toEqual([{ text: "First" }]);
    const second = await agent.send(message("b", { taskId }));
    expect(second.status.message?.parts).toEqual([{ text: "Second" }]);
    open();
    expect(await gists(await agent.subscribe(taskId))).toEqual(["task working", "completed"]);
  });
});

describe("the stream of a sender at AUTH_REQUIRED", () => {
  const withAuth = (endStreamAtAuth?: boolean, goesOn = true) => {
    const { open, opened } = gate();
    const agent = kitAgent({
      ...(endStreamAtAuth !== undefined && { endStreamAtAuth }),
      async *run() {
        if (!goesOn) return authRequired("Sign in");
        yield await Promise.resolve(authRequired("Sign in"));
        await opened;
        return completed();
      },
    });
    return { agent, open };
  };

  it("the stream ends by default while the turn continues", async () => {
    const { agent, open } = withAuth();
    expect((await gists(await agent.stream("a"))).at(-1)).toBe("auth_required Sign in");
    open();
  });

  it("the stream continues with the turn if the option is set, and ends with the turn", async () => {
    const { agent, open } = withAuth(false);
    const seen: string[] = [];
    for await (const event of await agent.stream("a")) {
      const state = event.statusUpdate?.status.state;
      if (state !== undefined) seen.push(state);
      if (state === "TASK_STATE_AUTH_REQUIRED") open();
    }
    expect(seen).toEqual(["TASK_STATE_AUTH_REQUIRED", "TASK_STATE_COMPLETED"]);
    expect((await gists(await withAuth(false, false).agent.stream("a"))).at(-1)).toBe(
      "auth_required Sign in",
    );
  });

  it("the stream of a turn that sleeps stays open if the option is set, until the task ends", async () => {
    const store = memoryStore();
    const agent = kitAgent({
      store,
      endStreamAtAuth: false,
      *run({ woken }) {
        if (woken !== undefined) return completed();
        yield authRequired("Sign in");
        return asleep();
      },
    });
    const stream = gists(await agent.stream("a"));
    const taskId = await vi.waitFor(async () => {
      const { id } = (await agent.list()).tasks[0] ?? { id: "" };
      expect((await store.read({ tenant: "", owner: "" }, id))?.turn).toHaveProperty("asleep");
      return id;
    });
    // The stream has decided whether it ends.
    await new Promise((resolve) => setImmediate(resolve));
    await agent.wake({ taskId, owner: "" });
    expect((await stream).slice(-2)).toEqual(["working", "completed"]);
  });

  it("a caller that waits without a stream always gets its response", async () => {
    const { agent, open } = withAuth(false);
    expect((await agent.send("a")).status.state).toBe("TASK_STATE_AUTH_REQUIRED");
    open();
  });
});

describe("the working state of a task", () => {
  /** Returns what a stream of a message to a new task and of one to the same task says. */
  const streamsOf = async (run: Behavior<string, number>["run"]) => {
    const agent = kitAgent<number>({ run });
    const first = await gists(await agent.stream("a"));
    const [task] = (await agent.list()).tasks;
    return [
      first,
      await gists(await agent.stream(message("b", { taskId: task?.id ?? "" }))),
    ] as const;
  };
  const later = () => new Promise((resolve) => setImmediate(resolve));

  it("a task is working before its first artifact, even if the turn begins with the artifact", async () => {
    const [first, second] = await streamsOf(async function* () {
      yield artifact("x").text("1");
      await later();
      yield artifact("y").text("2");
      return inputRequired("And?");
    });
    expect(first).toEqual(["task submitted", "working", "x 1", "y 2", "input_required And?"]);
    expect(second).toEqual(["task input_required", "working", "x 1", "y 2", "input_required And?"]);
  });

  it("a task is working before an artifact of a turn that never waits", async () => {
    const [first] = await streamsOf(function* () {
      yield artifact("x").finish("1");
      return inputRequired("And?");
    });
    expect(first).toEqual(["task submitted", "working", "x 1.", "input_required And?"]);
  });

  it("a stream contains the working state of a turn once", async () => {
    const [first, second] = await streamsOf(async function* () {
      yield await Promise.resolve(working("Thinking"));
      await later();
      return inputRequired("And?");
    });
    expect(first).toEqual(["task submitted", "working Thinking", "input_required And?"]);
    expect(second).toEqual(["task input_required", "working Thinking", "input_required And?"]);
  });

  it("a task is working as soon as a later message has started a silent turn, and a bare `working()` does not repeat it", async () => {
    const { open, opened } = gate();
    const [, second] = await streamsOf(async function* ({ task: { history = [] } }) {
      if (history.length === 1) return inputRequired("And?");
      setImmediate(open);
      await opened;
      yield working();
      yield working();
      return completed();
    });
    expect(second).toEqual(["task input_required", "working", "working", "completed"]);
  });
});

describe("a turn that throws", () => {
  const failingWith = (onFailure: (error: unknown) => never) =>
    kitAgent({
      onFailure,
      async *run() {
        yield await Promise.resolve(working());
        throw new Error("secret");
      },
    });

  it("a turn that throws fails its task with the result of `onFailure`", async () => {
    const agent = failingWith((error) => `Failed (${(error as Error).message.length})` as never);
    expect((await agent.send("a")).status.message?.parts).toEqual([{ text: "Failed (6)" }]);
    expect(agent.errors).toHaveLength(1);
  });

  it.each([
    ["throws", () => raise(new Error("No"))],
    ["returns a number", () => 7 as never],
    ["returns parts that the protocol does not allow", () => [{ text: 7 }] as never],
    ["returns nothing", () => undefined as never],
  ])(
    "a turn that throws fails its task without a message if `onFailure` %s",
    async (_, onFailure) => {
      const { status } = await failingWith(onFailure).send("a");
      expect(status).toEqual({ state: "TASK_STATE_FAILED", timestamp: status.timestamp });
    },
  );
});

it("a webhook of a message belongs to the tenant of the request and must not name another tenant", async () => {
  const store = memoryStore();
  const agent = kitAgent({
    store,
    run: async function* () {
      yield await Promise.resolve(working());
      return inputRequired();
    },
  });
  const { service, context } = agent;
  const request = (tenant: string) => ({
    ...message("a"),
    tenant: "acme",
    configuration: {
      taskPushNotificationConfig: { taskId: "", id: "w", url: "https://example.com/", tenant },
    },
  });
  await expect(
    service.sendMessage(request("other"), context("", { tenant: "acme" })),
  ).rejects.toMatchObject({
    name: "InvalidParamsError",
    details: [{ fieldViolations: [{ field: "configuration.taskPushNotificationConfig.tenant" }] }],
  });
  const { task } = await service.sendMessage(request(""), context("", { tenant: "acme" }));
  const webhooks = await store.webhooks({ tenant: "acme", owner: "" }, task?.id ?? "");
  expect(webhooks?.[0]?.config.tenant).toBe("acme");
});

it("a service can be extended with custom operations", async () => {
  const make = taskService({
    run: async function* () {
      yield await Promise.resolve(working());
      return completed();
    },
  });
  const host = { card: () => card, report: () => undefined, webhookForm: () => undefined };
  const service = { ...make(host), pauseTask: () => "paused" };
  const context = kitAgent({ run: () => raise(new Error()) }).context();
  expect((await service.sendMessage?.(message("a"), context as never))?.task?.status.state).toBe(
    "TASK_STATE_COMPLETED",
  );
  expect(service.pauseTask()).toBe("paused");
});

it("a test can run a turn with a state type of several kinds", async () => {
  type State = { readonly step: "ask" } | { readonly step: "done"; readonly answer: string };
  const behavior: Behavior<string, State> = {
    async *run({ state, checkpoint }) {
      yield await Promise.resolve(working());
      await checkpoint({ step: "ask" });
      return state?.step === "done"
        ? completed(state.answer)
        : inputRequired("And?", { state: { step: "ask" } });
    },
  };
  const { end } = await playTurn(
    behavior,
    turnFor({ state: { step: "done" as const, answer: "42" }, user: "ada" }),
  );
  expect(end.content).toEqual([{ text: "42" }]);
  const turn = turnFor({ state: { step: "done" as const, answer: "43" }, user: "ada" });
  expect((await playTurn(behavior, turn)).end.content).toEqual([{ text: "43" }]);
});

it("a test can cancel a turn with metadata and read the extensions that it activates", () => {
  const turn = turnFor();
  turn.activateExtension("urn:x");
  expect(turn.cancellation()).toBeUndefined();
  turn.cancel({ reason: "late" });
  expect([turn.cancellation(), turn.activated]).toEqual([
    { metadata: { reason: "late" } },
    ["urn:x"],
  ]);
  expect(turn.message.role).toBe(Role.User);
});

function raise(thrown: Error): never {
  throw thrown;
}
