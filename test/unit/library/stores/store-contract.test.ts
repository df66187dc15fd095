import { describe, it } from "vitest";
import { memoryStore } from "../../../../library/kit/memory/store.js";
import { storeContract } from "../../../../library/stores/testing/store-contract.js";
import { lateStore } from "../../../support/late-store.js";
import { seedOf } from "../../../support/random/random.js";
import { seed } from "../../../support/seed.js";
import { sized } from "../../../support/size.js";

/** A clock that is set, and how to set it. */
function clock(): { readonly now: () => number; readonly advance: (ms: number) => void } {
  let now = 1_000;
  return {
    now: () => now,
    advance: (ms) => {
      now += ms;
    },
  };
}

describe("memoryStore", () => {
  storeContract({ describe, it }, () => memoryStore());
});

describe("memoryStore with little room for logs", () => {
  const { now, advance } = clock();
  storeContract({ describe, it }, () => memoryStore({ now, maxLog: 1_000 }), { advance });
});

for (let round = 0; round < sized(2, 5); round += 1) {
  describe(`a store that responds late, with the seed ${seed} in round ${round}`, () => {
    const { now, advance } = clock();
    let stores = 0;
    const makeStore = () => {
      stores += 1;
      return lateStore(memoryStore({ now }), seedOf(seed, String(round), stores));
    };
    storeContract({ describe, it }, makeStore, { advance });
  });
}
