import pg from "pg";
import { postgresStore } from "../../../library/stores/postgres.js";
import { noPostgres, PostgresServer } from "../../support/postgres.js";
import type { EngineKind } from "./engine.js";
import { Proxy } from "../proxy.js";

export const postgres: EngineKind = {
  missing: noPostgres,
  async start(random) {
    const server = new PostgresServer();
    await server.start();
    const proxy = await Proxy.to({ path: server.socket }, random);
    return {
      address: proxy.address,
      proxy,
      restart: (how) => server.restart(how),
      async stop() {
        await proxy.close();
        await server.stop();
      },
    };
  },
  open(address) {
    const pool = new pg.Pool({ connectionString: `postgres://test@${address}/postgres`, max: 5 });
    // A connection that is cut while nothing uses it.
    pool.on("error", () => undefined);
    const store = postgresStore(pool);
    return {
      store,
      async close() {
        store.close();
        await pool.end();
      },
    };
  },
};
