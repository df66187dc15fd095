/** A difference between a value and its type. */
export interface Issue {
  /** A full sentence with the path, the expected value, and the found value. */
  readonly message: string;
  /** The keys and indexes that lead to the value. */
  readonly path: readonly (string | number)[];
  /** The path as a JSON Pointer (RFC 6901); empty for the whole value. */
  readonly pointer: string;
  /** The expected value. */
  readonly expected: string;
  /** The found value, shortened. */
  readonly found: string;
}

/** Returns an issue at a path. `found` describes the found value. */
export function issueOf(expected: string, found: string, path: Issue["path"] = []): Issue {
  const pointer = pointerOf(path);
  return {
    message: `${pointer || "/"} expected ${expected}, got ${found}`,
    path,
    pointer,
    expected,
    found,
  };
}

/** Returns keys and indexes as a JSON Pointer (RFC 6901). */
export function pointerOf(path: readonly (string | number)[]): string {
  return path.map((key) => `/${String(key).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
}

/** Returns a short description of a value. */
export function describe(value: unknown): string {
  if (typeof value === "string")
    return JSON.stringify(value.length > 40 ? `${value.slice(0, 39)}…` : value);
  if (value === undefined) return "nothing";
  if (Array.isArray(value)) return value.length === 0 ? "an empty list" : "a list";
  if (value === null || typeof value === "number" || typeof value === "boolean")
    return String(value);
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}
