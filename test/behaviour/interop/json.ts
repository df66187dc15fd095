/** A JSON object, whatever is in it. */
export type Json = Readonly<Record<string, unknown>>;

/** Gives a value as it is after `JSON.stringify` and `JSON.parse`. */
export function asJson(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value)) as unknown;
}

/** What holds JSON of the user's own, which is compared as it is. */
const free = new Set(["metadata", "data", "params"]);

/**
 * Brings a value into the form that values are compared in: what it is as JSON, without the members that say nothing
 * (empty texts, empty lists, `false`, `null`, and empty `metadata` and `configuration`), because a proto cannot tell most
 * of these from absent ones, and each side writes them or not as it likes; nor `blocking: true`, which is the default and
 * which the SDK says aloud. Numbers stay, and so does all that is in `metadata`, `data` and `params`.
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

function saysNothing(value: unknown, name: string): boolean {
  if ((name === "metadata" || name === "configuration") && isObject(value)) return Object.keys(value).length === 0;
  if (name === "blocking") return value === true;
  return value === "" || value === false || value === null || (Array.isArray(value) && value.length === 0);
}

/** Tells whether a value is a JSON object. */
export function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Gives what is found in a value along a path of member names and indexes; `undefined` where the path ends before. */
export function at(value: unknown, ...path: readonly (string | number)[]): unknown {
  return path.reduce<unknown>((found, step) => {
    if (Array.isArray(found) && typeof step === "number") return found.at(step) as unknown;
    return isObject(found) ? found[step] : undefined;
  }, value);
}

/** Gives the text at a path. Throws where there is none. */
export function textAt(value: unknown, ...path: readonly (string | number)[]): string {
  const found = at(value, ...path);
  if (typeof found !== "string") throw new Error(`No text at ${path.join(".")} of ${JSON.stringify(value)}`);
  return found;
}
