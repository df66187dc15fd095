import type { JsonObject } from "../../runtime/base/json.js";
import { type Message, type SendMessageRequest, TaskState } from "../model.js";
import { InternalError, TaskNotCancelableError, TaskNotFoundError } from "../../errors.js";
import { BusyMap } from "./busy-map.js";
import { extended } from "../copy.js";
import type { Account } from "../limits/account.js";
import type { Environment } from "./environment.js";
import { type Accepted, TaskCreation } from "./task-creation.js";
import { counted, statusOf } from "../log/events.js";
import type { Posting } from "../turns/inbox.js";
import { LeaseGuard } from "./lease-guard.js";
import type { Creation } from "../log/creation.js";
import type { WebhookMaker } from "../push/push-configs.js";
import { PacedStore } from "./paced-store.js";
import { refused } from "../refusals.js";
import { isTerminal } from "../states.js";
import {
  type CallFacts,
  type ErasureTarget,
  type InboxItem,
  inHistory,
  type Lease,
  type Leased,
  LeaseLostError,
  type Scope,
  type Stored,
  type StoredTask,
} from "../store.js";
import type { Subscription } from "./subscription.js";
import { type FollowOptions, Subscriptions } from "./subscriptions.js";
import { taskKey } from "./task-key.js";
import { within, withoutHold } from "../timer.js";
import type { LiveCall } from "../turns/context.js";
import { isAtWork } from "../turns/item.js";
import type { Turn } from "../turns/turn.js";
import { isAccepted, roomOf, type WakeRequest } from "./wake.js";
import { Worker, type WorkerOwner } from "./worker.js";

/** A message to process, with the data of its call. */
export interface Sending {
  readonly scope: Scope;
  readonly request: SendMessageRequest;
  /** Facts about the call that turns receive, and the call itself. */
  readonly facts: CallFacts;
  readonly call: LiveCall;
  /** Creates the webhook that the request contains, if any. */
  readonly webhook: WebhookMaker | undefined;
  /** Id of the task that the message begins; a new id by default. */
  readonly newTaskId?: string | undefined;
}

/** Abort reason of turns whose task was deleted. */
class TaskDeletedError extends LeaseLostError {}

/** Approximate size of a new task in bytes, without its message. */
const emptyTaskBytes = 256;

/** Maximum time that `close` waits for the store, in milliseconds. */
const closeWithinMs = 1_000;

/** Runs the workers of tasks in this process, and notifies the callers that wait for tasks. */
export class TaskEngine implements WorkerOwner {
  readonly #environment: Environment;
  readonly #workers = new BusyMap<Worker>();
  readonly #subscriptions: Subscriptions;
  readonly #store: PacedStore;
  readonly #guard: LeaseGuard;
  /** Functions to call when this process no longer works on any task. */
  readonly #onIdle: (() => void)[] = [];
  /** Error for calls after `close`; `undefined` until the engine is closed. */
  #closed: Error | undefined;

