// Tools for the tests of agents, and of programs that call agents.

export * from "./scripted-agent.js";
export * from "./turn-for.js";
