// Tools for the tests of agents, of programs that call agents, and of stores.

export * from "./kit/testing/unbound.js";
export * from "./stores/testing/store-contract.js";
