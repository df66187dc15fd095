import type { Position } from "../log/rows.js";
import type { Database } from "./database.js";

/** Ids that are longer than a notification may be, even if each character takes three bytes. */
const longestId = 2_000;

/**
 * Tells other processes what has changed, after it has. A transaction that notifies waits with its end for all others
 * that do, so it is one of its own here, which tells what has come together meanwhile and does not wait for the disk.
 * What is lost with the process or the connection, others find by looking for it.
 */
export class Teller {
  readonly #database: Database;
  #waiting = new Set<string>();
  #isTelling = false;

  constructor(database: Database) {
    this.#database = database;
  }

  /** The log of a task has grown up to an end. */
  grown(id: string, { generation, nth }: Position): void {
    this.#tell(`g ${String(generation)}-${String(nth)}`, id);
  }

  /** As many items have been posted to a task. */
  posted(id: string, count: number): void {
    this.#tell(`p ${String(count)}`, id);
  }

  /** A webhook has become due. */
  due(): void {
    this.#tell("d", "");
  }

  #tell(what: string, id: string): void {
    // An empty notification says that anything may have happened.
    this.#waiting.add(id.length > longestId ? "" : `${what} ${id}`);
    if (!this.#isTelling) void this.#run();
  }

  async #run(): Promise<void> {
    this.#isTelling = true;
    while (this.#waiting.size > 0) {
      const payloads = [...this.#waiting];
      this.#waiting = new Set();
      await this.#database
        .query("SELECT set_config('synchronous_commit', 'off', true), pg_notify($1, p) FROM unnest($2::text[]) p", [
          this.#database.schema,
          payloads,
        ])
        .catch(() => undefined);
    }
    this.#isTelling = false;
  }
}
