import type { Connection } from "./connection.js";

/** First character of a reference to chunks. JSON does not begin with it. */
const mark = "~";

/**
 * Splits texts that are longer than a value of the database may be. The column of such a text
 * contains a reference to its chunks. Methods that write must be called in a transaction.
 */
export class Chunks {
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
    if (!this.#isUsed) return;
    connection.exec(
      "CREATE TABLE IF NOT EXISTS a2a_chunks (task_id TEXT NOT NULL, slot TEXT NOT NULL, " +
        "nth INTEGER NOT NULL, body TEXT NOT NULL, PRIMARY KEY (task_id, slot, nth)) WITHOUT ROWID",
    );
  }

  /** Whether the database limits the length of texts. */
  get #isUsed(): boolean {
    return this.#connection.maxText < Infinity;
  }

  /**
   * Returns the value for the column of a text. Writes chunks if the text is too long, and drops
   * the chunks of the text that it replaces.
   * @param slot Name of the text within its task.
   */
  write(taskId: string, slot: string, text: string): string {
    this.drop(taskId, slot);
    if (text.length <= this.#connection.maxText) return text;
    const query = this.#connection.query("INSERT INTO a2a_chunks VALUES (?, ?, ?, ?)");
    let start = 0;
    for (let nth = 0; start < text.length; nth += 1) {
      const end = this.#endOf(text, start);
      query.run(taskId, slot, nth, text.slice(start, end));
      start = end;
    }
    return mark + slot;
  }

  /** Returns the text for the value of a column. */
  read(taskId: string, value: string): string {
    if (!value.startsWith(mark)) return value;
    const rows = this.#connection
      .query<{ readonly body: string }>(
        "SELECT body FROM a2a_chunks WHERE task_id = ? AND slot = ? ORDER BY nth",
      )
      .all(taskId, value.slice(mark.length));
    return rows.map(({ body }) => body).join("");
  }

  /** Deletes the chunks of a text, if it has any. */
  drop(taskId: string, slot: string): void {
    if (!this.#isUsed) return;
    this.#connection
      .query("DELETE FROM a2a_chunks WHERE task_id = ? AND slot = ?")
      .run(taskId, slot);
  }

  /** Deletes the chunks of all texts of a task whose slots begin with `prefix`. */
  dropAll(taskId: string, prefix = ""): void {
    if (!this.#isUsed) return;
    this.#connection
      .query("DELETE FROM a2a_chunks WHERE task_id = ? AND substr(slot, 1, ?) = ?")
      .run(taskId, prefix.length, prefix);
  }

  /** Returns the end of the chunk that begins at `start`. */
  #endOf(text: string, start: number): number {
    const end = Math.min(start + this.#connection.maxText, text.length);
    // Half of a surrogate pair has no UTF-8 form, so a pair stays in one chunk.
    const isPair = end < text.length && (text.codePointAt(end - 1) ?? 0) > 0xffff;
    return isPair ? end - 1 : end;
  }
}
