import { unexpected } from "./encode-error.js";

const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const letterCodes = /* @__PURE__ */ Uint8Array.from(letters, (letter) => letter.charCodeAt(0));
const values = /* @__PURE__ */ valuesOf();
const padding = 61;
const decoder = /* @__PURE__ */ new TextDecoder();

/**
 * Returns the value of each character by its code, including the alphabet for URLs. 64 marks
 * invalid characters.
 */
function valuesOf(): Uint8Array {
  const table = new Uint8Array(128).fill(64);
  letterCodes.forEach((code, value) => (table[code] = value));
  table["-".charCodeAt(0)] = 62;
  table["_".charCodeAt(0)] = 63;
  return table;
}

/**
 * Decodes base64 in either alphabet, with or without padding. Throws an `EncodeError` for other
 * strings.
 */
export function bytesOfBase64(text: string): Uint8Array {
  if (typeof text !== "string") throw unexpected("base64", text);
  let { length } = text;
  // Ignore up to two characters of padding.
  while (length > 0 && length > text.length - 2 && text.charCodeAt(length - 1) === padding)
    length -= 1;
  const bytes = new Uint8Array(Math.floor((length * 3) / 4));
  let end = 0;
  let bits = 0;
  for (let index = 0; index < length; index += 1) {
    const value = values[text.charCodeAt(index)] ?? 64;
    if (value > 63) throw unexpected("base64", text);
    bits = (bits << 6) | value;
    // In each group of four characters, every character except the first completes a byte.
    if ((index & 3) !== 0) bytes[end++] = bits >> (6 - 2 * (index & 3));
  }
  // A single character at the end does not complete a byte.
  const isIncomplete = (length & 3) === 1;
  const isOnlyPadding = length === 0 && text !== "";
  if (isIncomplete || isOnlyPadding) throw unexpected("base64", text);
  return bytes;
}

/** Encodes bytes as padded base64. */
export function base64Of(bytes: Uint8Array): string {
  const codes = new Uint8Array(Math.ceil(bytes.length / 3) * 4).fill(padding);
  let end = 0;
  let bits = 0;
  for (let index = 0; index < bytes.length; index += 1) {
    bits = (bits << 8) | (bytes[index] ?? 0);
    const position = index % 3;
    // Each byte completes a character, and the third byte of a group completes two.
    codes[end++] = letterCodes[(bits >> (2 + 2 * position)) & 63] ?? 0;
    if (position === 2) codes[end++] = letterCodes[bits & 63] ?? 0;
  }
  // Fill the last character of an incomplete group with zero bits.
  const remaining = bytes.length % 3;
  if (remaining > 0) codes[end] = letterCodes[(bits << (6 - 2 * remaining)) & 63] ?? 0;
  return decoder.decode(codes);
}
