import type { TaskStore } from "../store.js";
import { appends } from "./contract/appends.js";
import { Bench, type Cases, type DamageTarget } from "./contract/bench.js";
import { forgetting } from "./contract/forgetting.js";
import { inbox } from "./contract/inbox.js";
import { large } from "./contract/large.js";
import { leases } from "./contract/leases.js";
import { lists } from "./contract/lists.js";
import { sizes } from "./contract/sizes.js";
import { tasks } from "./contract/tasks.js";
import { unreadable } from "./contract/unreadable.js";
import { watches } from "./contract/watches.js";
import { deliveries, webhooks } from "./contract/webhooks.js";

/** What a framework for tests has: those of Vitest, Jest and `node:test` do. */
export interface TestFramework {
  readonly describe: (name: string, body: () => void) => unknown;
  readonly it: (name: string, body: () => Promise<void>) => unknown;
}

export type { DamageTarget } from "./contract/bench.js";

/** How the cases treat a store. */
export interface StoreContractOptions {
  /** Lets time pass for the store, where its clock can be set; without it, the cases wait. */
  readonly advance?: (ms: number) => void | Promise<void>;
  /** Is called with each store when its case is over. */
  readonly close?: (store: TaskStore) => void | Promise<void>;
  /**
   * Replaces the data of a task, or of a webhook, with a text, as a broken disk or a later version of the store might.
   * Without it, the cases about unreadable data are left out, as for a store that keeps no data outside of the process.
   */
  readonly damage?: (store: TaskStore, target: DamageTarget, text: string) => void | Promise<void>;
  /** How long a case waits for something that has to happen, before it fails; 4,000 by default. */
  readonly patienceMs?: number;
}

/**
 * Tests whether a store keeps the contract of `TaskStore`. `makeStore` is called for each case, and returns a store
 * without tasks.
 *
 * @example
 * import { describe, it } from "node:test";
 * storeContract({ describe, it }, () => myStore());
 */
export function storeContract(
  { describe, it }: TestFramework,
  makeStore: () => TaskStore | Promise<TaskStore>,
  { advance, close, damage, patienceMs = 4_000 }: StoreContractOptions = {},
): void {
  const groups: Readonly<Record<string, Cases>> = {
    ...{ tasks, inbox, appends, leases, watches, lists, webhooks, deliveries, forgetting, sizes, large },
    ...(damage !== undefined && { unreadable }),
  };
  for (const [group, cases] of Object.entries(groups)) {
    describe(`a task store: ${group}`, () => {
      for (const [sentence, test] of Object.entries(cases)) {
        it(sentence, async () => {
          const store = await makeStore();
          try {
            const damageOf = damage && ((target: DamageTarget, text: string) => damage(store, target, text));
            await test(new Bench(store, patienceMs, advance, damageOf));
          } finally {
            await close?.(store);
          }
        });
      }
    });
  }
}
