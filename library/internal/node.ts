// Agents in Node.
// Only generated code and the tools import this module.

export {
  type NodeListener,
  nodeListener,
  type NodeOptions,
} from "../runtime/http/adapters/node.js";
