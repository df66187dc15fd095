/**
 * Returns a function that gets a JSON text as it arrives, with its last piece, and returns whether it has more values than
 * `most`. Many small values take a hundred times their length in memory, and parsing cannot be interrupted, so a text is
 * given up at the limit, and not once all of it is there.
 */
export function valueLimit(most: number): (text: string, piece: string) => boolean {
  let values = 0;
  let isQuoted = false;
  let isCounting = false;
  /** Where the next piece begins: behind its first unit if a backslash is the last one of this. */
  let at = 0;
  return (text, piece) => {
    // A value takes a character at least, so most responses need not be counted.
    if (text.length <= most) return false;
    // What was counted is not looked at again, as that would copy the whole text.
    const fresh = isCounting ? piece : text;
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

/** Counts also what is inside of strings, in a tenth of the time: few texts need to be counted exactly. */
function mayHaveMore(text: string, most: number): boolean {
  if (text.length <= most) return false;
  let count = 0;
  for (const mark of [",", ":", "[", "{"])
    for (let at = text.indexOf(mark); at >= 0; at = text.indexOf(mark, at + 1)) if ((count += 1) > most) return true;
  return false;
}
