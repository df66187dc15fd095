import type { JsonObject } from "../../runtime/base/json.js";
import type { CallContext } from "../../runtime/server/context.js";
import type { Message } from "../model.js";
import { pageBytes } from "../limits/size.js";
import type { InboxItem, Scope, Stored, TaskStore } from "../store.js";
import type { Cancellation, Pending, Turn } from "./turn.js";
import { untilAborted } from "./until-aborted.js";
import type { TurnRun } from "./run.js";
import type { Update } from "./updates.js";

/** The object that runs turns and implements their functions. */
export interface TurnHost {
  readonly store: TaskStore;
  readonly scope: Scope;
  signal(): AbortSignal;
  emit(run: TurnRun, update: Update): Promise<void>;
  checkpoint(run: TurnRun, state: unknown): Promise<void>;
  pending(run: TurnRun): Pending;
  cancellation(): Cancellation | undefined;
}

/** The call whose message begins a turn. It is only available until its response begins. */
export type LiveCall = Pick<CallContext, "activateExtension">;

/** The data that a turn begins with. */
export interface TurnStart {
  readonly item: InboxItem & { readonly message: Message };
  readonly task: Turn["task"];
  readonly state: unknown;
  readonly resumed: boolean;
  /** Absent if another process received the call, or if the response began before the turn. */
  readonly call?: LiveCall | undefined;
}

/** Maximum number of tasks that a turn receives if each task requires a read of the store. */
const maxReads = 100;

/** Default number of other tasks of a context that a turn receives. */
const defaultContextTasks = 20;

const none: readonly string[] = [];

/**
 * The `Turn` that is passed to `run`. Its functions are bound, so that turns may destructure it.
 * Each function is created when it is first accessed, because most turns only use a few functions.
 */
export class TurnContext implements Turn {
  readonly task: Turn["task"];
  readonly state: unknown;
  readonly resumed: boolean;
  readonly #item: TurnStart["item"];
  readonly #call: LiveCall | undefined;
  readonly #run: TurnRun;
  readonly #host: TurnHost;

  constructor({ item, task, state, resumed, call }: TurnStart, run: TurnRun, host: TurnHost) {
    this.task = task;
    this.state = state;
    this.resumed = resumed;
    this.#item = item;
    this.#call = call;
    this.#run = run;
    this.#host = host;
  }

  get message(): Message {
    return this.#item.message;
  }

  get user(): unknown {
    return this.#item.call?.user;
  }

  get owner(): string {
    return this.#host.scope.owner;
  }

  get tenant(): string | undefined {
    const { tenant } = this.#host.scope;
    return tenant === "" ? undefined : tenant;
  }

  get extensions(): readonly string[] {
    return this.#item.call?.extensions ?? none;
  }

  get acceptedOutputModes(): readonly string[] {
    return this.#item.call?.acceptedOutputModes ?? none;
  }

  get metadata(): JsonObject | undefined {
    return this.#item.call?.metadata;
  }

  get version(): string | undefined {
    return this.#item.call?.version;
  }

  get saved(): Turn["saved"] {
    if (this.state === undefined) return undefined;
    return this.#item.saved === true ? "this" : "earlier";
  }

  get early(): boolean {
    return this.#item.early === true;
  }

  get woken(): Turn["woken"] {
    return this.#item.woken;
  }

  get activateExtension(): Turn["activateExtension"] {
    return (uri) => this.#call?.activateExtension(uri);
  }

  get cancellation(): Turn["cancellation"] {
    return () => this.#host.cancellation();
  }

  get signal(): AbortSignal {
    return this.#host.signal();
  }

  get emit(): Turn["emit"] {
    return (update) => this.#host.emit(this.#run, update);
  }

  get checkpoint(): Turn["checkpoint"] {
    return (state) => this.#host.checkpoint(this.#run, state);
  }

  get pending(): Pending {
    return this.#host.pending(this.#run);
  }

  get untilAborted(): Turn["untilAborted"] {
    return (promise) => untilAborted(promise, this.#host.signal());
  }

  get referencedTasks(): Turn["referencedTasks"] {
    return async () => {
      const found = await this.#read([...new Set(this.message.referenceTaskIds)]);
      return found.map(({ task }) => task);
    };
  }

  get contextTasks(): Turn["contextTasks"] {
    const contextTasks = async (
      limit = defaultContextTasks,
      options?: { readonly states: true },
    ) => {
      const { store, scope } = this.#host;
      const { contextId, id } = this.task;
      const page = await store.list(scope, { contextId, limit: limit + 1, artifacts: true });
      const tasks = page.tasks
        .flatMap(({ task }) => (task.id === id ? [] : [task]))
        .slice(0, limit);
      if (options?.states !== true) return tasks;
      const found = await this.#read(tasks.map((task) => task.id));
      return found.map(({ task, checkpoint }) => ({ task, state: checkpoint }));
    };
    return contextTasks as Turn["contextTasks"];
  }

  /** Reads tasks until their number or their size reaches its limit. */
  async #read(ids: readonly string[]): Promise<Stored[]> {
    const { store, scope } = this.#host;
    const found: Stored[] = [];
    let bytes = 0;
    // Read the tasks sequentially, because each task may have the maximum size, and its size is
    // only known after reading it.
    for (const id of ids.slice(0, maxReads)) {
      const stored = await store.read(scope, id);
      if (stored === undefined) continue;
      bytes += stored.bytes;
      if (found.length > 0 && bytes > pageBytes) break;
      found.push(stored);
    }
    return found;
  }
}
