import { Redis } from "ioredis";
import { createClient } from "redis";
import { type RedisClient, redisStore } from "../../../library/stores/redis.js";
import { noRedis, RedisServer } from "../../support/redis.js";
import type { Random } from "../../support/random/random.js";
import { Proxy } from "../proxy.js";
import type { Engine, EngineKind } from "./engine.js";

async function start(random: Random): Promise<Engine> {
  const server = new RedisServer("--appendonly", "yes", "--appendfsync", "always");
  await server.start();
  const proxy = await Proxy.to({ host: "127.0.0.1", port: server.port }, random);
  return {
    address: proxy.address,
    proxy,
    restart: (how) => server.restart(how),
    async stop() {
      await proxy.close();
      await server.stop();
    },
  };
}

/** Returns the engine with a store on a client of one of the libraries. */
function redisBy(
  clientOf: (url: string) => { readonly client: RedisClient; readonly end: () => void },
): EngineKind {
  return {
    missing: noRedis,
    start,
    open(address) {
      const { client, end } = clientOf(`redis://${address}`);
      const store = redisStore(client);
      return {
        store,
        close() {
          store.close();
          end();
          return Promise.resolve();
        },
      };
    },
  };
}

/** Redis with a client of `ioredis`. */
export const redis: EngineKind = redisBy((url) => {
  const client = new Redis(url);
  client.on("error", () => undefined);
  return {
    client,
    end: () => {
      client.disconnect();
    },
  };
});

/** Redis with a client of `redis`, the package that is also called node-redis. */
export const nodeRedis: EngineKind = redisBy((url) => {
  const client = createClient({ url });
  client.on("error", () => undefined);
  // Calls wait until it is connected.
  client.connect().catch(() => undefined);
  return {
    client,
    end: () => {
      client.destroy();
    },
  };
});
