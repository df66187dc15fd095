import { describe, it } from "vitest";
import { memoryStore } from "../../../templates/kit/memory-store.js";
import { storeContract } from "../../../templates/kit/testing/store-contract.js";

describe("with its own clock", () => {
  storeContract({ describe, it }, () => memoryStore());
});

describe("with a clock that is set", () => {
  let now = 1_000;
  const advance = (ms: number): void => {
    now += ms;
  };
  storeContract({ describe, it }, () => memoryStore({ now: () => now }), { advance });
});
