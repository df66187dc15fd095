const encoder = /* @__PURE__ */ new TextEncoder();

/**
 * Returns a function that compares a string with a secret. The function compares digests, so its
 * duration does not reveal anything about the secret, not even its length.
 */
export function matcherOf(secret: string): (text: string) => Promise<boolean> {
  const expected = digestOf(secret);
  return async (text) => {
    const [secretDigest, digest] = await Promise.all([expected, digestOf(text)]);
    let difference = 0;
    for (const [index, byte] of secretDigest.entries()) difference |= byte ^ (digest[index] ?? 0);
    return difference === 0;
  };
}

/** Returns the SHA-256 of a string. */
export async function digestOf(text: string): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", encoder.encode(text)));
}

/** Returns the SHA-256 of a string as 64 hexadecimal digits. */
export async function hexDigestOf(text: string): Promise<string> {
  return Array.from(await digestOf(text), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Returns the first 16 hexadecimal digits of the SHA-256 of a string, to distinguish contents. */
export async function shortDigestOf(text: string): Promise<string> {
  return (await hexDigestOf(text)).slice(0, 16);
}

/** Returns whether a string is valid in a header: visible ASCII characters, spaces and tabs. */
export function fitsHeader(text: string): boolean {
  return /^[\t\x20-\x7e]*$/.test(text);
}
