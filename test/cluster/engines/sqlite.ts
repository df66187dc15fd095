import { sqliteStore } from "../../../templates/kit/stores/sqlite.js";
import { Databases, nodeSqlite } from "../../support/sqlite.js";
import type { EngineKind } from "./engine.js";

export const sqlite: EngineKind = {
  missing: nodeSqlite === undefined ? "this version of Node has no node:sqlite, before 22.5" : undefined,
  start() {
    const databases = new Databases();
    return Promise.resolve({
      address: databases.path(),
      stop() {
        databases.remove();
        return Promise.resolve();
      },
    });
  },
  open(address) {
    if (nodeSqlite === undefined) throw new Error(this.missing);
    const database = new nodeSqlite.DatabaseSync(address);
    const store = sqliteStore(database);
    return {
      store,
      close() {
        store.close();
        database.close();
        return Promise.resolve();
      },
    };
  },
};
