import { vi } from "vitest";
import { jwt, type JwtOptions } from "../../../library/auth/jwt.js";
import { protectedAgent, type ProtectedAgent } from "./agent.js";
import { audience, type ScriptedIssuer, startIssuer } from "./issuer.js";

/** Advances the clock that code reads. Timers run normally. */
export function passed(ms: number): void {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + ms });
}

/** Starts an issuer, and an agent that checks its tokens. */
export async function startWithIssuer(
  options: Partial<JwtOptions> = {},
): Promise<{ issuer: ScriptedIssuer; agent: ProtectedAgent }> {
  const issuer = await startIssuer();
  const agent = await protectedAgent(jwt({ issuer: issuer.url, audience, ...options }));
  return { issuer, agent };
}
