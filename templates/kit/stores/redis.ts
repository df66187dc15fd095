import { newEntries } from "../log/new-entries.js";
import { LeaseLostError, TaskExistsError, type UnreadableTaskError } from "../store.js";
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
  InboxItem,
  Lease,
  Leased,
  Posted,
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
} from "../store.js";
import type { Models, Task } from "../model.js";
import { ChangeListeners } from "./log/change-listeners.js";
import { Codec, type Encryption } from "./log/codec.js";
import { collect, itemsOf, parkedError, readable, storedOf, waitingOf } from "./log/decode.js";
import { Compaction } from "./log/compaction.js";
import { ClaimCalls, newCall } from "./redis/calls.js";
import { connectionOf, type RedisClient } from "./redis/clients.js";
import { Engine, optional } from "./redis/engine.js";
import { append, batch, fold, deleteExpired, insert, list, read, type RedisEngine, renew, see } from "./redis/log.js";
import * as outbox from "./redis/outbox.js";
import { allOf, claimedOf, leaseOf, listOf, taskOf, textOf } from "./redis/results.js";
import { eraseScript, expiredScript, parkScript, usageScript } from "./redis/scripts/leases.js";
import { postScript } from "./redis/scripts/tasks.js";
import { checkSettings } from "./redis/settings.js";

export type { Encryption } from "./log/codec.js";
export type {
  IoRedisClient,
  IoRedisSubscriber,
  NodeRedisClient,
  NodeRedisSubscriber,
  RedisClient,
} from "./redis/clients.js";

/** Options for {@link redisStore}. */
export interface RedisStoreOptions {
  /** Prefix of all keys, which the store puts in braces; `a2a` by default. It must not contain braces. */
  readonly prefix?: string;
  /** Whether to create a second client for notifications; `true` by default. */
  readonly listen?: boolean;
  /**
   * Interval in milliseconds for polling changes that were not notified; 5,000 by default, and 200 without
   * notifications.
   */
  readonly pollMs?: number;
  /** Encrypts the content of tasks on the server. */
  readonly encryption?: Encryption;
}

/** A task store in Redis. */
export interface RedisStore<M extends Models = Models> extends TaskStore<M> {
  /** Ends all watches, and closes the client for notifications. The client passed to the store stays open. */
  close(): void;
}

/**
 * Returns a store that keeps tasks in Redis 6.2 or later, for any number of processes. Its calls reject with an `Error`
 * if the keys are of a later version.
 * @param client A client of `ioredis` or of `redis`, for a server or a cluster.
 * @throws A `TypeError` for an invalid client, for client settings with which calls can remain unanswered forever, and
 * for a prefix that is empty or contains braces.
 *
 * @example
 * const store = redisStore(new Redis(url));
 */
export function redisStore<M extends Models = Models>(
  client: RedisClient,
  options: RedisStoreOptions = {},
): RedisStore<M> {
  const { prefix = "a2a", listen = true } = options;
  checkSettings(client);
  const engine = { engine: new Engine(connectionOf(client), prefix), codec: new Codec(options.encryption) };
  const store: RedisStore = new Store(engine, listen, options.pollMs ?? (listen ? 5_000 : 200));
  // Tasks are returned with the type with which they were stored.
  return store as RedisStore<M>;
}

class Store implements RedisStore {
  readonly #engine: RedisEngine;
  readonly #listeners: ChangeListeners;
  readonly #compaction: Compaction;
  readonly #expired = new ClaimCalls();
  readonly #due = new ClaimCalls();

