import { afterAll, beforeAll, describe, it } from "vitest";
import { postgresSchema, postgresStore } from "../../../../library/stores/postgres.js";
import { type RedisClient, redisStore } from "../../../../library/stores/redis.js";
import { shardedStore } from "../../../../library/stores/sharded.js";
import { storeContract } from "../../../../library/stores/testing/store-contract.js";
import { noPostgres, PostgresServer } from "../../../support/postgres.js";
import { noRedis } from "../../../support/redis.js";
import { closeSharded, numbers } from "../../../support/sharding.js";
import { patienceMs } from "../../../support/time-limit.js";

/** Number of schemas in each database. Cases take turns, so that each schema is used again later. */
const schemaCount = 8;

const schemas = numbers(schemaCount).map((at) => `s${String(at)}`);

/**
 * Defines the contract of a sharded store on several databases of one Postgres server. The
 * databases are copies of one database with empty tables, and each case begins with empty tables.
 * @param count Number of databases.
 */
export function postgresContract(count: number): void {
  const reason = noPostgres === undefined ? "" : ` (skipped: ${noPostgres})`;
  describe.skipIf(noPostgres !== undefined)(
    `shardedStore on Postgres databases${reason}: ${String(count)}`,
    () => {
      const server = new PostgresServer("max_connections=200");
      let pools: readonly ReturnType<PostgresServer["pool"]>[] = [];
      let tables: readonly string[] = [];
      beforeAll(async () => {
        await server.start();
        await server.sql("CREATE DATABASE empty");
        server.restore("empty", schemas.map((schema) => postgresSchema(schema)).join("\n"));
        for (const at of numbers(count))
          await server.sql(`CREATE DATABASE shard_${String(at)} TEMPLATE empty`);
        pools = numbers(count).map((at) => server.pool("test", `shard_${String(at)}`, 4));
        const found = await pools[0]?.query<{ readonly tablename: string }>(
          "SELECT tablename FROM pg_tables WHERE schemaname = 's0' AND tablename <> 'version'",
        );
        tables = found?.rows.map(({ tablename }) => tablename) ?? [];
        tables = tables.filter((table) => table !== "searched");
      });
      afterAll(() => server.stop());
      let cases = 0;
      storeContract(
        { describe, it },
        async () => {
          const schema = schemas[cases % schemaCount] ?? "";
          cases += 1;
          const deletions = tables.map((table) => `DELETE FROM ${schema}.${table};`).join("");
          const reset = `${deletions} UPDATE ${schema}.searched SET at = 0`;
          if (cases > schemaCount) await Promise.all(pools.map((pool) => pool.query(reset)));
          return shardedStore(pools.map((pool) => postgresStore(pool, { schema })));
        },
        { databases: count, timeoutMs: patienceMs, close: closeSharded },
      );
    },
  );
}

/** A Redis server or cluster. */
interface RedisLike {
  start(): Promise<unknown>;
  io(): RedisClient;
  stop(): Promise<void>;
}

/**
 * Defines the contract of a sharded store on several prefixes of a Redis server or cluster.
 * @param title Name of the server in the titles.
 * @param prefixesOf Returns the prefixes of a case, by the number of the case.
 */
export function redisContract(
  title: string,
  server: RedisLike,
  prefixesOf: (of: number) => readonly string[],
): void {
  const reason = noRedis === undefined ? "" : ` (skipped: ${noRedis})`;
  const databases = prefixesOf(0).length;
  describe.skipIf(noRedis !== undefined)(
    `shardedStore on prefixes of ${title}${reason}: ${String(databases)}`,
    () => {
      let client: RedisClient;
      beforeAll(async () => {
        await server.start();
        client = server.io();
      });
      afterAll(() => server.stop());
      let cases = 0;
      storeContract(
        { describe, it },
        () => {
          cases += 1;
          return shardedStore(prefixesOf(cases).map((prefix) => redisStore(client, { prefix })));
        },
        { databases, timeoutMs: patienceMs, close: closeSharded },
      );
    },
  );
}
