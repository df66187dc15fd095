import type { Message } from "../kit/model.js";
import type { Turn } from "../kit/turns/turn.js";

/**
 * Messages that the agent reads when its run has ended: messages that came before a question and do
 * not answer it, then messages that arrive during the turn.
 */
export class FurtherMessages {
  readonly #turn: Pick<Turn, "message" | "task" | "pending">;
  #later: readonly string[];

  /** `later` are the {@link later} ids in the state of the turn. */
  constructor(
    turn: Pick<Turn, "message" | "task" | "pending">,
    later: readonly string[] | undefined,
  ) {
    this.#turn = turn;
    this.#later = later ?? [];
  }

  /** Ids of the messages that do not answer a question, to be saved with the state. */
  get later(): { later?: readonly string[] } {
    return this.#later.length === 0 ? {} : { later: this.#later };
  }

  /** Keeps the message of the turn until the run has ended. */
  keep(): void {
    this.#later = [...this.#later, this.#turn.message.messageId];
  }

  /** Takes the next message; `undefined` if no message waits. */
  take(): Message | undefined {
    const [id, ...others] = this.#later;
    if (id === undefined) return this.#turn.pending.take();
    this.#later = others;
    return this.#turn.task.history?.find(({ messageId }) => messageId === id) ?? this.take();
  }
}
