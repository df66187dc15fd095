/** What a generator returns in the end. */
type Returned<G> = G extends AsyncGenerator<unknown, infer R, undefined> ? R : never;

/** What a generator yields. */
type Yielded<G> = G extends AsyncGenerator<infer Y, unknown, undefined> ? Y : never;

/**
 * Runs generators at the same time: yields what they yield, as it comes, and returns what they return, in their order.
 * If one throws, the others are ended and the error is thrown.
 *
 * @example
 * const [web, news] = yield* all(search("web", topic), search("news", topic));
 */
export async function* all<G extends readonly AsyncGenerator<unknown, unknown, undefined>[]>(
  ...generators: G
): AsyncGenerator<Yielded<G[number]>, { -readonly [K in keyof G]: Returned<G[K]> }, undefined> {
  type Step = readonly [at: number, G[number], IteratorResult<unknown, unknown>];
  const step = async (at: number, generator: G[number]): Promise<Step> => [at, generator, await generator.next()];
  const waiting = new Map(generators.map((generator, at) => [at, step(at, generator)]));
  const results: unknown[] = generators.map(() => undefined);
  try {
    while (waiting.size > 0) {
      const [at, generator, { done, value }] = await Promise.race(waiting.values());
      if (done === true) {
        results[at] = value;
        waiting.delete(at);
      } else {
        // What a generator yields is what its type says; the compiler cannot follow it through the map.
        yield value as Yielded<G[number]>;
        waiting.set(at, step(at, generator));
      }
    }
  } finally {
    // A generator that waits hears of the end only when it goes on, so nobody waits for that.
    const left = generators.filter((_, at) => waiting.has(at));
    for (const generator of left) void generator.return(undefined).catch(() => undefined);
    for (const promise of waiting.values()) promise.catch(() => undefined);
  }
  return results as { -readonly [K in keyof G]: Returned<G[K]> };
}
