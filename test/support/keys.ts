import type { JsonKey, Key } from "../../library/kit/signatures/jws.js";

/** Returns a new pair of keys for signatures, by default for ES256. */
export async function keyPair(
  algorithm: object = { name: "ECDSA", namedCurve: "P-256" },
): Promise<{ readonly privateKey: Key; readonly publicKey: Key }> {
  const keys = await crypto.subtle.generateKey(algorithm as never, true, ["sign", "verify"]);
  return keys;
}

/** Returns a key as JSON. */
export async function jsonOf(key: Key, kid?: string): Promise<JsonKey> {
  const json = (await crypto.subtle.exportKey("jwk", key)) as JsonKey;
  return kid === undefined ? json : { ...json, kid };
}
