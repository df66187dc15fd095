import { TaskState, type AgentCard, type Task } from "../../generated/1.0/index.js";
import { aCard } from "../support/cards.js";

/** The card of an agent that is nowhere. */
export const card: AgentCard = aCard("http://127.0.0.1/rpc");

/** A task at work. */
export function taskOf(id: string): Task {
  return { id, contextId: "c", status: { state: TaskState.Working } };
}
