import type { Part } from "../model.js";
import { maxSteps, pause } from "../timer.js";
import { untilAborted } from "./until-aborted.js";

/**
 * A source of text, parts and updates, such as the stream of a model. Text and parts become chunks
 * of an artifact, and updates are yielded unchanged, between the chunks before and after them.
 */
export type Source<P extends Part = Part, U = never> =
  AsyncIterable<string | P | U> | Iterable<string | P | U>;

/**
 * Iterates over a source. If the signal aborts, closes the source and throws the signal's reason
 * immediately.
 */
export async function* abortable<T>(
  source: AsyncIterable<T> | Iterable<T>,
  signal: AbortSignal,
): AsyncGenerator<T, void> {
  const iterator: AsyncIterator<T, unknown> | Iterator<T, unknown> =
    Symbol.asyncIterator in source ? source[Symbol.asyncIterator]() : source[Symbol.iterator]();
  let isOpen = true;
  try {
    for (let steps = 1; ; steps += 1) {
      if (steps % maxSteps === 0) await pause();
      const step = await untilAborted(Promise.resolve(iterator.next()), signal);
      if (step.done === true) break;
      yield step.value;
    }
    isOpen = false;
  } finally {
    // Do not await this call, because a source that waits only processes `return` after its wait.
    if (isOpen) void close(iterator);
  }
}

async function close(iterator: AsyncIterator<unknown> | Iterator<unknown>): Promise<void> {
  try {
    await iterator.return?.();
  } catch {
    // The turn no longer uses the source, so ignore errors of its cleanup.
  }
}
