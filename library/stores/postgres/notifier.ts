import type { ChangeNotifier } from "../log/change-listeners.js";
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
  /**
   * Channel of this process. Echoes have a channel of their own, because many processes may start
   * at the same time, and each would get the echoes of all.
   */
  readonly echoChannel: string = `a2a_echo_${crypto.randomUUID().replaceAll("-", "")}`;
  readonly #database: Database;
  #waiting = new Set<string>();
  #isRunning = false;

  constructor(database: Database) {
    this.#database = database;
  }

  grown(id: string, { generation, nth }: Position): void {
    this.#notify(`g ${String(generation)}-${String(nth)}`, id);
  }

  posted(id: string, count: number): void {
    this.#notify(`p ${String(count)}`, id);
  }

  due(): void {
    this.#notify("d", "");
  }

  async echo(token: string): Promise<void> {
    await this.#send(this.echoChannel, [`e ${token}`]);
  }

  #notify(change: string, id: string): void {
    // An empty notification means that any task or webhook may have changed.
    this.#waiting.add(id.length > maxIdLength ? "" : `${change} ${id}`);
    if (!this.#isRunning) void this.#run();
  }

  #send(channel: string, payloads: readonly string[]): Promise<unknown> {
    return this.#database.rows(
      "SELECT set_config('synchronous_commit', 'off', true), pg_notify($1, p) FROM " +
        "unnest($2::text[]) p",
      [channel, payloads],
      "notify",
    );
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    while (this.#waiting.size > 0) {
      const payloads = [...this.#waiting];
      this.#waiting = new Set();
      await this.#send(this.#database.schema, payloads).catch(() => undefined);
      await new Promise((resolve) => setTimeout(resolve, intervalMs));
    }
    this.#isRunning = false;
  }
}
