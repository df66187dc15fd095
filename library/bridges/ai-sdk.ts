import type { Behavior } from "../kit/turns/turn.js";
import { AiTurn } from "./ai-sdk/turn.js";
import type { AiAgent, AiCall, AiState } from "./ai-sdk/types.js";
import type { ServingOptions } from "./answer.js";

export { agentModel, type AgentModelOptions } from "./ai-sdk/model.js";
export type { RemoteModel } from "./ai-sdk/model-types.js";
export type { SigningOptions } from "./ai-sdk/signed-ids.js";
export {
  agentTool,
  type AgentTool,
  type AgentToolOptions,
  type ToolOutput,
} from "./ai-sdk/tool.js";
export type { AiAgent, AiCall, AiState, AiStream } from "./ai-sdk/types.js";
export type { ServingOptions } from "./answer.js";

/**
 * Returns the behavior of a task service that serves an agent of the AI SDK, version 6 or 7.
 *
 * @example
 * const service = taskService(aiAgent(new ToolLoopAgent({ model, tools })));
 * @example
 * const service = taskService(aiAgent((call) => streamText({ model, tools, ...call })));
 */
export function aiAgent<User = unknown>(
  agent: AiAgent<User>,
  options: ServingOptions = {},
): Behavior<User, AiState> {
  const start = typeof agent === "function" ? agent : (call: AiCall) => agent.stream(call);
  return { run: (turn) => new AiTurn(start, turn, options).updates() };
}
