import { describe, expect, it } from "vitest";
import { TaskState, type ListTasksRequest, type Task } from "../../../generated/1.0/index.js";
import { all, opened } from "../../support/everywhere.js";
import { begin, failure, onEveryTransport, outline, send, userMessage } from "./agents.js";

const texts = (task: Task): (string | undefined)[] => (task.history ?? []).map(({ parts }) => parts[0]?.text);

describe("talking about a task", () => {
  it("goes on with a task that has asked back, and remembers all that was said", async () => {
    const [asked, done] = await onEveryTransport(async ({ client }) => {
      const first = await send(client, "ask Which color?");
      return [first, await send(client, "green", { taskId: first.id })] as const;
    });
    expect(asked.status.state).toBe(TaskState.InputRequired);
    expect(done).toMatchObject({ id: asked.id, contextId: asked.contextId, status: { state: TaskState.Completed } });
    expect(done.artifacts?.map(({ parts }) => parts)).toEqual([[{ text: "green" }]]);
    expect(texts(done)).toEqual(["ask Which color?", "Which color?", "green"]);
  });

  it("works on messages that come in between in their turn, and on equal ones twice", async () => {
    const done = await onEveryTransport(async ({ client }) => {
      const { id } = await begin(client, "slow 300 first");
      const [second] = await Promise.all([
        send(client, "again", { taskId: id }),
        send(client, "again", { taskId: id }),
      ]);
      return second;
    });
    expect(done.artifacts?.map(({ parts }) => parts[0]?.text)).toEqual(["first", "again", "again"]);
    expect(texts(done)).toEqual(["slow 300 first", "again", "again"]);
  });

  it("keeps the conversation that the caller names", async () => {
    const [one, two] = await onEveryTransport(async ({ client }) => [
      await send(client, "a", { contextId: "talk" }),
      await send(client, "b", { contextId: "talk" }),
    ]);
    expect([one.contextId, two.contextId]).toEqual(["talk", "talk"]);
    expect(one.id).not.toBe(two.id);
  });

  it.each([
    ["an unknown task", "none", {}, "TaskNotFoundError"],
    ["a task of another conversation", "id-1", { contextId: "other" }, "InvalidParamsError"],
    ["a task that has ended", "id-1", { contextId: "talk" }, "UnsupportedOperationError"],
  ])("refuses a message to %s", async (_what, taskId, more, name) => {
    const refused = await onEveryTransport(async ({ client }) => {
      await send(client, "done", { contextId: "talk" });
      return failure(send(client, "more", { taskId, ...more }));
    });
    expect(refused.name).toBe(name);
  });
});

describe("reading a task", () => {
  it.each([
    [undefined, ["ask a?", "a?", "b"]],
    [0, []],
    [2, ["a?", "b"]],
    [10, ["ask a?", "a?", "b"]],
  ])("gives the latest messages, as many as the caller wants: %s", async (historyLength, expected) => {
    const length = historyLength === undefined ? {} : { historyLength };
    const tasks = await onEveryTransport(async ({ client }) => {
      const { id } = await send(client, "ask a?");
      const message = userMessage("b", { taskId: id });
      const { task } = await client.sendMessage({ message, configuration: length });
      const listed = await client.listTasks(length);
      return [task, await client.getTask({ id, ...length }), listed.tasks[0]];
    });
    for (const task of tasks) expect(task && texts(task)).toEqual(expected);
    if (historyLength === 0) for (const task of tasks) expect(task).not.toHaveProperty("history");
  });

  it("refuses to give what is not there", async () => {
    const refused = await onEveryTransport(({ client }) => failure(client.getTask({ id: "none" })));
    expect(refused).toEqual({
      name: "TaskNotFoundError",
      message: "Task not found",
      metadata: { taskId: "none" },
      details: [],
    });
  });

  it("refuses a negative number of messages, and names the field", async () => {
    const fields = await onEveryTransport(async ({ client }) => {
      const { id } = await send(client, "hi");
      const message = userMessage("hi");
      const refused = await Promise.all([
        failure(client.getTask({ id, historyLength: -1 })),
        failure(client.listTasks({ historyLength: -1 })),
        failure(client.sendMessage({ message, configuration: { historyLength: -1 } })),
        failure(all(client.sendStreamingMessage({ message, configuration: { historyLength: -1 } }))),
      ]);
      return refused.map(({ name, details }) => [name, details[0]]);
    });
    const violation = (field: string): unknown => [
      "InvalidParamsError",
      {
        "@type": "type.googleapis.com/google.rpc.BadRequest",
        fieldViolations: [{ field, description: `/${field.replace(".", "/")} expected at least 0, got -1` }],
      },
    ];
    const nested = violation("configuration.historyLength");
    expect(fields).toEqual([violation("historyLength"), violation("historyLength"), nested, nested]);
  });
});

