/**
 * Returns a function that receives a growing JSON text and its last chunk, and returns whether the text contains more
 * values than `most`. Many small values take a hundred times their length in memory, and parsing cannot be interrupted,
 * so a text is rejected as soon as it exceeds the limit.
 */
export function valueLimit(most: number): (text: string, chunk: string) => boolean {
  let values = 0;
  let isQuoted = false;
  let isCounting = false;
  /** Index in the next chunk: 1 if this chunk ends with a backslash, which escapes the first unit of the next. */
  let at = 0;
  return (text, chunk) => {
    // A value has at least one character, so the values of most responses need not be counted.
    if (text.length <= most) return false;
    // Only read the new chunk, because reading from `text` would copy the whole text.
    const fresh = isCounting ? chunk : text;
    isCounting = true;
    for (; at < fresh.length && values <= most; at += 1) {
      const unit = fresh.charCodeAt(at);
      if (unit === 0x22 /* " */) isQuoted = !isQuoted;
      else if (unit === 0x5c /* \ */) at += 1;
      // One of , : [ {
      else if (!isQuoted && (unit === 0x2c || unit === 0x3a || unit === 0x5b || unit === 0x7b)) values += 1;
    }
    at -= fresh.length;
    return values > most;
  };
}

/** Returns whether a JSON text has more values than `most`. */
export function hasMoreValues(text: string, most: number): boolean {
  return mayHaveMore(text, most) && valueLimit(most)(text, text);
}

/**
 * This estimate also counts characters inside strings, but takes a tenth of the time. Only few texts require the exact
 * count.
 */
function mayHaveMore(text: string, most: number): boolean {
  if (text.length <= most) return false;
  let count = 0;
  for (const mark of [",", ":", "[", "{"])
    for (let at = text.indexOf(mark); at >= 0; at = text.indexOf(mark, at + 1)) if ((count += 1) > most) return true;
  return false;
}
