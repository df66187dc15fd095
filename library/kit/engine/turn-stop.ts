import type { JsonObject } from "../../runtime/base/json.js";
import { longestMs } from "../timer.js";
import { TurnRun } from "../turns/run.js";
import type { Cancellation } from "../turns/turn.js";
import { canceled } from "../turns/updates.js";
import type { Environment } from "./environment.js";
import { checking } from "./lease-signal.js";

/**
 * Stops a task's turns if the task is canceled, if a turn takes too long, or if no more writes are
 * possible.
 */
export class TurnStop {
  readonly #limits: Environment["limits"];
  readonly #checkLease: () => void;
  #controller: AbortController | undefined;
  #aborted: { readonly reason: unknown } | undefined;
  #cancellation: Cancellation | undefined;
  #run: TurnRun | undefined;
  #turnLimit: ReturnType<typeof setTimeout> | undefined;
  #cancelLimit: ReturnType<typeof setTimeout> | undefined;

  /** `checkLease` stops the turn if the lease of its task is over. */
  constructor(limits: Environment["limits"], checkLease: () => void) {
    this.#limits = limits;
    this.#checkLease = checkLease;
  }

  /** The current turn, or the last turn. */
  get run(): TurnRun | undefined {
    return this.#run;
  }

  /** The reason for stopping turns; `undefined` unless turns are stopped. */
  get aborted(): { readonly reason: unknown } | undefined {
    return this.#aborted;
  }

  /** The request to cancel the task, if any. */
  get cancellation(): Cancellation | undefined {
    return this.#cancellation;
  }

  /** The signal of the task's turns, which checks the lease when it is read. */
  get signal(): AbortSignal {
    this.#checkLease();
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      checking(this.#controller.signal, this.#checkLease);
    }
    if (this.#aborted !== undefined) this.#controller.abort(this.#aborted.reason);
    return this.#controller.signal;
  }

  /** Returns the run of a new turn. */
  newRun(): TurnRun {
    return (this.#run = new TurnRun());
  }

  /** Starts the timers of a turn, unless the turn is over. */
  startTimer(run: TurnRun): void {
    // A cancel request may have woken the task for this turn.
    if (this.#cancellation !== undefined) this.#limitCancel();
    if (run.isOver || this.#limits.turnWithinMs > longestMs) return;
    this.#turnLimit = setTimeout(this.#overrun, this.#limits.turnWithinMs);
  }

  /** Stops the timer of a turn. */
  stopTimer(): void {
    clearTimeout(this.#turnLimit);
  }

  /** Cancels the task. A turn that does not end in time is stopped. */
  cancel(metadata: JsonObject): void {
    if (this.#cancellation !== undefined) return;
    this.#cancellation = { metadata };
    this.#abort(new DOMException("The task was canceled", "AbortError"));
    this.#limitCancel();
  }

  /** Ends the turn of a canceled task if it does not end in time. */
  #limitCancel(): void {
    const run = this.#run;
    if (run === undefined || run.isOver) return;
    this.#cancelLimit = setTimeout(() => {
      run.stop({ end: canceled() });
    }, this.#limits.cancelWithinMs);
  }

  /** Stops the turn with an error. */
  fail(error: unknown): void {
    this.#abort(error);
    this.#run?.stop({ thrown: error });
  }

  /** Stops waiting for the turn of a canceled task. */
  close(): void {
    clearTimeout(this.#cancelLimit);
  }

  readonly #overrun = (): void => {
    this.fail(new DOMException("The turn took longer than limits.turnWithinMs", "TimeoutError"));
  };

  #abort(reason: unknown): void {
    this.#aborted ??= { reason };
    this.#controller?.abort(reason);
  }
}
