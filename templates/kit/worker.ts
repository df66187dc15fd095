import { isObject } from "../runtime/base/json.js";
import { TaskState } from "../models.js";
import type { Environment } from "./environment.js";
import { eventOf } from "./events.js";
import { Inbox, isMessage, type MessageItem } from "./inbox.js";
import { type Creation, LogWriter } from "./log-writer.js";
import { isInterrupted, isTerminal } from "./states.js";
import type { InboxItem, Lease, Scope, Stored } from "./store.js";
import { TurnContext, type TurnStart } from "./turn-context.js";
import { TurnRun } from "./turn-run.js";
import type { Turn } from "./turn.js";
import { canceled, type End, failed, type Update, working } from "./updates.js";

/** What the owner of a worker hears of it. */
export interface WorkerHooks {
  /** The worker has given its lease back, or lost it; `error` is why nothing could be written any more. */
  onRest(worker: Worker, error?: unknown): void;
}

/**
 * Works on one task for as long as this process holds its lease: turn by turn, until the task has ended or waits for
 * its caller. Nobody else appends to the task meanwhile.
 */
export class Worker {
  readonly id: string;
  readonly #contextId: string;
  readonly #environment: Environment;
  readonly #hooks: WorkerHooks;
  readonly #scope: Scope;
  readonly #writer: LogWriter;
  readonly #inbox: Inbox;
  #state: TaskState;
  #controller: AbortController | undefined;
  #aborted: { readonly reason: unknown } | undefined;
  #isCanceled = false;
  #run: TurnRun | undefined;
  #cancelLimit: ReturnType<typeof setTimeout> | undefined;

