/** JSON object with any content. */
export type Json = Readonly<Record<string, unknown>>;

/** Returns a value after `JSON.stringify` and `JSON.parse`. */
export function asJson(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value)) as unknown;
}

/** Members with JSON of the user, which is compared unchanged. */
const free = new Set(["metadata", "data", "params"]);

/**
 * Normalizes a value for comparison: its JSON without members that carry no information (empty
 * strings, empty lists, `false`, `null`, and empty `metadata` and `configuration`), because a proto
 * cannot distinguish most of these from absent members and each side may omit them. It also removes
 * `blocking: true`, which is the default and which the SDK writes explicitly. Numbers are kept, and
 * so is everything in `metadata`, `data` and `params`.
 */
export function plain(value: unknown): unknown {
  return value === undefined ? undefined : withoutEmpty(asJson(value));
}

function withoutEmpty(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutEmpty);
  if (!isObject(value)) return value;
  const entries = Object.entries(value).map(
    ([name, item]) => [name, free.has(name) ? item : withoutEmpty(item)] as const,
  );
  return Object.fromEntries(entries.filter(([name, item]) => !saysNothing(item, name)));
}

function saysNothing(value: unknown, name: string) {
  if ((name === "metadata" || name === "configuration") && isObject(value))
    return Object.keys(value).length === 0;
  if (name === "blocking") return value === true;
  return (
    value === "" ||
    value === false ||
    value === null ||
    (Array.isArray(value) && value.length === 0)
  );
}

/** Tells whether a value is a JSON object. */
export function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * Returns the value at a path of member names and indexes, or `undefined` if the path ends early.
 */
export function at(value: unknown, ...path: readonly (string | number)[]): unknown {
  return path.reduce<unknown>((found, step) => {
    if (Array.isArray(found) && typeof step === "number") return found.at(step) as unknown;
    return isObject(found) ? found[step] : undefined;
  }, value);
}

/** Returns the string at a path. Throws if the value is not a string. */
export function textAt(value: unknown, ...path: readonly (string | number)[]): string {
  const found = at(value, ...path);
  if (typeof found !== "string")
    throw new Error(`No text at ${path.join(".")} of ${JSON.stringify(value)}`);
  return found;
}
