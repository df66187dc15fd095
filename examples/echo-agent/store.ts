import {
  TaskNotFoundError,
  TaskState,
  type ListTasksRequest,
  type ListTasksResponse,
  type Task,
} from "../../generated/1.0/index.js";
import type { Environment } from "../shared/environment.js";
import { page, pageSizeOf } from "./paging.js";
import type { Webhook } from "./push.js";
import { LiveTask } from "./task.js";

/** A task with what belongs to it. */
interface Entry {
  readonly task: LiveTask;
  readonly webhooks: Map<string, Webhook>;
  /** Orders tasks by the time of their status; the number tells those of one millisecond apart. */
  rank: string;
}

/** Keeps the tasks of every owner apart, in memory. */
export class TaskStore {
  readonly #environment: Environment;
  readonly #spaces = new Map<string, TaskSpace>();

  constructor(environment: Environment) {
    this.#environment = environment;
  }

  /** Returns what belongs to one owner. Nobody else can see it. */
  space(owner: string): TaskSpace {
    const found = this.#spaces.get(owner);
    if (found !== undefined) return found;
    const space = new TaskSpace(this.#environment);
    this.#spaces.set(owner, space);
    return space;
  }

  /** Returns the tasks of all owners. */
  *tasks(): Generator<LiveTask> {
    for (const space of this.#spaces.values()) yield* space.tasks();
  }

  /** Returns the webhooks of all tasks. */
  *webhooks(): Generator<Webhook> {
    for (const space of this.#spaces.values()) yield* space.allWebhooks();
  }
}

/** The tasks of one owner, with their webhooks. */
export class TaskSpace {
  readonly #environment: Environment;
  readonly #entries = new Map<string, Entry>();
  #changes = 0;

  constructor(environment: Environment) {
    this.#environment = environment;
  }

  /** Makes a task in the conversation `contextId`, or in a new one. Its webhooks hear of every update. */
  create(contextId: string | undefined): LiveTask {
    const { now, newId } = this.#environment;
    const status = { state: TaskState.Submitted, timestamp: now().toISOString() };
    const task = new LiveTask(newId(), contextId ?? newId(), status);
    const entry: Entry = { task, webhooks: new Map(), rank: this.#rank(task.snapshot) };
    this.#entries.set(task.id, entry);
    task.listen((update) => {
      if (update.statusUpdate !== undefined) entry.rank = this.#rank(task.snapshot);
      for (const webhook of entry.webhooks.values()) webhook.deliver(update);
    });
    return task;
  }

  /** Returns a task. Throws a `TaskNotFoundError` where there is none. */
  task(id: string): LiveTask {
    return this.#entry(id).task;
  }

  /** Returns the webhooks of a task, by their ids. Throws a `TaskNotFoundError` where there is no such task. */
  webhooks(taskId: string): Map<string, Webhook> {
    return this.#entry(taskId).webhooks;
  }

  /** Returns the tasks that the request asks for, newest status first. Throws an `InvalidParamsError`. */
  list(request: ListTasksRequest): Omit<ListTasksResponse, "tasks"> & { readonly tasks: readonly Task[] } {
    const entries = [...this.#entries.values()].filter(({ task }) => matches(task.snapshot, request));
    entries.sort((a, b) => (a.rank < b.rank ? 1 : -1));
    const { items, nextPageToken } = page(entries, ({ rank }) => rank, request);
    const tasks = items.map(({ task }) => task.snapshot);
    return { tasks, nextPageToken, pageSize: pageSizeOf(request), totalSize: entries.length };
  }

  /** Returns all tasks. */
  *tasks(): Generator<LiveTask> {
    for (const { task } of this.#entries.values()) yield task;
  }

  /** Returns the webhooks of all tasks. */
  *allWebhooks(): Generator<Webhook> {
    for (const { webhooks } of this.#entries.values()) yield* webhooks.values();
  }

  #entry(id: string): Entry {
    const entry = this.#entries.get(id);
    if (entry === undefined) throw new TaskNotFoundError(undefined, { metadata: { taskId: id } });
    return entry;
  }

  #rank({ status }: Task): string {
    this.#changes += 1;
    return `${status.timestamp ?? ""} ${String(this.#changes).padStart(12, "0")}`;
  }
}

function matches({ contextId, status }: Task, request: ListTasksRequest): boolean {
  if (request.contextId && contextId !== request.contextId) return false;
  if (request.status && status.state !== request.status) return false;
  const after = request.statusTimestampAfter;
  return after === undefined || Date.parse(status.timestamp ?? "") >= Date.parse(after);
}

/** Returns a task with at most the `length` latest messages of its history; all of them where `length` is absent. */
export function withHistory(task: Task, length: number | undefined): Task {
  if (length === undefined) return task;
  const { history = [], ...rest } = task;
  return length === 0 ? rest : { ...rest, history: history.slice(-length) };
}

/** Returns a task without what it has produced. */
export function withoutArtifacts({ artifacts: _left, ...rest }: Task): Task {
  return rest;
}
