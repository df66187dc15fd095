import {
  A2AError,
  type Message,
  type Part,
  type SendMessageResponse,
  type StreamResponse,
  type Task,
  type TaskState,
} from "../../generated/1.0/index.js";

/** Describes a response of an agent, or an event of a stream, on one line. */
export function describe(event: SendMessageResponse | StreamResponse): string {
  if (event.task !== undefined) return describeTask(event.task);
  if (event.message !== undefined) return `message ${describeMessage(event.message)}`;
  if (event.artifactUpdate !== undefined) return describeParts(event.artifactUpdate.artifact.parts);
  const { state, message } = event.statusUpdate.status;
  return message === undefined
    ? stateName(state)
    : `${stateName(state)}: ${describeMessage(message)}`;
}

/** Describes the state of a task, its status message and its artifacts on one line. */
export function describeTask({ status, artifacts = [] }: Task): string {
  const said = status.message === undefined ? "" : `: ${describeMessage(status.message)}`;
  const made = artifacts.map(({ parts }) => ` ${describeParts(parts)}`).join("");
  return `task ${stateName(status.state)}${said}${made}`;
}

/**
 * Describes an error on one line. For a protocol error, the description starts with the name of its
 * class.
 */
export function describeError(error: unknown): string {
  if (error instanceof A2AError) return `${error.name}: ${error.message}`;
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}

function describeMessage({ parts }: Message): string {
  return describeParts(parts);
}

function describeParts(parts: readonly Part[]): string {
  return `“${parts.map(describePart).join("")}”`;
}

function describePart(part: Part): string {
  if (part.text !== undefined) return part.text;
  if (part.url !== undefined) return `<${part.url}>`;
  return part.raw === undefined ? JSON.stringify(part.data) : `<${part.filename ?? "file"}>`;
}

/** Shortens a state for reading: `TASK_STATE_INPUT_REQUIRED` becomes `input-required`. */
function stateName(state: TaskState): string {
  return state.replace("TASK_STATE_", "").replaceAll("_", "-").toLowerCase();
}
