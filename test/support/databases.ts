import { afterAll, beforeAll } from "vitest";
import { noPostgres, PostgresServer } from "./postgres.js";
import { noRedis, RedisServer } from "./redis.js";
import { Databases } from "./sqlite.js";

/**
 * Starts Postgres and Redis for the tests of a suite if they are installed, and stops them after
 * the tests.
 */
export function databasesForSuite(): {
  postgres: PostgresServer;
  redis: RedisServer;
  databases: Databases;
} {
  const postgres = new PostgresServer();
  const redis = new RedisServer();
  const databases = new Databases();
  beforeAll(async () => {
    if (noPostgres === undefined) await postgres.start();
    if (noRedis === undefined) await redis.start();
  });
  afterAll(async () => {
    if (noPostgres === undefined) await postgres.stop();
    if (noRedis === undefined) await redis.stop();
    databases.remove();
  });
  return { postgres, redis, databases };
}
