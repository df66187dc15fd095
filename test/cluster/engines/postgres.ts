import pg from "pg";
import { postgresStore } from "../../../templates/kit/stores/postgres.js";
import { noPostgres, PostgresServer } from "../../support/postgres.js";
import type { EngineKind } from "./engine.js";
import { Proxy } from "./proxy.js";

export const postgres: EngineKind = {
  missing: noPostgres,
  async start() {
    const server = new PostgresServer();
    await server.start();
    const proxy = await Proxy.to({ path: server.socket });
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
    const pool = new pg.Pool({ connectionString: `postgres://test@${address}/postgres`, max: 5 });
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
