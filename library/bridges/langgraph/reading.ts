import { AsyncLocalStorageProviderSingleton } from "@langchain/core/singletons";
import type { Turn } from "../../kit/turns/turn.js";

/**
 * Runs a function without the graph around it. Otherwise, a graph would be a subgraph of a graph
 * that calls its agent in the same process.
 */
export function independent<T>(run: () => T): T {
  return AsyncLocalStorageProviderSingleton.runWithConfig(undefined, run, true);
}

/** Reads the events of a graph, and tells when all events so far are read. */
export class Reading {
  readonly #untilAborted: Turn["untilAborted"];
  #isWaiting = true;
  #count = 0;
  #isOver = false;

  constructor(untilAborted: Turn["untilAborted"]) {
    this.#untilAborted = untilAborted;
  }

  /** Whether reading has failed or was stopped. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** Returns the events. Ends when the turn is aborted, even if the graph ignores its signal. */
  async *items(stream: AsyncIterable<unknown>): AsyncGenerator {
    const iterator = stream[Symbol.asyncIterator]();
    let isDone = false;
    try {
      for (;;) {
        this.#isWaiting = true;
        const next = await this.#untilAborted(independent(() => iterator.next()));
        this.#isWaiting = false;
        this.#count += 1;
        isDone = next.done === true;
        if (isDone) return;
        yield next.value;
      }
    } finally {
      this.#isWaiting = true;
      this.#isOver = !isDone;
      // A graph that ignores its signal would never return.
      if (!isDone) iterator.return?.().catch(() => undefined);
    }
  }

  /** Resolves when all events that the graph has streamed so far are read. */
  async settled(): Promise<void> {
    for (let count = -1; !this.#isOver && !(this.#isWaiting && count === this.#count);) {
      count = this.#count;
      // Events that are already streamed arrive before the next timer.
      await new Promise((resolve) => setTimeout(resolve, 0));
    }
  }
}
