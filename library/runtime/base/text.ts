/** Length above which the platform's encoder is faster than counting. */
const shortLength = 512;

/** Returns the size of a string in UTF-8, in bytes. */
export function byteLength(text: string): number {
  if (text.length > shortLength) return encoder.encode(text).length;
  let bytes = text.length;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    // Together, the two halves of a surrogate pair take four bytes.
    const isHalf = unit >= 0xd800 && unit <= 0xdfff;
    if (unit > 0x7ff && !isHalf) bytes += 2;
    else if (unit > 0x7f) bytes += 1;
  }
  return bytes;
}

const encoder = /* @__PURE__ */ new TextEncoder();