describe("listing tasks", () => {
  /** Makes five tasks, a to e, and gives the texts that the requests find. */
  const found = (...requests: ListTasksRequest[]): Promise<string[]> =>
    onEveryTransport(async ({ client }) => {
      for (const text of ["a", "ask b", "c", "fail d"]) await send(client, text, { contextId: "one" });
      await send(client, "e", { contextId: "two" });
      const pages = await Promise.all(requests.map((request) => client.listTasks(request)));
      return pages.map(({ tasks, totalSize, pageSize }) => {
        const names = tasks.map((task) => (texts(task)[0] ?? "").at(-1) ?? "");
        return `${names.join("")} of ${totalSize}, up to ${pageSize}`;
      });
    });

  it("gives the newest status first, as far as the filters let it through", async () => {
    const cases: readonly (readonly [ListTasksRequest, string])[] = [
      [{}, "edcba of 5, up to 50"],
      [{ contextId: "one" }, "dcba of 4, up to 50"],
      [{ contextId: "none" }, " of 0, up to 50"],
      [{ status: TaskState.Completed }, "eca of 3, up to 50"],
      [{ status: TaskState.Completed, contextId: "one", pageSize: 1 }, "c of 2, up to 1"],
      [{ status: TaskState.Unspecified }, "edcba of 5, up to 50"],
      [{ statusTimestampAfter: "2026-01-01T00:00:12.250Z" }, "ed of 2, up to 50"],
      [{ statusTimestampAfter: "2026-01-01T00:00:12.251Z" }, "e of 1, up to 50"],
    ];
    expect(await found(...cases.map(([request]) => request))).toEqual(cases.map(([, expected]) => expected));
  });

  it("moves a task to the front when its status changes", async () => {
    const ids = await onEveryTransport(async ({ client }) => {
      const first = await send(client, "ask");
      await send(client, "other");
      await send(client, "done", { taskId: first.id });
      return (await client.listTasks({})).tasks.map(({ id }) => id === first.id);
    });
    expect(ids).toEqual([true, false]);
  });

  it("leaves artifacts out, unless the caller wants them", async () => {
    const [without, included] = await onEveryTransport(async ({ client }) => {
      await send(client, "hi");
      return [await client.listTasks({}), await client.listTasks({ includeArtifacts: true })];
    });
    expect(without.tasks[0]).not.toHaveProperty("artifacts");
    expect(included.tasks[0]?.artifacts).toHaveLength(1);
  });

  it("gives every task once, page by page, whatever comes in meanwhile", async () => {
    const pages = await onEveryTransport(async ({ client }) => {
      for (const text of ["a", "b", "c", "d", "e"]) await send(client, text);
      const seen: string[] = [];
      let pageToken = "";
      do {
        const page = await client.listTasks({ pageSize: 2, pageToken });
        seen.push(page.tasks.map((task) => texts(task).join("")).join(""));
        pageToken = page.nextPageToken;
        await send(client, "late");
      } while (pageToken !== "");
      return seen;
    });
    expect(pages).toEqual(["ed", "cb", "a"]);
  });

  it.each<[keyof ListTasksRequest, string | number]>([
    ["pageSize", 0],
    ["pageSize", -1],
    ["pageSize", 101],
    ["pageToken", "made up"],
    ["pageToken", "YWZ0ZXI"],
  ])("refuses %s %s", async (field, value) => {
    const refused = await onEveryTransport(({ client }) => failure(client.listTasks({ [field]: value })));
    expect(refused).toMatchObject({ name: "InvalidParamsError", details: [{ fieldViolations: [{ field }] }] });
  });
});

describe("canceling a task", () => {
  it("stops the work and tells whoever listens", async () => {
    const [canceled, events] = await onEveryTransport(async ({ client }) => {
      const { id } = await begin(client, "slow 60000 never");
      const stream = await opened(client.subscribeToTask({ id }));
      return [await client.cancelTask({ id }), await stream.rest()] as const;
    });
    expect(canceled.status.state).toBe(TaskState.Canceled);
    expect(outline(events)).toEqual(["task TASK_STATE_WORKING", "status TASK_STATE_CANCELED"]);
  });

  it("works on a task that waits for its user, but only once", async () => {
    const [canceled, refused] = await onEveryTransport(async ({ client }) => {
      const { id } = await send(client, "ask");
      return [await client.cancelTask({ id }), await failure(client.cancelTask({ id }))] as const;
    });
    expect(canceled.status.state).toBe(TaskState.Canceled);
    expect(refused).toMatchObject({ name: "TaskNotCancelableError", metadata: { taskId: canceled.id } });
  });

  it("refuses to cancel what is not there", async () => {
    const refused = await onEveryTransport(({ client }) => failure(client.cancelTask({ id: "none" })));
    expect(refused.name).toBe("TaskNotFoundError");
  });
});
