import type { Message, StreamResponse } from "../../../generated/1.0/models.js";

/** The agent of a conversation, and the interface that was called. */
export interface ConversationAgent {
  /** Its URL, without credentials and without a query. */
  readonly url: string;
  readonly name: string;
  readonly binding: string;
  /** Protocol version of the interface. */
  readonly version: string;
}

/** An error with which a turn has ended. */
export interface ConversationFailure {
  /** Name of the error, such as `TaskNotFoundError`. */
  readonly name: string;
  readonly message: string;
}

/**
 * A message of the user, and what the agent did. All values are in the JSON of A2A 1.0. Ids are
 * numbers of turns: `task-2` is the task that began in the second turn, and `task-0` is older than
 * the conversation.
 */
export interface ConversationTurn {
  /** The message of the user. */
  readonly message: Message;
  /**
   * The changes in order: statuses, artifacts and replies, without timestamps, metadata and
   * repetitions. Consecutive chunks of an artifact are one event.
   */
  readonly events: readonly StreamResponse[];
  /** Whether the user has canceled the task during the turn. */
  readonly canceled?: true;
  readonly error?: ConversationFailure;
}

/** A conversation with an agent, in the form in which it is saved. */
export interface Conversation {
  readonly format: "a2a-conversation";
  /** Version of the format. */
  readonly version: 1;
  readonly agent: ConversationAgent;
  readonly turns: readonly ConversationTurn[];
}

/** A conversation that cannot be read or saved. */
export class ConversationError extends Error {
  override readonly name = "ConversationError";
}
