import type { Message } from "../model.js";
import { extended } from "../copy.js";
import type { InboxItem } from "../store.js";
import type { LiveCall } from "./context.js";
import { untilAborted } from "./until-aborted.js";
import type { Pending } from "./turn.js";

/** An inbox item with a message. */
export type MessageItem = InboxItem & { readonly message: Message };

/** An inbox item that wakes the task. */
export type WakeItem = InboxItem & { readonly wake: NonNullable<InboxItem["wake"]> };

/** A call that this process received, and the inbox item that it posted. */
export interface Posting {
  readonly item: string;
  readonly call: LiveCall;
}

/** The worker that an inbox belongs to. */
export interface InboxOwner {
  signal(): AbortSignal;
  /** Called with a message that a turn takes. */
  taken(item: MessageItem): void;
}

/** The items of a task's inbox that the worker has read. */
export class Inbox {
  readonly #owner: InboxOwner;
  #items: readonly InboxItem[];
  #waiting: (() => void)[] | undefined;

  constructor(items: readonly InboxItem[], owner: InboxOwner) {
    this.#items = items;
    this.#owner = owner;
  }

  /** Items that turns have not taken. */
  get items(): readonly InboxItem[] {
    return this.#items;
  }

  /** Replaces the items, and wakes turns that wait for a message. */
  update(items: readonly InboxItem[]): void {
    this.#items = items;
    const waiting = this.#waiting;
    if (waiting === undefined || !items.some(isMessage)) return;
    this.#waiting = undefined;
    for (const wake of waiting) wake();
  }

  /** Takes the first message; `undefined` if the inbox has no messages. */
  take(): MessageItem | undefined {
    const item = this.#items.find(isMessage);
    if (item === undefined) return undefined;
    this.remove(item);
    this.#owner.taken(item);
    return item;
  }

  /** The first item that can begin a turn: a message, or a request to wake the task. */
  get next(): MessageItem | WakeItem | undefined {
    return this.#items.find((item) => isMessage(item) || isWake(item));
  }

  /** Removes an item that begins a turn. */
  remove(item: InboxItem): void {
    this.#items = this.#items.filter((known) => known !== item);
  }

  /** Returns a turn's view of the inbox. The view returns no messages after the turn is over. */
  of(run: { readonly isOver: boolean }, ids: Pick<Message, "taskId" | "contextId">): Pending {
    const take = (): Message | undefined => {
      const item = run.isOver ? undefined : this.take();
      return item && extended(item.message, ids);
    };
    const next = async (): Promise<Message> => {
      for (;;) {
        const signal = this.#owner.signal();
        signal.throwIfAborted();
        if (run.isOver) throw new DOMException("The turn has ended", "AbortError");
        const message = take();
        if (message !== undefined) return message;
        const woken = new Promise<void>((resolve) => {
          // Each message wakes all waiting calls. Calls that do not get a message wait again in
          // this loop.
          (this.#waiting ??= []).push(resolve);
        });
        await untilAborted(woken, signal);
      }
    };
    return { take, next };
  }
}

/** Returns whether an item wakes its task. */
export function isWake(item: InboxItem): item is WakeItem {
  return item.wake !== undefined;
}

/** Returns whether an item is a message. */
export function isMessage(item: InboxItem): item is MessageItem {
  return item.message !== undefined;
}
