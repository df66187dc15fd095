import type pg from "pg";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { type PostgresStoreOptions, postgresStore } from "../../../../library/stores/postgres.js";
import { Bench, working } from "../../../../library/stores/testing/contract/bench.js";
import { noPgBouncer, PgBouncer } from "../../../support/pgbouncer.js";
import { noPostgres, PostgresServer } from "../../../support/postgres.js";

const server = new PostgresServer();
beforeAll(() => (noPostgres === undefined ? server.start() : undefined));
afterAll(() => (noPostgres === undefined ? server.stop() : undefined));

let schemas = 0;
let tasks = 0;

/** Opens a store without notifications, with a schema of its own. */
function open(pool: Parameters<typeof postgresStore>[0], options: PostgresStoreOptions = {}) {
  const store = postgresStore(pool, { schema: `p${String((schemas += 1))}`, ...options });
  return new Bench(store, 20_000, undefined);
}

/** Appends some events to several tasks at the same time. */
async function appendTo(bench: Bench) {
  const append = async () => {
    const { task, lease } = await bench.open({ id: `task-${String((tasks += 1))}` });
    for (let at = 2; at < 12; at += 1) await bench.store.append(lease, [working(task, at)]);
  };
  await Promise.all(Array.from({ length: 8 }, append));
}

/** Returns the names of the statements that the only connection of a pool keeps. */
async function preparedBy(pool: pg.Pool): Promise<string[]> {
  const { rows } = await pool.query("SELECT name FROM pg_prepared_statements ORDER BY name");
  return (rows as { readonly name: string }[]).map(({ name }) => name);
}

const listen = false;

describe.skipIf(noPostgres !== undefined)(
  `prepared statements of postgresStore${noPostgres === undefined ? "" : ` (skipped: ${noPostgres})`}`,
  () => {
    it("each connection of a pool keeps the calls of functions prepared, unless `prepare` is false", async () => {
      const pool = server.pool();
      pool.options.max = 1;
      const bench = open(pool, { listen, schema: "kept", prepare: false });
      await appendTo(bench);
      expect(await preparedBy(pool)).toEqual([]);
      await appendTo(open(pool, { listen, schema: "kept" }));
      const names = (await preparedBy(pool)).map((name) => name.replace(/^a2a\d+ kept /, ""));
      expect(names).toEqual(expect.arrayContaining(["append", "create_task"]));
    });

    it("stores with different schemas and durability never share a prepared statement", async () => {
      const pool = server.pool();
      pool.options.max = 1;
      for (const schema of ["one", "other"])
        for (const survivesPowerLoss of [true, false])
          await appendTo(open(pool, { listen, schema, survivesPowerLoss }));
      const { rows } = await pool.query("SELECT statement FROM pg_prepared_statements");
      const calls = (rows as { readonly statement: string }[]).filter(({ statement }) =>
        statement.includes("create_task"),
      );
      expect(calls).toHaveLength(4);
    });

    it("a schema whose name is too long for the name of a statement works without prepared statements", async () => {
      const pool = server.pool();
      pool.options.max = 1;
      await appendTo(open(pool, { listen, schema: "s".repeat(63) }));
      expect((await preparedBy(pool)).filter((name) => name.includes("create_task"))).toEqual([]);
    });

    it("a pool that is not a pool of pg only gets texts", async () => {
      const pool = server.pool();
      const texts: unknown[] = [];
      const query = (text: string, values?: unknown[]) => {
        texts.push(typeof text);
        return pool.query(text, values);
      };
      await appendTo(open({ query, connect: () => pool.connect() }, { listen }));
      expect(new Set(texts)).toEqual(new Set(["string"]));
    });
  },
);

describe.skipIf(noPgBouncer !== undefined)(
  `postgresStore behind PgBouncer${noPgBouncer === undefined ? "" : ` (skipped: ${noPgBouncer})`}`,
  () => {
    const pooler = new PgBouncer(server);
    beforeAll(() => pooler.start());
    afterAll(() => pooler.stop());
    afterEach(() => vi.restoreAllMocks());

    it("a pooler without prepared statements ends their use, which is logged once", async () => {
      const said = vi.spyOn(console, "error").mockImplementation(() => undefined);
      const schema = "pooled";
      const benches = [1, 2].map(() => open(pooler.pool(), { listen, schema }));
      for (let round = 0; round < 3; round += 1) await Promise.all(benches.map(appendTo));
      const texts = said.mock.calls.map(([text]) => String(text));
      expect(texts).toHaveLength(benches.length);
      for (const text of texts)
        expect(text).toMatch(/do not keep prepared statements \(.+\), so .+ `prepare` .+ to false/);
    });

    it("the option `prepare` avoids prepared statements from the first call on", async () => {
      const said = vi.spyOn(console, "error").mockImplementation(() => undefined);
      const benches = [1, 2].map(() => open(pooler.pool(), { listen, prepare: false }));
      await Promise.all(benches.map(appendTo));
      expect(said).not.toHaveBeenCalled();
    });
  },
);
