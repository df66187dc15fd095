import type { Part } from "../model.js";

/** A source of strings and parts, which become the content of an artifact. */
export type Source<P extends Part = Part> = AsyncIterable<string | P> | Iterable<string | P>;

type Bit = string | Part;

/** Returns each item of a source separately. */
export async function* singles(source: Source): AsyncGenerator<readonly Bit[], void> {
  for await (const bit of source) yield [bit];
}

/**
 * Returns the items of a source in batches. Each batch contains the items that arrive within `everyMs` after its first
 * item, with adjacent strings joined. The batch is returned after that time, even if the source is slow.
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
        // Return the items before an error first. The error is thrown when `next` is awaited above.
        const found = await Promise.race([next.catch(() => undefined), over]);
        if (found === undefined || found.done === true) break;
        for (const bit of found.value) add(bits, bit);
      }
      clearTimeout(timer);
      yield bits;
    }
  } finally {
    clearTimeout(timer);
    // Do not await this call, because a waiting generator only processes `return` after its wait.
    void iterator.return().catch(() => undefined);
  }
}

function add(bits: Bit[], bit: Bit): void {
  const last = bits.at(-1);
  if (typeof bit === "string" && typeof last === "string") bits[bits.length - 1] = last + bit;
  else bits.push(bit);
}
