import type { Behavior } from "../kit/turns/turn.js";
import type { MastraAgent } from "./mastra/agent.js";
import type { MastraState } from "./mastra/questions.js";
import type { MastraOptions } from "./mastra/options.js";
import { MastraTurn } from "./mastra/turn.js";

export type { ServingOptions } from "./answer.js";
export type { MastraAgent, MastraMessage, MastraOutput } from "./mastra/agent.js";
export type { MastraOptions } from "./mastra/options.js";
export type { MastraState, Suspension } from "./mastra/questions.js";

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
export function mastraAgent<User = unknown>(
  agent: MastraAgent,
  options: MastraOptions<User> = {},
): Behavior<User, MastraState> {
  if (agent.getMastraInstance()?.getStorage() === undefined)
    throw new Error(
      `The Mastra agent ${agent.name ?? ""} has no storage for runs that wait for an answer: ` +
        "register it in `new Mastra({ agents, storage })`, and pass `mastra.getAgent(name)`",
    );
  return { run: (turn) => new MastraTurn(agent, turn, options).run() };
}
