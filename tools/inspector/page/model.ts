import {
  isInterrupted,
  isTerminal,
  type Message,
  type StreamResponse,
  type Task,
} from "../../agents/index.js";

/** A part of a message or an artifact. */
export type Part = Message["parts"][number];

/** A result of a task. */
export type Artifact = NonNullable<Task["artifacts"]>[number];

export type {
  AgentCard,
  Message,
  SendMessageRequest,
  StreamResponse,
  Task,
} from "../../agents/index.js";

/** Returns whether a task has ended without a result because of an error or a refusal. */
export function isFailure(state: string): boolean {
  return state === "TASK_STATE_FAILED" || state === "TASK_STATE_REJECTED";
}

/** Returns the class of a state, which gives it its color. */
export function stateClass(state: string): string {
  if (state === "TASK_STATE_COMPLETED") return "good";
  if (isTerminal(state)) return "bad";
  return isInterrupted(state) ? "waits" : "busy";
}

/** Returns the events that are equivalent to a response without a stream. */
export function eventOf(response: {
  readonly task?: Task;
  readonly message?: Message;
}): StreamResponse | undefined {
  const { task, message } = response;
  return task === undefined ? message && { message } : { task };
}

/** Returns the id of the task that an event belongs to. */
export function taskIdOf({ task, statusUpdate, artifactUpdate }: StreamResponse) {
  return task?.id ?? statusUpdate?.taskId ?? artifactUpdate?.taskId;
}
