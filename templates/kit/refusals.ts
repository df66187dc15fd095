import { type A2AError, InvalidParamsError, UnsupportedOperationError } from "../errors.js";
import { facts } from "./facts.js";
import type { Expected, Posted } from "./store.js";
import { invalid } from "./views.js";

/** Returns the error for a message that was not taken. */
export function refused({ outcome, stored }: Posted, expected: Expected): A2AError {
  const { id, status } = stored.task;
  const metadata = { taskId: id };
  switch (outcome) {
    case "otherGeneration": {
      const Mismatch = facts.mismatch ?? InvalidParamsError;
      const [expectedGeneration, currentGeneration] = [String(expected.generation), String(stored.generation)];
      return new Mismatch(`The task has generation ${currentGeneration}`, {
        metadata: { ...metadata, expectedGeneration, currentGeneration },
      });
    }
    case "otherContext":
      return invalid("message.contextId", "is not that of the task");
    case "full":
      return new UnsupportedOperationError("Too many messages wait for the task", { metadata });
    default:
      return new UnsupportedOperationError(`The task has ended: ${status.state}`, { metadata });
  }
}
