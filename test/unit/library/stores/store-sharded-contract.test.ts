import { afterAll, describe, it } from "vitest";
import { memoryStore } from "../../../../library/kit/memory/store.js";
import { shardedStore } from "../../../../library/stores/sharded.js";
import { sqliteStore } from "../../../../library/stores/sqlite.js";
import { storeContract } from "../../../../library/stores/testing/store-contract.js";
import { RedisServer } from "../../../support/redis.js";
import { closeSharded, numbers } from "../../../support/sharding.js";
import { Databases, sqliteLibrary } from "../../../support/sqlite.js";
import { patienceMs } from "../../../support/time-limit.js";
import { postgresContract, redisContract } from "./sharded-contracts.js";

for (const count of [1, 3, 16])
  describe(`shardedStore on memory stores: ${String(count)}`, () => {
    let now = 1_000;
    const advance = (ms: number): void => void (now += ms);
    storeContract(
      { describe, it },
      () => shardedStore(numbers(count).map(() => memoryStore({ now: () => now }))),
      { advance, databases: count },
    );
  });

const { name: sqliteName, missing } = sqliteLibrary;
const sqliteReason = missing === undefined ? "" : ` (skipped: ${missing})`;

describe.skipIf(missing !== undefined)(
  `shardedStore on SQLite databases of ${sqliteName}${sqliteReason}`,
  () => {
    const databases = new Databases();
    afterAll(() => {
      databases.remove();
    });
    for (const count of [1, 3, 16])
      describe(`${String(count)} databases`, () => {
        storeContract(
          { describe, it },
          () => {
            const open = () =>
              sqliteStore(databases.open(databases.path()), { durable: false, pollMs: 2 });
            return shardedStore(numbers(count).map(open));
          },
          { databases: count, timeoutMs: patienceMs, close: closeSharded },
        );
      });
  },
);

for (const count of [1, 3, 16]) postgresContract(count);

for (const count of [1, 3, 16])
  redisContract("a Redis server", new RedisServer(), (of) =>
    numbers(count).map((at) => `p${String(of)}-${String(at)}`),
  );
