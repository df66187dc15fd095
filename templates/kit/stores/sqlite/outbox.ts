import type { Claim, Delivery, EventEntry, Scope, Webhook, WebhookLease } from "../../store.js";
import { isSameWebhook } from "../../memory/same-webhook.js";
import { kinds } from "../log/rows.js";
import type { Connection } from "./connection.js";
import { type Json, parsed } from "./tasks.js";

interface HookRow {
  readonly task_id: string;
  readonly body: Json<Webhook>;
  readonly delivered: number;
  readonly failures: number;
  readonly holder: string | null;
  readonly epoch: number;
}

/** How many events a lease of a webhook comes with at most. */
const batchSize = 100;

/** The webhooks of all tasks. Methods that write have to run in a transaction. */
export class Outbox {
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** Adds a webhook, or replaces the one with its id, whose lease is void from then on. Returns whether it is due. */
  put(webhook: Webhook, generation: number, now: number): boolean {
    const { taskId, id } = webhook;
    const before = this.#connection
      .query<HookRow>("SELECT * FROM a2a_webhooks WHERE task_id = ? AND id = ?")
      .get(taskId, id);
    const isAgain = before !== undefined && isSameWebhook(parsed(before.body), webhook);
    const after = isAgain ? Math.min(before.delivered, webhook.after) : webhook.after;
    const isDue = after < generation;
    // Epochs begin with the time, so that none comes twice where a webhook is removed and added again.
    this.#connection
      .query(
        `INSERT INTO a2a_webhooks VALUES (?, ?, ?, ?, 0, 0, ?, NULL, ?)
         ON CONFLICT (task_id, id) DO UPDATE SET body = excluded.body, delivered = excluded.delivered, failures = 0,
           given_up = 0, due_at = excluded.due_at, holder = NULL, epoch = max(a2a_webhooks.epoch + 1, excluded.epoch)`,
      )
      .run(taskId, id, JSON.stringify(webhook), after, isDue ? now : null, now);
    return isDue;
  }

  drop(taskId: string, id: string): void {
    this.#connection.query("DELETE FROM a2a_webhooks WHERE task_id = ? AND id = ?").run(taskId, id);
  }

  list(taskId: string): Webhook[] {
    const rows = this.#connection
      .query<HookRow>("SELECT * FROM a2a_webhooks WHERE task_id = ? ORDER BY id")
      .all(taskId);
    return rows.map(({ body }) => parsed(body));
  }

  /** A task has new events. Returns whether that makes a webhook due. */
  appended(taskId: string, now: number): boolean {
    const rows = this.#connection
      .query(
        `UPDATE a2a_webhooks SET due_at = ? WHERE task_id = ? AND due_at IS NULL AND given_up = 0
         AND delivered < (SELECT generation FROM a2a_tasks WHERE id = task_id) RETURNING id`,
      )
      .all(now, taskId);
    return rows.length > 0;
  }

  /** Whether there is something to claim. */
  isDue(now: number): boolean {
    return this.#connection.query("SELECT 1 FROM a2a_webhooks WHERE due_at <= ? LIMIT 1").get(now) !== undefined;
  }

  /** Leases webhooks that have something to deliver and whose time has come. */
  due({ holder, ttlMs }: Claim, limit: number, now: number): WebhookLease[] {
    const rows = this.#connection
      .query<HookRow & Scope>(
        `SELECT w.*, t.tenant, t.owner FROM a2a_webhooks w JOIN a2a_tasks t ON t.id = w.task_id
         WHERE w.due_at <= ? ORDER BY w.due_at LIMIT ?`,
      )
      .all(now, limit);
    return rows.map(({ task_id, body, delivered, failures, epoch, tenant, owner }) => {
      const webhook = parsed(body);
      this.#connection
        .query("UPDATE a2a_webhooks SET holder = ?, epoch = ?, due_at = ? WHERE task_id = ? AND id = ?")
        .run(holder, epoch + 1, now + ttlMs, task_id, webhook.id);
      const events = this.#eventsAfter(task_id, delivered);
      return { webhook, scope: { tenant, owner }, holder, epoch: epoch + 1, events, failures };
    });
  }

  /**
   * Notes how a delivery went, unless the webhook is somebody else's by now. Returns whether it is due again at once.
   */
  settle({ webhook, holder, epoch }: WebhookLease, outcome: Delivery, now: number): boolean {
    const key = [webhook.taskId, webhook.id] as const;
    const row = this.#connection
      .query<HookRow & { readonly generation: number }>(
        `SELECT w.*, t.generation FROM a2a_webhooks w JOIN a2a_tasks t ON t.id = w.task_id
         WHERE w.task_id = ? AND w.id = ?`,
      )
      .get(...key);
    if (row?.epoch !== epoch || row.holder !== holder) return false;
    if ("givenUp" in outcome) {
      this.#connection
        .query("UPDATE a2a_webhooks SET holder = NULL, due_at = NULL, given_up = 1 WHERE task_id = ? AND id = ?")
        .run(...key);
      return false;
    }
    const delivered = Math.max(outcome.upTo, row.delivered);
    const isRetried = "retryInMs" in outcome;
    const failures = !isRetried ? 0 : delivered > row.delivered ? 1 : row.failures + 1;
    const isBehind = delivered < row.generation;
    const due = isRetried ? now + outcome.retryInMs : isBehind ? now : null;
    this.#connection
      .query(
        "UPDATE a2a_webhooks SET holder = NULL, delivered = ?, failures = ?, due_at = ? WHERE task_id = ? AND id = ?",
      )
      .run(delivered, failures, due, ...key);
    return isBehind && !isRetried;
  }

  #eventsAfter(taskId: string, generation: number): EventEntry[] {
    const rows = this.#connection
      .query<{ readonly body: Json<EventEntry> }>(
        `SELECT body FROM a2a_entries WHERE task_id = ? AND generation > ? AND kind <> ${String(kinds.message)}
         ORDER BY generation, nth LIMIT ${String(batchSize)}`,
      )
      .all(taskId, generation);
    return rows.map(({ body }) => parsed(body));
  }
}
