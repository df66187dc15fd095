import { expect, it } from "vitest";
import { memoryStore } from "../../../../library/kit/memory/store.js";
import type { TaskStore } from "../../../../library/kit/store.js";
import { storeContract } from "../../../../library/stores/testing/store-contract.js";
import { mutants, type Mutant } from "./store-mutants.js";

/** Returns the first case that a store fails. A case may wait for an event as long as `timeoutMs`. */
async function failureOf(change: Mutant, timeoutMs: number) {
  let now = 1_000;
  const advance = (ms: number): void => void (now += ms);
  const makeStore = (): TaskStore => {
    const store = memoryStore({ now: () => now });
    const bound = Object.fromEntries(
      Object.getOwnPropertyNames(Object.getPrototypeOf(store)).map((name) => {
        const method: unknown = Reflect.get(store, name);
        return [name, typeof method === "function" ? (method.bind(store) as unknown) : method];
      }),
    );
    // The bound values are the methods of a store.
    return { ...(bound as unknown as TaskStore), ...change(store) };
  };
  const cases: (readonly [string, () => Promise<void>])[] = [];
  const it = (name: string, body: () => Promise<void>): unknown => cases.push([name, body]);
  storeContract({ describe: (_, body) => body(), it }, makeStore, { advance, timeoutMs });
  for (const [name, body] of cases) {
    const failure = await body().then(
      () => undefined,
      () => name,
    );
    if (failure !== undefined) return failure;
  }
  return undefined;
}

it("the contract holds for a store that is only wrapped", async () => {
  expect(await failureOf(() => ({}), 100_000)).toBe(undefined);
});

it.each(Object.entries(mutants))(
  "the contract does not hold for a store that %s",
  async (_, change) => {
    expect(await failureOf(change, 500)).toEqual(expect.any(String));
  },
);
