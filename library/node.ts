// Everything for servers on Node. Other runtimes have their handlers in the fetch API.

export * from "./kit/node.js";
export { type NodeListener, nodeListener, type NodeOptions } from "./runtime/http/adapters/node.js";
