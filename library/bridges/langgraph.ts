import type { Behavior } from "../kit/turns/turn.js";
import { withAdvice } from "./langgraph/advice.js";
import { type Graph, type GraphOptions, type GraphState, GraphTurn } from "./langgraph/turn.js";

export type { ServingOptions } from "./answer.js";
export { agentNode, type AgentNodeOptions, type RemoteQuestion } from "./langgraph/node.js";
export { kitSaver } from "./langgraph/saver.js";
export type { Graph, GraphOptions, GraphSnapshot, GraphState } from "./langgraph/turn.js";

/**
 * Returns the behavior of an agent that runs a compiled LangGraph graph. Each task is a thread of
 * the graph. The interrupts of the graph are questions to the caller.
 *
 * @example
 * const graph = builder.compile({ checkpointer: kitSaver() });
 * const service = taskService(graphAgent(graph));
 */
export function graphAgent<User = unknown>(
  graph: Graph,
  options: GraphOptions<User> = {},
): Behavior<User, GraphState> {
  return { run: (turn) => withAdvice(new GraphTurn(graph, options, turn).run()) };
}
