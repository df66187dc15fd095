import type { JsonObject } from "../runtime/base/json.js";
import type { Artifact, CancelTaskRequest, Message, Part, Task, TaskState } from "../kit/model.js";
import type { CallOptions } from "../runtime/protocol/transport.js";
import type { FollowOptions, TaskClient } from "./options.js";

/** The members of a client that a remote agent uses. */
export interface RemoteClient extends TaskClient {
  cancelTask(request: CancelTaskRequest, options?: CallOptions): Promise<Task>;
  close(): void;
}

/** An artifact without its parts. */
export type ArtifactHead = Omit<Artifact, "parts">;

/** An update of an answer, in the order in which the agent sends it. */
export type AnswerUpdate =
  /** Text that continues the artifact. Each text is yielded once, however it arrived. */
  | {
      readonly type: "text";
      readonly text: string;
      readonly mediaType?: string;
      readonly artifact: ArtifactHead;
    }
  /** A file or data. */
  | { readonly type: "part"; readonly part: Part; readonly artifact: ArtifactHead }
  /** The earlier updates of the artifact are void. Its new updates follow, if it has any. */
  | { readonly type: "replaced"; readonly artifact: ArtifactHead }
  /** A message about the progress of the agent. */
  | { readonly type: "progress"; readonly message: Message };

/** The end of an answer: the task has ended or waits for its caller, or the agent has replied. */
export interface Outcome {
  /** State of the task. `TASK_STATE_COMPLETED` for a reply without a task. */
  readonly state: TaskState;
  /**
   * Text of the artifacts, also of earlier turns, as `textOf(task)` returns it; the text of the
   * status or the reply if they contain no text.
   */
  readonly text: string;
  /**
   * Parts of the artifacts, then the parts of the status message or the reply. Adjacent texts of an
   * artifact are one part.
   */
  readonly parts: readonly Part[];
  /**
   * Text of the status message or the reply: a question, the reason for a failure, or the last
   * words.
   */
  readonly said: string;
  /** HTTPS URLs at which the agent asks the user to sign in. Show their hosts to the user. */
  readonly links: readonly string[];
  /** The task; absent if the agent has replied without a task. */
  readonly task?: Task;
  /** Id of the conversation, for the next question. */
  readonly contextId?: string;
}

/** Options for a question to a remote agent. */
export interface AskOptions extends Omit<FollowOptions, "untilEnded"> {
  /** Conversation to continue. Ignored with `taskId`, because a task has its conversation. */
  readonly contextId?: string | undefined;
  /** Task whose question the content answers. A task that has ended cannot be continued. */
  readonly taskId?: string | undefined;
  /** Id of the message; random by default. With a fixed id, the agent can detect a repetition. */
  readonly messageId?: string | undefined;
  /** The `metadata` of the message. */
  readonly metadata?: JsonObject | undefined;
  /** Media types that the caller accepts. */
  readonly acceptedOutputModes?: readonly string[] | undefined;
}

/**
 * The updates of an answer, and its outcome. The question is sent when iteration begins. If the
 * signal of the question aborts, the task of the remote agent is canceled. If the loop is left
 * early, the task continues.
 */
export interface Answer extends AsyncGenerator<AnswerUpdate, Outcome, undefined> {
  /** Reads the remaining updates, and returns the outcome. */
  result(): Promise<Outcome>;
}
