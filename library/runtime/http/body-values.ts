/**
 * Maximum numbers of values in a request. The limits are necessary because parsing cannot be
 * interrupted, and small values take the most time per byte.
 */
export const requestLimits = {
  /**
   * Maximum number of objects and arrays. Parsing and checking an object takes as long as several
   * numbers.
   */
  objects: 131_072,
  /** Maximum number of values. */
  values: 1_048_576,
} as const;

/** Returns the description of a limit that a request exceeds. */
export function excess(limit: keyof typeof requestLimits): string {
  return limit === "objects"
    ? `${String(requestLimits.objects)} objects and arrays`
    : `${String(requestLimits.values)} values`;
}

/** Returns the description of the limit that the values of a JSON text exceed, if any. */
export function excessOf(text: string): string | undefined {
  if (hasMore(text, requestLimits.objects, ofContainers)) return excess("objects");
  return hasMore(text, requestLimits.values, beforeValues) ? excess("values") : undefined;
}

/** Characters before the values of a JSON text. */
export const beforeValues = ",:[{";

/** First characters of the objects and arrays in a JSON text. */
export const ofContainers = "[{";

/**
 * Returns whether some characters occur more than `most` times in a JSON text, outside of its
 * strings.
 */
export function hasMore(text: string, most: number, characters: string): boolean {
  if (!mayHaveMore(text, most, characters)) return false;
  let count = 0;
  let isQuoted = false;
  for (let at = 0; at < text.length && count <= most; at += 1) {
    const character = text.charAt(at);
    if (character === '"') isQuoted = !isQuoted;
    else if (character === "\\") at += 1;
    else if (!isQuoted && characters.includes(character)) count += 1;
  }
  return count > most;
}

/**
 * Like {@link hasMore}, but also counts characters inside strings, which takes a tenth of the time.
 * Few JSON texts require the exact count.
 */
function mayHaveMore(text: string, most: number, characters: string): boolean {
  if (text.length <= most) return false;
  let count = 0;
  for (const character of characters)
    for (let at = text.indexOf(character); at >= 0; at = text.indexOf(character, at + 1))
      if ((count += 1) > most) return true;
  return false;
}
