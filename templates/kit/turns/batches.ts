import type { Part } from "../model.js";

/** What an artifact is made of, bit by bit. */
export type Source<P extends Part = Part> = AsyncIterable<string | P> | Iterable<string | P>;

type Bit = string | Part;

/** Returns each bit of a source alone. */
export async function* singles(source: Source): AsyncGenerator<readonly Bit[], void> {
  for await (const bit of source) yield [bit];
}

/**
 * Returns what comes of a source within some milliseconds of the first bit together, with adjacent texts as one. A bit
 * waits for no later one, so what a slow source has said is returned in time.
 */
export async function* batches(source: Source, everyMs: number): AsyncGenerator<readonly Bit[], void> {
  const iterator = singles(source);
  let timer: ReturnType<typeof setTimeout> | undefined;
  try {
    let next = iterator.next();
    for (;;) {
      const first = await next;
      if (first.done === true) return;
      const bits = [...first.value];
      const over = new Promise<undefined>((resolve) => {
        timer = setTimeout(resolve, everyMs, undefined);
      });
      for (;;) {
        next = iterator.next();
        // What came before an error is returned first: the error is thrown when `next` is awaited above.
        const found = await Promise.race([next.catch(() => undefined), over]);
        if (found === undefined || found.done === true) break;
        for (const bit of found.value) add(bits, bit);
      }
      clearTimeout(timer);
      yield bits;
    }
  } finally {
    clearTimeout(timer);
    // A source that waits hears of the end only when it goes on.
    void iterator.return().catch(() => undefined);
  }
}

function add(bits: Bit[], bit: Bit): void {
  const last = bits.at(-1);
  if (typeof bit === "string" && typeof last === "string") bits[bits.length - 1] = last + bit;
  else bits.push(bit);
}
