import type { ChangeNotifier } from "../log/change-listeners.js";
import { nameOfProcess } from "../log/watchers.js";
import type { Position } from "../log/rows.js";
import type { Database } from "./database.js";

/**
 * Maximum length of an id in a notification. Postgres limits the payload to 8,000 bytes, and a
 * character may take three bytes.
 */
const maxIdLength = 2_000;

/**
 * Minimum time in milliseconds between two notifications. The first change after a pause is
 * notified immediately, and later changes are combined, so that a stream of events only causes a
 * few statements.
 */
const intervalMs = 5;

/**
 * Notifies other processes of changes, after the changes are committed. When a transaction that
 * calls NOTIFY commits, it waits for all other transactions that call NOTIFY. Notifications
 * therefore have their own transaction, which combines the changes since the last notification and
 * does not wait for the disk. If the process or the connection fails, notifications are lost, and
 * other processes find the changes by polling.
 */
export class Notifier implements ChangeNotifier {
  /** Name of this process, by which a task lists the processes that watch it. */
  readonly process: string = nameOfProcess();
  readonly #database: Database;
  /** Payloads by channel. */
  #waiting = new Map<string, Set<string>>();
  #isRunning = false;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Channels of this process: the channel of all processes, and its own. */
  get channels(): readonly string[] {
    return [this.#database.schema, channelOf(this.process)];
  }

  grown(id: string, { generation, nth }: Position, watchers?: readonly string[]): void {
    const change = `g ${String(generation)}-${String(nth)}`;
    if (watchers === undefined) this.#notify(change, id);
    else for (const name of watchers) this.#notify(change, id, channelOf(name));
  }

  posted(id: string, count: number): void {
    this.#notify(`p ${String(count)}`, id);
  }

  due(): void {
    this.#notify("d", "");
  }

  async echo(token: string): Promise<void> {
    // Many processes may start at the same time, and each would get the echoes of all.
    await this.#send([[channelOf(this.process), new Set([`e ${token}`])]]);
  }

  #notify(change: string, id: string, channel = this.#database.schema): void {
    const payloads = this.#waiting.get(channel) ?? new Set();
    // An empty notification means that any task or webhook may have changed.
    payloads.add(id.length > maxIdLength ? "" : `${change} ${id}`);
    this.#waiting.set(channel, payloads);
    if (!this.#isRunning) void this.#run();
  }

  #send(waiting: Iterable<readonly [channel: string, payloads: ReadonlySet<string>]>) {
    const rows = [...waiting].flatMap(([channel, payloads]) =>
      [...payloads].map((payload) => ({ channel, payload })),
    );
    return this.#database.rows(
      "SELECT set_config('synchronous_commit', 'off', true), pg_notify(c, p) FROM " +
        "unnest($1::text[], $2::text[]) r (c, p)",
      [rows.map(({ channel }) => channel), rows.map(({ payload }) => payload)],
      "notify",
    );
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    while (this.#waiting.size > 0) {
      const waiting = this.#waiting;
      this.#waiting = new Map();
      await this.#send(waiting).catch(() => undefined);
      await new Promise((resolve) => setTimeout(resolve, intervalMs));
    }
    this.#isRunning = false;
  }
}

/** Returns the channel of a process. Its length is independent of the name of the schema. */
function channelOf(name: string): string {
  return `a2a_process_${name}`;
}
