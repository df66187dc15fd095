import { TaskState, type AgentCard, type Task } from "../../generated/1.0/index.js";

/** The card of an agent that is nowhere. */
export const card: AgentCard = {
  name: "Target",
  description: "Withstands its tests.",
  version: "1.0.0",
  supportedInterfaces: [
    { url: "http://127.0.0.1/rpc", protocolBinding: "JSONRPC", protocolVersion: "1.0" },
  ],
  capabilities: { streaming: true },
  defaultInputModes: ["text/plain"],
  defaultOutputModes: ["text/plain"],
  skills: [],
};

/** A task at work. */
export function taskOf(id: string): Task {
  return { id, contextId: "c", status: { state: TaskState.Working } };
}
