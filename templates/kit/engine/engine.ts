import type { JsonObject } from "../../runtime/base/json.js";
import { type Message, type SendMessageRequest, TaskState } from "../model.js";
import { InternalError, TaskNotCancelableError, TaskNotFoundError } from "../../errors.js";
import { extended } from "../copy.js";
import type { Account } from "../limits/account.js";
import type { Environment } from "./environment.js";
import { type Accepted, Beginning } from "./beginning.js";
import { counted, statusOf } from "../log/events.js";
import { LeaseGuard } from "./lease-guard.js";
import type { Creation } from "../log/writer.js";
import type { WebhookMaker } from "../push/push-configs.js";
import { Readers } from "./readers.js";
import { refused } from "../calls/refusals.js";
import { isTerminal } from "../states.js";
import {
  type CallFacts,
  type ErasureTarget,
  type Expected,
  type InboxItem,
  type Lease,
  type Leased,
  LeaseLostError,
  type Posted,
  type Scope,
  type Stored,
  type StoredTask,
  type Watch,
} from "../store.js";
import { Subscription, type SubscriptionOptions } from "./subscription.js";
import { within, withoutHold } from "../timer.js";
import type { LiveCall } from "../turns/context.js";
import { isAtWork } from "../turns/item.js";
import type { Turn } from "../turns/turn.js";
import { type Posting, Worker, type WorkerOwner } from "./worker.js";

/** A message that somebody sends, with what goes with it. */
export interface Sending {
  readonly scope: Scope;
  readonly request: SendMessageRequest;
  /** Size of the message and of its call. */
  readonly bytes: number;
  /** What turns know of the call, and the call itself. */
  readonly facts: CallFacts;
  readonly call: LiveCall;
  /** Makes the webhook that the request asks for, if it does. */
  readonly webhook: WebhookMaker | undefined;
  /** The id of the task that it begins; any new one by default. */
  readonly newTaskId?: string | undefined;
}

/** An item to post to a task, and the size of its message. */
interface Post {
  readonly scope: Scope;
  readonly id: string;
  readonly item: InboxItem;
  readonly expected?: Expected;
  readonly bytes?: number;
}

/** The reason of the signal of a turn whose task was deleted. */
class TaskDeletedError extends LeaseLostError {}

/** What goes with the events that come of a message. */
export interface FollowOptions extends Pick<SubscriptionOptions, "keeps" | "historyLength"> {
  /** The account that counts the stream. */
  readonly account?: Account | undefined;
}

/** About how many bytes a task has besides its message when it begins. */
const emptyTaskBytes = 256;

/** How long `close` waits for the store. */
const leaveWithinMs = 1_000;

/** Has tasks worked on, and lets callers wait for them. */
export class TaskEngine implements WorkerOwner {
  readonly #environment: Environment;
  readonly #workers = new Map<string, Worker>();
  readonly #readers = new Map<string, Readers>();
  readonly #guard: LeaseGuard;
  /** What those get who come after the end. */
  #closed: Error | undefined;

