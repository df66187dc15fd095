import type { TaskState } from "../model.js";
import type { Scope, TaskQuery } from "../store.js";
import { Chain } from "./chain.js";
import { compare, Order, type Position } from "./order.js";
import { Tally } from "./tally.js";
import type { TaskRecord } from "./task-record.js";

/**
 * Number of tasks above which a group keeps a separate order for each state. Smaller groups filter
 * by state.
 */
const maxUnindexed = 256;

type Filter = Pick<TaskQuery, "state" | "since" | "limit">;

/** A page of a list of tasks, and the total number of matching tasks. */
export interface Found {
  readonly records: readonly TaskRecord[];
  readonly total: number;
}

/** Tasks in list order, and the tasks of each state. */
class Group {
  readonly all = new Order<TaskRecord>();
  #states: Map<string, Order<TaskRecord>> | undefined = undefined;

  add(record: TaskRecord): void {
    this.all.add(record);
    if (this.#states !== undefined) orderOf(this.#states, record.state).add(record);
    else if (this.all.size > maxUnindexed) this.#states = this.#byState();
  }

  remove(record: TaskRecord): void {
    this.all.remove(record);
    this.#states?.get(record.state)?.remove(record);
  }

  /**
   * Returns at most `limit` tasks that follow a position in the list, and the total number of
   * matching tasks.
   */
  find({ state, since = -Infinity, limit }: Filter, before: Position | undefined): Found {
    const order =
      state === undefined || this.#states === undefined ? this.all : this.#states.get(state);
    if (order === undefined) return { records: [], total: 0 };
    const matches = (record: TaskRecord): boolean => state === undefined || record.state === state;
    const records: TaskRecord[] = [];
    order.descend(before, (record) => {
      if (record.time < since) return false;
      if (matches(record)) records.push(record);
      return records.length < limit;
    });
    if (order === this.all && state !== undefined)
      return { records, total: this.#count(matches, since) };
    return { records, total: since === -Infinity ? order.size : order.countSince(since) };
  }

  #count(matches: (record: TaskRecord) => boolean, since: number): number {
    let count = 0;
    this.all.descend(undefined, (record) => {
      if (record.time < since) return false;
      if (matches(record)) count += 1;
      return true;
    });
    return count;
  }

  #byState(): Map<string, Order<TaskRecord>> {
    const states = new Map<string, Order<TaskRecord>>();
    const ascending: TaskRecord[] = [];
    this.all.descend(undefined, (record) => ascending.push(record) > 0);
    for (const record of ascending.reverse()) orderOf(states, record.state).add(record);
    return states;
  }
}

function orderOf(states: Map<string, Order<TaskRecord>>, state: string): Order<TaskRecord> {
  let order = states.get(state);
  if (order === undefined) states.set(state, (order = new Order()));
  return order;
}

function groupOf(...records: readonly TaskRecord[]): Group {
  const group = new Group();
  for (const record of records) group.add(record);
  return group;
}

/**
 * Number of tasks at which the tasks of a scope are sorted before its first list request, so that
 * this request does not take long.
 */
const maxUnsorted = 16_384;

/** The tasks of one scope in list order. */
class SortedTasks {
  readonly all = new Group();
  /** Most contexts have only one task, which is stored directly instead of in a group. */
  readonly #contexts = new Map<string, Group | TaskRecord>();

  add(record: TaskRecord): void {
    this.all.add(record);
    const { contextId = "" } = record.log;
    const context = this.#contexts.get(contextId);
    if (context instanceof Group) context.add(record);
    else this.#contexts.set(contextId, context === undefined ? record : groupOf(context, record));
  }

  remove(record: TaskRecord): void {
    this.all.remove(record);
    const { contextId = "" } = record.log;
    const context = this.#contexts.get(contextId);
    if (context instanceof Group) context.remove(record);
    if (context === record || (context instanceof Group && context.all.size === 0))
      this.#contexts.delete(contextId);
  }

  move(record: TaskRecord, time: number, state: TaskState): void {
    const context = this.#contexts.get(record.log.contextId ?? "");
    this.all.remove(record);
    if (context instanceof Group) context.remove(record);
    record.place(time, state);
    this.all.add(record);
    if (context instanceof Group) context.add(record);
  }

