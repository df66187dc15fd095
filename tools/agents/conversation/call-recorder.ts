import type { StreamResponse } from "../../../generated/1.0/models.js";
import type { ConversationFailure } from "./conversation.js";
import type { LoggedTask, TurnLog } from "./turn-log.js";

/** Records the events of a call in a turn. */
export class CallRecorder {
  readonly turn: TurnLog;
  readonly #tasks: ReadonlyMap<string, LoggedTask>;
  readonly #isMessage: boolean;

  constructor(tasks: ReadonlyMap<string, LoggedTask>, turn: TurnLog, isMessage: boolean) {
    this.#tasks = tasks;
    this.turn = turn;
    this.#isMessage = isMessage;
  }

  /** Returns the same events, and records them. */
  async *recorded(events: AsyncIterable<unknown>, signal: AbortSignal | undefined): AsyncGenerator {
    try {
      for await (const event of events) {
        this.add(event as StreamResponse, true);
        yield event;
      }
    } catch (error) {
      this.fail(error, signal);
      throw error;
    } finally {
      for (const task of this.#tasks.values()) if (task.source === this) task.source = undefined;
    }
  }

  add(event: StreamResponse, isStream: boolean): void {
    const id = event.task?.id ?? event.statusUpdate?.taskId ?? event.artifactUpdate?.taskId;
    const source = id === undefined ? undefined : this.#tasks.get(id)?.source;
    const isSource = source === undefined || source === this;
    if (isSource) this.turn.add(event);
    // The source of the task reports its artifacts.
    else if (event.task !== undefined) this.turn.add({ task: { ...event.task, artifacts: [] } });
    const task = id === undefined ? undefined : this.#tasks.get(id);
    if (isStream && isSource && task !== undefined) task.source = this;
  }

  /** Records an error, unless the user has ended the call. */
  fail(error: unknown, signal: AbortSignal | undefined): void {
    if (this.#isMessage && signal?.aborted !== true) this.turn.fail(failureOf(error));
  }
}

/** Returns an error in the form in which it is saved. */
export function failureOf(error: unknown): ConversationFailure {
  if (!(error instanceof Error)) return { name: "Error", message: String(error) };
  return { name: error.name, message: error.message.slice(0, 2_000) };
}
