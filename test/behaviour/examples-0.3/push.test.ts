import { describe, expect, it, vi } from "vitest";
import { isTask, type Task } from "../../../generated/0.3.0/index.js";
import { refusal } from "../../support/everywhere.js";
import { startWebhook } from "../../support/webhook.js";
import { onEveryTransport, send } from "./agents.js";

describe("webhooks of a task", () => {
  it("can be stored, read, listed, and deleted twice", async () => {
    const result = await onEveryTransport(async ({ client }) => {
      const { id: taskId } = await send(client, "done");
      const url = "https://example.com/hook";
      const authentication = { schemes: ["Basic", "Bearer"], credentials: "YTpi" };
      const create = (config: { id: string; url: string }): Promise<unknown> =>
        client.createTaskPushNotificationConfig({ taskId, pushNotificationConfig: config });
      const stored = await client.createTaskPushNotificationConfig({
        taskId,
        pushNotificationConfig: { id: "first", url, token: "t", authentication },
      });
      await create({ id: "mine", url });
      await create({ id: "mine", url: `${url}/new` });
      const named = { id: taskId, pushNotificationConfigId: "first" };
      const read = await client.getTaskPushNotificationConfig(named);
      const list = await client.listTaskPushNotificationConfigs({ id: taskId });
      await client.deleteTaskPushNotificationConfig(named);
      await client.deleteTaskPushNotificationConfig(named);
      const gone = await refusal(client.getTaskPushNotificationConfig(named));
      return { stored, read, list, gone };
    });
    expect(result.stored).toEqual({
      taskId: "id-1",
      pushNotificationConfig: {
        id: "first",
        url: "https://example.com/hook",
        token: "t",
        authentication: { schemes: ["Basic", "Bearer"], credentials: "YTpi" },
      },
    });
    expect(result.read).toEqual(result.stored);
    const mine = { id: "mine", url: "https://example.com/hook/new" };
    expect(result.list).toEqual([result.stored, { taskId: "id-1", pushNotificationConfig: mine }]);
    expect(result.gone).toEqual({ name: "TaskNotFoundError", message: "The task has no such webhook" });
  });

  it("get an id of the agent where they come without one", async () => {
    const [stored, list] = await onEveryTransport(async ({ client }) => {
      const { id: taskId } = await send(client, "done");
      const pushNotificationConfig = { url: "https://example.com/hook" };
      const answer = await client.createTaskPushNotificationConfig({ taskId, pushNotificationConfig });
      return [answer, await client.listTaskPushNotificationConfigs({ id: taskId })] as const;
    });
    expect(stored).toEqual({
      taskId: "id-1",
      pushNotificationConfig: { id: "id-4", url: "https://example.com/hook" },
    });
    expect(list).toEqual([stored]);
  });

  it("can be read without an id, except over HTTP, whose route has one", async () => {
    const [first, none] = await onEveryTransport(async ({ client }, binding) => {
      const { id: taskId } = await send(client, "done");
      if (binding === "HTTP+JSON") {
        const refused = await refusal(client.getTaskPushNotificationConfig({ id: taskId }));
        expect(refused.name).toBe("InvalidParamsError");
      }
      const named = binding === "HTTP+JSON" ? { pushNotificationConfigId: "mine" } : {};
      const nothing = await refusal(client.getTaskPushNotificationConfig({ id: taskId, ...named }));
      const pushNotificationConfig = { id: "mine", url: "https://example.com/hook" };
      await client.createTaskPushNotificationConfig({ taskId, pushNotificationConfig });
      return [await client.getTaskPushNotificationConfig({ id: taskId, ...named }), nothing] as const;
    });
    expect(first).toMatchObject({ taskId: "id-1", pushNotificationConfig: { id: "mine" } });
    expect(none).toEqual({ name: "TaskNotFoundError", message: "The task has no such webhook" });
  });

  it("belong to a task that exists", async () => {
    const names = await onEveryTransport(async ({ client }) => {
      const named = { id: "none", pushNotificationConfigId: "c" };
      const pushNotificationConfig = { id: "c", url: "https://example.com" };
      const refused = await Promise.all([
        refusal(client.createTaskPushNotificationConfig({ taskId: "none", pushNotificationConfig })),
        refusal(client.getTaskPushNotificationConfig(named)),
        refusal(client.listTaskPushNotificationConfigs({ id: "none" })),
        refusal(client.deleteTaskPushNotificationConfig(named)),
      ]);
      return refused.map(({ name }) => name);
    });
    expect(new Set(names)).toEqual(new Set(["TaskNotFoundError"]));
  });

  it.each(["file:///etc/passwd", "not a url", "http://forbidden.example/"])("must not be at %s", async (url) => {
    const push = { allow: ({ hostname }: URL) => hostname !== "forbidden.example" };
    const refused = await onEveryTransport(
      async ({ client }) => {
        const { id: taskId } = await send(client, "done");
        const pushNotificationConfig = { id: "c", url };
        return [
          await refusal(client.createTaskPushNotificationConfig({ taskId, pushNotificationConfig })),
          await refusal(send(client, "hi", {}, { pushNotificationConfig })),
        ];
      },
      { push },
    );
    expect(refused).toEqual([
      { name: "InvalidParamsError", message: expect.stringMatching(/^pushNotificationConfig\.url must/) as string },
      {
        name: "InvalidParamsError",
        message: expect.stringMatching(/^configuration\.pushNotificationConfig\.url must/) as string,
      },
    ]);
  });
});

