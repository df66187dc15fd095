import { type A2AError, clientErrors, InvalidAgentResponseError } from "../errors.js";
import type { Part } from "../kit/model.js";
import { isInterrupted } from "../kit/states.js";
import type { Outcome } from "../client/answer.js";
import { isInternalFailure } from "../runtime/protocol/internal-failure.js";

/** The outcome of a question to a remote agent, in the form in which a model reads it. */
export interface Report {
  /** State of the task in lower case, such as `input-required`. */
  readonly state: string;
  readonly answer: string;
  /** The question, the reason for a failure, or the last words, if the answer differs. */
  readonly message?: string;
  readonly signInAt?: readonly string[];
  /** Id of the task, if it waits for an answer. */
  readonly taskId?: string;
  readonly contextId?: string;
}

/** Returns the report about an outcome. */
export function reportOf({ state, text, said, links, task, contextId }: Outcome): Report {
  return {
    state: stateName(state),
    answer: text,
    ...(said !== "" && said !== text && { message: said }),
    ...(links.length > 0 && { signInAt: links }),
    ...(task !== undefined && isInterrupted(state) && { taskId: task.id }),
    ...(contextId !== undefined && { contextId }),
  };
}

/** Returns the name of a state for models and people: `input-required`. */
export function stateName(state: string): string {
  return state.replace("TASK_STATE_", "").toLowerCase().replaceAll("_", "-");
}

/**
 * Returns the sentence by which users learn that a call of the agent has failed. It contains the
 * agent's text only if the text is written for callers.
 */
export function callProblem(error: unknown): string {
  if (!isAgentError(error) || error.reason === InvalidAgentResponseError.row.reason)
    return "The agent cannot be reached, or its answer is invalid.";
  if (isInternalFailure(error, clientErrors)) return "The agent failed with an internal error.";
  const [first = ""] = error.message.split("\n");
  return `The agent refused the call: ${first.slice(0, 300)}`;
}

/** Returns whether the agent has refused a call because of its content or its caller. */
export function isRefusal(error: unknown): boolean {
  return isAgentError(error) && error.httpStatus < 500;
}

/** Returns whether an error is a response of the agent. Outputs with copies have their own classes. */
function isAgentError(error: unknown): error is A2AError {
  return error instanceof Error && "httpStatus" in error && typeof error.httpStatus === "number";
}

/** Returns the files in an outcome. */
export function filesIn({ parts }: Pick<Outcome, "parts">): Part[] {
  return parts.filter(({ raw, url }) => raw !== undefined || url !== undefined);
}

/** Returns a name for a tool, in the form that all providers of models accept. */
export function toolName(name: string): string {
  return name.replace(/[^A-Za-z0-9_-]+/g, "_").slice(0, 64) || "agent";
}
