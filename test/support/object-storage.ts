import type { ObjectStorage } from "../../library/stores/sqlite.js";
import type { OpenDatabase } from "./sqlite.js";

/** The storage of a Durable Object that is simulated by a database. */
export interface SimulatedStorage extends ObjectStorage {
  /** Times of the alarms that were set. */
  readonly alarms: number[];
}

/** Statements of the store that no library prepares, because they consist of several statements. */
const script = /^\s*(?:CREATE|ALTER|DROP)\b/;

/** Returns the storage of a Durable Object in a database. Refuses the values that Cloudflare refuses. */
export function objectStorage(database: OpenDatabase): SimulatedStorage {
  const alarms: number[] = [];
  let depth = 0;
  const exec: ObjectStorage["sql"]["exec"] = (query, ...bindings) => {
    if (/^\s*(?:PRAGMA|BEGIN|COMMIT|ROLLBACK|SAVEPOINT|RELEASE)\b/i.test(query))
      throw new Error(`not authorized: ${query}`);
    for (const value of bindings)
      if (typeof value === "string" && Buffer.byteLength(value) > 2_000_000)
        throw new Error("string or blob too big: SQLITE_TOOBIG");
    if (script.test(query)) {
      database.exec(query);
      return { toArray: () => [] };
    }
    const statement = database.prepare(query);
    const { reader = true } = statement as { readonly reader?: boolean };
    if (reader) {
      const rows = statement.all(...bindings) as unknown[];
      return { toArray: () => rows };
    }
    statement.run(...bindings);
    return { toArray: () => [] };
  };
  return {
    alarms,
    sql: { exec },
    transactionSync(work) {
      const name = `t${String((depth += 1))}`;
      database.exec(`SAVEPOINT ${name}`);
      try {
        return work();
      } catch (error) {
        database.exec(`ROLLBACK TO ${name}`);
        throw error;
      } finally {
        database.exec(`RELEASE ${name}`);
        depth -= 1;
      }
    },
    setAlarm(time) {
      alarms.push(time);
      return Promise.resolve();
    },
  };
}
