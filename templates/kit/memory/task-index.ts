import type { TaskState } from "../model.js";
import type { Scope, TaskQuery } from "../store.js";
import { Order, type Position } from "./order.js";
import { Tally } from "./tally.js";
import type { TaskRecord } from "./task-record.js";

/** Minimum number of tasks at which a group keeps a separate order for each state. Smaller groups filter by state. */
const manyTasks = 256;

type Filter = Pick<TaskQuery, "state" | "since" | "limit">;

/** Some tasks of a list, and the total number of matching tasks. */
export interface Found {
  readonly records: readonly TaskRecord[];
  readonly total: number;
}

/** Tasks in list order, and the tasks of each state. */
class Group {
  readonly all = new Order<TaskRecord>();
  #states: Map<TaskState, Order<TaskRecord>> | undefined = undefined;

  add(record: TaskRecord): void {
    this.all.add(record);
    if (this.#states !== undefined) orderOf(this.#states, record.state).add(record);
    else if (this.all.size > manyTasks) this.#states = this.#byState();
  }

  remove(record: TaskRecord): void {
    this.all.remove(record);
    this.#states?.get(record.state)?.remove(record);
  }

  /** Returns at most `limit` tasks that follow a position in the list. */
  find({ state, since = -Infinity, limit }: Filter, before: Position | undefined): Found {
    const order = state === undefined || this.#states === undefined ? this.all : this.#states.get(state);
    if (order === undefined) return { records: [], total: 0 };
    const matches = (record: TaskRecord): boolean => state === undefined || record.state === state;
    const records: TaskRecord[] = [];
    order.descend(before, (record) => {
      if (record.time < since) return false;
      if (matches(record)) records.push(record);
      return records.length < limit;
    });
    if (order === this.all && state !== undefined) return { records, total: this.#count(matches, since) };
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

  #byState(): Map<TaskState, Order<TaskRecord>> {
    const states = new Map<TaskState, Order<TaskRecord>>();
    const ascending: TaskRecord[] = [];
    this.all.descend(undefined, (record) => ascending.push(record) > 0);
    for (const record of ascending.reverse()) orderOf(states, record.state).add(record);
    return states;
  }
}

function orderOf(states: Map<TaskState, Order<TaskRecord>>, state: TaskState): Order<TaskRecord> {
  let order = states.get(state);
  if (order === undefined) states.set(state, (order = new Order()));
  return order;
}

function groupOf(...records: readonly TaskRecord[]): Group {
  const group = new Group();
  for (const record of records) group.add(record);
  return group;
}

/** The tasks of one scope. */
interface ScopeTasks {
  readonly all: Group;
  readonly tally: Tally;
  /** Most contexts have only one task, which is stored directly instead of a group. */
  readonly contexts: Map<string, Group | TaskRecord>;
}

/** All tasks in list order, by scope and by context. */
export class TaskIndex {
  readonly #tenants = new Map<string, Map<string, ScopeTasks>>();

  add(record: TaskRecord): void {
    const tasks = this.#tasksOf(record.scope);
    tasks.all.add(record);
    record.tallyIn(tasks.tally);
    const { contextId = "" } = record.log;
    const context = tasks.contexts.get(contextId);
    if (context instanceof Group) context.add(record);
    else tasks.contexts.set(contextId, context === undefined ? record : groupOf(context, record));
  }

  /** Moves a task to its position after a status change. */
  move(record: TaskRecord, time: number, state: TaskState): void {
    const { tenant, owner } = record.scope;
    const tasks = this.#tenants.get(tenant)?.get(owner);
    const context = tasks?.contexts.get(record.log.contextId ?? "");
    tasks?.all.remove(record);
    if (context instanceof Group) context.remove(record);
    record.time = time;
    record.state = state;
    tasks?.all.add(record);
    if (context instanceof Group) context.add(record);
  }

  remove(record: TaskRecord): void {
    const { scope } = record;
    const owners = this.#tenants.get(scope.tenant);
    const tasks = owners?.get(scope.owner);
    if (owners === undefined || tasks === undefined) return;
    tasks.all.remove(record);
    record.untally();
    const { contextId = "" } = record.log;
    const context = tasks.contexts.get(contextId);
    if (context instanceof Group) context.remove(record);
    if (context === record || (context instanceof Group && context.all.size === 0)) tasks.contexts.delete(contextId);
    if (tasks.all.all.size === 0) owners.delete(scope.owner);
    if (owners.size === 0) this.#tenants.delete(scope.tenant);
  }

  /** Returns the tasks of a scope that match a query and follow a position in the list. */
  find({ tenant, owner }: Scope, query: TaskQuery, before: Position | undefined): Found {
    const tasks = this.#tenants.get(tenant)?.get(owner);
    const found = query.contextId === undefined ? tasks?.all : tasks?.contexts.get(query.contextId);
    if (found === undefined) return { records: [], total: 0 };
    return (found instanceof Group ? found : groupOf(found)).find(query, before);
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
      tasks?.all.all.descend(undefined, (record) => found.push(record) < limit);
    }
    return found;
  }

  #tasksOf({ tenant, owner }: Scope): ScopeTasks {
    let owners = this.#tenants.get(tenant);
    if (owners === undefined) this.#tenants.set(tenant, (owners = new Map<string, ScopeTasks>()));
    let tasks = owners.get(owner);
    if (tasks === undefined)
      owners.set(
        owner,
        (tasks = { all: new Group(), tally: new Tally(), contexts: new Map<string, Group | TaskRecord>() }),
      );
    return tasks;
  }
}
