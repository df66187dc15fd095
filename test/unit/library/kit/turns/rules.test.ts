import { describe, expect, it } from "vitest";
import type { StreamResponse, Task } from "../../../../../generated/1.1-draft/models.js";
import { artifact } from "../../../../../library/kit/turns/artifact.js";
import { message as replyWith } from "../../../../../library/kit/turns/turn.js";
import {
  authRequired,
  completed,
  inputRequired,
  textOf,
  working,
} from "../../../../../library/kit/turns/updates.js";
import { card, gist, gists, kitAgent, message } from "../../../../support/kit.js";
import { nobodies } from "../../../../support/nobodies.js";
import { asking, atOnce, waiting } from "./rule-agents.js";

describe("messages (3.1.1, 3.4)", () => {
  it("a message starts a task with generated ids, in the context that it names or in a new context", async () => {
    const { agent } = asking();
    const [one, two] = [
      await agent.send("a"),
      await agent.send(message("b", { contextId: "mine" })),
    ];
    expect(two.contextId).toBe("mine");
    expect(new Set([one.id, two.id, one.contextId, two.contextId]).size).toBe(4);
    expect(one.history?.[0]).toMatchObject({
      messageId: "m-a",
      taskId: one.id,
      contextId: one.contextId,
    });
  });

  it("a message continues the task that it names, and may omit the context", async () => {
    const { agent, turns } = asking();
    const { id, contextId } = await agent.send("a");
    expect((await agent.send(message("b", { taskId: id }))).status.state).toBe(
      "TASK_STATE_COMPLETED",
    );
    expect(turns[1]?.message).toMatchObject({ taskId: id, contextId });
    expect((await agent.get(id)).history?.at(-1)).toMatchObject({ messageId: "m-b", contextId });
  });

  it("a message is refused with another context, for an unknown task and for an ended task", async () => {
    const { agent } = asking();
    const { id } = await agent.send("a");
    const send = (taskId: string, contextId?: string) =>
      agent.send(message("b", { taskId, ...(contextId !== undefined && { contextId }) }));
    await expect(send(id, "other")).rejects.toMatchObject({ name: "InvalidParamsError" });
    await expect(send("other")).rejects.toMatchObject({ name: "TaskNotFoundError" });
    await send(id);
    await expect(send(id)).rejects.toMatchObject({ name: "UnsupportedOperationError" });
  });

  it("a turn gets the tasks that its message refers to, if the sender may read them", async () => {
    const found: (readonly { readonly id: string }[])[] = [];
    const agent = kitAgent({
      async *run({ referencedTasks, contextTasks }) {
        yield working();
        found.push(await referencedTasks(), await contextTasks());
        return completed();
      },
    });
    const [own, foreign] = [
      await agent.send(message("a", { contextId: "c" }), "ada"),
      await agent.send("b", "bob"),
    ];
    found.length = 0;
    await agent.send(
      message("c", { contextId: "c", referenceTaskIds: [own.id, foreign.id, "none"] }),
      "ada",
    );
    expect(found.map((tasks) => tasks.map(({ id }) => id))).toEqual([[own.id], [own.id]]);
  });

  it("a message is answered without a task if the agent replies, also as a stream of one message (3.1.2)", async () => {
    const agent = kitAgent({
      run: () => raise(),
      reply: ({ message: asked }) => replyWith(`${textOf(asked)}!`),
    });
    const { service, context } = agent;
    const answer = await service.sendMessage(message("ping"), context());
    expect(answer.message).toMatchObject({ role: "ROLE_AGENT", parts: [{ text: "ping!" }] });
    expect(await gists(await agent.stream("ping"))).toEqual(["message ping!"]);
    expect((await agent.list()).totalSize).toBe(0);
  });

  it("a message is refused if its parts have media types that neither the card nor a skill accepts", async () => {
    const { agent } = asking();
    const sent = agent.send({
      message: { ...message("a").message, parts: [{ raw: "", mediaType: "image/png" }] },
    });
    await expect(sent).rejects.toMatchObject({ name: "ContentTypeNotSupportedError" });
  });
});

