import {
  A2AError,
  type Part,
  type StreamResponse,
  type Task,
} from "../../generated/0.3.0/index.js";

/** Describes a response of an agent, or an event of a stream, on one line. */
export function describe(event: StreamResponse): string {
  switch (event.kind) {
    case "task":
      return describeTask(event);
    case "message":
      return `message ${describeParts(event.parts)}`;
    case "artifact-update":
      return describeParts(event.artifact.parts);
    case "status-update": {
      const { state, message } = event.status;
      return message === undefined ? state : `${state}: ${describeParts(message.parts)}`;
    }
  }
}

/** Describes the state of a task, its status message and its artifacts on one line. */
export function describeTask({ status, artifacts = [] }: Task): string {
  const said = status.message === undefined ? "" : `: ${describeParts(status.message.parts)}`;
  const made = artifacts.map(({ parts }) => ` ${describeParts(parts)}`).join("");
  return `task ${status.state}${said}${made}`;
}

/**
 * Describes an error on one line. For a protocol error, the description starts with the name of its
 * class.
 */
export function describeError(error: unknown): string {
  if (error instanceof A2AError) return `${error.name}: ${error.message}`;
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}

function describeParts(parts: readonly Part[]): string {
  return `“${parts.map(describePart).join("")}”`;
}

function describePart(part: Part): string {
  switch (part.kind) {
    case "text":
      return part.text;
    case "file":
      return `<${"uri" in part.file ? part.file.uri : (part.file.name ?? "file")}>`;
    case "data":
      return JSON.stringify(part.data);
  }
}
