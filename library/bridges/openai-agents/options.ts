import type { Runner } from "@openai/agents";
import type { Turn } from "../../kit/turns/turn.js";
import type { ServingOptions } from "../answer.js";
import type { OpenAiState } from "./state.js";

/** Options for {@link openAiAgent}. */
export interface OpenAiOptions<Context = unknown, User = unknown> extends ServingOptions {
  /** Runs the agent; `new Runner()` by default. */
  readonly runner?: Runner;
  /** Returns the context of a run, for tools and instructions. Called in each turn. */
  readonly context?: (turn: Turn<User, OpenAiState>) => Context | Promise<Context>;
  /** Maximum number of calls of the model in a run; the default of the runner if absent. */
  readonly maxTurns?: number;
}
