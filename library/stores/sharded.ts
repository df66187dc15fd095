import type { Task } from "../kit/model.js";
import { isOfOtherCopy, markAsOwn } from "../kit/store.js";
import type {
  Appended,
  AppendOptions,
  Claim,
  Claimed,
  CreateOptions,
  Delivery,
  Entry,
  ErasureTarget,
  Expected,
  HeldLease,
  InboxItem,
  Lease,
  Leased,
  Posted,
  Renewed,
  Retention,
  Scope,
  Stored,
  TaskPage,
  TaskQuery,
  TaskStore,
  Usage,
  Watch,
  Webhook,
  WebhookLease,
} from "../kit/store.js";
import { timeoutOf, ShardClaims } from "./sharded/claims.js";
import { Lane, lateError, type Reply } from "./sharded/lane.js";
import { Configuration, Member } from "./sharded/member.js";
import { assign, type Assigned, keyOf, type ShardStore, shardOf } from "./sharded/shards.js";

export { ShardError } from "./sharded/marks.js";
export type { ShardStore } from "./sharded/shards.js";

/** Options for {@link shardedStore}. */
export interface ShardedStoreOptions {
  /**
   * Number of shards; 16 by default. It limits the number of stores, and cannot change once tasks
   * are stored.
   */
  readonly shards?: number;
  /**
   * Returns the key of an owner. Owners with the same key are in the same shard. The key of an
   * owner must never change. By default, the tenant and the owner.
   */
  readonly key?: (scope: Scope) => string;
}

/** A store that spreads owners over several stores. */
export interface ShardedStore extends TaskStore {
  /** Closes all stores that have a method `close`. Their database connections stay open. */
  close(): void;
}

/** Number of tasks that `deleteExpired` deletes by default. */
const defaultStep = 100;

/** Time in milliseconds that `deleteExpired` waits for a store. */
const deleteWithinMs = 5_000;

/**
 * Returns a store that spreads owners over several stores of any kind. All tasks of an owner are in
 * one shard, and each shard is in one store. If a store fails, only calls for its owners fail.
 *
 * The first call marks each database with its shards. If a database does not match the
 * configuration, all calls reject with a `ShardError`.
 * @param stores The stores, in an order that never changes, or stores with the shards that they
 *   hold.
 * @throws A `TypeError` or a `RangeError` if a shard has no store or several stores, or a store
 *   cannot be marked.
 *
 * @example
 * const store = shardedStore([postgresStore(one), postgresStore(two)]);
 */
export function shardedStore(
  stores: readonly (TaskStore | ShardStore)[],
  options: ShardedStoreOptions = {},
): ShardedStore {
  const { shards = 16, key = keyOf } = options;
  const assigned = assign(stores, shards);
  for (const { name, store } of assigned) {
    if (typeof store.mark !== "function")
      throw new TypeError(`The store ${name} must have a method \`mark\``);
    if (isOfOtherCopy(store))
      throw new TypeError(
        `The store ${name} is from another copy of a2a-codegen-runtime or of its modules: run ` +
          "`npm dedupe`",
      );
  }
  const layout = { all: assigned, count: shards, key: signatureOf(key) };
  const configuration = new Configuration(layout);
  // The store returns the tasks that it was given, so they have the types of the output.
  return new Shards(assigned, configuration, (scope) => shardOf(checkedKey(key(scope)), shards));
}

function checkedKey(key: unknown): string {
  if (typeof key === "string") return key;
  throw new TypeError(`\`key\` of shardedStore must return a string, got ${typeof key}`);
}

/** Owners for which two functions `key` are compared. */
const samples: readonly Scope[] = [
  { tenant: "", owner: "" },
  { tenant: "", owner: "owner" },
  { tenant: "tenant", owner: "owner" },
];

/**
 * Returns a text by which a changed function is found. The function may refuse owners that cannot
 * exist.
 */
function signatureOf(key: (scope: Scope) => string): string {
  const keys = samples.map((scope) => {
    try {
      return key(scope);
    } catch {
      return undefined;
    }
  });
  return shardOf(JSON.stringify(keys), 2 ** 32).toString(36);
}

class Shards implements ShardedStore {
  readonly #members: readonly Member[];
  /** The store of each shard. */
  readonly #byShard = new Map<number, Member>();
  readonly #shardOf: (scope: Scope) => number;
  readonly #renewals = new Map<Member, Lane<Renewed>>();
  readonly #deletions: readonly Lane<number>[];
  readonly #expired: ShardClaims<Leased>;
  readonly #due: ShardClaims<WebhookLease>;
  readonly #listeners = new Set<() => boolean>();
  #hasBegun = false;

