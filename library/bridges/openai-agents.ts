import { type Agent, type AgentOutputType, Runner } from "@openai/agents";
import type { Behavior } from "../kit/turns/turn.js";
import type { OpenAiOptions } from "./openai-agents/options.js";
import type { OpenAiState } from "./openai-agents/state.js";
import { OpenAiTurn } from "./openai-agents/turn.js";

export type { ServingOptions } from "./answer.js";
export type { OpenAiOptions } from "./openai-agents/options.js";
export type { OpenAiState } from "./openai-agents/state.js";
export { agentTool, type AgentToolOptions } from "./openai-agents/tool.js";

/**
 * Returns a behavior that serves an agent of the OpenAI Agents SDK. Tools that need approval ask
 * the caller. The serialized run is part of the task. It is saved before each call of the model, so
 * the run continues there after a crash.
 *
 * @example
 * const service = taskService(openAiAgent(new Agent({ name: "Clerk", tools: [mail] })));
 */
export function openAiAgent<Context, Output extends AgentOutputType, User = unknown>(
  agent: Agent<Context, Output>,
  options: OpenAiOptions<Context, User> = {},
): Behavior<User, OpenAiState> {
  const { runner = new Runner() } = options;
  return { run: (turn) => new OpenAiTurn(agent, runner, turn, options).run() };
}
