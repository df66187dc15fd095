import {
  type Artifact,
  type Message,
  Role,
  type Task,
  TaskState,
  type TaskStatus,
} from "../../../kit/model.js";
import { ok } from "./assert.js";
import type {
  Appended,
  Claim,
  CreateOptions,
  Entry,
  EventEntry,
  InboxItem,
  Lease,
  MessageEntry,
  Reset,
  Scope,
  TaskStore,
  Watch,
  Webhook,
} from "../../../kit/store.js";

/** Duration in milliseconds of leases that should expire during a case. */
export const shortMs = 150;

/** Time of the first status of each task, in milliseconds since 1970. */
export const start: number = Date.UTC(2026, 0, 1);

/** A new task, and its lease, which the bench holds. */
export interface Opened {
  readonly id: string;
  readonly task: Task;
  readonly lease: Lease;
}

/** The data that a case damages: the snapshot of a task, or one of its webhooks. */
export interface DamageTarget {
  readonly taskId: string;
  readonly webhookId?: string;
}

/** Replaces data of a store with a string. */
export type Damage = (target: DamageTarget, text: string) => void | Promise<void>;

/** Cases of the contract: the title of each case, and the function that tests it. */
export type Cases = Readonly<Record<string, (bench: Bench) => Promise<void>>>;

/**
 * Environment of a case: an empty store, and functions that create data in the store. All created
 * values are frozen.
 */
export class Bench {
  readonly store: TaskStore;
  /** Advances the time of the store. */
  readonly pass: (ms: number) => Promise<void>;
  readonly scope: Scope = freeze({ tenant: "tenant", owner: "owner" });
  readonly claim: Claim = freeze({ holder: "process-1", ttlMs: 600_000 });
  readonly shortClaim: Claim = freeze({ holder: "process-1", ttlMs: shortMs });
  /** Damages data of the store. Absent if the tests of the store do not support it. */
  readonly damage: Damage | undefined;
  /** Number of databases to which `maxCount` applies in equal parts. */
  readonly databases: number;
  readonly #timeoutMs: number;
  #ids = 0;

  constructor(
    store: TaskStore,
    timeoutMs: number,
    advance: ((ms: number) => void | Promise<void>) | undefined,
    damage?: Damage,
    databases = 1,
  ) {
    this.store = store;
    this.damage = damage;
    this.databases = databases;
    this.#timeoutMs = timeoutMs;
    this.pass = async (ms) => {
      if (advance === undefined) await sleep(ms);
      else await advance(ms);
    };
  }

  /** Returns an id that is greater than all previous ids. */
  id(prefix = "id"): string {
    this.#ids += 1;
    return `${prefix}-${String(this.#ids).padStart(4, "0")}`;
  }

  task(fields: Partial<Task> = {}): Task {
    const id = this.id("task");
    const status = statusOf(TaskState.Submitted);
    return freeze({
      id,
      contextId: `context of ${id}`,
      status,
      history: [userMessage("begin")],
      ...fields,
    });
  }

  /** Creates a task whose lease the bench holds. */
  async open(fields: Partial<Task> = {}, options: Partial<CreateOptions> = {}): Promise<Opened> {
    const task = this.task(fields);
    const lease = await this.store.create(task, this.options({ claim: this.claim, ...options }));
    if (lease === undefined) throw new Error("`create` with a claim must resolve to a lease");
    return { id: task.id, task, lease };
  }

  /** Creates a task without a lease holder, such as a task that waits for its caller. */
  async rest(fields: Partial<Task> = {}): Promise<Task> {
    const task = this.task({ status: statusOf(TaskState.InputRequired), ...fields });
    await this.store.create(task, this.options());
    return task;
  }

  options(options: Partial<CreateOptions> = {}): CreateOptions {
    return { scope: this.scope, turn: this.item("begin"), ...options };
  }

  /** Returns an inbox item with a message. */
  item(text: string): InboxItem & { readonly message: Message } {
    return freeze({ id: this.id("item"), message: userMessage(text) });
  }

  webhook(taskId: string, id: string, fields: Partial<Webhook> = {}): Webhook {
    return freeze({
      taskId,
      id,
      config: { id, url: `https://${id}.example/` },
      version: "1.0",
      after: 1,
      ...fields,
    });
  }

