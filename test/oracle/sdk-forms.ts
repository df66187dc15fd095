/** Reads and writes the objects of the SDK. */
export interface Form {
  readonly fromJSON: (value: unknown) => unknown;
  readonly toJSON: (value: unknown) => unknown;
}

/** Returns what reads and writes the objects of a type of the SDK. */
export const form = (found: object): Form => found as Form;

/** The SDK writes what is false and need not be there, and leaves out lists and maps that are empty. */
export function withDefaults(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withDefaults);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).flatMap(([key, member]: [string, unknown]) => {
    const isOptional = ["append", "lastChunk", "required"].includes(key) && member === false;
    return isOptional ? [] : [[key, withDefaults(member)] as const];
  });
  return Object.fromEntries(entries);
}
