import type { Message } from "../model.js";
import { extended } from "../copy.js";
import type { InboxItem } from "../store.js";
import { untilAborted } from "../turns/context.js";
import type { Pending } from "../turns/turn.js";

/** A message that was posted. */
export type MessageItem = InboxItem & { readonly message: Message };

/** Whose inbox it is. */
export interface InboxOwner {
  signal(): AbortSignal;
  /** Is called with a message that a turn gets. */
  taken(item: MessageItem): void;
}

/** What is in the inbox of a task, as its worker knows it. */
export class Inbox {
  readonly #owner: InboxOwner;
  #items: readonly InboxItem[];
  #waiting: (() => void)[] | undefined;

  constructor(items: readonly InboxItem[], owner: InboxOwner) {
    this.#items = items;
    this.#owner = owner;
  }

  /** All that is there. */
  get items(): readonly InboxItem[] {
    return this.#items;
  }

  /** Notes what is there now. */
  update(items: readonly InboxItem[]): void {
    this.#items = items;
    const waiting = this.#waiting;
    if (waiting === undefined || !items.some(isMessage)) return;
    this.#waiting = undefined;
    for (const wake of waiting) wake();
  }

  /** Takes the first message out, if there is one. */
  take(): MessageItem | undefined {
    const item = this.#items.find(isMessage);
    if (item === undefined) return undefined;
    this.#items = this.#items.filter((other) => other !== item);
    this.#owner.taken(item);
    return item;
  }

  /** Returns what a turn sees of the inbox, as long as the turn is not over. */
  of(run: { readonly isOver: boolean }, ids: Pick<Message, "taskId" | "contextId">): Pending {
    const take = (): Message | undefined => {
      const item = run.isOver ? undefined : this.take();
      return item && extended(item.message, ids);
    };
    const next = async (): Promise<Message> => {
      for (;;) {
        const signal = this.#owner.signal();
        signal.throwIfAborted();
        if (run.isOver) throw new DOMException("The turn is over", "AbortError");
        const message = take();
        if (message !== undefined) return message;
        const woken = new Promise<void>((resolve) => {
          (this.#waiting ??= []).push(resolve);
        });
        await untilAborted(woken, signal);
      }
    };
    return { take, next };
  }
}

/** Whether an item is a message. */
export function isMessage(item: InboxItem): item is MessageItem {
  return item.message !== undefined;
}