const blueStates = ["working", "working", "working", "completed"];

describe("delivery to webhooks", () => {
  it("posts the task after every update, in order, with what the webhook needs to trust it", async () => {
    const { headers, tasks } = await onEveryTransport(async ({ client }) => {
      const { url, deliveries } = await startWebhook();
      const authentication = { schemes: ["Bearer"], credentials: "secret" };
      const { id: taskId } = await send(client, "ask");
      const pushNotificationConfig = { id: "c", url, token: "t-1", authentication };
      await client.createTaskPushNotificationConfig({ taskId, pushNotificationConfig });
      await send(client, "very blue", { taskId });
      await vi.waitFor(() => expect(deliveries).toHaveLength(blueStates.length));
      const { "content-type": type, authorization, "x-a2a-notification-token": token } = deliveries[0]?.headers ?? {};
      for (const delivery of deliveries) {
        expect(delivery.headers["content-length"]).toBe(String(Buffer.byteLength(delivery.text)));
      }
      const bodies = deliveries.map((delivery): unknown => JSON.parse(delivery.text));
      return { headers: { type, authorization, token }, tasks: bodies.filter((body): body is Task => isTask(body)) };
    });
    expect(headers).toEqual({ type: "application/json", authorization: "Bearer secret", token: "t-1" });
    expect(tasks.map(({ status }) => status.state)).toEqual(blueStates);
    expect(tasks.map(({ artifacts: [artifact] = [] }) => artifact?.parts.length)).toEqual([undefined, 1, 2, 2]);
  });

  it("goes to the webhook that a message brings along", async () => {
    const count = await onEveryTransport(async ({ client }) => {
      const { url, deliveries } = await startWebhook();
      await send(client, "very blue", {}, { pushNotificationConfig: { url } });
      await vi.waitFor(() => expect(deliveries).toHaveLength(blueStates.length));
      return deliveries.length;
    });
    expect(count).toBe(blueStates.length);
  });

  it.each([500, 302, "never" as const])("does not hold up the task where a webhook answers %s", async (status) => {
    const task = await onEveryTransport(async ({ client, agent }) => {
      const { url, deliveries } = await startWebhook(status);
      const done = await send(client, "blue", {}, { pushNotificationConfig: { url } });
      await vi.waitFor(() => expect(deliveries.length).toBeGreaterThan(0));
      await agent.close();
      return done;
    });
    expect(task.status.state).toBe("completed");
  });

  it("ends when the webhook is deleted", async () => {
    const counts = await onEveryTransport(async ({ client }) => {
      const [deleted, kept] = await Promise.all([startWebhook(), startWebhook()]);
      const { id: taskId } = await send(client, "ask");
      const create = (id: string, url: string): Promise<unknown> =>
        client.createTaskPushNotificationConfig({ taskId, pushNotificationConfig: { id, url } });
      await Promise.all([create("deleted", deleted.url), create("kept", kept.url)]);
      await client.deleteTaskPushNotificationConfig({ id: taskId, pushNotificationConfigId: "deleted" });
      await send(client, "very blue", { taskId });
      await vi.waitFor(() => expect(kept.deliveries).toHaveLength(blueStates.length));
      return deleted.deliveries.length;
    });
    expect(counts).toBe(0);
  });
});