  constructor(environment: Environment) {
    const onPost = (id: string): void => this.#workers.get(id)?.wake();
    const report = (error: unknown): void => {
      if (this.#closed === undefined || error !== this.#closed) environment.report(error);
    };
    this.#environment = { ...environment, claim: { ...environment.claim, onPost }, report };
    this.#guard = new LeaseGuard(this.#environment, this.#workers, (leased, since) => {
      this.#resume(leased, since);
    });
  }

  /** Begins to take over the tasks of processes that have ended. */
  start(): void {
    this.#guard.start();
  }

  /** Returns a task. Throws a `TaskNotFoundError` where the scope has none of this id. */
  async read(scope: Scope, id: string): Promise<Stored> {
    const { accounts, store } = this.#environment;
    const { pace } = accounts.of(scope);
    const entering = pace.enter();
    const endTurn = entering && (await entering);
    const since = performance.now();
    let stored: Stored | undefined;
    try {
      stored = await store.read(scope, id);
    } finally {
      pace.leave(stored?.bytes ?? 0, since, endTurn);
    }
    return stored ?? notFound(id);
  }

  /** Makes a task of a message, and has the first turn begun. Resolves when the task is stored. */
  begin({ scope, request, bytes, facts, call, webhook, newTaskId }: Sending): Promise<Accepted> {
    const { task, message } = this.#taskOf(request, newTaskId);
    // No other item of the task has its id.
    const item = { id: task.id, message, call: facts };
    const stored = { task, generation: 1, inbox: [], turn: item, checkpoint: undefined, bytes: emptyTaskBytes + bytes };
    const first = { ...stored, admitted: bytes };
    const beginning = new Beginning(this.#environment, scope, first, webhook?.make(task.id, 1));
    this.#worker(scope, beginning.first, beginning).begin(item, task, call);
    return beginning.accepted;
  }

  /** Posts a message to a task. Resolves when it is stored. */
  async goOn({ scope, request, bytes, facts, call, webhook }: Sending): Promise<Accepted> {
    this.#checkOpen();
    const { store, newId, limits } = this.#environment;
    const { taskId = "", contextId = "" } = request.message;
    // A field of later versions only.
    const { ifGenerationMatch } = (request.configuration ?? {}) as { readonly ifGenerationMatch?: string };
    const expected = {
      maxInbox: limits.maxPending,
      maxInboxBytes: limits.maxInboxBytes,
      maxBytes: limits.maxTaskBytes,
      ...(contextId !== "" && { contextId }),
      ...(ifGenerationMatch !== undefined && { generation: Number(ifGenerationMatch) }),
    };
    const item: InboxItem = { id: newId(), message: request.message, call: facts };
    // Before the message: one that is posted is not refused any more, and keeps its webhook if this process ends here.
    const takeBack = await webhook?.add(taskId);
    // An error leaves the webhook as it is, since the message may have been posted.
    const { posted, since } = await this.#post({ scope, id: taskId, item, expected, bytes });
    if (posted.outcome !== "leased" && posted.outcome !== "posted") {
      // The caller is told why the message was refused, even if the webhook stays.
      await takeBack?.().catch(this.#environment.report);
      throw refused(posted, taskId, expected, this.#environment.facts);
    }
    const { stored } = posted;
    if (posted.outcome === "leased") this.#resume(posted, since, { item: item.id, call });
    const watch = store.watch(taskId, stored.generation);
    return { scope, first: stored, entries: [], watch, item: item.id };
  }

  /**
   * Posts to a task. Returns also when that began: calls of an owner with large tasks wait for their turns before. Throws
   * a `TaskNotFoundError`.
   */
  async #post({
    scope,
    id,
    item,
    expected,
    bytes = 0,
  }: Post): Promise<{ readonly posted: Posted; readonly since: number }> {
    const { accounts, claim, store } = this.#environment;
    const { pace } = accounts.of(scope);
    const entering = pace.enter(bytes);
    const endTurn = entering && (await entering);
    const since = performance.now();
    let posted: Posted | undefined;
    try {
      posted = await store.post(scope, id, item, claim, expected);
    } finally {
      pace.leave(posted !== undefined && "stored" in posted ? posted.stored.bytes : 0, since, endTurn);
    }
    return posted === undefined ? notFound(id) : { posted, since };
  }

  /** Returns what comes of a message that was accepted, until the task pauses or ends. */
  follow({ scope, first, entries, watch, item }: Accepted, options: FollowOptions): Subscription {
    const { id } = first.task;
    const { respondedAt } = this.#workers.get(id) ?? {};
    const isShort = options.keeps === true || this.#environment.endsAtAuth;
    const goesOn = isShort ? undefined : (): Promise<boolean> => this.#isAtWork(scope, id);
    const from = { first, entries, item, untilPause: true, respondedAt, goesOn };
    return this.#subscription(watch, from, options);
  }

  async #isAtWork(scope: Scope, id: string): Promise<boolean> {
    const stored = await this.#environment.store.read(scope, id);
    return stored !== undefined && isAtWork(stored);
  }

  /** Returns what becomes of a task, until it ends. */
  subscribe(stored: StoredTask, account?: Account): Subscription {
    const watch = this.#environment.store.watch(stored.task.id, stored.generation);
    return this.#subscription(watch, { first: stored, untilPause: false }, { account });
  }

  /**
   * Cancels a task and returns it. Throws a `TaskNotCancelableError` for one that ends otherwise, and the reason of a
   * signal that fires before the end.
   */
  async cancel(scope: Scope, id: string, cancel: JsonObject, signal: AbortSignal): Promise<Stored> {
    this.#checkOpen();
    // However often a task is canceled, that is in its inbox once.
    const { posted, since } = await this.#post({ scope, id, item: { id: `cancel ${id}`, cancel } });
    if (posted.outcome === "leased" || posted.outcome === "posted") {
      const end = this.subscribe(posted.stored);
      if (posted.outcome === "leased") this.#resume(posted, since);
      await end.endWith(signal).wait();
      signal.throwIfAborted();
    }
    const stored = await this.read(scope, id);
    const { state } = stored.task.status;
    if (posted.outcome !== "ended" && state === TaskState.Canceled) return stored;
    throw new TaskNotCancelableError(`The task has ended: ${state}`, { metadata: { taskId: id } });
  }

  /** Waits until a task is no longer at a generation, at most as long as a request may wait. */
  async change({ task, generation }: Stored, signal: AbortSignal): Promise<void> {
    if (signal.aborted || isTerminal(task.status.state)) return;
    const watch = this.#environment.store.watch(task.id, generation);
    const close = (): void => {
      watch.close();
    };
    const limit = withoutHold(setTimeout(close, this.#environment.limits.pollWithinMs));
    signal.addEventListener("abort", close, { once: true });
    try {
      for (let found = await watch.next(); Array.isArray(found) && found.every((entry) => "message" in entry);)
        found = await watch.next();
    } finally {
      clearTimeout(limit);
      signal.removeEventListener("abort", close);
      close();
    }
  }

  /** Ends the work of this process on tasks that were deleted. Their readers get the error for an unknown task. */
  drop({ tenant, owner, taskId }: ErasureTarget): void {
    for (const worker of [...this.#workers.values()]) {
      const { id, scope, creation } = worker;
      const isDeleted = scope.tenant === tenant && (owner ?? scope.owner) === scope.owner && (taskId ?? id) === id;
      // A task that is not stored yet was not deleted.
      if (!isDeleted || creation !== undefined) continue;
      this.#readers.get(id)?.fail(new TaskNotFoundError(undefined, { metadata: { taskId: id } }));
      void worker.abandon(new TaskDeletedError(`The task ${id} was deleted`));
    }
  }

  /** Is called by a worker. */
  responded({ id, respondedAt }: Worker): void {
    if (respondedAt !== undefined) this.#readers.get(id)?.respond(respondedAt);
  }

  /** Is called by a worker. */
  rested(worker: Worker, error?: unknown): void {
    const { id, creation } = worker;
    if (this.#workers.get(id) === worker) this.#workers.delete(id);
    if (error === undefined || error instanceof TaskDeletedError) return;
    // Somebody else works on the task by now, so those who wait for it go on waiting.
    const readers = error instanceof LeaseLostError ? undefined : this.#readers.get(id);
    // Calls that wait for the task throw the error, which reports it.
    if (readers !== undefined) readers.fail(error);
    else if (creation === undefined) this.#environment.report(error);
    else creation.fail(error);
  }

  /**
   * Ends all work of this process, and begins no other. Other processes can take it over when that is done. It is no
   * failure, so nothing of it is reported.
   */
  async close(): Promise<void> {
    this.#guard.close();
    const error = (this.#closed ??= new InternalError("The agent was closed"));
    const workers = [...this.#workers.values()];
    const abandoned = workers.map((worker) => worker.abandon(error));
    for (const readers of this.#readers.values()) readers.fail(error);
    await within(Promise.all(abandoned), leaveWithinMs);
    await this.#leave(workers.flatMap(({ lease }) => lease ?? []));
  }

  /** Has leases expire at once. */
  async #leave(leases: readonly Lease[]): Promise<void> {
    if (leases.length === 0) return;
    const { store, claim, report } = this.#environment;
    try {
      await within(store.renew(leases, { ...claim, ttlMs: 0 }), leaveWithinMs);
    } catch (error) {
      report(error);
    }
  }

  /** Throws where the engine was closed: nobody would work on what is begun. */
  #checkOpen(): void {
    if (this.#closed !== undefined) throw this.#closed;
  }

  #taskOf(
    { message }: SendMessageRequest,
    newTaskId: string | undefined,
  ): { readonly task: Turn["task"]; readonly message: Message } {
    const { newId, now, facts } = this.#environment;
    const id = newTaskId ?? newId();
    const contextId = message.contextId === undefined || message.contextId === "" ? newId() : message.contextId;
    const own = extended(message, { taskId: id, contextId });
    const task = { id, contextId, status: statusOf(TaskState.Submitted, now()), history: [own] };
    return { task: counted(task, 1, facts), message: own };
  }

  /** Begins the work on a task whose lease this process has got by a call that began at `since`. */
  #resume({ lease, stored }: Leased, since: number, posting?: Posting): void {
    // The store took longer to answer than the lease lasts: whichever process claims the task next works on it.
    if (performance.now() >= since + this.#environment.claim.ttlMs) return;
    if (this.#closed !== undefined) {
      void this.#leave([lease]);
      return;
    }
    const worker = this.#worker(lease.scope, stored, lease);
    worker.clock.hold(since, this.#environment.claim.ttlMs);
    worker.resume(stored, posting);
  }

  #worker(scope: Scope, stored: Stored, lease: Leased["lease"] | Creation): Worker {
    this.#checkOpen();
    const worker = new Worker(this.#environment, scope, stored, lease, this);
    const before = this.#workers.get(worker.id);
    if (before?.lease !== undefined)
      void before.abandon(
        new LeaseLostError(`The lease of task ${worker.id} has expired: this process has another one`),
      );
    this.#workers.set(worker.id, worker);
    return worker;
  }

  #subscription(
    watch: Watch | undefined,
    from: Omit<SubscriptionOptions, "facts" | "readers" | "onEnd">,
    { keeps, historyLength, account }: FollowOptions,
  ): Subscription {
    const { id } = from.first.task;
    const readers = this.#readers.get(id) ?? new Readers();
    // It may end while it is made.
    let made: Subscription | undefined;
    const onEnd = (): void => {
      account?.closeStream();
      if (made !== undefined) readers.remove(made);
      if (readers.size === 0 && this.#readers.get(id) === readers) this.#readers.delete(id);
    };
    const { first, entries, untilPause, item, respondedAt, goesOn } = from;
    const rest = { keeps, historyLength, facts: this.#environment.facts, readers, onEnd };
    const options = { first, entries, untilPause, item, respondedAt, goesOn, ...rest };
    const subscription = (made = new Subscription(watch, options));
    if (this.#closed !== undefined) subscription.fail(this.#closed);
    if (subscription.isDone) return subscription;
    readers.add(subscription);
    this.#readers.set(id, readers);
    return subscription;
  }
}

function notFound(taskId: string): never {
  throw new TaskNotFoundError(undefined, { metadata: { taskId } });
}
