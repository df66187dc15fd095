import type { Claim, Delivery, Scope, Webhook, WebhookLease } from "../../store.js";
import { type Engine, optional } from "./engine.js";
import { listOf, webhookLeaseOf, webhooksOf } from "./results.js";
import { deliveredScript, dropWebhookScript, dueScript, putWebhookScript, webhooksScript } from "./scripts/webhooks.js";

/** Adds a webhook, or replaces the one with its id. Returns whether the scope has the task, and it is due. */
export async function put(
  engine: Engine,
  { tenant, owner }: Scope,
  webhook: Webhook,
): Promise<{ readonly isFound: boolean; readonly isDue: boolean }> {
  const { taskId, id, after } = webhook;
  const reply = await engine.run(putWebhookScript, taskId, tenant, owner, id, after, JSON.stringify(webhook));
  return { isFound: reply !== "0", isDue: reply === "2" };
}

/** Returns the webhooks of a task; `undefined` where the scope has no such task. */
export async function list(
  engine: Engine,
  { tenant, owner }: Scope,
  taskId: string,
): Promise<readonly Webhook[] | undefined> {
  const reply = await engine.run(webhooksScript, taskId, tenant, owner);
  return reply === null ? undefined : webhooksOf(reply);
}

/** Removes a webhook; returns whether the scope has the task. */
export async function drop(engine: Engine, { tenant, owner }: Scope, taskId: string, id: string): Promise<boolean> {
  return (await engine.run(dropWebhookScript, taskId, tenant, owner, id)) === "1";
}

/** Leases webhooks that have something to deliver and whose time has come. */
export async function due(
  engine: Engine,
  call: string,
  { holder, ttlMs }: Claim,
  limit: number,
): Promise<readonly WebhookLease[]> {
  const reply = await engine.run(dueScript, call, holder, ttlMs, limit);
  return listOf(reply).map((each) => webhookLeaseOf(each, holder));
}

/** Notes how a delivery went, unless the webhook is somebody else's by now. Returns whether it is due again at once. */
export async function settle(
  engine: Engine,
  { webhook, holder, epoch }: WebhookLease,
  outcome: Delivery,
): Promise<boolean> {
  const isGivenUp = "givenUp" in outcome;
  const reply = await engine.run(
    deliveredScript,
    ...[webhook.taskId, webhook.id, holder, epoch, isGivenUp ? 0 : outcome.upTo],
    ...[optional("retryInMs" in outcome ? outcome.retryInMs : undefined), isGivenUp ? 1 : 0],
  );
  return reply === "1";
}
