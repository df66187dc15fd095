import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { postgresStore } from "../../../../library/stores/postgres.js";
import { oldestVersion } from "../../../../library/stores/postgres/schema.js";
import { packageFolder } from "../../../../support/package-folder.js";
import { noPostgres, PostgresServer } from "../../../support/postgres.js";

const server = new PostgresServer();
beforeAll(() => (noPostgres === undefined ? server.start() : undefined));
afterAll(() => (noPostgres === undefined ? server.stop() : undefined));

/** File with the functions that the oldest version of the store calls, one on each line. */
const file = join(
  packageFolder,
  "test",
  "fixtures",
  "stores",
  `postgres-functions-${String(oldestVersion)}.txt`,
);

interface FunctionRow {
  readonly name: string;
  readonly parameters: string;
  /** Number of last parameters that have a default. */
  readonly defaults: number;
  readonly result: string;
}

/** Returns the signatures that calls of a function can have, which may omit last parameters. */
function signaturesOf({ name, parameters, defaults, result }: FunctionRow): string[] {
  const all = parameters.split(", ");
  return Array.from({ length: defaults + 1 }, (_, omitted) => {
    const given = all.slice(0, all.length - omitted);
    return `${name}(${given.join(", ")}) ${result}`;
  });
}

describe.skipIf(noPostgres !== undefined)(
  `releases of postgresStore on one database${noPostgres === undefined ? "" : ` (skipped: ${noPostgres})`}`,
  () => {
    it("the functions that the oldest allowed release calls keep their parameters and results", async () => {
      await postgresStore(server.pool()).deleteExpired({});
      const { rows } = await server.sql(
        "SELECT proname AS name, pg_get_function_identity_arguments(oid) AS parameters, " +
          "pronargdefaults AS defaults, pg_get_function_result(oid) AS result FROM pg_proc " +
          "WHERE pronamespace = 'a2a'::regnamespace",
      );
      const signatures = (rows as FunctionRow[]).flatMap(signaturesOf);
      // If a change other than a parameter with a default is necessary, increase `schemaVersion` and `oldestVersion`, and write the new
      // functions to a file of that version: earlier releases then no longer start on the tables.
      const expected = readFileSync(file, "utf8").trimEnd().split("\n");
      expect(signatures).toEqual(expect.arrayContaining(expected));
      expect(expected.length).toBeGreaterThan(10);
    });
  },
);
