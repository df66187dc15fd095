import { Redis } from "ioredis";
import { redisStore } from "../../../templates/kit/stores/redis.js";
import { noRedis, RedisServer } from "../../support/redis.js";
import type { EngineKind } from "./engine.js";
import { Proxy } from "./proxy.js";

export const redis: EngineKind = {
  missing: noRedis,
  async start() {
    const server = new RedisServer("--appendonly", "yes", "--appendfsync", "always");
    await server.start();
    const proxy = await Proxy.to({ host: "127.0.0.1", port: server.port });
    return {
      address: proxy.address,
      cut: () => {
        proxy.cut();
      },
      restart: (how) => server.restart(how),
      async stop() {
        await proxy.close();
        await server.stop();
      },
    };
  },
  open(address) {
    const client = new Redis(`redis://${address}`);
    client.on("error", () => undefined);
    const store = redisStore(client);
    return {
      store,
      close() {
        store.close();
        client.disconnect();
        return Promise.resolve();
      },
    };
  },
};
