import { hookBytes, pageBytes } from "../../kit/limits/size.js";
import { isSameWebhook } from "../../kit/memory/same-webhook.js";
import type {
  Claim,
  Claimed,
  Delivery,
  Scope,
  UnreadableTaskError,
  Webhook,
  WebhookLease,
} from "../../kit/store.js";
import type { Codec } from "../log/codec.js";
import { collect, eventsOf, readable, webhookOf } from "../log/decode.js";
import { kinds } from "../log/rows.js";
import type { Connection } from "./connection.js";
import type { Tasks } from "./tasks.js";

interface HookRow {
  readonly task_id: string;
  readonly id: string;
  readonly body: string;
  readonly delivered: number;
  readonly failures: number;
  readonly holder: string | null;
  readonly epoch: number;
}

/** Maximum number of events per webhook lease. */
const batchSize = 100;

/** The webhooks of all tasks. Methods that write must be called in a transaction. */
export class Outbox {
  readonly #connection: Connection;
  readonly #codec: Codec;
  readonly #tasks: Tasks;

  constructor(connection: Connection, codec: Codec, tasks: Tasks) {
    this.#connection = connection;
    this.#codec = codec;
    this.#tasks = tasks;
  }

  /**
   * Adds a webhook, or replaces the webhook that has the same id and invalidates its lease. Returns
   * whether the webhook is due.
   */
  put(webhook: Webhook, generation: number, now: number): boolean {
    const { taskId, id } = webhook;
    const before = this.#connection
      .query<HookRow>("SELECT * FROM a2a_webhooks WHERE task_id = ? AND id = ?")
      .get(taskId, id);
    const isAgain = before !== undefined && this.#isSame(before.body, webhook);
    const after = isAgain ? Math.min(before.delivered, webhook.after) : webhook.after;
    const isDue = after < generation;
    // Start epochs at the current time, so that a webhook that is removed and added again never
    // reuses an epoch.
    this.#connection
      .query(
        `INSERT INTO a2a_webhooks
           (task_id, id, body, delivered, failures, given_up, due_at, holder, epoch)
           VALUES (?, ?, ?, ?, 0, 0, ?, NULL, ?)
         ON CONFLICT (task_id, id) DO UPDATE SET body = excluded.body,
           delivered = excluded.delivered, failures = 0,
           given_up = 0, due_at = excluded.due_at, holder = NULL,
             epoch = max(a2a_webhooks.epoch + 1, excluded.epoch)`,
      )
      .run(
        taskId,
        id,
        this.#codec.of(taskId).write(webhook, "webhook"),
        after,
        isDue ? now : null,
        now,
      );
    return isDue;
  }

