/** A message of the AI SDK, whose content the bridge checks. */
export interface SdkMessage {
  readonly role: string;
  readonly content: unknown;
}

/** A message of the AI SDK. */
export interface ModelMessage {
  readonly role: string;
  readonly content: string | readonly ContentPart[];
}

/** A part of a message of the AI SDK. */
export interface ContentPart {
  readonly type: string;
  readonly [member: string]: unknown;
}

/**
 * An entry in the log of a task: the id of a message in the task's history, or a message of the
 * model or its tools. Files are stored once: a message of the user in the history, and a file of
 * the model as an artifact.
 */
export type LogEntry = { readonly id: string } | ModelMessage;
