import type { Message } from "../models.js";
import type { InboxItem } from "./store.js";
import { untilAborted } from "./turn-context.js";
import type { Pending } from "./turn.js";

/** A message that was posted. */
export type MessageItem = InboxItem & { readonly message: Message };

/** What is in the inbox of a task, as its worker knows it. */
export class Inbox implements Pending {
  readonly #signal: () => AbortSignal;
  readonly #onTake: (item: MessageItem) => void;
  #items: readonly InboxItem[];
  #waiting: (() => void)[] = [];

  constructor(items: readonly InboxItem[], signal: () => AbortSignal, onTake: (item: MessageItem) => void) {
    this.#items = items;
    this.#signal = signal;
    this.#onTake = onTake;
  }

  /** All that is there. */
  get items(): readonly InboxItem[] {
    return this.#items;
  }

  /** Notes what is there now. */
  update(items: readonly InboxItem[]): void {
    this.#items = items;
    if (!items.some(isMessage)) return;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const wake of waiting) wake();
  }

  readonly take = (): Message | undefined => {
    const item = this.#items.find(isMessage);
    if (item === undefined) return undefined;
    this.#items = this.#items.filter((other) => other !== item);
    this.#onTake(item);
    return item.message;
  };

  readonly next = async (): Promise<Message> => {
    for (;;) {
      const signal = this.#signal();
      signal.throwIfAborted();
      const message = this.take();
      if (message !== undefined) return message;
      const woken = new Promise<void>((resolve) => {
        this.#waiting.push(resolve);
      });
      await untilAborted(woken, signal);
    }
  };
}

/** Whether an item is a message. */
export function isMessage(item: InboxItem): item is MessageItem {
  return item.message !== undefined;
}
