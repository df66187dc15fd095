/**
 * Checks a condition.
 * @throws An error with the message if the condition is false.
 */
export function ok(condition: boolean, message: string): void {
  if (!condition) throw new Error(message);
}

/** Checks that two values are equal as JSON. Members that are `undefined` are ignored. */
export function equal(actual: unknown, expected: unknown, subject: string): void {
  const [found, wanted] = [textOf(actual), textOf(expected)];
  if (found !== wanted) throw new Error(`${subject}\n  expected: ${wanted}\n  received: ${found}`);
}

/**
 * Checks that a promise rejects with an error of a class, or with any error if no class is given.
 */
export async function rejects(
  promise: Promise<unknown>,
  type: abstract new (...given: never[]) => Error,
  subject: string,
): Promise<void> {
  const outcome = await promise.then(
    (value) => `resolved to ${textOf(value)}`,
    (error: unknown) =>
      error instanceof type ? undefined : `rejected with ${described(error, type)}`,
  );
  if (outcome !== undefined)
    throw new Error(`${subject} must reject with ${type.name}, but ${outcome}`);
}

/**
 * Returns an error as text, with a hint if its class has the expected name but comes from another
 * copy of the kit.
 */
function described(error: unknown, { name }: { readonly name: string }): string {
  const isCopy = error instanceof Error && error.constructor.name === name;
  return isCopy
    ? `${String(error)} from another copy of the kit: import the store and the tests from the ` +
        "same output"
    : String(error);
}

/** Returns JSON with the members of objects sorted by name. */
function textOf(value: unknown): string {
  return value === undefined
    ? "undefined"
    : JSON.stringify(value, (_, member: unknown) => sorted(member));
}

function sorted(value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)));
}
