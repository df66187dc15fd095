import type { Message } from "../../kit/model.js";
import type { Usage } from "../reading.js";

/** The state of a run. */
export interface OpenAiState {
  /** The serialized `RunState`, in which files of callers are references. */
  readonly run: string;
  /** The beginning of the references, which callers cannot guess. */
  readonly reference: string;
  /** Whether the run waits for approvals. */
  readonly open: boolean;
  /** Number of messages of the user that the run has read. */
  readonly read: number;
  readonly text: string;
  readonly files: number;
  readonly usage: Usage;
  /** Positions in the history of messages that the run reads when its questions are answered. */
  readonly later?: readonly number[];
}

/** Replaces the files of messages by references, because the task already contains the files. */
export function withoutFiles(run: string, messages: readonly Message[], start: string): string {
  return filesOf(messages, start).reduce((text, { raw, at }) => text.replaceAll(raw, at), run);
}

/** Replaces the references by the files of the messages. */
export function withFiles(run: string, messages: readonly Message[], start: string): string {
  return filesOf(messages, start).reduce((text, { raw, at }) => text.replaceAll(at, raw), run);
}

/** Shorter files stay in the run, where they could also be a part of another text. */
const minLength = 1_000;

function filesOf(messages: readonly Message[], start: string): { raw: string; at: string }[] {
  return messages.flatMap(({ parts }, message) =>
    parts.flatMap(({ raw = "" }, part) =>
      raw.length < minLength ? [] : [{ raw, at: `${start}/${String(message)}/${String(part)}/` }],
    ),
  );
}
