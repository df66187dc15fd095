import type { TurnGenerator } from "./turn.js";

/** Result of a turn: its return value, or the error that it threw. */
export type TurnOutcome = { readonly end: unknown } | { readonly thrown: unknown };

/** Receiver of the updates of a turn. */
export interface UpdateSink {
  /** Returns whether the turn may continue. If this process may no longer work on the task, ends the turn. */
  mayGoOn(): boolean;
  /**
   * Adds an update. Throws if the update is invalid. Returns a promise if the turn must wait before its next update.
   */
  add(update: unknown): Promise<void> | undefined;
}

/**
 * Number of steps after which a turn yields to the event loop, so that a turn that never waits cannot block other work.
 */
const manySteps = 1_000;

/** One run of a turn. It passes on the updates of the generator until the generator ends or the turn is stopped. */
export class TurnRun {
  #generator: TurnGenerator | undefined;
  #outcome: TurnOutcome | undefined;
  #settle: ((outcome: TurnOutcome) => void) | undefined;

  /** Begins the turn, and runs it up to its first asynchronous wait. */
  begin(start: () => TurnGenerator, sink: UpdateSink): void {
    void this.#pump(start, sink);
  }

  /** Whether the turn is over. Later updates are ignored. */
  get isOver(): boolean {
    return this.#outcome !== undefined;
  }

  /** Returns the outcome of the turn, or a promise of the outcome. May only be called once. */
  outcome(): TurnOutcome | Promise<TurnOutcome> {
    return (
      this.#outcome ??
      new Promise((resolve) => {
        this.#settle = resolve;
      })
    );
  }

  /** Ends the turn with an outcome, unless it is over. Does not wait for its generator. */
  stop(outcome: TurnOutcome): void {
    if (this.isOver) return;
    this.#outcome = outcome;
    this.#settle?.(outcome);
    this.#leave();
  }

  async #pump(start: () => TurnGenerator, sink: UpdateSink): Promise<void> {
    try {
      const generator = (this.#generator = start());
      for (let steps = 1; this.#outcome === undefined && sink.mayGoOn(); steps += 1) {
        const next = generator.next();
        // Only await promises, because awaiting a value that is already available takes longer than a small turn.
        const step = "then" in next ? await next : next;
        if (this.isOver) return;
        if (step.done === true) {
          this.#generator = undefined;
          this.stop({ end: step.value });
          return;
        }
        const room = sink.add(step.value);
        if (room !== undefined) await room;
        if (steps % manySteps === 0) await new Promise((resolve) => setTimeout(resolve, 0));
      }
    } catch (thrown) {
      this.stop({ thrown });
    }
  }

  /** Ends the generator, so that it runs its `finally` blocks. Does not wait for it. */
  #leave(): void {
    try {
      // `run` may have returned any value. Ignore errors that the generator throws during its cleanup.
      const leaving: unknown = this.#generator?.return(undefined as never);
      Promise.resolve(leaving).catch(() => undefined);
    } catch {
      // As above.
    }
  }
}
