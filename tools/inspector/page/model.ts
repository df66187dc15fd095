import type { Message, StreamResponse, Task } from "../../agents/index.js";

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

/** Returns a state as words: `input required`. */
export function stateText(state: string): string {
  return state
    .replace(/^TASK_STATE_/, "")
    .toLowerCase()
    .replaceAll("_", " ");
}

/** Returns the events that are equivalent to a response without a stream. */
export function eventOf(response: {
  readonly task?: Task;
  readonly message?: Message;
}): StreamResponse | undefined {
  const { task, message } = response;
  return task === undefined ? message && { message } : { task };
}

/** Returns the message of an error, for display. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}
