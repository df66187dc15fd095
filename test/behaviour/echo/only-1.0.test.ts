import { describe, expect, it } from "vitest";
import { startEchoAgent, type EchoAgent } from "../../../examples/echo-agent/server.js";
import { grpc } from "../../../generated/1.0/client/grpc.js";
import {
  A2AError,
  connect,
  jsonRpc,
  rest,
  Role,
  TaskState,
  type A2AClient,
  type ListTasksRequest,
  type Message,
  type Task,
} from "../../../generated/1.0/index.js";
import { fixedEnvironment } from "../../support/environment.js";
import { all, everywhere, failureOf } from "../../support/everywhere.js";

// What only 1.0 has: tenants, lists of tasks and pages of webhooks, and details of errors on every binding.

interface Side {
  readonly client: A2AClient;
  readonly agent: EchoAgent;
}

const transports = new Map([
  ["JSONRPC", jsonRpc],
  ["HTTP+JSON", rest],
  ["GRPC", grpc],
]);

/** Plays a scene over each binding, expects the same result from all of them, and returns it. */
function onEveryBinding<T>(scene: (side: Side) => Promise<T>): Promise<T> {
  const open = async (binding: string): Promise<Side> => {
    const agent = await startEchoAgent({ environment: fixedEnvironment() });
    const transport = transports.get(binding)?.();
    return { client: await connect(agent.url, { transports: transport ? [transport] : [] }), agent };
  };
  return everywhere([...transports.keys()], open, scene);
}

/** All that a caller can learn from an error, whichever way it came. */
type Failure = Pick<A2AError, "name" | "message" | "metadata" | "details">;

/** Returns the error that a call is refused with. */
async function failure(call: Promise<unknown>): Promise<Failure> {
  const error = await failureOf(call);
  if (!(error instanceof A2AError)) throw new Error(`The call was not refused: ${String(error)}`);
  const { name, message, metadata, details } = error;
  return { name, message, metadata, details };
}

function userMessage(text: string, more: Partial<Message> = {}): Message {
  return { messageId: "m-1", role: Role.User, parts: [{ text }], ...more };
}

/** Sends a text and returns the task that comes back. */
async function send(client: A2AClient, text: string, more: Partial<Message> = {}): Promise<Task> {
  const { task } = await client.sendMessage({ message: userMessage(text, more) });
  if (task === undefined) throw new Error("The agent answered with a message");
  return task;
}

const texts = (task: Task): (string | undefined)[] => (task.history ?? []).map(({ parts }) => parts[0]?.text);

describe("1.0 over every binding", () => {
  it("shows a tenant only its own tasks", async () => {
    const seen = await onEveryBinding(async ({ client }) => {
      const { task } = await client.sendMessage({ message: userMessage("hi"), tenant: "acme" });
      const id = task?.id ?? "";
      const [own, other] = [await client.listTasks({ tenant: "acme" }), await client.listTasks({ tenant: "b&c d" })];
      const read = await client.getTask({ id, tenant: "acme" });
      const message = userMessage("again", { taskId: id });
      const refused = await Promise.all([
        failure(client.getTask({ id })),
        failure(client.getTask({ id, tenant: "b&c d" })),
        failure(client.cancelTask({ id, tenant: "b&c d" })),
        failure(all(client.subscribeToTask({ id, tenant: "b&c d" }))),
        failure(client.sendMessage({ message, tenant: "b&c d" })),
        failure(client.listTaskPushNotificationConfigs({ taskId: id, tenant: "b&c d" })),
      ]);
      return {
        read: read.id === id,
        sizes: [own.totalSize, other.totalSize],
        refused: refused.map(({ name }) => name),
      };
    });
    expect(seen).toEqual({ read: true, sizes: [1, 0], refused: Array(6).fill("TaskNotFoundError") });
  });

  it("names in details the field of a request that is wrong", async () => {
    const fields = await onEveryBinding(async ({ client }) => {
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

  it("says in metadata which task or webhook is not there", async () => {
    const found = await onEveryBinding(async ({ client }) => {
      const { id: taskId } = await send(client, "done");
      return [
        await failure(client.getTask({ id: "none" })),
        await failure(client.getTaskPushNotificationConfig({ taskId, id: "c" })),
      ];
    });
    expect(found).toMatchObject([
      { name: "TaskNotFoundError", message: "Task not found", metadata: { taskId: "none" }, details: [] },
      { name: "TaskNotFoundError", metadata: { taskId: "id-1", pushNotificationConfigId: "c" } },
    ]);
  });

  it("lists webhooks page by page", async () => {
    const pages = await onEveryBinding(async ({ client }) => {
      const { id: taskId } = await send(client, "done");
      for (const id of ["a", "b"])
        await client.createTaskPushNotificationConfig({ taskId, id, url: "https://example.com/" });
      const first = await client.listTaskPushNotificationConfigs({ taskId, pageSize: 1 });
      const pageToken = first.nextPageToken ?? "";
      const last = await client.listTaskPushNotificationConfigs({ taskId, pageSize: 1, pageToken });
      return [first.configs?.length, last.configs?.length, last.nextPageToken ?? "", pageToken !== ""];
    });
    expect(pages).toEqual([1, 1, "", true]);
  });
});

describe("1.0, listing tasks over every binding,", () => {
  /** Makes five tasks, a to e, and gives the texts that the requests find. */
  const found = (...requests: ListTasksRequest[]): Promise<string[]> =>
    onEveryBinding(async ({ client }) => {
      for (const text of ["a", "ask b", "c", "fail d"]) await send(client, text, { contextId: "one" });
      await send(client, "e", { contextId: "two" });
      const pages = await Promise.all(requests.map((request) => client.listTasks(request)));
      return pages.map(({ tasks, totalSize, pageSize }) => {
        const names = tasks.map((task) => (texts(task)[0] ?? "").at(-1) ?? "");
        return `${names.join("")} of ${totalSize}, up to ${pageSize}`;
      });
    });

  it("puts the newest status first, as far as the filters let it through", async () => {
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
    const ids = await onEveryBinding(async ({ client }) => {
      const first = await send(client, "ask");
      await send(client, "other");
      await send(client, "done", { taskId: first.id });
      return (await client.listTasks({})).tasks.map(({ id }) => id === first.id);
    });
    expect(ids).toEqual([true, false]);
  });

  it("leaves artifacts out, unless the caller wants them", async () => {
    const [without, included] = await onEveryBinding(async ({ client }) => {
      await send(client, "hi");
      return [await client.listTasks({}), await client.listTasks({ includeArtifacts: true })];
    });
    expect(without.tasks[0]).not.toHaveProperty("artifacts");
    expect(included.tasks[0]?.artifacts).toHaveLength(1);
  });

  it("returns every task once, page by page, whatever comes in meanwhile", async () => {
    const pages = await onEveryBinding(async ({ client }) => {
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
    ["pageSize", -1],
    ["pageSize", 101],
    ["pageToken", "made up"],
    ["pageToken", "YWZ0ZXI"],
  ])("refuses %s %s", async (field, value) => {
    const refused = await onEveryBinding(({ client }) => failure(client.listTasks({ [field]: value })));
    expect(refused).toMatchObject({ name: "InvalidParamsError", details: [{ fieldViolations: [{ field }] }] });
  });
});
