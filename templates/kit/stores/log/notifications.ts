import { withoutHold } from "../../timer.js";
import type { Position } from "./rows.js";

/** How long to wait before another connection, at first and at most. */
const firstDelayMs = 100;
const maxDelayMs = 10_000;

/** What another process, or this one, has done. */
export interface NotificationHandlers {
  /** The log of a task has grown up to an end. */
  readonly onEntries: (id: string, end: Position) => void;
  readonly onPost: (id: string, count: number) => void;
  readonly onDue: () => void;
  /** Anything may have happened: the connection was not there, or a notification is too long. */
  readonly onAnything: () => void;
}

/** What a connection that listens says of itself. */
export interface ListenHandlers {
  /** From now on it hears everything; what was told before has been missed. May come several times. */
  readonly onListening: () => void;
  readonly onMessage: (payload: string) => void;
  /** It hears nothing any more. */
  readonly onEnd: () => void;
}

/** Opens a connection that listens; returns how to close it. */
export type Listen = (handlers: ListenHandlers) => () => void;

/** Listens to what processes tell each other through the engine, as long as somebody wants to know. */
export class Notifications {
  readonly #listen: Listen;
  readonly #handlers: NotificationHandlers;
  #isWanted = false;
  /** What goes on: a connection, or an attempt to get one. */
  #close: (() => void) | undefined;
  #delayMs = firstDelayMs;

  constructor(listen: Listen, handlers: NotificationHandlers) {
    this.#listen = listen;
    this.#handlers = handlers;
  }

  /** Begins to listen, or stops. */
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
    const { onEntries, onPost, onDue, onAnything } = this.#handlers;
    const [, posts, postedTo = ""] = /^p (\d+) (.*)$/s.exec(payload) ?? [];
    const [, generation, nth, grown = ""] = /^g (\d+)-(\d+) (.*)$/s.exec(payload) ?? [];
    if (posts) onPost(postedTo, Number(posts));
    else if (generation) onEntries(grown, { generation: Number(generation), nth: Number(nth) });
    else if (payload.startsWith("d ")) onDue();
    else onAnything();
  }
}