describe("the response to a message (3.2.2)", () => {
  it("message/send returns at the end or at the first pause, or immediately if the sender does not wait", async () => {
    const { agent, go } = waiting();
    const early = await agent.send(atOnce("a"));
    expect(early.status.state).toMatch(/SUBMITTED|WORKING/);
    const late = agent.send("b");
    go();
    expect((await late).status.state).toBe("TASK_STATE_COMPLETED");
    expect((await asking().agent.send("c")).status.state).toBe("TASK_STATE_INPUT_REQUIRED");
  });

  it("message/send fails if the task ends before it has read the message", async () => {
    const { agent, go } = waiting();
    const { id } = await agent.send(atOnce("a"));
    const more = agent.send(message("more", { taskId: id }));
    const streamed = gists(await agent.stream(message("again", { taskId: id })));
    go();
    await expect(more).rejects.toMatchObject({ name: "UnsupportedOperationError" });
    await expect(streamed).rejects.toMatchObject({ name: "UnsupportedOperationError" });
    expect((await agent.get(id)).history?.map(({ messageId }) => messageId)).toContain("m-more");
  });
});

describe("streams (3.1.2, 3.1.6, 3.5.2)", () => {
  it("a stream starts and ends with the task, and all streams have the same events in the same order", async () => {
    const { agent, go } = waiting();
    const own = await collected(await agent.stream("a"), 2);
    const id = own.seen[0]?.task?.id ?? "";
    const others = await Promise.all(
      [1, 2].map(async () => collected(await agent.subscribe(id), 1)),
    );
    const left = await agent.subscribe(id);
    await left[Symbol.asyncIterator]().return?.();
    go();
    expect((await own.all).map(gist)).toEqual([
      "task submitted",
      "working At work",
      "result 42.",
      "completed Done",
    ]);
    for (const { all } of others)
      expect((await all).map(gist)).toEqual(["task working", "result 42.", "completed Done"]);
    await expect(agent.subscribe(id)).rejects.toMatchObject({ name: "UnsupportedOperationError" });
    await expect(agent.subscribe("none")).rejects.toMatchObject({ name: "TaskNotFoundError" });
  });

  it("a stream stays open for subscribers during a sign-in, but not for the sender (7.6.1)", async () => {
    let signIn = (): void => undefined;
    const signedIn = new Promise<void>((resolve) => (signIn = resolve));
    const agent = kitAgent({
      async *run({ untilAborted }) {
        yield authRequired("Sign in");
        yield working("Waiting for that");
        await untilAborted(signedIn);
        return completed();
      },
    });
    const task = await agent.send("a");
    expect(task.status).toMatchObject({
      state: "TASK_STATE_AUTH_REQUIRED",
      message: { parts: [{ text: "Sign in" }] },
    });
    const open = await collected(await agent.subscribe(task.id), 1);
    signIn();
    expect((await open.all).map(gist)).toEqual(["task working", "completed"]);
  });
});

describe("reading tasks (3.1.3, 3.1.4, 3.2.4)", () => {
  it("tasks/get returns the requested number of last messages", async () => {
    const { agent } = asking();
    const { id } = await agent.send("a");
    await agent.send(message("b", { taskId: id }));
    const shown = async (historyLength?: number) =>
      (
        await agent.service.getTask(
          { id, ...(historyLength !== undefined && { historyLength }) },
          agent.context(),
        )
      ).history;
    expect((await shown())?.map(textOf)).toEqual(["a", "Thinking", "And?", "b"]);
    expect((await shown(2))?.map(textOf)).toEqual(["And?", "b"]);
    expect(await shown(0)).toBeUndefined();
  });

  it("tasks/list returns the newest status first, in filtered pages, without artifacts unless requested", async () => {
    let time = 0;
    const agent = kitAgent({
      now: () => (time += 1_000),
      async *run({ message: asked }) {
        yield artifact("result").finish("42");
        return textOf(asked) === "ask" ? inputRequired("And?") : completed();
      },
    });
    for (const text of ["a", "ask", "b"])
      await agent.send(message(text, { contextId: text === "b" ? "c" : "d" }));
    const texts = async (request: object) => {
      const { tasks, ...rest } = await agent.list(request);
      return { texts: tasks.map(({ history }) => history?.[0] && textOf(history[0])), ...rest };
    };
    const first = await texts({ pageSize: 2 });
    expect(first).toMatchObject({ texts: ["b", "ask"], totalSize: 3, pageSize: 2 });
    const second = await texts({ pageSize: 2, pageToken: first.nextPageToken });
    expect(second).toMatchObject({ texts: ["a"], totalSize: 3, nextPageToken: "" });
    expect(await texts({ status: "TASK_STATE_COMPLETED" })).toMatchObject({
      texts: ["b", "a"],
      totalSize: 2,
    });
    expect(await texts({ contextId: "d" })).toMatchObject({ texts: ["ask", "a"], totalSize: 2 });
    const { tasks } = await agent.list();
    const statusTimestampAfter = tasks[1]?.status.timestamp;
    expect(await texts({ statusTimestampAfter }), "at that time, too").toMatchObject({
      texts: ["b", "ask"],
    });
    expect(tasks[0]).not.toHaveProperty("artifacts");
    expect((await agent.list({ includeArtifacts: true })).tasks[0]?.artifacts).toHaveLength(1);
    const without = asking().agent;
    await without.send("a");
    expect(
      (await without.list({ includeArtifacts: true })).tasks[0]?.artifacts,
      "also where there are none",
    ).toEqual([]);
    await expect(agent.list({ pageToken: "made up" })).rejects.toMatchObject({
      name: "InvalidParamsError",
    });
    await expect(agent.list({ statusTimestampAfter: "noon" })).rejects.toMatchObject({
      name: "InvalidParamsError",
    });
  });
});

