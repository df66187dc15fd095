/**
 * The seed of all random values in a run of tests: `TEST_SEED`, or another one each time. CI sets
 * it, so that a change is not held up by what was wrong before it.
 */
export const seed: number = numberOf("TEST_SEED") ?? Math.floor(Math.random() * 2 ** 31);

/**
 * Reads a whole number from a variable of the environment. Throws for anything else that stands
 * there.
 */
export function numberOf(variable: string): number | undefined {
  const text = process.env[variable];
  if (text === undefined || text === "") return undefined;
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < 0)
    throw new Error(`${variable} has to be a whole number, and is "${text}"`);
  return value;
}
