import { soon } from "../../timer.js";
import type { AppendOptions, Entry, Lease } from "../../store.js";
import type { Codec } from "./codec.js";
import { keptTexts, largeBytes } from "./large.js";
import type { AppendedEntries } from "./log-store.js";

/** An append, with its values as JSON. */
export interface Append {
  readonly lease: Lease;
  readonly entries: readonly Entry[];
  readonly options: AppendOptions;
  /** The JSON of each entry. */
  readonly bodies: readonly string[];
  /** `null` keeps the stored value. */
  readonly turn: string | null;
  readonly checkpoint: string | null;
}

/**
 * Result of one of several appends that a database executes together. If the append failed, this is its own error. It
 * is "alone" if the database has skipped the append, because the append would have had to wait for another transaction.
 */
export type Verdict = AppendedEntries | Error | "alone";

/** Appends to the logs of different tasks in one step, and returns a result for each append in the same order. */
export type AppendTogether = (appends: readonly Append[]) => Promise<readonly Verdict[]>;

interface Waiting {
  readonly append: Append;
  /** Size of the JSON. */
  readonly bytes: number;
  readonly resolve: (found: AppendedEntries) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Maximum number of appends, of their entries, and of their bytes in one step. Each append waits for all other appends
 * in its step, and a database limits the number of arguments.
 */
const maxAppends = 100;
const maxEntries = 1_000;
const maxBytes = 512 * 1024;

/** Milliseconds after which appends no longer wait for the current step, because the step may never end. */
const stepTimeoutMs = 100;

/** Returns an append with its values as JSON. */
export function appendOf(lease: Lease, entries: readonly Entry[], options: AppendOptions, codec: Codec): Append {
  const bodies = entries.map((entry) => codec.write(entry));
  return { lease, entries, options, bodies, ...keptTexts(options, entries, codec) };
}

/**
 * Appends that wait while other appends are running, and are then sent to the database in one step, with one round trip
 * and one sync to disk. If no append is running, an append is sent immediately. Large appends are sent separately, so
 * that no other append waits for them.
 */
export class AppendQueue {
  readonly #together: AppendTogether;
  #waiting: Waiting[] = [];
  /** The current step, for which appends wait. */
  #step: readonly Waiting[] | undefined;
  #limit: ReturnType<typeof setTimeout> | undefined;

  constructor(together: AppendTogether) {
    this.#together = together;
  }

  /** Appends entries. Rejects with the error of this append, or of the database. */
  add(append: Append): Promise<AppendedEntries> {
    return new Promise((resolve, reject) => {
      const waiting = { append, bytes: sizeOf(append), resolve, reject };
      if (waiting.bytes >= largeBytes) {
        void this.#make([waiting]);
        return;
      }
      this.#waiting.push(waiting);
      if (this.#step === undefined) this.#begin();
      else this.#limit ??= setTimeout(this.#begin, stepTimeoutMs);
    });
  }

  /** Begins a step with the waiting appends. */
  readonly #begin = (): void => {
    clearTimeout(this.#limit);
    this.#limit = undefined;
    const step = this.#next();
    this.#step = step.length === 0 ? undefined : step;
    if (step.length === 0) return;
    if (this.#waiting.length > 0) this.#limit = setTimeout(this.#begin, stepTimeoutMs);
    void this.#make(step).then(() => {
      // If a step takes too long, later steps do not wait for it.
      if (this.#step !== step) return;
      // Callers whose appends have just been completed often append again immediately. Their appends belong to the next
      // step.
      if (step.length > 1 || this.#waiting.length > 0) soon(this.#begin);
      else this.#step = undefined;
    });
  };

  /** Takes the appends of the next step. Appends to the same task follow each other. */
  #next(): Waiting[] {
    const step: Waiting[] = [];
    const left: Waiting[] = [];
    const ids = new Set<string>();
    let [entries, bytes] = [0, 0];
    for (const each of this.#waiting) {
      const { lease } = each.append;
      const isFull = step.length >= maxAppends || entries >= maxEntries || bytes >= maxBytes;
      if (isFull || ids.has(lease.id)) left.push(each);
      else {
        step.push(each);
        entries += each.append.entries.length;
        bytes += each.bytes;
      }
      ids.add(lease.id);
    }
    this.#waiting = left;
    return step;
  }

  /** Executes appends in one step and settles their promises. Never rejects. */
  async #make(step: readonly Waiting[]): Promise<void> {
    try {
      const verdicts = await this.#together(step.map(({ append }) => append));
      for (const [at, each] of step.entries()) this.#settle(each, verdicts[at], step.length === 1);
    } catch (error) {
      // The callers repeat their appends, and the database recognizes which appends were already executed.
      for (const { reject } of step) reject(error);
    }
  }

  #settle(waiting: Waiting, verdict: Verdict | undefined, isAlone: boolean): void {
    if (verdict === "alone" && !isAlone) void this.#make([waiting]);
    else if (verdict instanceof Error) waiting.reject(verdict);
    else if (verdict === undefined || verdict === "alone")
      waiting.reject(new TypeError("The database returned no verdict for an append"));
    else waiting.resolve(verdict);
  }
}

function sizeOf({ bodies, turn, checkpoint }: Append): number {
  let bytes = (turn?.length ?? 0) + (checkpoint?.length ?? 0);
  for (const body of bodies) bytes += body.length;
  return bytes;
}
