import { emptyPlan, type Target } from "../../emit/plan.js";
import { tasks } from "./tasks.js";

/** Creates a target for optional modules of the kit. Its summary names the first module. */
function extra(name: string, summary: string, ...modules: readonly string[]): Target {
  return {
    name,
    summary: `${summary} (${modules[0] ?? ""}.ts)`,
    optIn: true,
    needs: ["tasks"],
    plan: async (protocol, targets) => {
      const { kit = [] } = await tasks.plan(protocol, targets);
      // If the kit is omitted, the target `tasks` reports the reason.
      return kit.length === 0 ? emptyPlan : { ...emptyPlan, kit: modules };
    },
  };
}

export const authJwt: Target = extra(
  "auth-jwt",
  "checks of tokens, which imports jose",
  "kit/auth/jwt",
);

/** Target of OAuth tokens for clients. Modules that require Node are separate. */
export const authOauth: Target = extra(
  "auth-oauth",
  "tokens for clients, which imports oauth4webapi",
  "kit/auth/oauth",
  "kit/auth/token-file",
  "kit/auth/loopback",
);

/** Target of OpenTelemetry. */
export const otel: Target = extra(
  "otel",
  "traces and metrics, which imports @opentelemetry/api",
  "kit/otel",
);

export const storeSqlite: Target = extra(
  "store-sqlite",
  "a task store in SQLite",
  "kit/stores/sqlite",
);

export const storePostgres: Target = extra(
  "store-postgres",
  "a task store in Postgres",
  "kit/stores/postgres",
);

export const storeRedis: Target = extra("store-redis", "a task store in Redis", "kit/stores/redis");

/** Target of the store that spreads owners over several stores. */
export const storeSharded: Target = extra(
  "store-sharded",
  "a task store of several databases",
  "kit/stores/index",
);

/** Target of the tests that every task store must pass. Authors of stores use it. */
export const storeTests: Target = extra(
  "store-tests",
  "tests for task stores of your own",
  "kit/testing/store-contract",
  "kit/stores/index",
);