  constructor(environment: Environment) {
    const onPost = (scope: Scope, id: string): void =>
      this.#workers.get(taskKey(scope, id))?.wake();
    const report: Environment["report"] = (error, subject) => {
      if (this.#closed === undefined || error !== this.#closed) environment.report(error, subject);
    };
    this.#environment = { ...environment, claim: { ...environment.claim, onPost }, report };
    this.#store = new PacedStore(this.#environment);
    this.#subscriptions = new Subscriptions(this.#environment);
    this.#guard = new LeaseGuard(this.#environment, this.#workers, (leased, since) => {
      this.#resume(leased, since);
      // The process of a task that was asleep has not ended.
      if (leased.stored.turn.asleep === true) return;
      const { id: taskId, scope, holder } = leased.lease;
      environment.audit?.({
        action: "task.takeover",
        ...scope,
        taskId,
        context: undefined,
        holder,
      });
    });
  }

  /** Begins to renew leases, and to claim the tasks of processes that have ended. */
  start(): void {
    this.#guard.start();
  }

  /** Claims the tasks that are due now. Never rejects. */
  claimDue(): Promise<void> {
    return this.#guard.claimDue();
  }

  /** Whether this process works on a task. */
  get isBusy(): boolean {
    return !this.#workers.isEmpty;
  }

  /** Resolves when this process no longer works on any task. */
  idle(): Promise<void> {
    if (!this.isBusy) return Promise.resolve();
    return new Promise((resolve) => this.#onIdle.push(resolve));
  }

  /** Returns a task. Throws a `TaskNotFoundError` if the scope has no task with this id. */
  read(scope: Scope, id: string): Promise<Stored> {
    return this.#store.read(scope, id);
  }

  /**
   * Creates a task from a message, and begins its first turn. `bytes` is the size of the message
   * and the facts about its call. Resolves when the task is stored.
   */
  begin(
    { scope, request, facts, call, webhook, newTaskId }: Sending,
    bytes: number,
  ): Promise<Accepted> {
    const { task, message } = this.#taskOf(request, newTaskId);
    // The task id can serve as an item id, because items that are posted later have new ids.
    const beganAt = this.#environment.now();
    const item = { id: task.id, message, call: facts, beganAt, [inHistory]: true as const };
    const first = {
      task,
      generation: 1,
      inbox: [],
      turn: item,
      checkpoint: undefined,
      bytes: emptyTaskBytes + bytes,
    };
    const beginning = new TaskCreation(
      this.#environment,
      { scope, first, item, admitted: bytes },
      webhook?.make(task.id, 1),
    );
    this.#worker(scope, beginning.first, beginning).begin(item, task, call);
    return beginning.accepted;
  }

  /**
   * Posts a message to a task. `bytes` has the same meaning as for `begin`. Resolves when the
   * message is stored.
   */
  async goOn({ scope, request, facts, call, webhook }: Sending, bytes: number): Promise<Accepted> {
    this.#checkOpen();
    const { store, newId, limits } = this.#environment;
    const { taskId = "", contextId = "" } = request.message;
    // Only later protocol versions have this field.
    const { ifGenerationMatch } = (request.configuration ?? {}) as {
      readonly ifGenerationMatch?: string;
    };
    const expected = {
      ...roomOf(limits),
      ...(contextId !== "" && { contextId }),
      ...(ifGenerationMatch !== undefined && { generation: Number(ifGenerationMatch) }),
    };
    const item: InboxItem = { id: newId(), message: request.message, call: facts };
    // Add the webhook before the message: a posted message can no longer be rejected, and if the
    // process ends in between, the webhook exists.
    const takeBack = await webhook?.add(taskId);
    // If `post` throws, keep the webhook, because the message may have been posted.
    const { posted, since } = await this.#store.post({ scope, id: taskId, item, expected, bytes });
    if (posted.outcome !== "leased" && posted.outcome !== "posted") {
      // Removing the webhook may fail, but the caller must still receive the reason for the
      // rejection.
      await takeBack?.().catch((error: unknown) => {
        this.#environment.report(error, { taskId });
      });
      throw refused(posted, taskId, expected, this.#environment.facts);
    }
    const { stored } = posted;
    if (posted.outcome === "leased")
      this.#resume(posted, since, posted.isNew ? { item: item.id, call } : undefined);
    const watch = store.watch(scope, taskId, stored.generation);
    return { scope, first: stored, entries: [], watch, item: item.id };
  }

  /**
   * Posts a request to wake a task. Resolves when it is stored; to `false` if the task has ended.
   * @throws A `TaskNotFoundError` if the scope has no such task, or an `UnsupportedOperationError`
   *   if its inbox is full.
   */
  async wake(request: WakeRequest): Promise<boolean> {
    this.#checkOpen();
    const { limits, facts } = this.#environment;
    const expected = roomOf(limits);
    const { posted, since } = await this.#store.post({ ...request, expected });
    if (!isAccepted(posted, request.id, expected, facts)) return false;
    if (posted.outcome === "leased") this.#resume(posted, since);
    return true;
  }

  /** Returns the events after an accepted message, until the task pauses or ends. */
  follow(accepted: Accepted, options: FollowOptions): Subscription {
    const { scope, first, entries, watch, item } = accepted;
    const { id } = first.task;
    const respondedAt = accepted.respondedAt ?? this.#workers.get(taskKey(scope, id))?.respondedAt;
    const endsAtAuth = options.keeps === true || this.#environment.endsAtAuth;
    const keepsRunning = endsAtAuth
      ? undefined
      : (): Promise<boolean> => this.#continues(scope, id);
    const from = { scope, first, entries, item, untilPause: true, respondedAt, keepsRunning };
    return this.#subscriptions.open(watch, from, options);
  }

  /** Returns whether a task can report something before its caller sends a message. */
  async #continues(scope: Scope, id: string): Promise<boolean> {
    const stored = await this.#environment.store.read(scope, id);
    return stored !== undefined && (stored.turn.asleep === true || isAtWork(stored));
  }

  /** Returns the events of a task until it ends. */
  subscribe(scope: Scope, stored: StoredTask, account?: Account): Subscription {
    const watch = this.#environment.store.watch(scope, stored.task.id, stored.generation);
    return this.#subscriptions.open(
      watch,
      { scope, first: stored, untilPause: false },
      { account },
    );
  }

  /**
   * Cancels a task and returns it. Throws a `TaskNotCancelableError` if the task ends in another
   * state. If the signal aborts before the task ends, throws the signal's reason.
   */
  async cancel(scope: Scope, id: string, cancel: JsonObject, signal: AbortSignal): Promise<Stored> {
    this.#checkOpen();
    // With a fixed id, the inbox holds at most one cancel request, however often the task is
    // canceled.
    const { posted, since } = await this.#store.post({
      scope,
      id,
      item: { id: `cancel ${id}`, cancel },
    });
    if (posted.outcome === "leased" || posted.outcome === "posted") {
      const end = this.subscribe(scope, posted.stored);
      if (posted.outcome === "leased") this.#resume(posted, since);
      await end.endWith(signal).wait();
      signal.throwIfAborted();
    }
    const stored = await this.read(scope, id);
    const { state } = stored.task.status;
    if (posted.outcome !== "ended" && state === TaskState.Canceled) return stored;
    throw new TaskNotCancelableError(`The task has ended: ${state}`, { metadata: { taskId: id } });
  }

  /**
   * Waits until the generation of a task changes, the time limit for waiting requests has passed,
   * or the signal aborts.
   */
  async change(scope: Scope, { task, generation }: Stored, signal: AbortSignal): Promise<void> {
    if (signal.aborted || isTerminal(task.status.state)) return;
    const watch = this.#environment.store.watch(scope, task.id, generation);
    const close = (): void => {
      watch.close();
    };
    const limit = withoutHold(setTimeout(close, this.#environment.limits.pollWithinMs));
    signal.addEventListener("abort", close, { once: true });
    try {
      // Messages do not change the generation.
      for (
        let found = await watch.next();
        Array.isArray(found) && found.every((entry) => "message" in entry);
      )
        found = await watch.next();
    } finally {
      clearTimeout(limit);
      signal.removeEventListener("abort", close);
      close();
    }
  }

  /** Stops this process's work on deleted tasks. Their subscribers get a `TaskNotFoundError`. */
  drop({ tenant, owner, taskId }: ErasureTarget): void {
    for (const worker of this.#workers.values()) {
      const { id, scope, creation } = worker;
      const isOwned = scope.tenant === tenant && (owner ?? scope.owner) === scope.owner;
      const isDeleted = isOwned && (taskId ?? id) === id;
      // A task that is not stored yet cannot have been deleted.
      if (!isDeleted || creation !== undefined) continue;
      const error = new TaskNotFoundError(undefined, { metadata: { taskId: id } });
      this.#subscriptions.fail(worker.key, error);
      void worker.abandon(new TaskDeletedError(`The task ${id} was deleted`));
    }
  }

  /**
   * Ends the subscriptions of callers that wait for a response, because a turn has yielded a status
   * with `respond`.
   */
  responded({ key, respondedAt }: Worker): void {
    if (respondedAt !== undefined) this.#subscriptions.respond(key, respondedAt);
  }

  /** Removes a worker that has released or lost its lease, and reports the error, if any. */
  rested(worker: Worker, error?: unknown): void {
    const { id, key, creation } = worker;
    this.#workers.delete(key, worker);
    if (!this.isBusy) for (const resolve of this.#onIdle.splice(0)) resolve();
    if (error === undefined || error instanceof TaskDeletedError) return;
    // If the lease is lost, another process now works on the task, so callers keep waiting.
    // Otherwise, the calls that wait for the task throw the error, which also reports it.
    if (!(error instanceof LeaseLostError) && this.#subscriptions.fail(key, error)) return;
    if (creation === undefined) this.#environment.report(error, { taskId: id });
    else creation.fail(error);
  }

  /**
   * Stops all work of this process, and rejects new work. After that, other processes can claim its
   * tasks. Errors that result from closing are not reported.
   */
  async close(): Promise<void> {
    this.#guard.close();
    const error = (this.#closed ??= new InternalError("The agent was closed"));
    const workers = this.#workers.values();
    const abandoned = workers.map((worker) => worker.abandon(error));
    this.#subscriptions.close(error);
    await within(Promise.all(abandoned), closeWithinMs);
    // Release leases after the last writes, so that the next lease holder sees these writes.
    await this.#expireLeases(workers.flatMap(({ lease }) => lease ?? []));
  }

  /** Lets leases expire immediately, so that other processes can claim their tasks. */
  async #expireLeases(leases: readonly Lease[]): Promise<void> {
    if (leases.length === 0) return;
    const { store, claim, report } = this.#environment;
    try {
      const renewed = await within(store.renew(leases, { ...claim, ttlMs: 0 }), closeWithinMs);
      for (const error of renewed?.errors ?? []) report(error);
    } catch (error) {
      report(error);
    }
  }

  /** Throws if the engine is closed, as no worker would process new work. */
  #checkOpen(): void {
    if (this.#closed !== undefined) throw this.#closed;
  }

  #taskOf(
    { message }: SendMessageRequest,
    newTaskId: string | undefined,
  ): { readonly task: Turn["task"]; readonly message: Message } {
    const { newId, now, facts } = this.#environment;
    const id = newTaskId ?? newId();
    const contextId =
      message.contextId === undefined || message.contextId === "" ? newId() : message.contextId;
    const own = extended(message, { taskId: id, contextId });
    const task = { id, contextId, status: statusOf(TaskState.Submitted, now()), history: [own] };
    return { task: counted(task, 1, facts), message: own };
  }

  /**
   * Begins to work on a task. This process has acquired the lease in a call that began at `since`.
   */
  #resume({ lease, stored }: Leased, since: number, posting?: Posting): void {
    // If the response took longer than the lease lasts, another process may already have claimed
    // the task.
    if (performance.now() >= since + this.#environment.claim.ttlMs) return;
    if (this.#closed !== undefined) {
      void this.#expireLeases([lease]);
      return;
    }
    const worker = this.#worker(lease.scope, stored, lease);
    worker.clock.hold(since, this.#environment.claim.ttlMs);
    worker.resume(stored, posting);
  }

  #worker(scope: Scope, stored: Stored, lease: Leased["lease"] | Creation): Worker {
    this.#checkOpen();
    const worker = new Worker(this.#environment, scope, stored, lease, this);
    const before = this.#workers.set(worker.key, worker);
    this.#guard.onWorker();
    // The store has granted another lease to this process, so the lease of the earlier worker has
    // expired.
    if (before?.lease !== undefined)
      void before.abandon(
        new LeaseLostError(
          `The lease of task ${worker.id} has expired: this process has acquired another lease`,
        ),
      );
    return worker;
  }
}
