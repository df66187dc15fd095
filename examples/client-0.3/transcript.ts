import {
  Role,
  type A2AClient,
  type Message,
  type MessageSendParams,
  type StreamResponse,
} from "../../generated/0.3.0/index.js";
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
  yield* answering(client, contextId, webhook);
  yield* canceling(client, contextId);
  yield await step("GetAgentCard", "card of “Echo agent” with 2 skills", async () => {
    const { name, skills } = await client.getExtendedAgentCard();
    return `card of “${name}” with ${skills.length} skills`;
  });
}

/**
 * Calls that respond with a task, a message or a stream, that read a task, and that fail for an
 * unknown task.
 */
async function* sending(client: A2AClient, contextId: string): AsyncGenerator<Line, void> {
  let id = "";
  yield await step("SendMessage", "task completed “hello there”", async () => {
    const answer = await client.sendMessage(request("hello there", { contextId }));
    if (answer.kind === "task") id = answer.id;
    return describe(answer);
  });
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
  yield await step("SendMessage", "UnsupportedOperationError: The task has ended", async () =>
    describe(await client.sendMessage(request("more", { taskId: id }))),
  );
  yield await step("GetTask", "task completed “hello there”", async () =>
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
  const [pushNotificationConfigId, pushNotificationConfig] = [
    "hook",
    { id: "hook", url, token: "t-1" },
  ];
  yield await step("SendMessage", "task input-required: “Which color?”", async () => {
    const answer = await client.sendMessage(request("ask Which color?", { contextId }));
    if (answer.kind === "task") taskId = answer.id;
    return describe(answer);
  });
  yield await step("CreateTaskPushNotificationConfig", `webhook ${url}`, async () => {
    const stored = await client.createTaskPushNotificationConfig({
      taskId,
      pushNotificationConfig,
    });
    return `webhook ${stored.pushNotificationConfig.url}`;
  });
  yield await step("GetTaskPushNotificationConfig", `webhook ${url}`, async () => {
    const stored = await client.getTaskPushNotificationConfig({
      id: taskId,
      pushNotificationConfigId,
    });
    return `webhook ${stored.pushNotificationConfig.url}`;
  });
  yield await step("ListTaskPushNotificationConfig", "1 webhook", async () => {
    const configs = await client.listTaskPushNotificationConfigs({ id: taskId });
    return `${configs.length} webhook`;
  });
  yield await step("DeleteTaskPushNotificationConfig", "deleted", async () => {
    await client.deleteTaskPushNotificationConfig({ id: taskId, pushNotificationConfigId });
    return "deleted";
  });
  yield await step(
    "GetTaskPushNotificationConfig",
    "TaskNotFoundError: The task has no such webhook",
    async () => {
      const stored = await client.getTaskPushNotificationConfig({
        id: taskId,
        pushNotificationConfigId,
      });
      return `webhook ${stored.pushNotificationConfig.url}`;
    },
  );
  yield await step("SendMessage", "task completed “green”", async () =>
    describe(
      await client.sendMessage({
        ...request("green", { taskId }),
        configuration: { pushNotificationConfig },
      }),
    ),
  );
}

/** Calls that subscribe to a running task, and cancel it. */
async function* canceling(client: A2AClient, contextId: string): AsyncGenerator<Line, void> {
  let id = "";
  yield await step("SendStreamingMessage", "task submitted", async () => {
    for await (const event of client.sendStreamingMessage(
      request("slow 60000 never", { contextId }),
    )) {
      if (event.kind === "task") id = event.id;
      // Leaving the stream does not stop the task.
      return describe(event);
    }
    return "end";
  });
  const cancel = async (): Promise<string> => describeTask(await client.cancelTask({ id }));
  const watch = client.subscribeToTask({ id })[Symbol.asyncIterator]();
  yield await step("TaskSubscription", "task working", () => next(watch));
  yield await step("CancelTask", "task canceled", cancel);
  yield await step(
    "TaskSubscription",
    "canceled → end",
    async () => `${await next(watch)} → ${await next(watch)}`,
  );
  yield await step("CancelTask", "TaskNotCancelableError: Task cannot be canceled", cancel);
  yield await step("TaskSubscription", "UnsupportedOperationError: The task has ended", () =>
    next(client.subscribeToTask({ id })[Symbol.asyncIterator]()),
  );
}

async function next(events: AsyncIterator<StreamResponse>): Promise<string> {
  const result = await events.next();
  return result.done === true ? "end" : describe(result.value);
}

function request(text: string, ids: Pick<Message, "contextId" | "taskId">): MessageSendParams {
  const messageId = crypto.randomUUID();
  return {
    message: {
      kind: "message",
      messageId,
      role: Role.User,
      parts: [{ kind: "text", text }],
      ...ids,
    },
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
