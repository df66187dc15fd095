import type { TaskStore } from "../../kit/store.js";
import { appends } from "./contract/appends.js";
import { Bench, type Cases, type DamageTarget } from "./contract/bench.js";
import { deletion } from "./contract/deletion.js";
import { inbox } from "./contract/inbox.js";
import { large } from "./contract/large.js";
import { leases } from "./contract/leases.js";
import { lists } from "./contract/lists.js";
import { marks } from "./contract/marks.js";
import { sleeping } from "./contract/sleeping.js";
import { sizes } from "./contract/sizes.js";
import { tasks } from "./contract/tasks.js";
import { unreadable } from "./contract/unreadable.js";
import { watches } from "./contract/watches.js";
import { deliveries, webhooks } from "./contract/webhooks.js";

/** The functions of a test framework, as Vitest, Jest and `node:test` export them. */
export interface TestFramework {
  readonly describe: (name: string, body: () => void) => unknown;
  readonly it: (name: string, body: () => Promise<void>) => unknown;
}

export type { DamageTarget } from "./contract/bench.js";

/** Options for {@link storeContract}. */
export interface StoreContractOptions {
  /**
   * Advances the clock of the store. Without this function, the cases wait for real time to pass.
   */
  readonly advance?: (ms: number) => void | Promise<void>;
  /** Called with each store after its case. */
  readonly close?: (store: TaskStore) => void | Promise<void>;
  /**
   * Replaces data of a task or a webhook with a string, to simulate a broken disk or a later
   * version of the store. Without this function, the cases about unreadable data are skipped. Omit
   * the function for a store that keeps all data in the process.
   */
  readonly damage?: (store: TaskStore, target: DamageTarget, text: string) => void | Promise<void>;
  /**
   * Number of databases of the store; 1 by default. The limit `maxCount` of `deleteExpired` applies
   * in equal parts to these databases.
   */
  readonly databases?: number;
  /** Time-out in milliseconds for an expected event, after which a case fails; 4,000 by default. */
  readonly timeoutMs?: number;
}

/**
 * Defines tests that check whether a store fulfills the contract of `TaskStore`.
 * @param makeStore Returns an empty store. Called for each case.
 *
 * @example
 * import { describe, it } from "node:test";
 * storeContract({ describe, it }, () => myStore());
 */
export function storeContract(
  { describe, it }: TestFramework,
  makeStore: () => TaskStore | Promise<TaskStore>,
  { advance, close, damage, databases = 1, timeoutMs = 4_000 }: StoreContractOptions = {},
): void {
  const groups: Readonly<Record<string, Cases>> = {
    tasks,
    inbox,
    appends,
    leases,
    sleeping,
    watches,
    lists,
    webhooks,
    deliveries,
    deletion,
    sizes,
    large,
    marks,
    ...(damage !== undefined && { unreadable }),
  };
  for (const [group, cases] of Object.entries(groups)) {
    describe(`a task store: ${group}`, () => {
      for (const [sentence, test] of Object.entries(cases)) {
        it(sentence, async () => {
          const store = await makeStore();
          try {
            const damageOf =
              damage && ((target: DamageTarget, text: string) => damage(store, target, text));
            await test(new Bench(store, timeoutMs, advance, damageOf, databases));
          } finally {
            await close?.(store);
          }
        });
      }
    });
  }
}
