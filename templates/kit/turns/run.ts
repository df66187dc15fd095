import type { TurnGenerator } from "./turn.js";

/** How a turn came to its end. */
export type TurnOutcome = { readonly end: unknown } | { readonly thrown: unknown };

/** What takes the updates of a turn. */
export interface UpdateSink {
  /** Returns whether the turn may take its next step; ends the turn if this process may no longer work on the task. */
  mayGoOn(): boolean;
  /** Throws for an update that is wrong; returns a promise where the turn has to wait before the next one. */
  add(update: unknown): Promise<void> | undefined;
}

/** Steps of a turn after which everybody else has their turn, too: one that never waits would let nobody in. */
const manySteps = 1_000;

/** The run of a turn: hands on what its generator yields, until that ends or somebody else ends the turn. */
export class TurnRun {
  #generator: TurnGenerator | undefined;
  #outcome: TurnOutcome | undefined;
  #settle: ((outcome: TurnOutcome) => void) | undefined;

  /** Begins the turn. What it does without waiting is done before this returns. */
  begin(start: () => TurnGenerator, sink: UpdateSink): void {
    void this.#pump(start, sink);
  }

  /** Whether the turn is over; what it still yields does not count. */
  get isOver(): boolean {
    return this.#outcome !== undefined;
  }

  /** How the turn ended, or a promise of it. To be asked for once. */
  outcome(): TurnOutcome | Promise<TurnOutcome> {
    return (
      this.#outcome ??
      new Promise((resolve) => {
        this.#settle = resolve;
      })
    );
  }

  /** Ends the turn in its place, if it is not over. What it still does is not waited for. */
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
        // Nothing is waited for that is there: a wait costs more than a small turn.
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

  /** Has the generator clean up, as far as it goes on at all. */
  #leave(): void {
    try {
      // What `run` returned may be anything, and what it throws on its way out concerns nobody any more.
      const leaving: unknown = this.#generator?.return(undefined as never);
      Promise.resolve(leaving).catch(() => undefined);
    } catch {
      // As above.
    }
  }
}
