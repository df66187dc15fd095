import type { Part } from "../kit/model.js";
import { isInterrupted } from "../kit/states.js";
import type { Outcome } from "../client/answer.js";

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

/** Returns the files in an outcome. */
export function filesIn({ parts }: Pick<Outcome, "parts">): Part[] {
  return parts.filter(({ raw, url }) => raw !== undefined || url !== undefined);
}

/** Returns a name for a tool, in the form that all providers of models accept. */
export function toolName(name: string): string {
  return name.replace(/[^A-Za-z0-9_-]+/g, "_").slice(0, 64) || "agent";
}