  find(query: TaskQuery, before: Position | undefined): Found {
    const found = query.contextId === undefined ? this.all : this.#contexts.get(query.contextId);
    if (found === undefined) return nothing;
    return (found instanceof Group ? found : groupOf(found)).find(query, before);
  }
}

const nothing: Found = { records: [], total: 0 };

/**
 * The tasks of one scope. They are sorted when a list is first read, because many agents only read
 * single tasks and their writes then do not maintain an order.
 */
class ScopeTasks {
  readonly tally = new Tally();
  readonly #unsorted = new Chain<TaskRecord>();
  #sorted: SortedTasks | undefined = undefined;

  get isEmpty(): boolean {
    return (this.#sorted?.all.all.size ?? this.#unsorted.size) === 0;
  }

  add(record: TaskRecord): void {
    record.tallyIn(this.tally);
    if (this.#sorted !== undefined) this.#sorted.add(record);
    else {
      this.#unsorted.add(record);
      if (this.#unsorted.size >= maxUnsorted) this.#sort();
    }
  }

  remove(record: TaskRecord): void {
    record.untally();
    if (this.#sorted === undefined) this.#unsorted.remove(record);
    else this.#sorted.remove(record);
  }

  move(record: TaskRecord, time: number, state: TaskState): void {
    if (this.#sorted === undefined) record.place(time, state);
    else this.#sorted.move(record, time, state);
  }

  find(query: TaskQuery, before: Position | undefined): Found {
    return this.#sort().find(query, before);
  }

  /** Adds tasks of the scope to a list until the list contains `limit` tasks. */
  collect(found: TaskRecord[], limit: number): void {
    for (const record of this.#unsorted) {
      if (found.length >= limit) return;
      found.push(record);
    }
    this.#sorted?.all.all.descend(undefined, (record) => found.push(record) < limit);
  }

  #sort(): SortedTasks {
    if (this.#sorted !== undefined) return this.#sorted;
    const sorted = (this.#sorted = new SortedTasks());
    const records = [...this.#unsorted];
    for (const record of records) this.#unsorted.remove(record);
    for (const record of records.sort(compare)) sorted.add(record);
    return sorted;
  }
}

/** All tasks, by scope. */
export class TaskIndex {
  readonly #tenants = new Map<string, Map<string, ScopeTasks>>();

  add(record: TaskRecord): void {
    this.#tasksOf(record.scope).add(record);
  }

  /** Moves a task to its position after a status change. */
  move(record: TaskRecord, time: number, state: TaskState): void {
    const { tenant, owner } = record.scope;
    this.#tenants.get(tenant)?.get(owner)?.move(record, time, state);
  }

  remove(record: TaskRecord): void {
    const { scope } = record;
    const owners = this.#tenants.get(scope.tenant);
    const tasks = owners?.get(scope.owner);
    if (owners === undefined || tasks === undefined) return;
    tasks.remove(record);
    if (tasks.isEmpty) owners.delete(scope.owner);
    if (owners.size === 0) this.#tenants.delete(scope.tenant);
  }

  /** Returns the tasks of a scope that match a query and follow a position in the list. */
  find({ tenant, owner }: Scope, query: TaskQuery, before: Position | undefined): Found {
    return this.#tenants.get(tenant)?.get(owner)?.find(query, before) ?? nothing;
  }

  /** Returns the usage of a scope, or `undefined` if it has no tasks. */
  tally({ tenant, owner }: Scope): Tally | undefined {
    return this.#tenants.get(tenant)?.get(owner)?.tally;
  }

  /** Returns at most `limit` tasks of a tenant, or of one of its owners. */
  some(tenant: string, owner: string | undefined, limit: number): TaskRecord[] {
    const owners = this.#tenants.get(tenant);
    if (owners === undefined) return [];
    const found: TaskRecord[] = [];
    for (const tasks of owner === undefined ? owners.values() : [owners.get(owner)]) {
      if (found.length >= limit) break;
      tasks?.collect(found, limit);
    }
    return found;
  }

  #tasksOf({ tenant, owner }: Scope): ScopeTasks {
    let owners = this.#tenants.get(tenant);
    if (owners === undefined) this.#tenants.set(tenant, (owners = new Map<string, ScopeTasks>()));
    let tasks = owners.get(owner);
    if (tasks === undefined) owners.set(owner, (tasks = new ScopeTasks()));
    return tasks;
  }
}
