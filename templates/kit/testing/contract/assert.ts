/** Fails with a message unless a condition holds. */
export function ok(condition: boolean, message: string): void {
  if (!condition) throw new Error(message);
}

/** Fails unless two values are the same JSON; members that are `undefined` do not count. */
export function equal(actual: unknown, expected: unknown, what: string): void {
  const [found, wanted] = [textOf(actual), textOf(expected)];
  if (found !== wanted) throw new Error(`${what}\n  expected: ${wanted}\n  received: ${found}`);
}

/** Fails unless a promise rejects with an error of a class; without one, with any error. */
export async function rejects(
  promise: Promise<unknown>,
  type: abstract new (...given: never[]) => Error,
  what: string,
): Promise<void> {
  const outcome = await promise.then(
    (value) => `resolved to ${textOf(value)}`,
    (error: unknown) => (error instanceof type ? undefined : `rejected with ${described(error, type)}`),
  );
  if (outcome !== undefined) throw new Error(`${what}: expected ${type.name}, and it ${outcome}`);
}

/** Returns an error as a text. Two copies of the kit have two classes of the same name. */
function described(error: unknown, { name }: { readonly name: string }): string {
  const isCopy = error instanceof Error && error.constructor.name === name;
  return isCopy ? `${String(error)}, of another copy of the kit than these tests are of` : String(error);
}

/** Returns JSON with the members of objects in the order of their names. */
function textOf(value: unknown): string {
  return value === undefined ? "undefined" : JSON.stringify(value, (_, member: unknown) => sorted(member));
}

function sorted(value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)));
}
