import { type A2AError, InvalidParamsError, UnsupportedOperationError } from "../errors.js";
import type { A2AErrorOptions } from "../runtime/protocol/error.js";
import type { ServiceFacts } from "./kit-facts.js";
import type { OwnerLimits } from "./limits/limits.js";
import type { Expected, Refused } from "./store.js";
import { invalid } from "./invalid.js";

/** Status codes for a call that exceeds a limit and may succeed later. */
const tryLater: A2AErrorOptions = {
  httpStatus: 429,
  grpcStatus: "RESOURCE_EXHAUSTED",
  retryAfterSeconds: 5,
};

/**
 * A description and a hint for each limit of an owner. The description names the counted objects.
 */
const ownerLimits: Readonly<
  Record<keyof OwnerLimits, { readonly counted: string; readonly hint: string }>
> = {
  maxOpenTasks: { counted: "open tasks", hint: "wait until some of them end, or cancel them" },
  maxOpenBytes: {
    counted: "bytes in open tasks",
    hint: "wait until some of them end, or cancel them",
  },
  maxStoredBytes: { counted: "bytes in tasks", hint: "wait until older tasks are deleted" },
  maxStreams: { counted: "open streams", hint: "close some of them, or poll with GetTask" },
  maxWebhooks: { counted: "webhooks of open tasks", hint: "delete some of them" },
  bytesPerSecond: {
    counted: "calls with large tasks or messages",
    hint: "make fewer calls at the same time",
  },
};

/** Returns the error for a caller whose owner has reached a limit. */
export function exhausted(name: keyof OwnerLimits, limit: number): A2AError {
  const { counted, hint } = ownerLimits[name];
  const option = `limits.perOwner.${name}`;
  return new UnsupportedOperationError(
    `Too many ${counted}: ${option} is ${String(limit)}; ${hint}`,
    {
      ...tryLater,
      metadata: { limit: option, value: String(limit) },
    },
  );
}

/**
 * Returns the error for a message that would make its task exceed the size limit. A retry cannot
 * succeed.
 */
export function tooLarge(limit: number, taskId?: string): A2AError {
  const isNew = taskId === undefined;
  const message = isNew
    ? `The message is too large: limits.maxTaskBytes is ${String(limit)}; send a smaller message`
    : `The task has no room for the message: limits.maxTaskBytes is ${String(limit)}; start ` +
      "another task";
  return new UnsupportedOperationError(message, {
    grpcStatus: "RESOURCE_EXHAUSTED",
    metadata: { limit: "limits.maxTaskBytes", value: String(limit), ...(!isNew && { taskId }) },
  });
}

/** Returns the error for a message that the store did not accept. */
export function refused(
  { outcome, state, generation }: Refused,
  id: string,
  expected: Expected,
  facts: Pick<ServiceFacts, "mismatch">,
): A2AError {
  const metadata = { taskId: id };
  switch (outcome) {
    case "otherGeneration": {
      const Mismatch = facts.mismatch ?? InvalidParamsError;
      const [expectedGeneration, currentGeneration] = [
        String(expected.generation),
        String(generation),
      ];
      return new Mismatch(
        `The task has generation ${currentGeneration}, but the message expects ` +
          expectedGeneration,
        {
          metadata: { ...metadata, expectedGeneration, currentGeneration },
        },
      );
    }
    case "otherContext":
      return invalid("message.contextId", "must be the context of the task");
    case "full":
      return new UnsupportedOperationError(fullText(expected), { ...tryLater, metadata });
    case "tooLarge":
      return tooLarge(expected.maxBytes ?? Infinity, id);
    default:
      return new UnsupportedOperationError(`The task has ended: ${state}`, { metadata });
  }
}

function fullText({ maxInbox = Infinity, maxInboxBytes = Infinity }: Expected): string {
  const limits =
    `limits.maxPending is ${String(maxInbox)}, limits.maxInboxBytes is ` + String(maxInboxBytes);
  return (
    `Too many messages wait for the task: ${limits}; wait until the agent has read ` +
    "some of them"
  );
}