  constructor(environment: Environment, scope: Scope, stored: Stored, lease: Lease | Creation, hooks: WorkerHooks) {
    const { task, generation, inbox } = stored;
    this.id = task.id;
    this.#contextId = task.contextId ?? "";
    this.#environment = environment;
    this.#hooks = hooks;
    this.#scope = scope;
    this.#state = task.status.state;
    this.#inbox = new Inbox(inbox, this.#signal, (item) => {
      this.#take(item, false);
    });
    this.#writer = new LogWriter(environment, lease, generation, {
      onInbox: (items) => {
        this.#look(items);
      },
      onBroken: (error) => {
        this.#break(error);
      },
    });
  }

  /** The lease, while the worker has one. */
  get lease(): Lease | undefined {
    return this.#writer.lease;
  }

  /** Begins the first turn of a task that the first write makes. */
  begin(item: MessageItem, task: Turn["task"]): void {
    void this.#work({ item, task, state: undefined, resumed: false });
  }

  /** Goes on with a task whose lease this process has got. */
  resume(stored: Stored): void {
    void this.#work(this.#startOf(stored));
  }

  /** Looks into the inbox. */
  wake(): void {
    this.#writer.poke();
  }

  /** Ends the work: the lease is lost, or the process wants to end. Nothing is written any more. */
  abandon(error: unknown): void {
    this.#writer.break(error);
  }

  /** Never rejects. */
  async #work(first: TurnStart | End | undefined): Promise<void> {
    try {
      for (let start = first; ;) {
        const end = start !== undefined && "item" in start ? await this.#turn(start) : start;
        if (await this.#finish(end)) break;
        const stored = await this.#environment.store.read(this.#scope, this.id);
        if (stored === undefined) break;
        start = this.#startOf(stored);
      }
      this.#hooks.onRest(this);
    } catch (error) {
      this.#writer.break(error);
    } finally {
      clearTimeout(this.#cancelLimit);
    }
  }

  /** Returns what the next turn begins with, or what to end with; `undefined` where there is nothing more to do. */
  #startOf(stored: Stored): TurnStart | End | undefined {
    const { task, inbox, turn, checkpoint } = stored;
    this.#look(inbox);
    const { contextId = "", status } = task;
    if (this.#isCanceled || isTerminal(status.state)) return undefined;
    const start = { task: { ...task, contextId }, state: checkpoint };
    if (!isInterrupted(status.state)) {
      return this.#environment.resumes && isMessage(turn) ? { ...start, item: turn, resumed: true } : failed();
    }
    const item = this.#inbox.items.find(isMessage);
    if (item === undefined) return undefined;
    this.#inbox.take();
    this.#writer.set({ turn: item });
    this.#append(working());
    return { ...start, item, resumed: false };
  }

  /** Runs a turn to its end, and returns how it ends. */
  async #turn(start: TurnStart): Promise<unknown> {
    const { behavior, store, limits, report } = this.#environment;
    const context = new TurnContext(start, {
      store,
      scope: this.#scope,
      signal: this.#signal,
      emit: this.#emit,
      checkpoint: this.#checkpoint,
      pending: this.#inbox,
    });
    const run = new TurnRun(() => behavior.run(context), this.#add);
    this.#run = run;
    const limit = Number.isFinite(limits.turnWithinMs) ? setTimeout(this.#overrun, limits.turnWithinMs) : undefined;
    const outcome = await run.outcome;
    clearTimeout(limit);
    if (this.#writer.broken) throw this.#aborted?.reason;
    if ("end" in outcome) return outcome.end;
    if (!(this.#aborted !== undefined && isAbort(outcome.thrown))) report(outcome.thrown);
    return failed();
  }

  /** Writes how a turn has ended, and gives the lease back; returns whether that was possible. */
  async #finish(end: unknown): Promise<boolean> {
    const final = this.#isCanceled && !isTerminal(this.#state) ? canceledAs(end) : end;
    if (final !== undefined) this.#end(final);
    if (isTerminal(this.#state)) this.#clear();
    this.#writer.set({ release: true });
    const { released, inbox } = await this.#writer.flush();
    this.#inbox.update(inbox);
    return released;
  }

  /** Appends the end of a turn; the task fails where that is wrong. */
  #end(end: unknown): void {
    try {
      if (!isEnd(end))
        throw new TypeError(`The turn returned ${shown(end)}: return completed(), inputRequired() or the like`);
      this.#append(end);
      if ("checkpoint" in end) this.#writer.set({ checkpoint: end.checkpoint });
    } catch (error) {
      this.#environment.report(error);
      this.#append(failed());
    }
  }

  /** Empties the inbox of a task that has ended: its messages become history that nobody has read. */
  #clear(): void {
    for (const item of this.#inbox.items) {
      if (isMessage(item)) this.#take(item, true);
      else this.#writer.take(item.id);
    }
    this.#inbox.update([]);
  }

  #take({ id, message }: MessageItem, unread: boolean): void {
    this.#writer.message({ ...message, taskId: this.id, contextId: this.#contextId }, id, unread);
  }

  #append(update: Update | End): void {
    const ids = { id: this.id, contextId: this.#contextId };
    this.#writer.event((generation) => eventOf(update, ids, generation, this.#environment));
    if ("state" in update) this.#state = update.state;
  }

  readonly #add = (update: unknown): Promise<void> | undefined => {
    if (!isUpdate(update))
      throw new TypeError(`The turn yielded ${shown(update)}: yield working(), a piece of an artifact or the like`);
    this.#append(update);
    return this.#writer.room();
  };

  readonly #emit = async (update: Update): Promise<void> => {
    const run = this.#run;
    try {
      if (run === undefined || run.isOver) throw new TypeError("An update was emitted after the end of its turn");
      await this.#add(update);
    } catch (thrown) {
      if (run === undefined || run.isOver) this.#environment.report(thrown);
      else run.stop({ thrown });
    }
  };

  readonly #checkpoint = async (checkpoint: unknown): Promise<void> => {
    this.#writer.set({ checkpoint });
    await this.#writer.flush();
  };

  #look(items: readonly InboxItem[]): void {
    this.#inbox.update(items);
    if (items.some(({ cancel }) => cancel !== undefined)) this.#cancel();
  }

  #cancel(): void {
    if (this.#isCanceled) return;
    this.#isCanceled = true;
    this.#abort(new DOMException("The task was canceled", "AbortError"));
    const run = this.#run;
    if (run === undefined || run.isOver) return;
    this.#cancelLimit = setTimeout(() => {
      run.stop({ end: canceled() });
    }, this.#environment.limits.cancelWithinMs);
  }

  readonly #overrun = (): void => {
    const error = new DOMException("The turn took longer than turnWithinMs", "TimeoutError");
    this.#abort(error);
    this.#run?.stop({ thrown: error });
  };

  #break(error: unknown): void {
    this.#abort(error);
    this.#run?.stop({ thrown: error });
    this.#hooks.onRest(this, error);
  }

  #abort(reason: unknown): void {
    this.#aborted ??= { reason };
    this.#controller?.abort(reason);
  }

  readonly #signal = (): AbortSignal => {
    this.#controller ??= new AbortController();
    if (this.#aborted !== undefined) this.#controller.abort(this.#aborted.reason);
    return this.#controller.signal;
  };
}

/** Returns how a task ends that was canceled: as the turn says it, if it says so. */
function canceledAs(end: unknown): unknown {
  return isEnd(end) && end.state === TaskState.Canceled ? end : canceled();
}

function isEnd(value: unknown): value is End {
  return isObject(value) && value["ends"] === true && typeof value["state"] === "string";
}

function isUpdate(value: unknown): value is Update {
  if (!isObject(value)) return false;
  return isObject(value["artifact"]) || (value["goesOn"] === true && typeof value["state"] === "string");
}

/** Returns a value for a message: what it is, not what it says. */
function shown(value: unknown): string {
  if (isObject(value) && typeof value["state"] === "string") return `the state ${value["state"]}`;
  return value === null ? "null" : Array.isArray(value) ? "a list" : `a value of type ${typeof value}`;
}

/** Whether something thrown is how work ends that heeds its signal. */
function isAbort(thrown: unknown): boolean {
  return isObject(thrown) && thrown["name"] === "AbortError";
}
