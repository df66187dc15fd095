import { withoutHold } from "../../kit/timer.js";
import type { Position } from "./rows.js";

/**
 * Delay in milliseconds before the next connection attempt: the initial delay and the maximum
 * delay.
 */
const firstDelayMs = 100;
const maxDelayMs = 10_000;

/** Callbacks for changes by any process. */
export interface NotificationHandlers {
  /** Called when the log of a task has grown to `end`. */
  readonly onEntries: (id: string, end: Position) => void;
  readonly onPost: (id: string, count: number) => void;
  readonly onDue: () => void;
  /**
   * Called when any task or webhook may have changed: after a lost connection, or if a notification
   * was too long.
   */
  readonly onAnything: () => void;
}

/** Callbacks for the state of a listening connection. */
export interface ListenHandlers {
  /**
   * Called when the connection begins to receive all notifications. Earlier notifications were
   * missed. May be called again.
   */
  readonly onListening: () => void;
  readonly onMessage: (payload: string) => void;
  /** Called when the connection stops receiving notifications. */
  readonly onEnd: () => void;
}

/** Opens a listening connection, and returns a function that closes it. */
export type Listen = (handlers: ListenHandlers) => () => void;

/**
 * Receives the notifications that processes send each other through the database, after
 * `want(true)` and until `want(false)`. Reconnects with back-off after a lost connection.
 */
export class Notifications {
  readonly #listen: Listen;
  readonly #handlers: NotificationHandlers;
  #isWanted = false;
  /** Closes the current connection, or cancels the next attempt to connect. */
  #close: (() => void) | undefined;
  #delayMs = firstDelayMs;

  constructor(listen: Listen, handlers: NotificationHandlers) {
    this.#listen = listen;
    this.#handlers = handlers;
  }

  /** Starts or stops listening. */
  want(isWanted: boolean): void {
    if (this.#isWanted === isWanted) return;
    this.#isWanted = isWanted;
    if (isWanted) this.#open();
    else this.#close?.();
  }

  #open(): void {
    let isOver = false;
    let close: (() => void) | undefined;
    const end = (): void => {
      if (isOver) return;
      isOver = true;
      close?.();
      this.#close = undefined;
      if (this.#isWanted) this.#retry();
    };
    this.#close = end;
    try {
      close = this.#listen({
        onListening: () => {
          if (isOver) return;
          this.#delayMs = firstDelayMs;
          // This connection did not receive notifications about earlier changes, so check all tasks
          // and webhooks once.
          this.#handlers.onAnything();
        },
        onMessage: (payload) => {
          if (!isOver) this.#notified(payload);
        },
        onEnd: end,
      });
    } catch {
      end();
    }
  }

  #retry(): void {
    const timer = withoutHold(
      setTimeout(() => {
        this.#close = undefined;
        this.#open();
      }, this.#delayMs),
    );
    this.#delayMs = Math.min(this.#delayMs * 2, maxDelayMs);
    this.#close = () => {
      clearTimeout(timer);
      this.#close = undefined;
    };
  }

  #notified(payload: string): void {
    // The payload contains several changes, one per line.
    if (payload.startsWith("m\n")) {
      for (const line of payload.slice(2).split("\n")) this.#notified(line);
      return;
    }
    const { onEntries, onPost, onDue, onAnything } = this.#handlers;
    // `p COUNT TASK`: an item was posted; `g GENERATION-NTH TASK`: the log has grown; `d `: a
    // webhook is due.
    const [, posts, postedTo = ""] = /^p (\d+) (.*)$/s.exec(payload) ?? [];
    const [, generation, nth, grown = ""] = /^g (\d+)-(\d+) (.*)$/s.exec(payload) ?? [];
    if (posts) onPost(postedTo, Number(posts));
    else if (generation) onEntries(grown, { generation: Number(generation), nth: Number(nth) });
    else if (payload.startsWith("d ")) onDue();
    else onAnything();
  }
}
