import type { EngineKind } from "./engine.js";
import { postgres } from "./postgres.js";
import { nodeRedis, redis } from "./redis.js";
import { sharded } from "./sharded.js";
import { sqlite } from "./sqlite.js";

/** The engines by their names. */
export const engines: Readonly<Record<string, EngineKind>> = {
  postgres,
  redis,
  "node-redis": nodeRedis,
  sqlite,
  sharded,
};

/** Returns an engine by its name. Throws if the name is unknown. */
export function engineOf(name: string): EngineKind {
  const kind = engines[name];
  if (kind !== undefined) return kind;
  throw new Error(`Unknown engine "${name}": choose ${Object.keys(engines).join(" or ")}`);
}