  constructor(engine: RedisEngine, listen: boolean, pollMs: number) {
    this.#engine = engine;
    this.#listeners = new ChangeListeners({
      // A client that loses its connection rejects pending calls, but the next call waits for a new connection.
      read: (id, after) => batch(engine, id, after).catch(() => batch(engine, id, after)),
      see: (ids) => see(engine, ids),
      pollMs,
      listen: listen ? engine.engine.listen : undefined,
    });
    this.#compaction = new Compaction(async (id) => {
      await fold(engine, id, false);
    });
  }

  async create(task: Task, options: CreateOptions): Promise<Lease | undefined> {
    const { scope, claim, entries = [] } = options;
    const added = newEntries(entries, { id: task.id, generation: 1 }, () => false);
    const end = await insert(this.#engine, task, options, added);
    if (end === undefined) throw new TaskExistsError(`There is a task ${task.id} already`);
    this.#listeners.appended(task.id, { generation: 1, nth: 0 }, { entries: added, end });
    if (claim === undefined) return undefined;
    const lease = { id: task.id, scope, holder: claim.holder, epoch: 1 };
    this.#listeners.hold(lease, claim);
    return lease;
  }

  async read(scope: Scope, id: string): Promise<Stored | undefined> {
    const found = await read(this.#engine, scope, id);
    if (found !== undefined) this.#compaction.read(id, found.grown, found.stored.bytes);
    return found?.stored;
  }

  async post(
    scope: Scope,
    id: string,
    item: InboxItem,
    claim: Claim,
    expected: Expected = {},
  ): Promise<Posted | undefined> {
    const { engine, codec } = this.#engine;
    const { generation, contextId, maxInbox, maxInboxBytes, maxBytes } = expected;
    const reply = await engine.run(postScript, [
      ...[id, scope.tenant, scope.owner, newCall(), item.id, codec.write(item), item.cancel === undefined ? 0 : 1],
      ...[claim.holder, claim.ttlMs, optional(generation), optional(contextId)],
      ...[optional(maxInbox), optional(maxInboxBytes), optional(maxBytes)],
    ]);
    if (reply === null) return undefined;
    const [said, task, count, isAdded] = listOf(reply);
    if (said === "unreadable") throw parkedError(id);
    // The script only replies with these outcomes.
    const outcome = textOf(said) as Posted["outcome"];
    if (outcome !== "leased" && outcome !== "posted")
      return { outcome, state: textOf(task), generation: Number(count) };
    // To save bytes, the task in the reply does not contain the item that the script has just added.
    const added = isAdded === "1" ? item : undefined;
    if (outcome === "posted") {
      this.#listeners.posted(id, Number(count));
      return { outcome, stored: readable(id, () => waitingOf(taskOf(id, task), codec, added)) };
    }
    const stored = readable(id, () => storedOf(taskOf(id, task), codec, added));
    const lease = { id, scope, holder: claim.holder, epoch: Number(count) };
    this.#listeners.hold(lease, claim);
    return { outcome, lease, stored };
  }

  async append(lease: Lease, entries: readonly Entry[], options: AppendOptions = {}): Promise<Appended> {
    const { id } = lease;
    const result = await append(this.#engine, lease, entries, options);
    const { outcome, count, grown, before, end, seen, bytes } = result;
    if (outcome === "disorder") throw new RangeError(`The entries do not follow in the log of task ${id}`);
    if (outcome === "lost" || outcome === "forgotten") {
      this.#listeners.release(lease);
      throw new LeaseLostError(
        outcome === "lost"
          ? `The lease ${String(lease.epoch)} of the task ${id} has been lost`
          : `The task ${id} has been forgotten`,
      );
    }
    const released = result.released || outcome === "released";
    if (released) this.#listeners.release(lease);
    if (count > 0 && count === entries.length) this.#listeners.appended(id, before, { entries, end });
    if (result.isDue) this.#listeners.due();
    this.#compaction.appended(id, grown, bytes, entries);
    const inbox = readable(id, () => itemsOf(allOf(result.inbox), this.#engine.codec));
    return { inbox, released, seen, bytes };
  }

  watch(id: string, after: number): Watch {
    return this.#listeners.watch(id, after);
  }

  list(scope: Scope, query: TaskQuery): Promise<TaskPage> {
    return list(this.#engine, scope, query, (id, grown, bytes) => {
      this.#compaction.read(id, grown, bytes);
    });
  }

  async renew(leases: readonly Lease[], claim: Claim): Promise<readonly Lease[]> {
    const held = await renew(this.#engine, leases, claim.ttlMs);
    for (const lease of leases) {
      if (held.has(lease)) this.#listeners.hold(lease, claim);
      else this.#listeners.release(lease);
    }
    return leases.filter((lease) => held.has(lease));
  }

  async claimExpired(claim: Claim, limit: number): Promise<Claimed<Leased>> {
    const { engine, codec } = this.#engine;
    const reply = await this.#expired.make((call) =>
      engine.run(expiredScript, [call, claim.holder, claim.ttlMs, limit]),
    );
    const [found, more] = listOf(reply);
    const rows: Leased[] = [];
    const unreadable: UnreadableTaskError[] = [];
    const parked: (string | number)[] = [];
    for (const each of listOf(found)) {
      const lease = leaseOf(each, claim.holder);
      if (collect(unreadable, () => rows.push({ lease, stored: claimedOf(lease, each, codec) })))
        this.#listeners.hold(lease, claim);
      else parked.push(lease.id, lease.epoch);
    }
    if (parked.length > 0) await engine.run(parkScript, [parked.length / 2, ...parked]);
    return { rows, unreadable, hasMore: more === "1" };
  }

  async putWebhook(scope: Scope, webhook: Webhook, max?: number): Promise<"put" | "full" | undefined> {
    const { outcome, isDue } = await outbox.put(this.#engine, scope, webhook, max);
    if (isDue) this.#listeners.due();
    return outcome;
  }

  webhooks(scope: Scope, taskId: string): Promise<readonly Webhook[] | undefined> {
    return outbox.list(this.#engine, scope, taskId);
  }

  deleteWebhook(scope: Scope, taskId: string, id: string): Promise<boolean> {
    return outbox.drop(this.#engine.engine, scope, taskId, id);
  }

  claimWebhooks(claim: Claim, limit: number): Promise<Claimed<WebhookLease>> {
    return this.#due.make((call) => outbox.due(this.#engine, call, claim, limit));
  }

  async delivered(lease: WebhookLease, outcome: Delivery): Promise<void> {
    if (await outbox.settle(this.#engine, lease, outcome)) this.#listeners.due();
  }

  deleteExpired(retention: Retention): Promise<number> {
    return deleteExpired(this.#engine, retention);
  }

  async usage({ tenant, owner }: Scope, withStored: boolean): Promise<Usage> {
    const found = listOf(await this.#engine.engine.run(usageScript, [tenant, owner]));
    const [openTasks = 0, webhooks = 0, storedBytes = 0, ended = 0] = found.map((text) => Number(text ?? 0));
    return { openTasks, webhooks, openBytes: storedBytes - ended, ...(withStored && { storedBytes }) };
  }

  async erase({ tenant, owner, taskId }: ErasureTarget, step: number): Promise<number> {
    const values = [tenant, optional(owner), optional(taskId), step];
    const count = Number(await this.#engine.engine.run(eraseScript, values));
    if (count > 0) this.#listeners.erased();
    return count;
  }

  onDue(listener: () => void): () => void {
    return this.#listeners.onDue(listener);
  }

  close(): void {
    this.#listeners.close();
  }
}
