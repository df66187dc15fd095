/**
 * Returns the bytes of a secret.
 * @throws A `TypeError` if the secret is short enough to be guessed.
 */
export function secretBytes(secret: string): Uint8Array<ArrayBuffer> {
  const bytes = new TextEncoder().encode(secret);
  if (bytes.length >= 32) return bytes;
  throw new TypeError(`secret has ${String(bytes.length)} bytes: pass at least 32 random bytes`);
}
