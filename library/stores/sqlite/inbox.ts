import { type InboxItem, repeatWithinMs } from "../../kit/store.js";
import type { Codec } from "../log/codec.js";
import { itemsOf } from "../log/decode.js";
import type { Chunks } from "./chunks.js";
import type { Connection } from "./connection.js";

/** An inbox item without its body. */
export interface ItemRow {
  /** Increases with each item of any task. */
  readonly number: number;
  readonly id: string;
  readonly size: number;
}

/** The inboxes of all tasks. Methods that write must be called in a transaction. */
export class Inboxes {
  readonly #connection: Connection;
  readonly #codec: Codec;
  readonly #chunks: Chunks;

  constructor(connection: Connection, codec: Codec, chunks: Chunks) {
    this.#connection = connection;
    this.#codec = codec;
    this.#chunks = chunks;
  }

  /** Returns the items of a task without their bodies. */
  rows(taskId: string): readonly ItemRow[] {
    return this.#connection
      .query<ItemRow>(
        "SELECT number, item_id AS id, size FROM a2a_inbox WHERE task_id = ? ORDER BY number",
      )
      .all(taskId);
  }

  /**
   * Returns the bodies of a task's items whose number is greater than `after`, except for the item
   * `exceptId`.
   * @throws If a body is not JSON.
   */
  bodies(taskId: string, after = 0, exceptId = ""): unknown[] {
    const rows = this.#connection
      .query<{ readonly body: string }>(
        "SELECT body FROM a2a_inbox WHERE task_id = ? AND number > ? AND item_id <> ? ORDER BY " +
          "number",
      )
      .all(taskId, after, exceptId);
    return rows.map(({ body }): unknown => JSON.parse(this.#chunks.read(taskId, body)));
  }

  items(taskId: string, after: number): InboxItem[] {
    return itemsOf(this.bodies(taskId, after), this.#codec.of(taskId));
  }

  /** Returns whether an item was posted so recently that a client may repeat its call. */
  wasPosted(taskId: string, itemId: string, now: number): boolean {
    const query = this.#connection.query(
      "SELECT 1 FROM a2a_posted WHERE task_id = ? AND item_id = ? AND until > ?",
    );
    return query.get(taskId, itemId, now) !== undefined;
  }

  add(taskId: string, itemId: string, body: string, now: number): void {
    // Each post deletes more ids than it adds, so the table only keeps recent ids.
    this.#connection
      .query(
        `DELETE FROM a2a_posted WHERE (task_id, item_id) IN (
           SELECT task_id, item_id FROM a2a_posted WHERE until <= ? ORDER BY until LIMIT 4
         )`,
      )
      .run(now);
    this.#connection
      .query("INSERT OR REPLACE INTO a2a_posted (task_id, item_id, until) VALUES (?, ?, ?)")
      .run(taskId, itemId, now + repeatWithinMs);
    this.#connection
      .query("INSERT INTO a2a_inbox (task_id, item_id, size, body) VALUES (?, ?, ?, ?)")
      .run(taskId, itemId, body.length, this.#chunks.write(taskId, slotOf(itemId), body));
    this.#resize(taskId, body.length);
  }

  take(taskId: string, rows: readonly ItemRow[]): void {
    if (rows.length === 0) return;
    const query = this.#connection.query("DELETE FROM a2a_inbox WHERE number = ?");
    let bytes = 0;
    for (const { number, id, size } of rows) {
      query.run(number);
      this.#chunks.drop(taskId, slotOf(id));
      bytes += size;
    }
    this.#resize(taskId, -bytes);
  }

  /** Returns the greatest number of an item in any inbox; 0 if all inboxes are empty. */
  lastItem(): number {
    const query = this.#connection.query<{ readonly last: number | null }>(
      "SELECT max(number) AS last FROM a2a_inbox",
    );
    return query.get()?.last ?? 0;
  }

  #resize(taskId: string, bytes: number): void {
    this.#connection
      .query("UPDATE a2a_tasks SET bytes = bytes + ? WHERE id = ?")
      .run(bytes, taskId);
  }
}

/** Returns the name of an item's text for {@link Chunks}. */
function slotOf(itemId: string): string {
  return `item ${itemId}`;
}
