import type { JsonObject } from "../runtime/base/json.js";
import type { Message, Task } from "../models.js";
import type { InboxItem, Scope, Stored, TaskStore } from "./store.js";
import type { Pending, Turn } from "./turn.js";
import type { Update } from "./updates.js";

/** What a turn does through its worker. */
export interface TurnHooks {
  readonly store: TaskStore;
  readonly scope: Scope;
  readonly signal: () => AbortSignal;
  readonly emit: (update: Update) => Promise<void>;
  readonly checkpoint: (state: unknown) => Promise<void>;
  readonly pending: Pending;
}

/** What a turn begins with. */
export interface TurnStart {
  readonly item: InboxItem & { readonly message: Message };
  readonly task: Turn["task"];
  readonly state: unknown;
  readonly resumed: boolean;
}

/** How many tasks a turn gets that its message refers to: each is a question to the store. */
const maxReferences = 100;

/** How many other tasks of a context a turn gets if it does not say. */
const defaultRelated = 20;

/** What a turn has to work with. The members that are functions are bound, so that a turn may take them apart. */
export class TurnContext implements Turn {
  readonly message: Message;
  readonly task: Turn["task"];
  readonly state: unknown;
  readonly resumed: boolean;
  readonly user: unknown;
  readonly tenant: string | undefined;
  readonly extensions: readonly string[];
  readonly acceptedOutputModes: readonly string[];
  readonly metadata: JsonObject | undefined;
  readonly emit: Turn["emit"];
  readonly checkpoint: Turn["checkpoint"];
  readonly pending: Pending;
  readonly #hooks: TurnHooks;

  constructor({ item, task, state, resumed }: TurnStart, hooks: TurnHooks) {
    const { call } = item;
    this.message = item.message;
    this.task = task;
    this.state = state;
    this.resumed = resumed;
    this.user = call?.user;
    this.tenant = hooks.scope.tenant === "" ? undefined : hooks.scope.tenant;
    this.extensions = call?.extensions ?? [];
    this.acceptedOutputModes = call?.acceptedOutputModes ?? [];
    this.metadata = call?.metadata;
    this.emit = hooks.emit;
    this.checkpoint = hooks.checkpoint;
    this.pending = hooks.pending;
    this.#hooks = hooks;
  }

  /** Made when it is first asked for: most turns do without, and a controller costs more than a small turn. */
  get signal(): AbortSignal {
    return this.#hooks.signal();
  }

  readonly race = <T>(promise: PromiseLike<T>): Promise<T> => untilAborted(promise, this.#hooks.signal());

  readonly references = async (): Promise<readonly Task[]> => {
    const { store, scope } = this.#hooks;
    const ids = [...new Set(this.message.referenceTaskIds)].slice(0, maxReferences);
    const found = await Promise.all(ids.map((id) => store.read(scope, id)));
    return found.flatMap((stored) => (stored === undefined ? [] : [stored.task]));
  };

  readonly related = async (limit: number = defaultRelated): Promise<readonly Task[]> => {
    const { store, scope } = this.#hooks;
    const { contextId, id } = this.task;
    const { tasks } = await store.list(scope, { contextId, limit: limit + 1 });
    return tasks.flatMap(({ task }: Stored) => (task.id === id ? [] : [task])).slice(0, limit);
  };
}

/** Waits for a promise, or rejects with the reason of a signal that fires before. Leaves no listener behind. */
export async function untilAborted<T>(promise: PromiseLike<T>, signal: AbortSignal): Promise<T> {
  let abort: () => void = () => undefined;
  const aborted = new Promise<undefined>((resolve) => {
    abort = () => {
      resolve(undefined);
    };
    signal.addEventListener("abort", abort, { once: true });
  });
  try {
    // What loses the race is waited for all the same, so that its rejection is handled.
    const race = Promise.race([promise.then((value) => ({ value })), signal.aborted ? undefined : aborted]);
    const found = await race;
    if (found !== undefined) return found.value;
    throw signal.reason;
  } finally {
    signal.removeEventListener("abort", abort);
  }
}
