import type { Account } from "../limits/account.js";
import type { Scope, Watch } from "../store.js";
import { BusyMap } from "./busy-map.js";
import type { Environment } from "./environment.js";
import { Readers } from "./readers.js";
import { Subscription, type SubscriptionOptions } from "./subscription.js";
import { taskKey } from "./task-key.js";

/** Options for the events that follow a message. */
export interface FollowOptions extends Pick<SubscriptionOptions, "keeps" | "historyLength"> {
  /** Account that the stream counts towards. */
  readonly account?: Account | undefined;
}

/** The subscriptions of this process, by task. */
export class Subscriptions {
  readonly #environment: Environment;
  readonly #readers = new BusyMap<Readers>();
  /** Error for new subscriptions after `close`. */
  #closed: Error | undefined;

  constructor(environment: Environment) {
    this.#environment = environment;
  }

  /**
   * Opens a subscription that begins with `from.first` and continues with the entries of `watch`.
   */
  open(
    watch: Watch | undefined,
    from: Omit<SubscriptionOptions, "exists" | "facts" | "readers" | "onEnd"> & {
      readonly scope: Scope;
    },
    { keeps, historyLength, account }: FollowOptions,
  ): Subscription {
    const { id } = from.first.task;
    const key = taskKey(from.scope, id);
    const readers = this.#readers.get(key) ?? new Readers();
    // The subscription may end in its constructor.
    let created: Subscription | undefined;
    const onEnd = (): void => {
      account?.closeStream();
      if (created !== undefined) readers.remove(created);
      if (readers.size === 0) this.#readers.delete(key, readers);
    };
    const { scope, first, entries, untilPause, item, respondedAt, keepsRunning } = from;
    const { store, facts } = this.#environment;
    const exists = async (): Promise<boolean> => (await store.read(scope, id)) !== undefined;
    const rest = { keeps, historyLength, exists, facts, readers, onEnd };
    const options = { first, entries, untilPause, item, respondedAt, keepsRunning, ...rest };
    const subscription = (created = new Subscription(watch, options));
    if (this.#closed !== undefined) subscription.fail(this.#closed);
    if (subscription.isDone) return subscription;
    readers.add(subscription);
    this.#readers.set(key, readers);
    return subscription;
  }

  /**
   * Ends the subscriptions to a task whose callers wait for a response, after the event with a
   * given generation.
   * @param key Key of the task, as `taskKey` returns it.
   */
  respond(key: string, generation: number): void {
    this.#readers.get(key)?.respond(generation);
  }

  /**
   * Ends the subscriptions to a task with an error. Returns whether the task had a subscription.
   * @param key Key of the task, as `taskKey` returns it.
   */
  fail(key: string, error: unknown): boolean {
    const readers = this.#readers.get(key);
    readers?.fail(error);
    return readers !== undefined;
  }

  /** Ends all subscriptions with an error, including subscriptions that are opened later. */
  close(error: Error): void {
    this.#closed = error;
    for (const readers of this.#readers.values()) readers.fail(error);
  }
}
