/**
 * Returns the bytes of a secret.
 * @throws A `TypeError` if the secret is not a string, or is short enough to be guessed.
 */
export function secretBytes(secret: string): Uint8Array<ArrayBuffer> {
  // Programs without types may pass bytes, which would become the text of a list of numbers.
  if (typeof secret !== "string") throw new TypeError("secret must be a string");
  const bytes = new TextEncoder().encode(secret);
  if (bytes.length >= 32) return bytes;
  throw new TypeError(`secret has ${String(bytes.length)} bytes: pass at least 32 random bytes`);
}
