import type { Message } from "../kit/model.js";
import type { Turn } from "../kit/turns/turn.js";
import { isBare } from "./questions.js";

/**
 * Messages that the agent reads when its run has ended: messages that came before a question and do
 * not answer it, then messages that arrive during the turn.
 */
export class FurtherMessages {
  readonly #turn: Pick<Turn, "message" | "task" | "pending">;
  #later: readonly number[];

  /** `later` are the {@link later} positions in the state of the turn. */
  constructor(
    turn: Pick<Turn, "message" | "task" | "pending">,
    later: readonly number[] | undefined,
  ) {
    this.#turn = turn;
    this.#later = later ?? [];
  }

  /**
   * Positions in the history of messages that do not answer a question, to be saved with the state.
   * Callers may use the id of a message again.
   */
  get later(): { later?: readonly number[] } {
    return this.#later.length === 0 ? {} : { later: this.#later };
  }

  /** Keeps the message of the turn until the run has ended, unless it is about a question. */
  keep(approves: ((text: string) => boolean) | undefined): void {
    const { message, task } = this.#turn;
    if (isBare(message, approves)) return;
    const { history = [] } = task;
    const position = history.findLastIndex(({ messageId }) => messageId === message.messageId);
    this.#later = [...this.#later, position];
  }

  /** Takes the next message; `undefined` if no message waits. */
  take(): Message | undefined {
    const [position, ...others] = this.#later;
    if (position === undefined) return this.#turn.pending.take();
    this.#later = others;
    return this.#turn.task.history?.[position] ?? this.take();
  }
}
