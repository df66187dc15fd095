import type { TurnGenerator } from "./turn.js";

/** How a turn came to its end. */
export type TurnOutcome = { readonly end: unknown } | { readonly thrown: unknown };

/** Steps of a turn after which everybody else has their turn, too: one that never waits would let nobody in. */
const manySteps = 1_000;

/** The run of a turn: hands on what its generator yields, until that ends or somebody else ends the turn. */
export class TurnRun {
  readonly outcome: Promise<TurnOutcome>;
  #settle: (outcome: TurnOutcome) => void = () => undefined;
  #generator: TurnGenerator | undefined;
  #isOver = false;

  constructor() {
    this.outcome = new Promise((resolve) => {
      this.#settle = resolve;
    });
  }

  /**
   * Begins the turn. `add` is called with each update; it throws for one that is wrong, and returns a promise where the
   * turn has to wait before the next one.
   */
  begin(start: () => TurnGenerator, add: (update: unknown) => Promise<void> | undefined): void {
    void this.#pump(start, add);
  }

  /** Whether the turn is over; what it still yields does not count. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** Ends the turn in its place, if it is not over. What it still does is not waited for. */
  stop(outcome: TurnOutcome): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#settle(outcome);
    this.#leave();
  }

  async #pump(start: () => TurnGenerator, add: (update: unknown) => Promise<void> | undefined): Promise<void> {
    try {
      this.#generator = start();
      for (let steps = 1; !this.#isOver; steps += 1) {
        const step = await this.#generator.next();
        if (this.isOver) return;
        if (step.done === true) {
          this.#generator = undefined;
          this.stop({ end: step.value });
          return;
        }
        await add(step.value);
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