  /**
   * Returns whether an equal webhook is already stored. For an unreadable webhook, returns `false`,
   * so that it is replaced.
   */
  #isSame(body: string, webhook: Webhook): boolean {
    try {
      return isSameWebhook(webhookOf(JSON.parse(body), this.#codec.of(webhook.taskId)), webhook);
    } catch {
      return false;
    }
  }

  /** Returns whether a task has at least `max` webhooks with other ids. */
  isFull({ taskId, id }: Webhook, max: number): boolean {
    const { count } = this.#connection
      .query<{ readonly count: number }>(
        "SELECT count(*) AS count FROM a2a_webhooks WHERE task_id = ? AND id <> ?",
      )
      .get(taskId, id) ?? { count: 0 };
    return count >= max;
  }

  drop(taskId: string, id: string): void {
    this.#connection.query("DELETE FROM a2a_webhooks WHERE task_id = ? AND id = ?").run(taskId, id);
  }

  list(taskId: string): Webhook[] {
    const rows = this.#connection
      .query<HookRow>("SELECT * FROM a2a_webhooks WHERE task_id = ? ORDER BY id")
      .all(taskId);
    return readable(taskId, () =>
      rows.map(({ body }) => webhookOf(JSON.parse(body), this.#codec.of(taskId))),
    );
  }

  /**
   * Marks the webhooks of a task as due after new events. Returns whether a webhook has become due.
   */
  appended(taskId: string, now: number): boolean {
    const rows = this.#connection
      .query(
        `UPDATE a2a_webhooks SET due_at = ? WHERE task_id = ? AND due_at IS NULL AND given_up = 0
         AND delivered < (SELECT generation FROM a2a_tasks WHERE id = task_id) RETURNING id`,
      )
      .all(now, taskId);
    return rows.length > 0;
  }

  /** Returns whether a webhook can be claimed. */
  isDue(now: number): boolean {
    return (
      this.#connection.query("SELECT 1 FROM a2a_webhooks WHERE due_at <= ? LIMIT 1").get(now) !==
      undefined
    );
  }

  /**
   * Leases webhooks that are due and have undelivered events. Stops delivering to unreadable
   * webhooks.
   */
  due(claim: Claim, limit: number, now: number): Claimed<WebhookLease> {
    const found = this.#connection
      .query<HookRow & Scope>(
        `SELECT w.*, t.tenant, t.owner FROM a2a_webhooks w JOIN a2a_tasks t ON t.id = w.task_id
         WHERE w.due_at <= ? ORDER BY w.due_at LIMIT ?`,
      )
      .all(now, limit);
    const rows: WebhookLease[] = [];
    const unreadable: UnreadableTaskError[] = [];
    let read = 0;
    for (let bytes = 0; read < found.length && bytes < pageBytes; read += 1) {
      const row = found.at(read);
      if (row === undefined) break;
      const isRead = collect(unreadable, () => {
        const { lease, size } = this.#leaseOf(row, claim);
        rows.push(lease);
        bytes += size;
      });
      this.#connection
        .query(
          "UPDATE a2a_webhooks SET holder = ?, epoch = ?, due_at = ?, given_up = ? WHERE task_id " +
            "= ? AND id = ?",
        )
        .run(
          ...[isRead ? claim.holder : null, row.epoch + 1],
          ...[isRead ? now + claim.ttlMs : null, isRead ? 0 : 1, row.task_id, row.id],
        );
    }
    return { rows, unreadable, hasMore: read < found.length || found.length === limit };
  }

  #leaseOf(
    row: HookRow & Scope,
    { holder }: Claim,
  ): { readonly lease: WebhookLease; readonly size: number } {
    const { task_id, body, delivered, failures, epoch, tenant, owner } = row;
    return readable(task_id, () => {
      const codec = this.#codec.of(task_id);
      const webhook = webhookOf(JSON.parse(body), codec);
      const bodies = this.#eventsAfter(task_id, delivered);
      const events = eventsOf(
        bodies.map((event): unknown => JSON.parse(event)),
        codec,
      );
      const size = bodies.reduce((sum, { length }) => sum + length, 0);
      return {
        lease: { webhook, scope: { tenant, owner }, holder, epoch: epoch + 1, events, failures },
        size,
      };
    });
  }

  /**
   * Records the outcome of a delivery, unless another process has leased the webhook in the
   * meantime. Returns whether the webhook is due again immediately.
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
        .query(
          "UPDATE a2a_webhooks SET holder = NULL, due_at = NULL, given_up = 1 WHERE task_id = ? " +
            "AND id = ?",
        )
        .run(...key);
      return false;
    }
    const delivered = Math.max(outcome.upTo, row.delivered);
    const isRetried = "retryInMs" in outcome;
    // Failures are counted since the last event that was delivered.
    const earlierFailures = delivered > row.delivered ? 0 : row.failures;
    const failures = isRetried ? earlierFailures + 1 : 0;
    const isBehind = delivered < row.generation;
    const dueAt = isBehind ? now : null;
    const due = isRetried ? now + outcome.retryInMs : dueAt;
    this.#connection
      .query(
        "UPDATE a2a_webhooks SET holder = NULL, delivered = ?, failures = ?, due_at = ? WHERE " +
          "task_id = ? AND id = ?",
      )
      .run(delivered, failures, due, ...key);
    return isBehind && !isRetried;
  }

  /** Returns the first events after a generation as JSON. */
  #eventsAfter(taskId: string, generation: number): string[] {
    const after = { generation: generation + 1, nth: -1 };
    const rows = this.#tasks.entriesAfter(taskId, after, batchSize, hookBytes, kinds.message);
    return rows.map(({ body }) => body);
  }
}
