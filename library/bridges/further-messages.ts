import type { Message } from "../kit/model.js";
import type { Turn } from "../kit/turns/turn.js";
import { isBare } from "./questions.js";

/**
 * Messages that the agent reads when its run has ended: messages that came before a question and do
 * not answer it, then messages that arrive during the turn.
 */
export class FurtherMessages {
  readonly #turn: Pick<Turn, "message" | "early" | "task" | "pending">;
  #later: readonly number[];

  /** `later` are the {@link later} positions in the state of the turn. */
  constructor(
    turn: Pick<Turn, "message" | "early" | "task" | "pending">,
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

  /**
   * Returns the message of the turn, which may answer the open questions. An early message answers
   * nothing, because it may answer an earlier question. Unless it is about a question, the agent
   * reads it when the run has ended. Call this once in a turn that has open questions.
   */
  answer(approves: ((text: string) => boolean) | undefined): Message | undefined {
    const { message, early, task } = this.#turn;
    if (!early) return message;
    if (isBare(message, approves)) return undefined;
    const { history = [] } = task;
    const position = history.findLastIndex(({ messageId }) => messageId === message.messageId);
    this.#later = [...this.#later, position];
    return undefined;
  }

  /** Takes the next message; `undefined` if no message waits. */
  take(): Message | undefined {
    const [position, ...others] = this.#later;
    if (position === undefined) return this.#turn.pending.take();
    this.#later = others;
    return this.#turn.task.history?.[position] ?? this.take();
  }
}
