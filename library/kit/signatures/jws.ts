import { isObject } from "../../runtime/base/json.js";
import { base64Of, bytesOfBase64 } from "../../runtime/protobuf/base64.js";
import { assertUniqueNames } from "./canonical-json.js";

/** A `CryptoKey` of the platform. */
export type Key = Parameters<typeof crypto.subtle.verify>[1];

/** A JSON Web Key (RFC 7517). */
export interface JsonKey {
  readonly kty: string;
  readonly kid?: string;
  readonly alg?: string;
  readonly use?: string;
  readonly [member: string]: unknown;
}

/** Bytes in the type that the platform accepts for signing. */
export type Bytes = ReturnType<InstanceType<typeof TextEncoder>["encode"]>;

/** The protected header of a signature. */
export interface SignatureHeader {
  /** The algorithm, such as `ES256`. */
  readonly alg: string;
  /** Id of the key. */
  readonly kid: string;
  /**
   * URL of the signer's public keys. The URL is not trusted, because an attacker may have written
   * the card.
   */
  readonly jku?: string;
  readonly [member: string]: unknown;
}

type Algorithm = Readonly<{
  name: string;
  hash?: string;
  namedCurve?: string;
  saltLength?: number;
}>;

/**
 * Returns the supported algorithms of RFC 7518 and RFC 8037, which all use a public key. `none` and
 * algorithms with a shared secret are excluded, because they would allow forged signatures.
 */
function algorithms(): Readonly<Record<string, Algorithm>> {
  const rsa = (name: string, bits: number): Algorithm => ({
    name,
    hash: `SHA-${String(bits)}`,
    saltLength: bits / 8,
  });
  const curve = (bits: number, size = bits): Algorithm => {
    return { name: "ECDSA", hash: `SHA-${String(bits)}`, namedCurve: `P-${String(size)}` };
  };
  const pkcs = "RSASSA-PKCS1-v1_5";
  return {
    ES256: curve(256),
    ES384: curve(384),
    ES512: curve(512, 521),
    PS256: rsa("RSA-PSS", 256),
    PS384: rsa("RSA-PSS", 384),
    PS512: rsa("RSA-PSS", 512),
    RS256: rsa(pkcs, 256),
    RS384: rsa(pkcs, 384),
    RS512: rsa(pkcs, 512),
    EdDSA: { name: "Ed25519" },
    Ed25519: { name: "Ed25519" },
  };
}

/**
 * Returns an algorithm by its name.
 * @throws A `TypeError` if the algorithm is unknown or not allowed for signatures.
 */
export function algorithmOf(alg: string): Algorithm {
  const all = algorithms();
  const found = Object.hasOwn(all, alg) ? all[alg] : undefined;
  if (found !== undefined) return found;
  throw new TypeError(
    `"${alg}" is not an algorithm for signatures of cards: use one of ` +
      Object.keys(all).join(", "),
  );
}

/**
 * Returns the name of the signature algorithm that a key was created for.
 * @throws A `TypeError` if the key cannot sign a card.
 */
export function algorithmFor(key: Key): string {
  const found = Object.entries(algorithms()).find(([, algorithm]) => fits(key, algorithm));
  if (found !== undefined) return found[0];
  throw new TypeError(`A key for ${key.algorithm.name} cannot sign a card`);
}

/**
 * Returns whether a key was created for an algorithm. A key must not be used for any other
 * algorithm.
 */
export function fits(key: Key, { name, hash, namedCurve }: Algorithm): boolean {
  const own = key.algorithm as { name: string; hash?: { name: string }; namedCurve?: string };
  if (own.name !== name || own.namedCurve !== namedCurve) return false;
  return own.hash === undefined || own.hash.name === hash;
}

/**
 * Imports a JSON Web Key for an algorithm.
 * @throws If the key has a different algorithm.
 */
export function importKey(key: JsonKey, alg: string, usage: "sign" | "verify"): Promise<Key> {
  if (key.alg !== undefined && oneName(key.alg) !== oneName(alg))
    throw new TypeError(`The key is for ${key.alg}, not for ${alg}`);
  // Omit `key_ops` and `use`, which may allow fewer uses than the key supports. The caller
  // determines the usage.
  const { kty, crv, x, y, n, e, d, p, q, dp, dq, qi } = key;
  const parts = Object.entries({ kty, crv, x, y, n, e, d, p, q, dp, dq, qi }).filter(
    ([, part]) => part !== undefined,
  );
  const kept =
    usage === "verify"
      ? parts.filter(([name]) => !"d p q dp dq qi".split(" ").includes(name))
      : parts;
  return crypto.subtle.importKey("jwk", Object.fromEntries(kept), algorithmOf(alg), false, [usage]);
}

/**
 * Returns `EdDSA` for `Ed25519`, because two standards define different names for this algorithm.
 */
function oneName(alg: string): string {
  return alg === "Ed25519" ? "EdDSA" : alg;
}

/** Returns the bytes that a signature covers. */
export function signingInput(header: string, payload: string): Bytes {
  return bytes(`${header}.${base64Url(bytes(payload))}`);
}

/** Returns whether a signature, in base64url, is valid for a key. */
export async function isSignedWith(
  key: Key,
  alg: string,
  { signature, input }: { readonly signature: string; readonly input: Bytes },
): Promise<boolean> {
  return crypto.subtle.verify(
    algorithmOf(alg),
    key,
    Uint8Array.from(bytesOfBase64(signature)),
    input,
  );
}

/** Encodes a header in base64url. */
export function encodedHeader(header: SignatureHeader): string {
  return base64Url(bytes(JSON.stringify(header)));
}

/**
 * Decodes a protected header.
 * @throws A `TypeError` if a required member is missing, or the header requires an unknown
 *   extension.
 */
export function headerOf(text: string): SignatureHeader {
  let header: unknown;
  try {
    const json = new TextDecoder("utf-8", { fatal: true }).decode(bytesOfBase64(text));
    header = JSON.parse(json);
    assertUniqueNames(json);
  } catch (cause) {
    throw new TypeError("A protected header must be JSON with unique names, in base64url", {
      cause,
    });
  }
  if (!isObject(header) || typeof header["alg"] !== "string" || typeof header["kid"] !== "string")
    throw new TypeError("A protected header must have `alg` and `kid`");
  // These members change how a signature must be checked. If they were ignored, a signature of
  // different data could be accepted.
  if (header["crit"] !== undefined || header["b64"] !== undefined)
    throw new TypeError("The protected header requires an unsupported extension of JWS");
  return header as unknown as SignatureHeader;
}

/** Encodes bytes in base64url. */
export function base64Url(value: Uint8Array): string {
  return base64Of(value).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

function bytes(text: string): Bytes {
  return new TextEncoder().encode(text);
}
