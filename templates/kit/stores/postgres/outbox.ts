import type { Claim, Delivery, Scope, Webhook, WebhookLease } from "../../store.js";
import type { Database } from "./database.js";
import type { DueResult, PutResult } from "./results.js";

/** Adds a webhook, or replaces the one with its id. */
export async function put(database: Database, { tenant, owner }: Scope, webhook: Webhook): Promise<PutResult> {
  const { taskId, id, after } = webhook;
  const result = await database.call("put_webhook", tenant, owner, taskId, id, after, JSON.stringify(webhook));
  return result as PutResult;
}

/** Returns the webhooks of a task; `undefined` where the scope has no such task. */
export async function list(
  database: Database,
  { tenant, owner }: Scope,
  taskId: string,
): Promise<readonly Webhook[] | undefined> {
  const { schema } = database;
  const result = await database.query(
    `SELECT coalesce((SELECT json_agg(body ORDER BY id) FROM ${schema}.webhooks WHERE task_id = t.id), '[]')::text
       AS result FROM ${schema}.tasks t WHERE id = $1 AND tenant = $2 AND owner = $3`,
    ...[taskId, tenant, owner],
  );
  return result as readonly Webhook[] | undefined;
}

/** Removes a webhook; returns whether the scope has the task. */
export async function drop(database: Database, { tenant, owner }: Scope, taskId: string, id: string): Promise<boolean> {
  const { schema } = database;
  const result = await database.query(
    `WITH t AS (SELECT id FROM ${schema}.tasks WHERE id = $1 AND tenant = $2 AND owner = $3), dropped AS (
       DELETE FROM ${schema}.webhooks w USING t WHERE w.task_id = t.id AND w.id = $4
     ) SELECT EXISTS (SELECT FROM t)::text AS result`,
    ...[taskId, tenant, owner, id],
  );
  return result === true;
}

/** Leases webhooks that have something to deliver and whose time has come. */
export async function due(
  database: Database,
  { holder, ttlMs }: Claim,
  limit: number,
): Promise<readonly WebhookLease[]> {
  const result = await database.call("due_webhooks", holder, ttlMs, limit);
  return ((result ?? []) as readonly DueResult[]).map(({ webhook, tenant, owner, epoch, failures, events }) => {
    return { webhook, scope: { tenant, owner }, holder, epoch, failures, events: events ?? [] };
  });
}

/** Notes how a delivery went, unless the webhook is somebody else's by now. Returns whether it is due again at once. */
export async function settle(
  database: Database,
  { webhook, holder, epoch }: WebhookLease,
  outcome: Delivery,
): Promise<boolean> {
  const isGivenUp = "givenUp" in outcome;
  const isDue = await database.call(
    "delivered",
    ...[webhook.taskId, webhook.id, holder, epoch, isGivenUp ? 0 : outcome.upTo],
    ...["retryInMs" in outcome ? outcome.retryInMs : null, isGivenUp],
  );
  return isDue === true;
}
