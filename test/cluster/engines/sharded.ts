import { shardedStore } from "../../../library/stores/index.js";
import type { EngineKind } from "./engine.js";
import { postgres } from "./postgres.js";
import { redis } from "./redis.js";
import { sqlite } from "./sqlite.js";

/** The kinds of the stores, in their order. */
const kinds: Readonly<Record<string, EngineKind>> = { postgres, redis, sqlite };

/** Owners spread over a store of each kind. Faults harm one database at a time. */
export const sharded: EngineKind = {
  missing: Object.values(kinds).find(({ missing }) => missing !== undefined)?.missing,
  async start(random) {
    const [first, second, third] = await Promise.all([
      postgres.start(random),
      redis.start(random),
      sqlite.start(random),
    ]);
    const engines = [first, second, third];
    return {
      address: JSON.stringify(engines.map(({ address }) => address)),
      ...(first.proxy !== undefined && { proxy: first.proxy }),
      restart: (how) => second.restart?.(how) ?? Promise.resolve(),
      async stop() {
        await Promise.all(engines.map((engine) => engine.stop()));
      },
    };
  },
  open(address) {
    // `start` has written it.
    const addresses = JSON.parse(address) as readonly string[];
    const opened = Object.entries(kinds).map(([name, kind], at) => ({
      name,
      ...kind.open(addresses[at] ?? ""),
    }));
    return {
      store: shardedStore(opened),
      async close() {
        await Promise.all(opened.map((store) => store.close()));
      },
    };
  },
};
