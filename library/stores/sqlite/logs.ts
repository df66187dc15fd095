import type { Task } from "../../kit/model.js";
import type {
  Claim,
  Claimed,
  CreateOptions,
  Delivery,
  Entry,
  ErasureTarget,
  Expected,
  InboxItem,
  Lease,
  Leased,
  Retention,
  Scope,
  TaskPage,
  TaskQuery,
  Usage,
  Webhook,
  WebhookLease,
} from "../../kit/store.js";
import { errorOf } from "../../kit/thrown.js";
import type { Append, Verdict } from "../log/append.js";
import type { Codec } from "../log/codec.js";
import { newTaskOf } from "../log/large.js";
import type { LogDatabase, PostedItem, ReadTask } from "../log/log-store.js";
import type { StoreState } from "../log/poll.js";
import type { Position } from "../log/rows.js";
import type { Batch } from "../log/watch-hub.js";
import { Chunks } from "./chunks.js";
import type { Connection } from "./connection.js";
import { Inboxes } from "./inbox.js";
import { listed } from "./list.js";
import { Outbox } from "./outbox.js";
import { TaskRetention } from "./retention.js";
import { Tasks } from "./tasks.js";
import { Workers } from "./workers.js";

const nothingClaimed: Claimed<never> = { rows: [], unreadable: [], hasMore: false };

/** The logs of tasks in a SQLite database. */
export class SqliteLogs implements LogDatabase {
  readonly steps = 1;
  readonly #connection: Connection;
  readonly #codec: Codec;
  readonly #now: () => number;
  readonly #tasks: Tasks;
  readonly #retention: TaskRetention;
  readonly #outbox: Outbox;
  readonly #workers: Workers;

