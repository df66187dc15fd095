/** Returns the JSON pointer of the value that some keys lead to. */
export function pointerOf(keys: readonly string[]): string {
  return keys.map((key) => `/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
}

/** Returns the keys that a JSON pointer consists of. */
export function keysOf(pointer: string): string[] {
  const keys = pointer.split("/").slice(1);
  return keys.map((key) => key.replaceAll("~1", "/").replaceAll("~0", "~"));
}
