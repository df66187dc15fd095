import type { Environment } from "./environment.js";
import { applyEntries } from "../log/fold.js";
import type { Task } from "../model.js";
import type { MessageItem } from "../turns/inbox.js";
import type { Creation } from "../log/creation.js";
import type {
  AppendOptions,
  Entry,
  Lease,
  Scope,
  Stored,
  StoredTask,
  Watch,
  Webhook,
} from "../store.js";
import { errorOf } from "../thrown.js";

/** A message that has become part of a task. */
export interface Accepted {
  readonly scope: Scope;
  /** The task with the message, before later entries. */
  readonly first: StoredTask;
  /** Entries that have already been written after the message. */
  readonly entries: readonly Entry[];
  /** The task with `entries`, if it has ended or paused with them. */
  readonly result?: Task | undefined;
  /** Generation at which callers that wait get their response, as the task has fallen asleep. */
  readonly respondedAt?: number | undefined;
  /** Watch for later entries; absent if the task has ended or paused with `entries`. */
  readonly watch: Watch | undefined;
  /** Inbox item of the message, which a turn must take before events count as its result. */
  readonly item: string | undefined;
}

/** A task to create. */
export interface NewTask {
  readonly scope: Scope;
  /** The task at generation 1. */
  readonly first: Stored;
  /** The item of the message that begins the first turn. */
  readonly item: MessageItem;
  /** Bytes that the owner's account has counted for the message. */
  readonly admitted: number;
}

/** A task that a message creates, and the caller that waits until it is stored. */
export class TaskCreation implements Creation {
  /** Resolves when the task is stored; rejects if it cannot be stored. */
  readonly accepted: Promise<Accepted>;
  /** Bytes that the owner's account has counted for the message. */
  readonly admitted: number;
  readonly #environment: Environment;
  readonly #scope: Scope;
  readonly #first: Stored;
  readonly #turn: MessageItem;
  readonly #webhooks: readonly Webhook[];
  #resolve!: (accepted: Accepted) => void;
  #reject!: (error: Error) => void;
  /** The task with the first entries, if they end or interrupt it. */
  #result: Task | undefined;
  /** Whether the first turn has fallen asleep with the first entries. */
  #isAsleep = false;
  #isCreated = false;
  #isRefused = false;

  constructor(
    environment: Environment,
    { scope, first, item, admitted }: NewTask,
    webhook: Webhook | undefined,
  ) {
    this.admitted = admitted;
    this.#environment = environment;
    this.#scope = scope;
    this.#first = first;
    this.#turn = item;
    this.#webhooks = webhook === undefined ? [] : [webhook];
    this.accepted = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  /** The task at generation 1. */
  get first(): Stored {
    return this.#first;
  }

  write(entries: readonly Entry[], options: AppendOptions): Promise<Lease | undefined> {
    const { checkpoint, release = false, turn = this.#turn, wakeInMs, eventBytes } = options;
    const { store, claim } = this.#environment;
    const [scope, webhooks] = [this.#scope, this.#webhooks];
    // A task that has ended, paused or fallen asleep with its first entries does not need a lease.
    const result = release ? applyEntries(this.#first.task, entries) : undefined;
    this.#isAsleep = release && turn.asleep === true;
    if (!this.#isAsleep) this.#result = result;
    const created = {
      scope,
      turn,
      entries,
      result,
      eventBytes,
      checkpoint,
      wakeInMs,
      webhooks,
      claim: release ? undefined : claim,
    };
    return store.create(this.#first.task, created);
  }

  written(entries: readonly Entry[], isReleased: boolean): void {
    const [scope, first] = [this.#scope, this.#first];
    // Open the watch before any later write, so that no entry is missed.
    const isOver = (isReleased && !this.#isAsleep) || this.#isRefused;
    const generation = entries.at(-1)?.generation ?? 1;
    const watch = isOver
      ? undefined
      : this.#environment.store.watch(scope, first.task.id, generation);
    const respondedAt = this.#isAsleep ? generation : undefined;
    this.#isCreated = true;
    const result = this.#result;
    this.#resolve({ scope, first, entries, result, respondedAt, watch, item: undefined });
  }

  fail(error: unknown): void {
    if (this.#isCreated) this.#environment.report(error, { taskId: this.#first.task.id });
    this.#isRefused = true;
    this.#reject(errorOf(error));
  }
}
