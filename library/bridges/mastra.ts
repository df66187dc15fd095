import type { Behavior, Turn } from "../kit/turns/turn.js";
import type { ServingOptions } from "./answer.js";
import type { MastraAgent } from "./mastra/agent.js";
import type { MastraState } from "./mastra/questions.js";
import { MastraTurn } from "./mastra/turn.js";

export type { ServingOptions } from "./answer.js";
export type { MastraAgent, MastraMessage, MastraOutput } from "./mastra/agent.js";
export type { MastraState, Suspension } from "./mastra/questions.js";

/** Options for {@link mastraAgent}. */
export interface MastraOptions extends ServingOptions {
  /**
   * Returns additional options for the calls of the agent, such as `requestContext`, `maxSteps` or
   * the `memory` of Mastra. Called in each turn.
   */
  readonly call?: (turn: Turn) => object | Promise<object>;
}

/**
 * Returns a behavior that serves a Mastra agent. Tools that require approval or suspend ask the
 * caller. Mastra stores the suspended runs, so the agent must be registered in a `Mastra` with a
 * storage. The storage must be as durable as the store of the tasks.
 *
 * @throws An `Error` if the agent has no storage.
 *
 * @example
 * const service = taskService(mastraAgent(mastra.getAgent("clerk")));
 */
export function mastraAgent(
  agent: MastraAgent,
  options: MastraOptions = {},
): Behavior<unknown, MastraState> {
  if (agent.getMastraInstance()?.getStorage() === undefined)
    throw new Error(
      `The Mastra agent ${agent.name ?? ""} has no storage for runs that wait for an answer: ` +
        "register it in `new Mastra({ agents, storage })`, and pass `mastra.getAgent(name)`",
    );
  return { run: (turn) => new MastraTurn(agent, turn, options).run() };
}
