import { Role, type A2AClient, type SendMessageRequest } from "../../generated/1.0/index.js";
import { describe, describeError, describeTask } from "./describe.js";

/** One call, with its expected and its actual result. */
export interface Line {
  readonly operation: string;
  readonly expected: string;
  readonly outcome: string;
  readonly ms: number;
}

/**
 * Calls every operation of the echo agent, with valid and invalid requests. `webhook` is the
 * address for push notifications.
 */
export async function* transcript(client: A2AClient, webhook: string): AsyncGenerator<Line, void> {
  const contextId = crypto.randomUUID();
  yield* sending(client, contextId);
  yield* reading(client, contextId);
  yield* answering(client, contextId, webhook);
  yield* canceling(client, contextId);
  yield await step("GetExtendedAgentCard", "card of “Echo agent” with 2 skills", async () => {
    const { name, skills } = await client.getExtendedAgentCard();
    return `card of “${name}” with ${skills.length} skills`;
  });
}

/** Calls that respond with a task, a message or a stream. */
async function* sending(client: A2AClient, contextId: string): AsyncGenerator<Line, void> {
  yield await step("SendMessage", "task completed “hello there”", async () =>
    describe(await client.sendMessage(request("hello there", { contextId }))),
  );
  yield await step("SendMessage", "message “hi”", async () =>
    describe(await client.sendMessage(request("message: hi", { contextId }))),
  );
  const expected = "task submitted → working → “one ” → “two ” → “three” → completed";
  yield await step("SendStreamingMessage", expected, async () => {
    const events: string[] = [];
    const stream = client.sendStreamingMessage(request("one two three", { contextId }));
    for await (const event of stream) events.push(describe(event));
    return events.join(" → ");
  });
}

/** Calls that read a task, list tasks, and fail for an unknown task. */
async function* reading(client: A2AClient, contextId: string): AsyncGenerator<Line, void> {
  let id = "";
  yield await step("ListTasks", "1 of 2 tasks, more to come", async () => {
    const { tasks, totalSize, nextPageToken } = await client.listTasks({ contextId, pageSize: 1 });
    id = tasks[0]?.id ?? "";
    return `${tasks.length} of ${totalSize} tasks${nextPageToken === "" ? "" : ", more to come"}`;
  });
  yield await step(
    "ListTasks",
    "InvalidParamsError: ListTasksRequest: /pageSize expected 1 to 100, got 1000",
    async () => {
      const { tasks } = await client.listTasks({ pageSize: 1000 });
      return `${tasks.length} tasks`;
    },
  );
  yield await step("GetTask", "task completed “one two three”", async () =>
    describeTask(await client.getTask({ id })),
  );
  yield await step("GetTask", "TaskNotFoundError: Task not found", async () =>
    describeTask(await client.getTask({ id: "nothing" })),
  );
}

/** Calls for a task that asks a question, and for its webhooks. */
async function* answering(
  client: A2AClient,
  contextId: string,
  url: string,
): AsyncGenerator<Line, void> {
  let taskId = "";
  let id = "";
  yield await step("SendMessage", "task input-required: “Which color?”", async () => {
    const response = await client.sendMessage(request("ask Which color?", { contextId }));
    taskId = response.task?.id ?? "";
    return describe(response);
  });
  yield await step("CreateTaskPushNotificationConfig", `webhook ${url}`, async () => {
    const config = await client.createTaskPushNotificationConfig({ taskId, url, token: "t-1" });
    id = config.id ?? "";
    return `webhook ${config.url}`;
  });
  yield await step("GetTaskPushNotificationConfig", `webhook ${url}`, async () => {
    const config = await client.getTaskPushNotificationConfig({ taskId, id });
    return `webhook ${config.url}`;
  });
  yield await step("ListTaskPushNotificationConfigs", "1 webhook", async () => {
    const { configs = [] } = await client.listTaskPushNotificationConfigs({ taskId });
    return `${configs.length} webhook`;
  });
  yield await step("DeleteTaskPushNotificationConfig", "deleted", async () => {
    await client.deleteTaskPushNotificationConfig({ taskId, id });
    return "deleted";
  });
  yield await step(
    "GetTaskPushNotificationConfig",
    "TaskNotFoundError: The task has no such webhook",
    async () => {
      const config = await client.getTaskPushNotificationConfig({ taskId, id });
      return `webhook ${config.url}`;
    },
  );
  yield await step("SendMessage", "task completed “green”", async () => {
    const configuration = { taskPushNotificationConfig: { url, token: "t-1" } };
    return describe(await client.sendMessage({ ...request("green", { taskId }), configuration }));
  });
}

/** Calls that subscribe to a running task, and cancel it. */
async function* canceling(client: A2AClient, contextId: string): AsyncGenerator<Line, void> {
  let id = "";
  yield await step("SendMessage", "task working", async () => {
    const configuration = { returnImmediately: true };
    const response = await client.sendMessage({
      ...request("slow 60000 never", { contextId }),
      configuration,
    });
    id = response.task?.id ?? "";
    return describe(response);
  });
  const cancel = async (): Promise<string> => describeTask(await client.cancelTask({ id }));
  const watch = client.subscribeToTask({ id })[Symbol.asyncIterator]();
  const seen = async (): Promise<string> => {
    const next = await watch.next();
    return next.done === true ? "end" : describe(next.value);
  };
  yield await step("SubscribeToTask", "task working", seen);
  yield await step("CancelTask", "task canceled", cancel);
  yield await step(
    "SubscribeToTask",
    "canceled → end",
    async () => `${await seen()} → ${await seen()}`,
  );
  yield await step(
    "CancelTask",
    "TaskNotCancelableError: The task has ended: TASK_STATE_CANCELED",
    cancel,
  );
  yield await step(
    "SubscribeToTask",
    "UnsupportedOperationError: The task has ended: TASK_STATE_CANCELED",
    async () => {
      for await (const event of client.subscribeToTask({ id })) return describe(event);
      return "end";
    },
  );
}

function request(
  text: string,
  ids: { readonly contextId?: string; readonly taskId?: string },
): SendMessageRequest {
  return {
    message: { messageId: crypto.randomUUID(), role: Role.User, parts: [{ text }], ...ids },
  };
}

async function step(
  operation: string,
  expected: string,
  call: () => Promise<string>,
): Promise<Line> {
  const started = performance.now();
  const outcome = await call().catch(describeError);
  return { operation, expected, outcome, ms: performance.now() - started };
}
