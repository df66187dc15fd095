import { expect, it, onTestFinished, vi } from "vitest";
import { memoryStore } from "../../../../../library/kit/memory/store.js";
import type { AuditEvent } from "../../../../../library/kit/observe/audit.js";
import { completed, inputRequired, working } from "../../../../../library/kit/turns/updates.js";
import { kitAgent, message } from "../../../../support/kit.js";

const never = new Promise<never>(() => undefined);
const webhook = { url: "https://hooks.test/a" };

/** The members of an event that a test compares. */
function gist({ action, owner, taskId, webhookId, context, count }: AuditEvent<string>): unknown[] {
  return [action, owner, taskId, webhookId, context?.user, count].filter(
    (each) => each !== undefined,
  );
}

it("the audit receives each change of a task and its caller", async () => {
  const events: AuditEvent<string>[] = [];
  const agent = kitAgent({
    audit: (event) => events.push(event),
    push: { fetch: async () => new Response() },
    *run({ message: { parts } }) {
      yield working();
      return parts[0]?.text === "end" ? completed() : inputRequired("More?");
    },
  });
  onTestFinished(() => agent.close());
  const { id } = await agent.send("start", "ada");
  await agent.send(message("more", { taskId: id }), "ada");
  await agent.service.createTaskPushNotificationConfig(
    { ...webhook, taskId: id, id: "w" },
    agent.context("ada"),
  );
  await agent.service.deleteTaskPushNotificationConfig(
    { taskId: id, id: "w" },
    agent.context("ada"),
  );
  await agent.cancel(id, "ada");
  await agent.deleteTasks({ owner: "ada", taskId: id });
  expect(events.map(gist)).toEqual([
    ["task.create", "ada", id, "ada"],
    ["task.message", "ada", id, "ada"],
    ["webhook.create", "ada", id, "w", "ada"],
    ["webhook.delete", "ada", id, "w", "ada"],
    ["task.cancel", "ada", id, "ada"],
    ["task.delete", "ada", id, 1],
  ]);
  expect(agent.errors).toEqual([]);
});

it("the audit receives the webhook of a message", async () => {
  const events: AuditEvent<string>[] = [];
  const agent = kitAgent({
    audit: (event) => events.push(event),
    push: { fetch: async () => new Response() },
    *run() {
      yield working();
      return completed();
    },
  });
  onTestFinished(() => agent.close());
  const { id } = await agent.send(
    { ...message("start"), configuration: { taskPushNotificationConfig: { ...webhook, id: "w" } } },
    "ada",
  );
  expect(events.map(gist)).toEqual([
    ["task.create", "ada", id, "ada"],
    ["webhook.create", "ada", id, "w", "ada"],
  ]);
});

it("the audit receives no change that was rejected", async () => {
  const events: unknown[] = [];
  const agent = kitAgent({
    audit: (event) => events.push(event),
    *run() {
      yield working();
      return completed();
    },
  });
  onTestFinished(() => agent.close());
  await expect(agent.send(message("x", { taskId: "unknown" }), "ada")).rejects.toThrow();
  await expect(agent.cancel("unknown", "ada")).rejects.toThrow();
  expect(events).toEqual([]);
});

it("the audit receives a task that a process claims", async () => {
  const store = memoryStore({ now: () => 0 });
  const first = kitAgent({
    store,
    async *run() {
      yield working("One");
      await never;
      return completed();
    },
  });
  const { id } = await first.send(
    { ...message("work"), configuration: { returnImmediately: true } },
    "ada",
  );
  const events: AuditEvent<string>[] = [];
  const second = kitAgent({
    store,
    leaseMs: 60,
    audit: (event) => events.push(event),
    *run() {
      yield working();
      return completed();
    },
  });
  onTestFinished(() => second.close());
  await first.close();
  await vi.waitFor(() => {
    expect(events).toMatchObject([
      { action: "task.takeover", owner: "ada", taskId: id, context: undefined },
    ]);
  });
  expect(events[0]?.holder).toBeTruthy();
});

it("an audit that throws is reported, and fails no call", async () => {
  const agent = kitAgent({
    audit() {
      throw new Error("no disk");
    },
    *run() {
      yield working();
      return completed();
    },
  });
  onTestFinished(() => agent.close());
  await agent.send("start", "ada");
  await vi.waitFor(() => {
    expect(agent.errors).toMatchObject([{ message: "no disk" }]);
  });
});
