import type { Database } from "./database.js";
import { marksSql } from "./schema.js";
import { textIn } from "./results.js";

/**
 * Sets a mark of the database unless it exists or the value is absent, and returns the value of the
 * mark, if any.
 */
export async function mark(
  database: Database,
  name: string,
  value: string | undefined,
): Promise<string | undefined> {
  const { schema } = database;
  const table = `${schema}.marks`;
  // Tables of earlier releases do not include the table.
  const known = await database.row("SELECT to_regclass($1)::text AS name", [table]);
  if (known?.["name"] === null) await database.execute(marksSql(schema));
  if (value !== undefined)
    await database.rows(`INSERT INTO ${table} VALUES ($1, $2) ON CONFLICT (name) DO NOTHING`, [
      name,
      value,
    ]);
  const row = await database.row(`SELECT value FROM ${table} WHERE name = $1`, [name]);
  return row && textIn(row["value"]);
}