  constructor(connection: Connection, codec: Codec, now: () => number) {
    this.#connection = connection;
    this.#codec = codec;
    this.#now = now;
    const chunks = new Chunks(connection);
    const inboxes = new Inboxes(connection, codec, chunks);
    const tasks = (this.#tasks = new Tasks({ connection, codec, inboxes, chunks }));
    const outbox = (this.#outbox = new Outbox(connection, codec, tasks));
    this.#retention = new TaskRetention(connection, tasks, chunks);
    this.#workers = new Workers({ connection, tasks, inboxes, outbox });
  }

  insert(
    task: Task,
    options: CreateOptions,
    added: readonly Entry[],
  ): Promise<Position | undefined> {
    const { webhooks = [] } = options;
    const written = newTaskOf(task, options, added, this.#codec.of(task.id));
    const { end } = written;
    return this.#connection.write(() => {
      const now = this.#now();
      if (this.#tasks.find(task.id) !== undefined) return undefined;
      this.#tasks.insert(written, options, now);
      for (const webhook of webhooks) this.#outbox.put(webhook, end.generation, now);
      return end;
    });
  }

  read(scope: Scope, id: string): Promise<ReadTask | undefined> {
    return promised(() =>
      this.#connection.read(() => {
        const row = this.#tasks.findIn(scope, id);
        return (
          row && { stored: this.#tasks.stored(row), grown: row.generation - row.task_generation }
        );
      }),
    );
  }

  post(
    scope: Scope,
    id: string,
    item: InboxItem,
    claim: Claim,
    expected: Expected,
  ): Promise<PostedItem | undefined> {
    const post = { scope, id, item, body: this.#codec.of(id).write(item, "item"), claim, expected };
    return this.#connection.write(() => this.#workers.post(post, this.#now()));
  }

  async append(appends: readonly Append[]): Promise<readonly Verdict[]> {
    // Writes that are waiting at the same time share a transaction. A failed write does not affect
    // the other writes.
    const settled = await Promise.allSettled(
      appends.map((append) =>
        this.#connection.write(() => this.#workers.append(append, this.#now())),
      ),
    );
    return settled.map((result) =>
      result.status === "fulfilled" ? result.value : errorOf(result.reason),
    );
  }

  list(scope: Scope, query: TaskQuery): Promise<TaskPage> {
    return promised(() =>
      this.#connection.read(() => listed(this.#connection, this.#tasks, scope, query)),
    );
  }

  renew(leases: readonly Lease[], claim: Claim): Promise<ReadonlySet<Lease>> {
    return this.#connection.write(() => this.#workers.renew(leases, claim, this.#now()));
  }

  async claimExpired(claim: Claim, limit: number): Promise<Claimed<Leased>> {
    // Check first, so that an empty search does not wait for the write lock.
    if (!this.#workers.hasExpired(this.#now())) return nothingClaimed;
    return this.#connection.write(() => this.#workers.expired(claim, limit, this.#now()));
  }

  putWebhook(
    scope: Scope,
    webhook: Webhook,
    max: number = Infinity,
  ): Promise<{ readonly outcome: "put" | "full" | undefined; readonly isDue: boolean }> {
    return this.#connection.write(() => {
      const row = this.#tasks.findIn(scope, webhook.taskId);
      if (row === undefined) return { outcome: undefined, isDue: false };
      if (this.#outbox.isFull(webhook, max)) return { outcome: "full", isDue: false };
      return { outcome: "put", isDue: this.#outbox.put(webhook, row.generation, this.#now()) };
    });
  }

  webhooks(scope: Scope, taskId: string): Promise<readonly Webhook[] | undefined> {
    return promised(() => this.#tasks.findIn(scope, taskId) && this.#outbox.list(taskId));
  }

  deleteWebhook(scope: Scope, taskId: string, id: string): Promise<boolean> {
    return this.#connection.write(() => {
      const exists = this.#tasks.findIn(scope, taskId) !== undefined;
      if (exists) this.#outbox.drop(taskId, id);
      return exists;
    });
  }

  async claimWebhooks(claim: Claim, limit: number): Promise<Claimed<WebhookLease>> {
    if (!this.#outbox.isDue(this.#now())) return nothingClaimed;
    return this.#connection.write(() => this.#outbox.due(claim, limit, this.#now()));
  }

  delivered(lease: WebhookLease, outcome: Delivery): Promise<boolean> {
    return this.#connection.write(() => this.#outbox.settle(lease, outcome, this.#now()));
  }

  deleteExpired(retention: Retention): Promise<number> {
    return this.#connection.write(() => this.#retention.deleteExpired(retention, this.#now()));
  }

  usage(scope: Scope, withStored: boolean): Promise<Usage> {
    return promised(() => this.#connection.read(() => this.#retention.usage(scope, withStored)));
  }

  erase(target: ErasureTarget, step: number): Promise<number> {
    return this.#connection.write(() => this.#retention.erase(target, step));
  }

  mark(name: string, value: string | undefined): Promise<string | undefined> {
    return this.#connection.write(() => {
      // Only stores of several databases have marks, so other databases do not have this table.
      this.#connection.exec(
        "CREATE TABLE IF NOT EXISTS a2a_marks (name TEXT PRIMARY KEY NOT NULL, value TEXT NOT NULL)",
      );
      if (value !== undefined)
        this.#connection
          .query("INSERT INTO a2a_marks (name, value) VALUES (?, ?) ON CONFLICT DO NOTHING")
          .run(name, value);
      const found = this.#connection
        .query<{ readonly value: string }>("SELECT value FROM a2a_marks WHERE name = ?")
        .get(name);
      return found?.value;
    });
  }

  isEmpty(): Promise<boolean> {
    return promised(() =>
      this.#connection.read(
        () => this.#connection.query("SELECT 1 FROM a2a_tasks LIMIT 1").get() === undefined,
      ),
    );
  }

  compact(id: string): Promise<void> {
    return this.#connection.write(() => {
      const row = this.#tasks.find(id);
      if (row !== undefined) this.#tasks.fold(row);
    });
  }

  batch(id: string, after: Position): Promise<Batch> {
    return promised(() => this.#tasks.batch(id, after));
  }

  readState(ids: readonly string[]): Promise<StoreState> {
    return promised(() => ({
      tasks: this.#tasks.ends(ids),
      isDue: this.#outbox.isDue(this.#now()),
    }));
  }
}

/** Returns a promise of the result of a function. If the function throws, the promise rejects. */
function promised<T>(call: () => T): Promise<T> {
  return new Promise((resolve) => {
    resolve(call());
  });
}
