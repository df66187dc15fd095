import { sqliteStore } from "../../../library/stores/sqlite.js";
import { Databases, sqliteLibrary } from "../../support/sqlite.js";
import type { EngineKind } from "./engine.js";

export const sqlite: EngineKind = {
  missing: sqliteLibrary.missing,
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
    const database = sqliteLibrary.open(address);
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
