/** The measurements against the official SDK that the README shows, by name, and how the README describes them. */
export const comparison: ReadonlyMap<string, string>;
