/** Type of a generator's return value. */
type Returned<G> = G extends AsyncGenerator<unknown, infer R, undefined> ? R : never;

/** Type of a generator's yielded values. */
type Yielded<G> = G extends AsyncGenerator<infer Y, unknown, undefined> ? Y : never;

/**
 * Runs generators concurrently. Yields their values as they arrive, and returns a list of their
 * return values in the order of the generators. If one generator throws, the other generators are
 * ended and the error is rethrown.
 *
 * @example
 * const [web, news] = yield* all(search("web", topic), search("news", topic));
 */
export async function* all<G extends readonly AsyncGenerator<unknown, unknown, undefined>[]>(
  ...generators: G
): AsyncGenerator<Yielded<G[number]>, { -readonly [K in keyof G]: Returned<G[K]> }, undefined> {
  const next = async (generator: G[number], at: number) => ({
    at,
    generator,
    result: await generator.next(),
  });
  const waiting = new Map(generators.map(next).entries());
  const results: unknown[] = generators.map(() => undefined);
  try {
    while (waiting.size > 0) {
      const { at, generator, result } = await Promise.race(waiting.values());
      if (result.done === true) {
        results[at] = result.value;
        waiting.delete(at);
      } else {
        // Each generator yields values of its declared type, but the compiler cannot infer this
        // through the map.
        yield result.value as Yielded<G[number]>;
        waiting.set(at, next(generator, at));
      }
    }
  } finally {
    // Do not await these calls, because a waiting generator only processes `return` after its wait.
    const unfinished = generators.filter((_, at) => waiting.has(at));
    for (const generator of unfinished) void generator.return(undefined).catch(() => undefined);
    for (const promise of waiting.values()) promise.catch(() => undefined);
  }
  return results as { -readonly [K in keyof G]: Returned<G[K]> };
}
