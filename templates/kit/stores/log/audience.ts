import type { Claim, Lease, Watch } from "../../store.js";
import { Holds } from "./holds.js";
import { Listeners } from "./listeners.js";
import { type Listen, Notifications } from "./notifications.js";
import { Poll, type Sight } from "./poll.js";
import type { Position } from "./rows.js";
import { type Batch, type ReadBatch, WatchHub } from "./watch-hub.js";

/** How a process hears of what others do. */
export interface AudienceOptions {
  readonly read: ReadBatch;
  readonly see: (ids: readonly string[]) => Promise<Sight>;
  readonly pollMs: number;
  /** Without it, changes are found by looking for them. */
  readonly listen: Listen | undefined;
}

/** Who in this process wants to know of changes in a store: watches, holders of leases, and senders of webhooks. */
export class Audience {
  readonly #hub: WatchHub;
  readonly #holds = new Holds();
  readonly #listeners = new Listeners();
  readonly #poll: Poll;
  readonly #notifications: Notifications | undefined;

  constructor({ read, see, pollMs, listen }: AudienceOptions) {
    this.#hub = new WatchHub(read, () => {
      this.#look();
    });
    const handlers = {
      onEntries: (id: string, end: Position): void => {
        this.#hub.wake(id, end);
      },
      onPost: (id: string, count: number): void => {
        this.#holds.posted(id, count);
      },
      onDue: (): void => {
        this.#listeners.announce();
      },
    };
    const ids = (): readonly string[] => [...this.#hub.ids, ...this.#holds.ids];
    const onGone = (id: string): void => {
      this.#hub.gone(id);
    };
    this.#poll = new Poll(see, pollMs, { ids, ...handlers, onGone });
    const onAnything = (): void => {
      this.#hub.wake();
      void this.#poll.look();
    };
    if (listen !== undefined) this.#notifications = new Notifications(listen, { ...handlers, onAnything });
  }

  watch(id: string, after: number): Watch {
    return this.#hub.watch(id, after);
  }

  /** Entries were appended here. Those of a repeated call do not count. */
  appended(id: string, before: Position, batch: Batch): void {
    this.#hub.appended(id, before, batch);
  }

  /** Something was posted here. */
  posted(id: string, count: number): void {
    this.#holds.posted(id, count);
  }

  /** A webhook has become due; where there are notifications, the engine says so. */
  due(): void {
    if (this.#notifications === undefined) this.#listeners.announce();
  }

  onDue(listener: () => void): () => void {
    const stop = this.#listeners.add(listener);
    this.#look();
    return () => {
      stop();
      this.#look();
    };
  }

  /** A lease was taken or renewed. */
  hold(lease: Lease, claim: Claim): void {
    this.#holds.add(lease, claim);
    this.#look();
  }

  /** A lease was given back or lost. */
  letGo(lease: Lease): void {
    this.#holds.remove(lease);
    this.#look();
  }

  /** Ends all watches, and looks no more. */
  close(): void {
    this.#hub.close();
    this.#want(false);
  }

  /** Looks at what other processes do as long as somebody here wants to know. */
  #look(): void {
    this.#want(this.#hub.isUsed || this.#holds.isUsed || this.#listeners.isUsed);
  }

  #want(isWanted: boolean): void {
    this.#notifications?.want(isWanted);
    this.#poll.want(isWanted);
  }
}
