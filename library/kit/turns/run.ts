import type { TurnGenerator } from "./turn.js";
import { maxSteps, pause } from "../timer.js";

/** Result of one step of a generator. */
type Step = IteratorResult<unknown, unknown>;

/** Promise that a turn waits for: its next step, or room for its next update. */
type Waiting =
  | { readonly step: Promise<Step>; readonly room?: undefined }
  | { readonly room: Promise<void>; readonly step?: undefined };

/** The value that a turn ends with, not yet validated. */
export interface Ending {
  readonly end: unknown;
}

/** Result of a turn: its return value, or the error that it threw. */
export type TurnOutcome = Ending | { readonly thrown: unknown };

/** Receiver of the updates of a turn. */
export interface UpdateSink {
  /**
   * Returns whether the turn may continue. If this process may no longer work on the task, ends the
   * turn.
   */
  mayGoOn(): boolean;
  /**
   * Adds an update. Throws if the update is invalid. Returns a promise if the turn must wait before
   * its next update.
   */
  add(update: unknown): Promise<void> | undefined;
}

/**
 * A single run of a turn, which passes on the updates of the generator until the generator ends or
 * the turn is stopped.
 */
export class TurnRun {
  #generator: TurnGenerator | undefined;
  #steps = 0;
  #outcome: TurnOutcome | undefined;
  #settle: ((outcome: TurnOutcome) => void) | undefined;

  /** Begins the turn, and runs it up to its first asynchronous wait. */
  begin(start: () => TurnGenerator, sink: UpdateSink): void {
    try {
      const generator = (this.#generator = start());
      const waiting = this.#advance(generator, sink);
      if (waiting !== undefined) void this.#pump(generator, sink, waiting);
    } catch (thrown) {
      this.stop({ thrown });
    }
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

  /**
   * Ends the turn with an outcome, unless the turn is already over. Does not wait for its
   * generator.
   */
  stop(outcome: TurnOutcome): void {
    if (this.isOver) return;
    this.#outcome = outcome;
    this.#settle?.(outcome);
    this.#endGenerator();
  }

  async #pump(generator: TurnGenerator, sink: UpdateSink, first: Waiting): Promise<void> {
    try {
      for (let waiting: Waiting | undefined = first; waiting !== undefined;) {
        let room: Promise<void> | undefined;
        if (waiting.step === undefined) await waiting.room;
        else room = this.#pass(await waiting.step, sink);
        waiting = room === undefined ? this.#advance(generator, sink) : { room };
      }
    } catch (thrown) {
      this.stop({ thrown });
    }
  }

  /**
   * Runs the turn until it must wait; returns `undefined` if the turn is over. A turn that never
   * waits does not allocate a promise.
   */
  #advance(generator: TurnGenerator, sink: UpdateSink): Waiting | undefined {
    while (!this.isOver && sink.mayGoOn()) {
      this.#steps += 1;
      if (this.#steps % maxSteps === 0) return { room: pause() };
      const next = generator.next();
      if ("then" in next) return { step: next };
      const room = this.#pass(next, sink);
      if (room !== undefined) return { room };
    }
    return undefined;
  }

  /**
   * Passes on the update of a step, or ends the turn. Returns a promise if the turn must wait for
   * room.
   */
  #pass(step: Step, sink: UpdateSink): Promise<void> | undefined {
    if (this.isOver) return undefined;
    if (step.done !== true) return sink.add(step.value);
    // The generator has ended, so `stop` must not end it.
    this.#generator = undefined;
    this.stop({ end: step.value });
    return undefined;
  }

  /** Ends the generator, so that it runs its `finally` blocks. Does not wait for it. */
  #endGenerator(): void {
    const generator = this.#generator;
    if (generator === undefined) return;
    try {
      // `run` may have returned any value. Ignore errors that the generator throws during its
      // cleanup.
      const leaving: unknown = generator.return(undefined as never);
      Promise.resolve(leaving).catch(() => undefined);
    } catch {
      // Ignore errors of the cleanup, as explained above.
    }
  }
}
