import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { postgresStore } from "../../../../library/stores/postgres.js";
import { Bench, working } from "../../../../library/stores/testing/contract/bench.js";
import { blockOf } from "../../../support/page-blocks.js";
import { keepsStatements, noPgBouncer, PgBouncer } from "../../../support/pgbouncer.js";
import { noPostgres, PostgresServer } from "../../../support/postgres.js";

const server = new PostgresServer();
beforeAll(() => (noPostgres === undefined ? server.start() : undefined));
afterAll(() => (noPostgres === undefined ? server.stop() : undefined));

describe.skipIf(noPostgres !== undefined)(
  `a pool of one connection${noPostgres === undefined ? "" : ` (skipped: ${noPostgres})`}`,
  () => {
    it("a pool whose only connection would listen is refused with what to do, and works without notifications", async () => {
      const pool = server.pool();
      pool.options.max = 1;
      expect(() => postgresStore(pool)).toThrow(
        "The pool has one connection, which would only listen for notifications, so that every " +
          "call would wait for a connection: set `max` of the pool to 2 or more, or the option " +
          "`listen` of the store to another pool or to false",
      );
      const sources = { direct: server.pool(), without: false } as const;
      for (const [schema, listen] of Object.entries(sources)) {
        const store = postgresStore(pool, { listen, schema });
        const bench = new Bench(store, 20_000, undefined);
        const { task, lease } = await bench.open();
        await store.append(lease, [working(task, 2)]);
        store.close();
      }
    });
  },
);

describe.skipIf(noPgBouncer !== undefined)(
  `a store behind PgBouncer${noPgBouncer === undefined ? "" : ` (skipped: ${noPgBouncer})`}`,
  () => {
    it("a store that listens through the pooler warns once, and finds the events of other processes by polling", async () => {
      const lines: string[] = [];
      const spy = vi
        .spyOn(console, "error")
        .mockImplementation((line) => void lines.push(String(line)));
      const bouncer = new PgBouncer(server);
      await bouncer.start();
      const options = { schema: "behind", pollMs: 1_000_000, prepare: false };
      const [store, other] = [bouncer.pool(), bouncer.pool()].map((pool) =>
        postgresStore(pool, options),
      );
      if (store === undefined || other === undefined) throw new Error("no stores");
      try {
        const bench = new Bench(store, 20_000, undefined);
        const { id, task, lease } = await bench.open();
        const watch = other.watch(bench.scope, id, 1);
        const found = watch.next();
        await bench.eventually("the warning", () => (lines.length > 0 ? true : undefined));
        await store.append(lease, [working(task, 2)]);
        expect(await found).toMatchObject([{ generation: 2 }]);
        watch.close();
        expect(lines).toEqual([expect.stringMatching(/^postgresStore: no notification arrives/)]);
      } finally {
        store.close();
        other.close();
        await bouncer.stop();
        spy.mockRestore();
      }
    });

    it("a store with the settings of the page gets notifications over its direct connection, and warns about nothing", async () => {
      const spy = vi.spyOn(console, "error").mockImplementation(() => undefined);
      const bouncer = new PgBouncer(server, blockOf("docs/pgbouncer.md", "pgbouncer.ini").slice(1));
      await bouncer.start();
      const open = () => {
        const listen = server.pool();
        listen.options.max = 1;
        // Polling would find the event too late for the test.
        const options = { schema: "beside", pollMs: 1_000_000, prepare: keepsStatements, listen };
        return postgresStore(bouncer.pool(), options);
      };
      const [store, other] = [open(), open()];
      try {
        const bench = new Bench(store, 20_000, undefined);
        const { id, task, lease } = await bench.open();
        const watch = other.watch(bench.scope, id, 1);
        for (let generation = 2; generation < 12; generation += 1) {
          const next = bench.nextOf(watch);
          await store.append(lease, [working(task, generation)]);
          expect(await next).toMatchObject([{ generation }]);
        }
        watch.close();
        expect(spy).not.toHaveBeenCalled();
      } finally {
        store.close();
        other.close();
        await bouncer.stop();
        spy.mockRestore();
      }
    });
  },
);
