import { type CryptoKey, exportJWK, generateKeyPair, type JWK, SignJWT } from "jose";
import type { ServerResponse } from "node:http";
import { json, serve } from "../../support/http.js";

/** Responds to a request in place of an issuer. */
export type Reply = (response: ServerResponse) => unknown;

/**
 * An issuer that does what a test says: it signs any token, and responds to any request in any way.
 */
export interface ScriptedIssuer {
  readonly url: string;
  /** The paths that were requested, in order. */
  readonly requests: string[];
  /** Replies by path that override the replies of an honest issuer. */
  readonly replies: Map<string, Reply>;
  /** The public keys that the issuer publishes. */
  keys: JWK[];
  /** Replaces the key that signs, under another name. */
  rotate(): Promise<void>;
  /** Signs a token; claims that are `undefined` are absent. */
  token(
    claims?: Readonly<Record<string, unknown>>,
    header?: Record<string, unknown>,
  ): Promise<string>;
}

export const paths = {
  oidc: "/.well-known/openid-configuration",
  oauth: "/.well-known/oauth-authorization-server",
  keys: "/keys",
};

export const audience = "https://agent.test";

/** Starts an issuer on the loopback interface, which stops with the test. */
export async function startIssuer(): Promise<ScriptedIssuer> {
  const replies = new Map<string, Reply>();
  const paths: string[] = [];
  let key = await keyNamed("k1");
  let count = 1;
  const { url } = await serve(({ url: path = "" }, response) => {
    paths.push(path);
    const reply = replies.get(path) ?? honest(path);
    reply(response);
  });
  const honest =
    (path: string): Reply =>
    (response) => {
      if (path === "/.well-known/openid-configuration")
        json(response, { issuer: url, jwks_uri: `${url}/keys` });
      else if (path === "/keys") json(response, { keys: issuer.keys });
      else json(response, {}, 404);
    };
  const issuer: ScriptedIssuer = {
    url,
    requests: paths,
    replies,
    keys: [key.publicKey],
    async rotate() {
      key = await keyNamed(`k${++count}`);
      issuer.keys = [key.publicKey];
    },
    async token(claims = {}, header = {}) {
      const now = Math.floor(Date.now() / 1000);
      const all = {
        iss: url,
        aud: audience,
        sub: "ada",
        scope: "ask read",
        iat: now,
        exp: now + 60,
        ...claims,
      };
      const { kid = "" } = key.publicKey;
      return new SignJWT(all)
        .setProtectedHeader({ alg: "ES256", kid, ...header })
        .sign(key.privateKey);
    },
  };
  return issuer;
}

/** Makes a pair of keys with a name. */
export async function keyNamed(
  kid: string,
  alg = "ES256",
): Promise<{ publicKey: JWK; privateKey: CryptoKey }> {
  const pair = await generateKeyPair(alg, { extractable: true });
  return {
    publicKey: { ...(await exportJWK(pair.publicKey)), kid, alg, use: "sig" },
    privateKey: pair.privateKey,
  };
}

/** Writes a token by hand, for what no library signs. */
export function forge(header: unknown, claims: unknown, signature = ""): string {
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
  return `${part(header)}.${part(claims)}.${signature}`;
}
