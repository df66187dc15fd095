import type { Turn } from "../../kit/turns/turn.js";
import type { ServingOptions } from "../answer.js";
import type { MastraState } from "./questions.js";

/** Options for {@link mastraAgent}. */
export interface MastraOptions<User = unknown> extends ServingOptions {
  /**
   * Returns additional options for the calls of the agent, such as `requestContext`, `maxSteps` or
   * the `memory` of Mastra. Called in each turn.
   */
  readonly call?: (turn: Turn<User, MastraState>) => object | Promise<object>;
}
