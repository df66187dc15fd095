import { ignoringErrors } from "../../memory/ignoring-errors.js";
import { withoutHold } from "../../timer.js";
import type { Connection } from "./connection.js";

/** Detects writes of other connections by polling the database, while `want(true)` applies. */
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

  /** Starts or stops polling. */
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
    // Polling can ignore an unreadable database, because calls of the store report the error to their callers.
    if (version === undefined || version === this.#version) return;
    this.#version = version;
    ignoringErrors(this.#onChange);
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
