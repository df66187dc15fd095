import { exportJWK, generateKeyPair, SignJWT } from "jose";
import { jwt } from "../../../library/auth/jwt.js";
import type { TestAgentOptions } from "../subject.js";

/** Options of agents with everything that can be switched on, and a token that they accept. */
export interface Guarded {
  readonly agent: NonNullable<TestAgentOptions["agent"]>;
  readonly token: string;
}

/**
 * Returns options for agents that check tokens, count rates, activate extensions, and have
 * interceptors and hooks.
 */
export async function guarded(): Promise<Guarded> {
  const { publicKey, privateKey } = await generateKeyPair("ES256");
  const audience = "https://agent.test";
  const key = { ...(await exportJWK(publicKey)), kid: "k", alg: "ES256" };
  const check = jwt({ jwks: { keys: [key] }, audience });
  const token = new SignJWT({ sub: "ada", aud: audience }).setProtectedHeader({
    alg: "ES256",
    kid: "k",
  });
  let calls = 0;
  return {
    token: await token.setExpirationTime("2h").sign(privateKey),
    agent: {
      async authenticate(caller) {
        const [word = "", credentials = ""] = (caller.headers.get("authorization") ?? "").split(
          " ",
        );
        if (word !== "Bearer") return undefined;
        // The agents have error classes of their own outputs.
        return (async () => check(credentials, { scopes: [], caller }))().catch(() => undefined);
      },
      rates: {
        perAddress: { perSecond: 1_000_000 },
        // One call in many exceeds the rate.
        perCaller: { take: () => ((calls += 1) % 50 === 0 ? 1_000 : 0) },
        callerOf: () => "ada",
      },
      extensions: ["https://a", "https://b"].map((uri) => ({
        ...{ uri, declaration: { uri } },
        accept: async ({ context }) => context.values,
      })),
      streams: { reauthenticateMs: 1_000 },
      authorize: ({ context }) => context.values,
      interceptors: [
        {
          async unary(call, next) {
            for (const uri of call.context.extensions.slice(0, 5))
              if (/^https:\/\/[!-+\--~]+$/.test(uri)) call.context.activateExtension(uri);
            return next(call);
          },
          async *stream(call, next) {
            yield* next(call);
          },
        },
      ],
    },
  };
}
