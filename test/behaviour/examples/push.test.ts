import { describe, expect, it, vi } from "vitest";
import { isStreamResponse, TaskState, type StreamResponse } from "../../../generated/1.0/index.js";
import { startWebhook, type Delivery } from "../../support/webhook.js";
import { failure, onEveryTransport, outline, send, userMessage } from "./agents.js";

/** What has been posted to a webhook: each time an event of a stream. */
function eventsOf(deliveries: readonly Delivery[]): StreamResponse[] {
  return deliveries.map(({ text }): unknown => JSON.parse(text)).filter((body) => isStreamResponse(body));
}

const blueUpdates = [
  "status TASK_STATE_WORKING",
  'artifact [{"text":"very "}]',
  'artifact [{"text":"blue"}]',
  "status TASK_STATE_COMPLETED",
];

describe("webhooks of a task", () => {
  it("can be stored, read, listed page by page, and deleted twice", async () => {
    const result = await onEveryTransport(async ({ client }) => {
      const { id: taskId } = await send(client, "done");
      const url = "https://example.com/hook";
      const stored = await client.createTaskPushNotificationConfig({
        taskId,
        url,
        token: "t",
        authentication: { scheme: "Basic", credentials: "YTpi" },
      });
      await client.createTaskPushNotificationConfig({ taskId, url, id: "mine" });
      await client.createTaskPushNotificationConfig({ taskId, url: `${url}/new`, id: "mine" });
      const id = stored.id ?? "";
      const read = await client.getTaskPushNotificationConfig({ taskId, id });
      const { configs: [first] = [], nextPageToken = "" } = await client.listTaskPushNotificationConfigs({
        taskId,
        pageSize: 1,
      });
      const rest = await client.listTaskPushNotificationConfigs({ taskId, pageSize: 1, pageToken: nextPageToken });
      await client.deleteTaskPushNotificationConfig({ taskId, id });
      await client.deleteTaskPushNotificationConfig({ taskId, id });
      const gone = await failure(client.getTaskPushNotificationConfig({ taskId, id }));
      return { stored, read, first, rest, gone };
    });
    expect(result.stored).toMatchObject({ id: "id-4", taskId: "id-1", token: "t" });
    expect(result.read).toEqual(result.stored);
    expect(result.first).toMatchObject({ id: "mine", url: "https://example.com/hook/new" });
    expect(result.rest.configs).toEqual([result.stored]);
    expect(result.rest.nextPageToken ?? "").toBe("");
    expect(result.gone).toMatchObject({ name: "TaskNotFoundError", metadata: { taskId: "id-1", configId: "id-4" } });
  });

  it("belong to a task that exists", async () => {
    const [taskId, id, url] = ["none", "c", "https://example.com"];
    const names = await onEveryTransport(async ({ client }) => {
      const refused = await Promise.all([
        failure(client.createTaskPushNotificationConfig({ taskId, url })),
        failure(client.getTaskPushNotificationConfig({ taskId, id })),
        failure(client.listTaskPushNotificationConfigs({ taskId })),
        failure(client.deleteTaskPushNotificationConfig({ taskId, id })),
      ]);
      return refused.map(({ name }) => name);
    });
    expect(new Set(names)).toEqual(new Set(["TaskNotFoundError"]));
  });

  it.each(["file:///etc/passwd", "not a url", "http://forbidden.example/"])("must not be at %s", async (url) => {
    const push = { allow: ({ hostname }: URL) => hostname !== "forbidden.example" };
    const [first, second] = await onEveryTransport(
      async ({ client }) => {
        const { id: taskId } = await send(client, "done");
        const configuration = { taskPushNotificationConfig: { url } };
        return [
          await failure(client.createTaskPushNotificationConfig({ taskId, url })),
          await failure(client.sendMessage({ message: userMessage("hi"), configuration })),
        ];
      },
      { push },
    );
    const nested = "configuration.taskPushNotificationConfig.url";
    expect(first.details).toMatchObject([{ fieldViolations: [{ field: "url" }] }]);
    expect(second.details).toMatchObject([{ fieldViolations: [{ field: nested }] }]);
  });
});

describe("delivery to webhooks", () => {
  it("posts every update once, in order, with what the webhook needs to trust it", async () => {
    const { headers, lines } = await onEveryTransport(async ({ client }) => {
      const { url, deliveries } = await startWebhook();
      const authentication = { scheme: "Bearer", credentials: "secret" };
      const { id: taskId } = await send(client, "ask");
      await client.createTaskPushNotificationConfig({ taskId, url, token: "t-1", authentication });
      await send(client, "very blue", { taskId });
      await vi.waitFor(() => expect(deliveries).toHaveLength(blueUpdates.length));
      const { "content-type": type, authorization, "x-a2a-notification-token": token } = deliveries[0]?.headers ?? {};
      for (const delivery of deliveries) {
        expect(delivery.headers["content-length"]).toBe(String(Buffer.byteLength(delivery.text)));
      }
      return { headers: { type, authorization, token }, lines: outline(eventsOf(deliveries)) };
    });
    expect(headers).toEqual({ type: "application/a2a+json", authorization: "Bearer secret", token: "t-1" });
    expect(lines).toEqual(blueUpdates);
  });

  it("goes to the webhook that a message brings along", async () => {
    const lines = await onEveryTransport(async ({ client }) => {
      const { url, deliveries } = await startWebhook();
      const configuration = { returnImmediately: true, taskPushNotificationConfig: { url } };
      await client.sendMessage({ message: userMessage("very blue"), configuration });
      await vi.waitFor(() => expect(deliveries).toHaveLength(blueUpdates.length));
      return outline(eventsOf(deliveries));
    });
    expect(lines).toEqual(blueUpdates);
  });

  it.each([500, 302, "never" as const])("does not hold up the task where a webhook answers %s", async (status) => {
    const failed: unknown[] = [];
    const push = { timeoutMs: 50, onError: (error: unknown) => failed.push(error) };
    const task = await onEveryTransport(
      async ({ client }) => {
        const { url } = await startWebhook(status);
        const configuration = { taskPushNotificationConfig: { url } };
        const response = await client.sendMessage({ message: userMessage("blue"), configuration });
        await vi.waitFor(() => expect(failed.length).toBeGreaterThan(2));
        return response.task;
      },
      { push },
    );
    expect(task?.status.state).toBe(TaskState.Completed);
  });

  it("ends when the webhook is deleted", async () => {
    const counts = await onEveryTransport(async ({ client }) => {
      const [deleted, kept] = await Promise.all([startWebhook(), startWebhook()]);
      const { id: taskId } = await send(client, "ask");
      const { id = "" } = await client.createTaskPushNotificationConfig({ taskId, url: deleted.url });
      await client.createTaskPushNotificationConfig({ taskId, url: kept.url });
      await client.deleteTaskPushNotificationConfig({ taskId, id });
      await send(client, "very blue", { taskId });
      await vi.waitFor(() => expect(kept.deliveries).toHaveLength(blueUpdates.length));
      return deleted.deliveries.length;
    });
    expect(counts).toBe(0);
  });
});
