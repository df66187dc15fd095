import { onTestFinished } from "vitest";
import type { TaskPushNotificationConfig } from "../../generated/1.1-draft/models.js";
import { memoryStore } from "../../library/kit/memory/store.js";
import { PushSender, type PushSenderParts } from "../../library/kit/push/push-sender.js";
import type { EventEntry, TaskStore } from "../../library/kit/store.js";
import { serviceFacts } from "./bound-kit.js";

/** Whose tasks these are. */
export const scope = { tenant: "", owner: "ada" };

/** The event of a task after which it has a generation. */
export function entryOf(taskId: string, generation: number) {
  const status = { state: "TASK_STATE_WORKING" as const };
  const statusUpdate = { taskId, contextId: "c", status, generation: String(generation) };
  return { generation, event: { statusUpdate } } satisfies EventEntry;
}

/**
 * A store of tasks with webhooks, and a sender on it that posts to the machine itself, quickly and
 * again soon.
 */
export function startSender(parts: Partial<PushSenderParts> = {}) {
  const store = memoryStore();
  const errors: unknown[] = [];
  const { options, ...rest } = parts;
  const sender = new PushSender({
    protocol: serviceFacts.protocol,
    store,
    holder: "one",
    report: (error) => errors.push(error),
    options: { allowPrivateAddresses: true, firstDelayMs: 1, maxDelayMs: 20, ...options },
    ...rest,
  });
  onTestFinished(() => sender.close());
  sender.start();
  return { store, sender, errors };
}

/** Makes a task with a webhook, which gets the events that are appended. */
export async function taskWithWebhook(
  store: TaskStore,
  id: string,
  config: TaskPushNotificationConfig,
  owner: string = scope.owner,
): Promise<{ append(count: number): Promise<void> }> {
  const webhook = {
    taskId: id,
    id: "w",
    config: { ...config, taskId: id, id: "w" },
    version: "1.1",
    after: 1,
  };
  const task = { id, contextId: "c", status: { state: "TASK_STATE_SUBMITTED" as const } };
  const claim = { holder: "one", ttlMs: 600_000 };
  const lease = await store.create(task, {
    scope: { ...scope, owner },
    turn: { id: "t" },
    claim,
    webhooks: [webhook],
  });
  if (lease === undefined) throw new Error("The store gave no lease");
  let generation = 1;
  return {
    async append(count) {
      const entries = Array.from({ length: count }, () => entryOf(id, (generation += 1)));
      await store.append(lease, entries);
    },
  };
}

/** Returns the task and the generation of an event that was posted. */
export function posted(text: string): readonly [taskId: string, generation: number] {
  // Only what these tests post arrives here.
  const { statusUpdate } = JSON.parse(text) as {
    readonly statusUpdate: { taskId: string; generation: string };
  };
  return [statusUpdate.taskId, Number(statusUpdate.generation)];
}
