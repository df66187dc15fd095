import { quietly } from "../../memory/quietly.js";
import { withoutHold } from "../../timer.js";
import type { PostgresClient } from "./database.js";

/** How long to wait before another connection, at first and at most. */
const firstDelayMs = 100;
const maxDelayMs = 10_000;

/** What another process, or this one, has done. */
export interface NotificationHandlers {
  readonly onEntries: (id: string) => void;
  readonly onPost: (id: string, count: number) => void;
  readonly onDue: () => void;
  /** Anything may have happened: the connection was not there, or a notification is too long. */
  readonly onAnything: () => void;
}

/** Listens to what processes tell each other through the database, as long as somebody wants to know. */
export class Notifications {
  readonly #connect: () => Promise<PostgresClient>;
  readonly #channel: string;
  readonly #handlers: NotificationHandlers;
  #isWanted = false;
  /** What goes on: a connection, or an attempt to get one. */
  #close: (() => void) | undefined;
  #delayMs = firstDelayMs;

  constructor(connect: () => Promise<PostgresClient>, channel: string, handlers: NotificationHandlers) {
    this.#connect = connect;
    this.#channel = channel;
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
    let client: PostgresClient | undefined;
    const end = (): void => {
      if (isOver) return;
      isOver = true;
      // Nobody else may get notifications of this connection, so it is closed.
      quietly(() => client?.release(true));
      this.#close = undefined;
      if (this.#isWanted) this.#retry();
    };
    this.#close = end;
    this.#connect()
      .then(async (connected) => {
        client = connected;
        if (isOver) {
          connected.release(true);
          return;
        }
        connected.on("error", end);
        connected.on("end", end);
        connected.on("notification", ({ payload = "" }) => {
          if (!isOver) this.#notified(payload);
        });
        await connected.query(`LISTEN ${this.#channel}`);
        this.#delayMs = firstDelayMs;
        // What was told before has been missed.
        this.#handlers.onAnything();
      })
      .catch(end);
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
    if (posts) onPost(postedTo, Number(posts));
    else if (payload.startsWith("e ")) onEntries(payload.slice(2));
    else if (payload.startsWith("d ")) onDue();
    else onAnything();
  }
}
