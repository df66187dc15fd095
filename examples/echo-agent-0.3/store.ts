import { TaskNotFoundError, TaskState, type Task } from "../../generated/0.3.0/index.js";
import type { Environment } from "../shared/environment.js";
import { invalid, type Webhook } from "./push.js";
import { LiveTask } from "./task.js";

/** A task with its owner and its webhooks. */
interface Entry {
  readonly owner: string;
  readonly task: LiveTask;
  readonly webhooks: Map<string, Webhook>;
}

/** Stores tasks in memory, separately for each owner. */
export class TaskStore {
  readonly #environment: Environment;
  readonly #entries = new Map<string, Entry>();

  constructor(environment: Environment) {
    this.#environment = environment;
  }

  /**
   * Creates a task in the context `contextId`, or in a new context. Its webhooks receive the task
   * after each update.
   */
  create(owner: string, contextId: string | undefined): LiveTask {
    const { now, newId } = this.#environment;
    const status = { state: TaskState.Submitted, timestamp: now().toISOString() };
    const task = new LiveTask(newId(), contextId ?? newId(), status);
    const webhooks = new Map<string, Webhook>();
    this.#entries.set(task.id, { owner, task, webhooks });
    task.listen(() => {
      for (const webhook of webhooks.values()) webhook.deliver(task.snapshot);
    });
    return task;
  }

  /**
   * Returns a task of this owner. Throws a `TaskNotFoundError` if the owner does not have the task.
   */
  task(owner: string, id: string): LiveTask {
    return this.#entry(owner, id).task;
  }

  /**
   * Returns the webhooks of a task, by their ids. Throws a `TaskNotFoundError` if the owner does
   * not have the task.
   */
  webhooks(owner: string, taskId: string): Map<string, Webhook> {
    return this.#entry(owner, taskId).webhooks;
  }

  /** Returns the tasks of all owners. */
  *allTasks(): Generator<LiveTask> {
    for (const { task } of this.#entries.values()) yield task;
  }

  /** Returns the webhooks of all tasks. */
  *allWebhooks(): Generator<Webhook> {
    for (const { webhooks } of this.#entries.values()) yield* webhooks.values();
  }

  #entry(owner: string, id: string): Entry {
    const entry = this.#entries.get(id);
    if (entry?.owner !== owner)
      throw new TaskNotFoundError(undefined, { metadata: { taskId: id } });
    return entry;
  }
}

/**
 * Returns a task with at most the `length` latest messages of its history, or all messages if
 * `length` is absent. Throws an `InvalidParamsError` for the field if `length` is negative.
 */
export function withHistory(task: Task, length: number | undefined): Task {
  if (length === undefined) return task;
  if (length < 0) throw invalid("historyLength", "must not be negative");
  const { history = [], ...rest } = task;
  return length === 0 ? rest : { ...rest, history: history.slice(-length) };
}