  /** Calls a function until it returns a value. */
  async eventually<T>(
    event: string,
    call: () => T | undefined | Promise<T | undefined>,
  ): Promise<T> {
    const end = Date.now() + this.#timeoutMs;
    do {
      const found = await call();
      if (found !== undefined) return found;
      await this.pass(5);
      // Yield even if the clock is advanced, because an expected event may require an iteration of
      // the event loop.
      await sleep(0);
    } while (Date.now() < end);
    throw new Error(`Timed out while waiting for ${event}`);
  }

  /** Waits for the next result of a watch. The result is `undefined` after the watch is closed. */
  async nextOf(watch: Watch): Promise<readonly Entry[] | Reset | undefined> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        reject(new Error("Timed out while waiting for the next result of a watch"));
      }, this.#timeoutMs);
    });
    return Promise.race([watch.next(), late]).finally(() => {
      clearTimeout(timer);
    });
  }

  /**
   * Reads a watch up to a generation. Returns the entries, and the tasks that replaced missing
   * entries.
   */
  async entriesUntil(watch: Watch, generation: number): Promise<readonly (Entry | Reset)[]> {
    const found: (Entry | Reset)[] = [];
    for (let reached = 0; reached < generation;) {
      const next = await this.nextOf(watch);
      if (next === undefined) throw new Error("A watch must not end before `close` is called");
      const batch = "reset" in next ? [next] : next;
      for (const entry of batch) found.push(entry);
      const last = batch.at(-1);
      if (last === undefined) throw new Error("A watch must not return an empty list of entries");
      reached = "reset" in last ? last.reset.generation : last.generation;
    }
    return found;
  }
}

/** Result of a claim that does not find any tasks or webhooks. */
export const nothingClaimed = { rows: [], unreadable: [], hasMore: false } as const;

/** Returns a task without its size, which depends on the format of a store. */
export function unsized<T extends { readonly bytes: number }>(
  stored: T | undefined,
): Omit<T, "bytes"> | undefined {
  if (stored === undefined) return undefined;
  const { bytes, ...rest } = stored;
  ok(Number.isFinite(bytes), "the size of a task must be a number");
  return rest;
}

/** Returns the members of an append's result that have the same value in all stores. */
export function foundOf({ inbox, released }: Appended): Pick<Appended, "inbox" | "released"> {
  return { inbox, released };
}

/** Freezes a value and all of its members, because a store must not change them. */
export function freeze<T>(value: T): T {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const member of Object.values(value) as unknown[]) freeze(member);
  return value;
}

/** Returns a status that was reached some seconds after {@link start}. */
export function statusOf(state: TaskState, seconds = 0, message?: Message): TaskStatus {
  const timestamp = new Date(start + seconds * 1_000).toISOString();
  return { state, timestamp, ...(message !== undefined && { message }) };
}

export function statusEntry(
  { id }: Pick<Task, "id">,
  generation: number,
  status: TaskStatus,
): EventEntry {
  return freeze({
    generation,
    event: { statusUpdate: { taskId: id, contextId: `context of ${id}`, status } },
  });
}

/** Returns an entry that sets the task to working. */
export function working(task: Pick<Task, "id">, generation: number): EventEntry {
  return statusEntry(task, generation, statusOf(TaskState.Working, generation));
}

/** Returns consecutive entries that set the task to working. */
export function workingUntil(task: Pick<Task, "id">, first: number, last: number): EventEntry[] {
  return Array.from({ length: last - first + 1 }, (_, at) => working(task, first + at));
}

export function chunkEntry(
  { id }: Pick<Task, "id">,
  generation: number,
  artifact: Artifact,
  append = false,
): EventEntry {
  return freeze({
    generation,
    event: { artifactUpdate: { taskId: id, contextId: `context of ${id}`, artifact, append } },
  });
}

export function messageEntry(
  generation: number,
  item: InboxItem & { readonly message: Message },
): MessageEntry {
  return freeze({ generation, message: item.message, item: item.id });
}

export function userMessage(text: string): Message {
  return { messageId: `message ${text}`, role: Role.User, parts: [{ text }] };
}

export function agentMessage(text: string): Message {
  return { ...userMessage(text), role: Role.Agent };
}

export function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
