import { withoutHold } from "../../kit/timer.js";
import type { Position } from "./rows.js";

/**
 * Delay in milliseconds before the next connection attempt: the initial delay and the maximum
 * delay.
 */
const firstDelayMs = 100;
const maxDelayMs = 10_000;

/**
 * Number of timers in a row, and their duration in milliseconds, after which an echo that has not
 * arrived is considered lost. While this process is busy, a timer ends late and before notifications
 * are read, so that a single timer would end too early.
 */
const echoSteps = 4;
const echoStepMs = 250;

/** Time in milliseconds until the next echo after a lost echo. */
const echoEveryMs = 9_000;

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
  /**
   * Called when this process turns out to get no notifications although it listens, as through a
   * pooler that shares connections between transactions, and when it gets them again.
   */
  readonly onHearing: (isHearing: boolean) => void;
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
 * Sends a notification to this process, by which it checks that notifications arrive. Rejects if the
 * database is unavailable.
 */
export type Echo = (token: string) => Promise<void>;

/**
 * Receives the notifications that processes send each other through the database, after
 * `want(true)` and until `want(false)`. Reconnects with back-off after a lost connection.
 */
export class Notifications {
  readonly #listen: Listen;
  readonly #handlers: NotificationHandlers;
  readonly #echo: Echo | undefined;
  /** Content of the echoes of this process. */
  readonly #token: string = crypto.randomUUID();
  #echoTimer: ReturnType<typeof setTimeout> | undefined;
  /** Number of checks that have begun or ended. A check continues while the number is the same. */
  #attempt = 0;
  #isWanted = false;
  /** Closes the current connection, or cancels the next attempt to connect. */
  #close: (() => void) | undefined;
  #delayMs = firstDelayMs;

  constructor(listen: Listen, handlers: NotificationHandlers, echo?: Echo) {
    this.#listen = listen;
    this.#handlers = handlers;
    this.#echo = echo;
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
      this.#endCheck();
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
          this.#check();
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

  /**
   * Sends an echo. If it does not arrive in time, changes are found by polling until an echo
   * arrives.
   */
  #check(): void {
    if (this.#echo === undefined) return;
    const attempt = (this.#attempt += 1);
    this.#setEchoTimer(undefined, 0);
    this.#echo(this.#token).then(
      () => {
        if (this.#attempt === attempt) this.#awaitEcho(echoSteps);
      },
      () => {
        if (this.#attempt === attempt) this.#setEchoTimer(this.#check, echoEveryMs);
      },
    );
  }

  #awaitEcho(steps: number): void {
    if (steps > 0)
      this.#setEchoTimer(() => {
        this.#awaitEcho(steps - 1);
      }, echoStepMs);
    else {
      this.#handlers.onHearing(false);
      this.#setEchoTimer(this.#check, echoEveryMs);
    }
  }

  /** Ends the current check. */
  #endCheck(): void {
    this.#attempt += 1;
    this.#setEchoTimer(undefined, 0);
  }

  #setEchoTimer(call: (() => void) | undefined, ms: number): void {
    clearTimeout(this.#echoTimer);
    this.#echoTimer = call && withoutHold(setTimeout(call.bind(this), ms));
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
    // webhook is due; `e TOKEN`: an echo.
    const [, posts, postedTo = ""] = /^p (\d+) (.*)$/s.exec(payload) ?? [];
    const [, generation, nth, grown = ""] = /^g (\d+)-(\d+) (.*)$/s.exec(payload) ?? [];
    if (posts) onPost(postedTo, Number(posts));
    else if (generation) onEntries(grown, { generation: Number(generation), nth: Number(nth) });
    else if (payload.startsWith("d ")) onDue();
    else if (payload === `e ${this.#token}`) {
      this.#endCheck();
      this.#handlers.onHearing(true);
    } else if (payload.startsWith("e ")) return;
    else onAnything();
  }
}
