import { createRequire } from "node:module";
import { sqliteStore } from "../../../../library/stores/sqlite.js";
import type { SqliteDatabase } from "../../../../library/stores/sqlite.js";

/**
 * Opens a store on each file whose path the parent sends, and answers with the error, if there is
 * one.
 */
const [library = ""] = process.argv.slice(2);
type DatabaseClass = new (path: string) => SqliteDatabase & { close(): void };

const Database =
  library === "node:sqlite"
    ? (
        process.getBuiltinModule("node:sqlite") as unknown as {
          readonly DatabaseSync: DatabaseClass;
        }
      ).DatabaseSync
    : (createRequire(import.meta.url)(library) as DatabaseClass);

process.on("message", (path) => {
  const answer = { error: "" };
  const database = new Database(String(path));
  try {
    sqliteStore(database).close();
  } catch (error) {
    answer.error = String(error);
  }
  database.close();
  process.send?.(answer);
});
process.send?.({ error: "" });