describe("canceling (3.1.5)", () => {
  it("canceling aborts the signal and responds to all concurrent callers, and later calls are refused", async () => {
    const { agent } = waiting();
    const { id } = await agent.send(atOnce("a"));
    const answers = await Promise.all([agent.cancel(id), agent.cancel(id)]);
    expect(answers.map(({ status }) => status.state)).toEqual([
      "TASK_STATE_CANCELED",
      "TASK_STATE_CANCELED",
    ]);
    await expect(agent.cancel(id)).rejects.toMatchObject({ name: "TaskNotCancelableError" });
    await expect(agent.cancel("none")).rejects.toMatchObject({ name: "TaskNotFoundError" });
  });

  it("canceling ends a paused task", async () => {
    const { agent } = asking();
    const { id } = await agent.send("a");
    expect((await agent.cancel(id)).status.state).toBe("TASK_STATE_CANCELED");
  });
});

describe("waiting for a change (1.1)", () => {
  it("tasks/get waits for the next change, and returns immediately if the task has ended", async () => {
    const { agent, go } = waiting();
    const { id } = await agent.send(atOnce("a"));
    const poll = async (task: Task) => {
      const { generation: currentGeneration } = task as Task & { generation?: string };
      const request = { id, ...(currentGeneration !== undefined && { currentGeneration }) };
      return agent.service.getTask(request, agent.context());
    };
    const now = await agent.get(id);
    const change = poll(now);
    go();
    expect((await change).status.state).not.toBe(now.status.state);
    const ended = await agent.send(message("b"));
    expect(await agent.get(ended.id)).toEqual(ended);
    expect((await poll(await agent.get(id))).id).toBe(id);
  });
});

describe("the extended card (3.1.11)", () => {
  it("the extended card is the card that the agent provides, and only authenticated callers get it", async () => {
    const none = kitAgent({ run: () => raise() });
    const refused = none.service.getExtendedAgentCard({}, none.context());
    await expect(refused).rejects.toMatchObject({ name: "ExtendedAgentCardNotConfiguredError" });
    const agent = kitAgent({
      run: () => raise(),
      extendedCard: ({ user }) => ({ ...card, name: user }),
    });
    expect(await agent.service.getExtendedAgentCard({}, agent.context("ada"))).toMatchObject({
      name: "ada",
    });
    const refusal = {
      name: "UnauthenticatedError",
      message: "The extended agent card requires authentication",
    };
    for (const user of nobodies) {
      const nobody = { ...agent.context(), user: user as string };
      await expect(agent.service.getExtendedAgentCard({}, nobody)).rejects.toMatchObject(refusal);
    }
    const guest = agent.context("guest", { isAnonymous: true });
    await expect(agent.service.getExtendedAgentCard({}, guest)).rejects.toMatchObject(refusal);
  });
});

function raise(): never {
  throw new Error("The agent has no open turn");
}

/** Reads a stream to its end, beginning with some events that are waited for. */
async function collected(stream: AsyncIterable<StreamResponse>, first: number) {
  const events = stream[Symbol.asyncIterator]();
  const seen: StreamResponse[] = [];
  const take = async (): Promise<boolean> => {
    const step = await events.next();
    if (step.done !== true) seen.push(step.value);
    return step.done !== true;
  };
  for (let count = 0; count < first; count += 1) await take();
  const rest = async (): Promise<StreamResponse[]> => {
    while (await take());
    return seen;
  };
  return { seen, all: rest() };
}
