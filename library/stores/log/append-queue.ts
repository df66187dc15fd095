import { soon } from "../../kit/timer.js";
import type { AppendOptions, Entry, Lease } from "../../kit/store.js";
import type { Append, AppendedEntries, Verdict } from "./append.js";
import type { Codec } from "./codec.js";
import { keptTexts, largeBytes } from "./large.js";

/**
 * Appends to the logs of different tasks in one step, and returns a result for each append in the
 * same order.
 */
export type AppendTogether = (appends: readonly Append[]) => Promise<readonly Verdict[]>;

interface Waiting {
  readonly append: Append;
  /** Size of the JSON. */
  readonly bytes: number;
  readonly resolve: (found: AppendedEntries) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Maximum numbers of appends, of their entries, and of their bytes in one step. Steps must be
 * limited, because each append waits for all other appends in its step, and because databases limit
 * the number of arguments.
 */
const maxAppends = 100;
const maxEntries = 1_000;
const maxBytes = 512 * 1024;

/**
 * Milliseconds after which appends no longer wait for the current step, because the step may never
 * end.
 */
const stepTimeoutMs = 100;

/** Returns an append with its values as JSON. */
export function appendOf(
  lease: Lease,
  entries: readonly Entry[],
  options: AppendOptions,
  codec: Codec,
): Append {
  const own = codec.of(lease.id);
  const bodies = entries.map((entry) => own.write(entry, "entry"));
  return { lease, entries, options, bodies, ...keptTexts(options, entries, own) };
}

/**
 * Appends that wait while other appends are running, and are then sent to the database in one step,
 * with one round trip and one sync to disk. If no append is running, an append is sent immediately.
 * Large appends are sent separately, so that no other append waits for them.
 */
export class AppendQueue {
  readonly #appendTogether: AppendTogether;
  /** Maximum number of concurrent steps. Further appends wait. */
  readonly #maxSteps: number;
  /** Steps that further appends wait for. A step is removed when it ends, or after a time-out. */
  readonly #steps = new Set<readonly Waiting[]>();
  #waiting: Waiting[] = [];
  #timeout: ReturnType<typeof setTimeout> | undefined;

  constructor(appendTogether: AppendTogether, maxSteps: number) {
    this.#appendTogether = appendTogether;
    this.#maxSteps = maxSteps;
  }

  /** Appends entries. Rejects with the error of this append, or of the database. */
  add(append: Append): Promise<AppendedEntries> {
    return new Promise((resolve, reject) => {
      const waiting = { append, bytes: sizeOf(append), resolve, reject };
      if (waiting.bytes >= largeBytes) {
        void this.#execute([waiting]);
        return;
      }
      this.#waiting.push(waiting);
      if (this.#steps.size < this.#maxSteps) this.#begin();
      else this.#timeout ??= setTimeout(this.#overtake, stepTimeoutMs);
    });
  }

  /**
   * Begins a step even if other steps are running, so that appends no longer wait for the other
   * steps.
   */
  readonly #overtake = (): void => {
    this.#steps.clear();
    this.#begin();
  };

  /** Begins a step with waiting appends. */
  #begin(): void {
    clearTimeout(this.#timeout);
    this.#timeout = undefined;
    const step = this.#next();
    if (step.length === 0) return;
    this.#steps.add(step);
    if (this.#waiting.length > 0) this.#timeout = setTimeout(this.#overtake, stepTimeoutMs);
    void this.#execute(step).then(() => {
      // Callers whose appends have just been completed often append again immediately. Wait, so
      // that the next step includes these appends.
      if (step.length > 1 || this.#waiting.length > 0)
        soon(() => {
          this.#end(step);
        });
      else this.#end(step);
    });
  }

  /**
   * Ends a step. Begins the next step, unless appends have already stopped waiting for this step.
   */
  #end(step: readonly Waiting[]): void {
    if (this.#steps.delete(step)) this.#begin();
  }

  /**
   * Takes the appends for the next step, so that all concurrent steps contain about the same number
   * of appends. Appends to the same task keep their order.
   */
  #next(): Waiting[] {
    let underWay = 0;
    for (const { length } of this.#steps) underWay += length;
    const share = Math.min(
      maxAppends,
      Math.ceil((this.#waiting.length + underWay) / this.#maxSteps),
    );
    const step: Waiting[] = [];
    const later: Waiting[] = [];
    const ids = new Set<string>();
    let [entries, bytes] = [0, 0];
    for (const waiting of this.#waiting) {
      const { lease } = waiting.append;
      const isFull = step.length >= share || entries >= maxEntries || bytes >= maxBytes;
      if (isFull || ids.has(lease.id)) later.push(waiting);
      else {
        step.push(waiting);
        entries += waiting.append.entries.length;
        bytes += waiting.bytes;
      }
      ids.add(lease.id);
    }
    this.#waiting = later;
    return step;
  }

  /** Executes appends in one step and settles their promises. Never rejects. */
  async #execute(step: readonly Waiting[]): Promise<void> {
    try {
      const verdicts = await this.#appendTogether(step.map(({ append }) => append));
      for (const [at, waiting] of step.entries())
        this.#settle(waiting, verdicts[at], step.length === 1);
    } catch (error) {
      // The callers will repeat their appends, and the database recognizes appends that were
      // already executed.
      for (const { reject } of step) reject(error);
    }
  }

  #settle(waiting: Waiting, verdict: Verdict | undefined, isAlone: boolean): void {
    if (verdict === "alone" && !isAlone) void this.#execute([waiting]);
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
