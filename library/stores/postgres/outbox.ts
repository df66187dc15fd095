import type { UnreadableTaskError } from "../../kit/store.js";
import {
  type Claim,
  type Claimed,
  type Delivery,
  type Scope,
  type Webhook,
  type WebhookLease,
} from "../../kit/store.js";
import { collect, eventsOf, readable, webhookOf, webhookText } from "../log/decode.js";
import type { Row } from "./database.js";
import type { PostgresEngine } from "./log.js";
import { type PutResult, textIn } from "./results.js";

/** Adds a webhook, or replaces the webhook that has the same id. */
export async function put(
  engine: PostgresEngine,
  scope: Scope,
  webhook: Webhook,
  max: number | undefined,
): Promise<PutResult> {
  const { database, codec } = engine;
  const { taskId, id, after } = webhook;
  const body = await webhookText(
    webhook,
    codec.of(taskId),
    async () => (await bodiesOf(engine, scope, taskId)) ?? [],
  );
  const values = [scope.tenant, scope.owner, taskId, id, after, body, max ?? null];
  // The SQL function `put_webhook` builds this object.
  return (await database.call("put_webhook", values)) as PutResult;
}

/** Returns the webhooks of a task, or `undefined` if the scope does not contain the task. */
export async function list(
  engine: PostgresEngine,
  scope: Scope,
  taskId: string,
): Promise<readonly Webhook[] | undefined> {
  const bodies = await bodiesOf(engine, scope, taskId);
  return (
    bodies && readable(taskId, () => bodies.map((body) => webhookOf(body, engine.codec.of(taskId))))
  );
}

/**
 * Returns the stored webhooks of a task without decoding them, or `undefined` if the scope does not
 * contain the task.
 */
async function bodiesOf(
  { database }: PostgresEngine,
  { tenant, owner }: Scope,
  taskId: string,
): Promise<readonly unknown[] | undefined> {
  const { schema } = database;
  const rows = await database.rows(
    `SELECT w.body FROM ${schema}.tasks t LEFT JOIN ${schema}.webhooks w ON w.task_id = t.id
     WHERE t.id = $1 AND t.tenant = $2 AND t.owner = $3 ORDER BY w.id`,
    [taskId, tenant, owner],
  );
  if (rows.length === 0) return undefined;
  const bodies = rows.flatMap(({ body }) => (typeof body === "string" ? [body] : []));
  return readable(taskId, () => bodies.map((body): unknown => JSON.parse(body)));
}

/** Removes a webhook, and returns whether the scope contains the task. */
export async function drop(
  { database }: PostgresEngine,
  { tenant, owner }: Scope,
  taskId: string,
  id: string,
): Promise<boolean> {
  const { schema } = database;
  const result = await database.query(
    `WITH t AS (SELECT id FROM ${schema}.tasks WHERE id = $1 AND tenant = $2 AND owner = $3),
     dropped AS (
       DELETE FROM ${schema}.webhooks w USING t WHERE w.task_id = t.id AND w.id = $4
     ) SELECT EXISTS (SELECT FROM t)::text AS result`,
    [taskId, tenant, owner, id],
  );
  return result === true;
}

/**
 * Leases webhooks that are due and have undelivered events. Stops delivering to unreadable
 * webhooks.
 */
export async function due(
  engine: PostgresEngine,
  claim: Claim,
  limit: number,
): Promise<Claimed<WebhookLease>> {
  const { database } = engine;
  const found = await database.rowsOf("due_webhooks", [claim.holder, claim.ttlMs, limit]);
  const rows: WebhookLease[] = [];
  const unreadable: UnreadableTaskError[] = [];
  const parked: Row[] = [];
  for (const row of found)
    if (!collect(unreadable, () => rows.push(leaseOf(engine, row, claim.holder)))) parked.push(row);
  if (parked.length > 0)
    await database.rows(
      `UPDATE ${database.schema}.webhooks w SET holder = NULL, due_at = NULL, given_up = true
       FROM unnest($1::text[], $2::text[], $3::bigint[]) r (task_id, id, epoch)
       WHERE w.task_id = r.task_id AND w.id = r.id AND w.epoch = r.epoch`,
      [
        parked.map((row) => row["task_id"]),
        parked.map((row) => row["hook_id"]),
        parked.map((row) => row["epoch"]),
      ],
    );
  // A claim may stop at its limit of bytes although more webhooks are due, and only another claim
  // can find them.
  return { rows, unreadable, hasMore: found.length > 0 };
}

function leaseOf({ codec }: PostgresEngine, row: Row, holder: string): WebhookLease {
  const taskId = textIn(row["task_id"]);
  const own = codec.of(taskId);
  return readable(taskId, () => ({
    webhook: webhookOf(JSON.parse(textIn(row["body"])), own),
    scope: { tenant: textIn(row["tenant"]), owner: textIn(row["owner"]) },
    holder,
    epoch: Number(row["epoch"]),
    failures: Number(row["failures"]),
    events: eventsOf(JSON.parse(`[${textIn(row["events"])}]`), own),
  }));
}

/**
 * Records the outcome of a delivery, unless another process has leased the webhook in the meantime.
 * Returns whether the webhook is due again immediately.
 */
export async function settle(
  { database }: PostgresEngine,
  { webhook, holder, epoch }: WebhookLease,
  outcome: Delivery,
): Promise<boolean> {
  const isGivenUp = "givenUp" in outcome;
  const isDue = await database.call("delivered", [
    ...[webhook.taskId, webhook.id, holder, epoch, isGivenUp ? 0 : outcome.upTo],
    ...["retryInMs" in outcome ? outcome.retryInMs : null, isGivenUp],
  ]);
  return isDue === true;
}
