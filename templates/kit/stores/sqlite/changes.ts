import { quietly } from "../../memory/quietly.js";
import { withoutHold } from "../../timer.js";
import type { Connection } from "./connection.js";

/** Notices what other connections write to the database, as long as somebody wants to know. */
export class Changes {
  readonly #connection: Connection;
  readonly #intervalMs: number;
  readonly #onChange: () => void;
  #timer: ReturnType<typeof setInterval> | undefined;
  #version: number | undefined;

  constructor(connection: Connection, intervalMs: number, onChange: () => void) {
    this.#connection = connection;
    this.#intervalMs = intervalMs;
    this.#onChange = onChange;
  }

  get isOn(): boolean {
    return this.#timer !== undefined;
  }

  /** Begins to look at the database, or stops. */
  want(isWanted: boolean): void {
    if (isWanted === this.isOn) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
    if (!isWanted) return;
    this.#version = this.#versionOf();
    this.#timer = withoutHold(
      setInterval(() => {
        this.#look();
      }, this.#intervalMs),
    );
  }

  #look(): void {
    const version = this.#versionOf();
    // A database that cannot be read tells so to whoever calls the store.
    if (version === undefined || version === this.#version) return;
    this.#version = version;
    quietly(this.#onChange);
  }

  /** Returns a number that changes with each transaction of another connection. */
  #versionOf(): number | undefined {
    try {
      return this.#connection.query<{ readonly data_version: number }>("PRAGMA data_version").get()?.data_version;
    } catch {
      return undefined;
    }
  }
}
