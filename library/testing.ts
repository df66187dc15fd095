// Tools for the tests of agents and of stores.

export * from "./kit/testing/turn-for.js";
export * from "./stores/testing/store-contract.js";
