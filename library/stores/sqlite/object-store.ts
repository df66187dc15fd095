import type { Retention } from "../../kit/store.js";
import type { Codec } from "../log/codec.js";
import { LogStore } from "../log/log-store.js";
import type { Alarm } from "./alarm.js";
import type { SqliteLogs } from "./logs.js";

/** A store in a database of one process, which the alarm of its platform starts. */
export class ObjectStore extends LogStore {
  readonly #alarm: Alarm;

  constructor(logs: SqliteLogs, codec: Codec, alarm: Alarm) {
    super(logs, codec, {
      read: (id, after) => logs.batch(id, after),
      readState: (ids) => logs.readState(ids),
      // No other process writes.
      pollMs: Infinity,
    });
    this.#alarm = alarm;
  }

  resetAlarm(): void {
    this.#alarm.reset();
  }

  override onDue(listener: () => boolean): () => void {
    const stop = super.onDue(listener);
    this.#alarm.noteSender();
    return stop;
  }

  override deleteExpired(retention: Retention): Promise<number> {
    this.#alarm.noteRetention(retention);
    return super.deleteExpired(retention);
  }
}
