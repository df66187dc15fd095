import type { Key } from "../../kit/signatures/jws.js";
import { base64Of, bytesOfBase64 } from "../../runtime/protobuf/base64.js";

/** Encrypts values into text for URLs, and decrypts them. */
export interface Sealer {
  seal(value: unknown): Promise<string>;
  /** Returns the sealed value; `undefined` if the text was not sealed with one of the secrets. */
  open(text: string): Promise<unknown>;
}

const ivLength = 12;
const minSecretLength = 32;
const purpose = "a2a gateway webhooks";

/**
 * Returns a sealer (AES-GCM). The first secret seals, and all secrets open. A text that was sealed
 * for another `audience` does not open, even if the secret is the same.
 * @throws A `TypeError` if a secret is short enough to be guessed.
 */
export function sealerFor(secret: string | readonly string[], audience: string): Sealer {
  const secrets = typeof secret === "string" ? [secret] : secret;
  if (secrets.length === 0 || secrets.some(({ length }) => length < minSecretLength))
    throw new TypeError(
      `push.secret must have at least ${String(minSecretLength)} characters: create one with ` +
        "`openssl rand -hex 32`",
    );
  const encoder = new TextEncoder();
  const additionalData = encoder.encode(audience);
  let derived: Promise<Key[]> | undefined;
  // Derive the keys at the first use, because edge platforms restrict work outside of requests.
  const keys = (): Promise<Key[]> => (derived ??= Promise.all(secrets.map((each) => keyOf(each))));
  return {
    async seal(value) {
      const key = (await keys()).at(0);
      if (key === undefined) throw new TypeError("push.secret is empty");
      const iv = crypto.getRandomValues(new Uint8Array(ivLength));
      const text = encoder.encode(JSON.stringify(value));
      const encrypted = await crypto.subtle.encrypt(
        { name: "AES-GCM", iv, additionalData },
        key,
        text,
      );
      const bytes = new Uint8Array(ivLength + encrypted.byteLength);
      bytes.set(iv);
      bytes.set(new Uint8Array(encrypted), ivLength);
      return base64Of(bytes).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
    },
    async open(text) {
      for (const key of await keys()) {
        try {
          const bytes = bytesOfBase64(text);
          const iv = bytes.slice(0, ivLength);
          const decrypted = await crypto.subtle.decrypt(
            { name: "AES-GCM", iv, additionalData },
            key,
            bytes.slice(ivLength),
          );
          return JSON.parse(new TextDecoder().decode(decrypted)) as unknown;
        } catch {
          // The text was sealed with another secret, for another gateway, or not sealed at all.
        }
      }
      return undefined;
    },
  };
}

async function keyOf(secret: string): Promise<Key> {
  const encoder = new TextEncoder();
  const raw = encoder.encode(secret);
  const base = await crypto.subtle.importKey("raw", raw, "HKDF", false, ["deriveKey"]);
  const info = encoder.encode(purpose);
  const derivation = { name: "HKDF", hash: "SHA-256", salt: new Uint8Array(), info };
  const key = { name: "AES-GCM", length: 256 };
  return crypto.subtle.deriveKey(derivation, base, key, false, ["encrypt", "decrypt"]);
}
