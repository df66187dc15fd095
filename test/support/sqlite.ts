import { rmSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { SqliteDatabase } from "../../library/stores/sqlite.js";
import { temporaryFolder } from "./temporary-folder.js";

export interface OpenDatabase extends SqliteDatabase {
  close(): void;
}

/** A library that opens files of SQLite. */
export interface SqliteLibrary {
  readonly name: string;
  /** Reason why it is not available, or `undefined` if it is. */
  readonly missing: string | undefined;
  open(path: string): OpenDatabase;
}

type DatabaseClass = new (path: string) => OpenDatabase;

// The types of Node 20 do not know it.
const nodeSqlite = process.getBuiltinModule("node:sqlite") as
  { readonly DatabaseSync: DatabaseClass } | undefined;

const builtIn = libraryOf(
  "node:sqlite",
  nodeSqlite?.DatabaseSync,
  "Node has node:sqlite from 22.5 on",
);
const installed = libraryOf(
  "better-sqlite3",
  betterSqlite(),
  "better-sqlite3 is not installed for this version of Node",
);

/** The libraries whose databases `sqliteStore` takes. */
export const sqliteLibraries: readonly SqliteLibrary[] = [builtIn, installed];

/** An available library, if any. */
export const sqliteLibrary =
  builtIn.missing === undefined || installed.missing !== undefined ? builtIn : installed;

function libraryOf(
  name: string,
  Database: DatabaseClass | undefined,
  missing: string,
): SqliteLibrary {
  return {
    name,
    missing: Database === undefined ? missing : undefined,
    open(path) {
      if (Database === undefined) throw new Error(missing);
      return new Database(path);
    },
  };
}

/** Returns what `better-sqlite3` exports. It may be anywhere that `NODE_PATH` names. */
function betterSqlite() {
  try {
    const Database = createRequire(import.meta.url)("better-sqlite3") as DatabaseClass;
    // Its binary, which may be for another version of Node, is loaded with the first database.
    new Database(":memory:").close();
    return Database;
  } catch {
    return undefined;
  }
}

/** A folder with databases. */
export class Databases {
  readonly #library: SqliteLibrary;
  readonly #folder = temporaryFolder();
  readonly #open: OpenDatabase[] = [];
  #count = 0;

  constructor(library = sqliteLibrary) {
    this.#library = library;
  }

  /** Returns the path of a new database. */
  path(): string {
    this.#count += 1;
    return join(this.#folder, `${String(this.#count)}.db`);
  }

  open(path = this.path()): OpenDatabase {
    const database = this.#library.open(path);
    this.#open.push(database);
    return database;
  }

  remove(): void {
    for (const database of this.#open) database.close();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
