import type { Turn } from "../../kit/turns/turn.js";
import type { JsonValue } from "../../runtime/base/json.js";
import type { FetchedFile } from "../fetch-file.js";
import type { LogEntry, SdkMessage } from "./messages.js";

/** A step of the model, in the form in which the AI SDK reports it. */
export interface Step {
  readonly response: { readonly messages: readonly SdkMessage[] };
  readonly finishReason: string;
  readonly usage: unknown;
}

/** Start of a step of the model. */
export interface StepStart {
  readonly stepNumber: number;
  readonly messages: readonly SdkMessage[];
}

/** A file that the model cannot fetch itself. */
export interface Download {
  readonly url: URL;
  readonly isUrlSupportedByModel: boolean;
}

/** Options for a call of `streamText`, or of the `stream` function of an agent. */
export interface AiCall {
  /** The conversation. The AI SDK checks the messages. */
  readonly messages: never[];
  readonly abortSignal: AbortSignal;
  /** Saves each step, so that it does not run again after a crash. */
  readonly onStepEnd: (step: Step) => Promise<void>;
  /** Saves each step in version 6, which does not call `onStepEnd`. */
  readonly onStepFinish: (step: Step) => Promise<void>;
  /** Saves the results of tools that the caller has approved. */
  readonly experimental_onStepStart: (start: StepStart) => Promise<void>;
  /** Fetches files that callers name by URL. */
  readonly experimental_download?: (files: readonly Download[]) => Promise<(FetchedFile | null)[]>;
  /** Leaves errors to the task service, which reports them. */
  readonly onError: () => void;
}

/** The result of `streamText`. Version 6 has `fullStream` and `response`. */
export interface AiStream {
  readonly stream?: AsyncIterable<unknown>;
  readonly fullStream?: AsyncIterable<unknown>;
  readonly responseMessages?: PromiseLike<readonly SdkMessage[]>;
  readonly response?: PromiseLike<{ readonly messages: readonly SdkMessage[] }>;
}

/** An agent of the AI SDK, version 6 or 7, or a function that calls `streamText`. */
export type AiAgent<User = unknown> =
  | { stream(call: AiCall): PromiseLike<AiStream> }
  | ((call: AiCall, turn: Turn<User>) => AiStream | PromiseLike<AiStream>);

/** State of a task that an agent of the AI SDK works on. */
export interface AiState {
  /** The messages of this task. */
  readonly log: readonly LogEntry[];
  /** Names of the artifacts with the files of the model. */
  readonly files: readonly string[];
  /** Tokens of all steps. */
  readonly usage?: JsonValue;
  /** Reason for the end of the last step. */
  readonly finishReason?: string;
  /** Positions in the history of messages that the model reads when its questions are answered. */
  readonly later?: readonly number[];
}
