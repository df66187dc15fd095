/** Item of {@link withSavePoints}: the run waits until it is saved. */
export const savePoint = Symbol("savePoint");

/** Stops a run before each call of its model, until the turn has saved the run. */
export class SavePoints {
  #skipped: number;
  #release: (() => void) | undefined;
  #onReach: () => void = () => undefined;

  /** `skipped` is the number of calls at whose beginning the run has nothing new to save. */
  constructor(skipped: number) {
    this.#skipped = skipped;
  }

  /** Called before each call of the model. Resolves when the run is saved. */
  async reach(): Promise<void> {
    if (this.#skipped > 0) {
      this.#skipped -= 1;
      return;
    }
    await new Promise<void>((resolve) => {
      this.#release = resolve;
      this.#onReach();
    });
  }

  /** Calls a function when the run waits. The function replaces an earlier function. */
  whenReached(onReach: () => void): void {
    this.#onReach = onReach;
    if (this.#release !== undefined) onReach();
  }

  /** Lets the run continue. */
  release(): void {
    this.#release?.();
    this.#release = undefined;
  }
}

/**
 * Yields the events of a run, and {@link savePoint} when the run waits to be saved and all its
 * events were yielded.
 */
export async function* withSavePoints<T>(
  events: AsyncGenerator<T, void>,
  points: SavePoints,
): AsyncGenerator<T | typeof savePoint, void> {
  try {
    let next = events.next();
    for (;;) {
      const step = await stepOf(next, points);
      if (step === savePoint) {
        yield savePoint;
        points.release();
      } else if (step.done === true) return;
      else {
        yield step.value;
        next = events.next();
      }
    }
  } finally {
    points.release();
    void events.return();
  }
}

function stepOf<T>(
  next: Promise<IteratorResult<T, void>>,
  points: SavePoints,
): Promise<IteratorResult<T, void> | typeof savePoint> {
  return new Promise((resolve, reject) => {
    next.then(resolve, reject);
    // Events that the run has emitted before it waits arrive before the timer.
    points.whenReached(() => setTimeout(resolve, 0, savePoint));
  });
}