  constructor(
    all: readonly Assigned[],
    configuration: Configuration,
    shardOfScope: (scope: Scope) => number,
  ) {
    this.#shardOf = shardOfScope;
    this.#members = all.map((assigned) => {
      const member = new Member(assigned, configuration);
      for (const shard of assigned.shards) this.#byShard.set(shard, member);
      this.#renewals.set(member, new Lane(member));
      return member;
    });
    this.#deletions = this.#members.map((member) => new Lane(member));
    this.#expired = new ShardClaims(this.#members, ({ lease }, member) => {
      this.#checkPlace(lease.scope, member);
    });
    const onLate = (): void => {
      for (const listener of [...this.#listeners]) listener();
    };
    this.#due = new ShardClaims(
      this.#members,
      ({ scope }, member) => {
        this.#checkPlace(scope, member);
      },
      onLate,
    );
    markAsOwn(this);
  }

  create(task: Task, options: CreateOptions): Promise<Lease | undefined> {
    return this.#in(options.scope, (store) => store.create(task, options));
  }

  read(scope: Scope, id: string): Promise<Stored | undefined> {
    return this.#in(scope, (store) => store.read(scope, id));
  }

  post(
    scope: Scope,
    id: string,
    item: InboxItem,
    claim: Claim,
    expected?: Expected,
  ): Promise<Posted | undefined> {
    return this.#in(scope, (store) => store.post(scope, id, item, claim, expected));
  }

  append(lease: Lease, entries: readonly Entry[], options?: AppendOptions): Promise<Appended> {
    return this.#in(lease.scope, (store) => store.append(lease, entries, options));
  }

  watch(scope: Scope, id: string, after: number): Watch {
    return this.#of(scope).store.watch(scope, id, after);
  }

  list(scope: Scope, query: TaskQuery): Promise<TaskPage> {
    return this.#in(scope, (store) => store.list(scope, query));
  }

  async renew(leases: readonly Lease[], claim: Claim): Promise<Renewed> {
    const parts = new Map<Member, Lease[]>();
    for (const lease of leases) {
      const member = this.#of(lease.scope);
      const part = parts.get(member);
      if (part === undefined) parts.set(member, [lease]);
      else part.push(lease);
    }
    const found = await Promise.all(
      [...parts].map(([member, part]) => this.#renewIn(member, part, claim)),
    );
    const held = found.flatMap((renewed) => renewed.held);
    const unknown = found.flatMap((renewed) => renewed.unknown ?? []);
    const errors = found.flatMap((renewed) => renewed.errors ?? []);
    return {
      held,
      ...(unknown.length > 0 && { unknown }),
      ...(errors.length > 0 && { errors }),
    };
  }

  async #renewIn(member: Member, leases: readonly Lease[], claim: Claim): Promise<Renewed> {
    const lane = claim.ttlMs === 0 ? new Lane<Renewed>(member) : this.#renewals.get(member);
    const unknown = { unknown: leases, errors: [lateError(member.name)] };
    if (lane === undefined || lane.isBusy) return { held: [], ...unknown };
    const held = heldBy(lane.takeKept(), leases);
    const reply = await lane.ask(
      () => member.call((store) => store.renew(leases, claim)),
      timeoutOf(claim),
    );
    if (reply.outcome === "done") return reply.value;
    if (reply.outcome === "late") return { held, ...unknown };
    return { held, unknown: leases, errors: [reply.error] };
  }

  claimExpired(claim: Claim, limit: number, everyMs?: number): Promise<Claimed<Leased>> {
    this.#begin();
    return this.#expired.claim(
      claim,
      limit,
      (store, share, pace) => store.claimExpired(claim, share, pace),
      everyMs,
    );
  }

  putWebhook(scope: Scope, webhook: Webhook, max?: number): Promise<"put" | "full" | undefined> {
    return this.#in(scope, (store) => store.putWebhook(scope, webhook, max));
  }

  webhooks(scope: Scope, taskId: string): Promise<readonly Webhook[] | undefined> {
    return this.#in(scope, (store) => store.webhooks(scope, taskId));
  }

  deleteWebhook(scope: Scope, taskId: string, id: string): Promise<boolean> {
    return this.#in(scope, (store) => store.deleteWebhook(scope, taskId, id));
  }

  claimWebhooks(claim: Claim, limit: number): Promise<Claimed<WebhookLease>> {
    this.#begin();
    return this.#due.claim(claim, limit, (store, share) => store.claimWebhooks(claim, share));
  }

  delivered(lease: WebhookLease, outcome: Delivery): Promise<void> {
    return this.#in(lease.scope, (store) => store.delivered(lease, outcome));
  }

  /**
   * Deletes expired tasks and logs of all stores. `maxCount` applies in equal parts to the stores.
   * Rejects with the error of a store once the remaining stores have nothing to delete.
   */
  async deleteExpired(retention: Retention): Promise<number> {
    const { maxCount, step = defaultStep } = retention;
    const parts = this.#members.length;
    const part = maxCount === undefined ? {} : { maxCount: Math.ceil(maxCount / parts) };
    let sum = 0;
    let failure: Error | undefined;
    let open = this.#deletions.filter((lane) => {
      lane.takeKept();
      if (lane.isBusy) failure ??= lateError(lane.member.name);
      return !lane.isBusy;
    });
    while (sum < step && open.length > 0) {
      const asked = open.slice(0, step - sum);
      const share = Math.floor((step - sum) / asked.length);
      const replies = await Promise.all(
        asked.map((lane) =>
          lane.ask(
            () =>
              lane.member.call((store) =>
                store.deleteExpired({ ...retention, ...part, step: share }),
              ),
            deleteWithinMs,
          ),
        ),
      );
      const again = asked.filter((lane, at) => {
        const reply = replies.at(at);
        if (reply?.outcome === "failed") failure ??= reply.error;
        if (reply?.outcome === "late") failure ??= lateError(lane.member.name);
        if (reply?.outcome !== "done") return false;
        sum += reply.value;
        return reply.value >= share;
      });
      open = [...open.slice(asked.length), ...again];
    }
    if (sum === 0 && failure !== undefined) throw failure;
    return sum;
  }

  usage(scope: Scope, withStored: boolean): Promise<Usage> {
    return this.#in(scope, (store) => store.usage(scope, withStored));
  }

  async erase(target: ErasureTarget, step: number): Promise<number> {
    const { tenant, owner } = target;
    if (owner !== undefined)
      return this.#in({ tenant, owner }, (store) => store.erase(target, step));
    let sum = 0;
    // A store that fails makes the call fail, because its tasks would not be deleted.
    for (const member of this.#members)
      if (sum < step) sum += await member.call((store) => store.erase(target, step - sum));
    return sum;
  }

  onDue(listener: () => boolean): () => void {
    // The same function may be added several times.
    const own = (): boolean => listener();
    this.#listeners.add(own);
    const stops = this.#members.map(({ store }) => store.onDue?.(own));
    return () => {
      this.#listeners.delete(own);
      for (const stop of stops) stop?.();
    };
  }

  close(): void {
    for (const { store } of this.#members) {
      const close: unknown = Reflect.get(store, "close");
      if (typeof close === "function") Reflect.apply(close, store, []);
    }
  }

  #of(scope: Scope): Member {
    const member = this.#byShard.get(this.#shardOf(scope));
    if (member === undefined) throw new Error("Each shard has a store");
    return member;
  }

  /**
   * Throws a `ShardError` if a database contains a task that belongs to another database. The turns
   * of such a task could not write.
   */
  #checkPlace(scope: Scope, member: Member): void {
    const owner = this.#of(scope);
    if (owner !== member) member.refuseTasksOf(owner);
  }

  async #in<T>(scope: Scope, use: (store: TaskStore) => Promise<T>): Promise<T> {
    this.#begin();
    return this.#of(scope).call(use);
  }

  /**
   * Checks all databases with the first call, so that a database that does not match is noticed
   * even if no call needs it.
   */
  #begin(): void {
    if (this.#hasBegun) return;
    this.#hasBegun = true;
    // Calls to a store that fails get its error.
    for (const member of this.#members) member.check().catch(() => undefined);
  }
}

/** Returns the leases that a late response to an earlier renewal has extended, with its start. */
function heldBy(kept: Reply<Renewed> | undefined, leases: readonly Lease[]): readonly HeldLease[] {
  if (kept?.outcome !== "done") return [];
  const extended = new Set(kept.value.held.map(textOf));
  return leases
    .filter((lease) => extended.has(textOf(lease)))
    .map((lease) => ({ ...lease, since: kept.since }));
}

/** Returns a text that is different for each lease. */
function textOf({ scope: { tenant, owner }, id, epoch }: Lease): string {
  return JSON.stringify([tenant, owner, id, epoch]);
}
