import { A2AError, type Part, type StreamResponse, type Task } from "../../generated/0.3.0/index.js";

/** Says in a few words what came back from an agent: an answer, or an event of a stream. */
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

/** Says in a few words how a task stands, what the agent says about it, and what it has produced. */
export function describeTask({ status, artifacts = [] }: Task): string {
  const said = status.message === undefined ? "" : `: ${describeParts(status.message.parts)}`;
  const made = artifacts.map(({ parts }) => ` ${describeParts(parts)}`).join("");
  return `task ${status.state}${said}${made}`;
}

/** Says in a few words what went wrong: which error of the protocol it was, or which other one. */
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
