/**
 * Returns a function that receives a growing JSON text and its last chunk, and returns whether the
 * text contains more values than `most`. Many small values take a hundred times their length in
 * memory, and parsing cannot be interrupted, so a text is rejected as soon as it exceeds the limit.
 */
export function valueLimit(most: number): (text: string, chunk: string) => boolean {
  let values = 0;
  let isQuoted = false;
  let isCounting = false;
  /**
   * Index at which to start in the next chunk: 1 if this chunk ends with a backslash, which escapes
   * the first code unit of the next chunk.
   */
  let at = 0;
  return (text, chunk) => {
    // A value has at least one character, so a text of at most this length cannot exceed the limit.
    if (text.length <= most) return false;
    // Only read the new chunk, because reading from `text` would copy the whole text.
    const fresh = isCounting ? chunk : text;
    isCounting = true;
    for (; at < fresh.length && values <= most; at += 1) {
      const unit = fresh.charCodeAt(at);
      if (unit === 0x22 /* " */) isQuoted = !isQuoted;
      else if (unit === 0x5c /* \ */) at += 1;
      // One of , : [ {
      else if (!isQuoted && (unit === 0x2c || unit === 0x3a || unit === 0x5b || unit === 0x7b))
        values += 1;
    }
    at -= fresh.length;
    return values > most;
  };
}
