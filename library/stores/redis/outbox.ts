import type {
  Claim,
  Claimed,
  Delivery,
  Scope,
  UnreadableTaskError,
  Webhook,
  WebhookLease,
} from "../../kit/store.js";
import { collect, readable, webhookText } from "../log/decode.js";
import { type Engine, optional } from "./engine.js";
import type { RedisEngine } from "./log.js";
import {
  allOf,
  listOf,
  webhookLeaseOf,
  type WebhookRef,
  webhookRefOf,
  webhooksOf,
} from "./results.js";
import {
  announceDueScript,
  deliveredScript,
  dropWebhookScript,
  dueScript,
  putWebhookScript,
  webhooksScript,
} from "./scripts/webhooks.js";

/**
 * Adds a webhook, or replaces the webhook that has the same id. Also returns whether the webhook is
 * due. The outcome is `full` if the task already has `max` other webhooks, and `undefined` if the
 * scope does not contain the task.
 */
export async function put(
  { server, codec }: RedisEngine,
  { tenant, owner }: Scope,
  webhook: Webhook,
  max: number | undefined,
): Promise<{ readonly outcome: "put" | "full" | undefined; readonly isDue: boolean }> {
  const { taskId, id, after } = webhook;
  const before = async (): Promise<readonly unknown[]> => {
    const reply = await server.run(webhooksScript, [taskId, tenant, owner]);
    return reply === null ? [] : readable(taskId, () => allOf(reply));
  };
  const body = await webhookText(webhook, codec.of(taskId), before);
  const values = [taskId, tenant, owner, id, after, body, optional(max)];
  const reply = await server.run(putWebhookScript, values);
  if (reply === "0") return { outcome: undefined, isDue: false };
  return { outcome: reply === "3" ? "full" : "put", isDue: reply === "2" };
}

/** Notifies other processes that a webhook is due. If this fails, they find it by polling. */
export function announceDue(server: Engine): void {
  server.run(announceDueScript, []).catch(() => undefined);
}

/** Returns the webhooks of a task, or `undefined` if the scope does not contain the task. */
export async function list(
  { server, codec }: RedisEngine,
  { tenant, owner }: Scope,
  taskId: string,
): Promise<readonly Webhook[] | undefined> {
  const reply = await server.run(webhooksScript, [taskId, tenant, owner]);
  return reply === null ? undefined : readable(taskId, () => webhooksOf(reply, codec.of(taskId)));
}

/** Removes a webhook, and returns whether the scope contains the task. */
export async function drop(
  server: Engine,
  { tenant, owner }: Scope,
  taskId: string,
  id: string,
): Promise<boolean> {
  return (await server.run(dropWebhookScript, [taskId, tenant, owner, id])) === "1";
}

/**
 * Leases webhooks that are due and have undelivered events. Stops delivering to unreadable
 * webhooks.
 */
export async function due(
  { server, codec }: RedisEngine,
  call: string,
  { holder, ttlMs }: Claim,
  limit: number,
): Promise<Claimed<WebhookLease>> {
  const [found, more] = listOf(await server.run(dueScript, [call, holder, ttlMs, limit]));
  const rows: WebhookLease[] = [];
  const unreadable: UnreadableTaskError[] = [];
  for (const row of listOf(found)) {
    if (collect(unreadable, () => rows.push(webhookLeaseOf(row, holder, codec)))) continue;
    await recordOutcome(server, webhookRefOf(row), holder, { givenUp: true });
  }
  return { rows, unreadable, hasMore: more === "1" };
}

/**
 * Records the outcome of a delivery, unless another process has leased the webhook in the meantime.
 * Returns whether the webhook is due again immediately.
 */
export function settle(
  { server }: RedisEngine,
  { webhook, holder, epoch }: WebhookLease,
  outcome: Delivery,
): Promise<boolean> {
  return recordOutcome(server, { taskId: webhook.taskId, id: webhook.id, epoch }, holder, outcome);
}

async function recordOutcome(
  server: Engine,
  { taskId, id, epoch }: WebhookRef,
  holder: string,
  outcome: Delivery,
): Promise<boolean> {
  const isGivenUp = "givenUp" in outcome;
  const reply = await server.run(deliveredScript, [
    ...[taskId, id, holder, epoch, isGivenUp ? 0 : outcome.upTo],
    ...[optional("retryInMs" in outcome ? outcome.retryInMs : undefined), isGivenUp ? 1 : 0],
  ]);
  return reply === "1";
}
