import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { SqliteDatabase } from "../../templates/kit/stores/sqlite.js";

/** A database of `node:sqlite`. */
export interface OpenDatabase extends SqliteDatabase {
  close(): void;
}

interface NodeSqlite {
  readonly DatabaseSync: new (path: string) => OpenDatabase;
}

/** `node:sqlite`, which Node has from 22.5 on. */
// The types of Node 20 do not know it.
export const nodeSqlite = process.getBuiltinModule("node:sqlite") as NodeSqlite | undefined;

/** A folder with databases. */
export class Databases {
  readonly #folder = mkdtempSync(join(tmpdir(), "sqlite-"));
  readonly #open: OpenDatabase[] = [];
  #count = 0;

  /** Returns the path of a database that is not there yet. */
  path(): string {
    this.#count += 1;
    return join(this.#folder, `${String(this.#count)}.db`);
  }

  open(path = this.path()): OpenDatabase {
    if (nodeSqlite === undefined) throw new Error("This version of Node has no node:sqlite");
    const database = new nodeSqlite.DatabaseSync(path);
    this.#open.push(database);
    return database;
  }

  remove(): void {
    for (const database of this.#open) database.close();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
