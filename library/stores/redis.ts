import type { Task } from "../kit/model.js";
import type {
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
  TaskPage,
  TaskQuery,
  UnreadableTaskError,
  Usage,
  Webhook,
  WebhookLease,
} from "../kit/store.js";
import type { Append, Verdict } from "./log/append.js";
import { Codec, type Encryption } from "./log/codec.js";
import { collect, parkedError, readable, storedOf, storedTaskOf } from "./log/decode.js";
import {
  type ClosableStore,
  type LogDatabase,
  LogStore,
  type PostedItem,
  type ReadTask,
} from "./log/log-store.js";
import { quickPollMs, watchedPolls } from "./log/poll.js";
import type { Position } from "./log/rows.js";
import { SearchPace, sharedPart } from "./log/search-pace.js";
import { appendAll } from "./redis/append.js";
import { ClaimCalls, newCall } from "./redis/calls.js";
import { connectionOf, type RedisClient } from "./redis/clients.js";
import { Engine, optional } from "./redis/engine.js";
import {
  batch,
  deleteExpired,
  fold,
  insert,
  list,
  read,
  type RedisEngine,
  renew,
  readState,
} from "./redis/log.js";
import * as outbox from "./redis/outbox.js";
import { claimedOf, leaseOf, listOf, taskOf, textOf } from "./redis/results.js";
import {
  eraseScript,
  expiredScript,
  markScript,
  ownersScript,
  parkScript,
  usageScript,
} from "./redis/scripts/leases.js";
import { postScript } from "./redis/scripts/tasks.js";
import { checkSettings } from "./redis/settings.js";

export type { Encryption, SealContext } from "./log/codec.js";
export type {
  IoRedisClient,
  IoRedisSubscriber,
  NodeRedisClient,
  NodeRedisSubscriber,
  RedisClient,
} from "./redis/clients.js";

/** Options for {@link redisStore}. */
export interface RedisStoreOptions {
  /**
   * Prefix of all keys; `a2a` by default. The store adds braces around the prefix, so it must not
   * contain braces itself.
   */
  readonly prefix?: string;
  /** Whether to create a second client for notifications; `true` by default. */
  readonly listen?: boolean;
  /**
   * Interval in milliseconds for polling, which finds changes whose notification was lost; 5,000 by
   * default, and 200 without notifications.
   */
  readonly pollMs?: number;
  /** Encrypts the content of tasks on the server. */
  readonly encryption?: Encryption;
}

/**
 * A task store in Redis. Closing the store also closes the client for notifications. The client
 * that was passed to the store stays open.
 */
export type RedisStore = ClosableStore;

/**
 * Returns a store that keeps tasks in Redis 6.2 or later, for any number of processes. If the keys
 * were written by a later version, all calls reject with an `Error`.
 * @param client A client of `ioredis` or of `redis`, for a server or a cluster.
 * @throws A `TypeError` if the client is invalid, if its settings allow calls to wait forever or
 *   close the client permanently after a time-out, or if the prefix is empty or contains braces.
 *
 * @example
 * const store = redisStore(new Redis(url));
 */
export function redisStore(client: RedisClient, options: RedisStoreOptions = {}): RedisStore {
  const { prefix = "a2a", listen = true } = options;
  checkSettings(client);
  const engine = {
    server: new Engine(connectionOf(client), prefix),
    codec: new Codec(options.encryption),
  };
  const pollMs = options.pollMs ?? (listen ? 5_000 : quickPollMs);
  const store: RedisStore = new LogStore(new RedisLogs(engine), engine.codec, {
    // Retry once: if a client loses its connection, it rejects pending calls, but the next call
    // waits for a new connection.
    read: (id, after) => batch(engine, id, after).catch(() => batch(engine, id, after)),
    // Without notifications, a process does not ask for any.
    readState: (ids, watched) =>
      readState(engine, ids, listen ? watched : [], pollMs * watchedPolls),
    pollMs,
    ...(listen && {
      listen: engine.server.listen,
      // Scripts publish all other changes themselves.
      notifier: {
        due: () => {
          outbox.announceDue(engine.server);
        },
      },
    }),
  });
  // The store returns the tasks that it was given, so they have the types of the output.
  return store;
}

class RedisLogs implements LogDatabase {
  readonly steps = 1;
  readonly #engine: RedisEngine;
  readonly #expired = new ClaimCalls();
  readonly #due = new ClaimCalls();
  readonly #pace = new SearchPace();

  constructor(engine: RedisEngine) {
    this.#engine = engine;
  }

  insert(
    task: Task,
    options: CreateOptions,
    added: readonly Entry[],
  ): Promise<Position | undefined> {
    return insert(this.#engine, task, options, added);
  }

  read(scope: Scope, id: string): Promise<ReadTask | undefined> {
    return read(this.#engine, scope, id);
  }

  async post(
    scope: Scope,
    id: string,
    item: InboxItem,
    claim: Claim,
    expected: Expected,
  ): Promise<PostedItem | undefined> {
    const { server, codec } = this.#engine;
    const { generation, contextId, maxInbox, maxInboxBytes, maxBytes } = expected;
    const own = codec.of(id);
    const reply = await server.run(postScript, [
      ...[id, scope.tenant, scope.owner, newCall(), item.id],
      ...[own.write(item, "item"), item.cancel === undefined ? 0 : 1],
      ...[claim.holder, claim.ttlMs, optional(generation), optional(contextId)],
      ...[optional(maxInbox), optional(maxInboxBytes), optional(maxBytes)],
    ]);
    if (reply === null) return undefined;
    const [outcomeText, task, count, isAdded] = listOf(reply);
    if (outcomeText === "unreadable") throw parkedError(id);
    // The script only returns outcomes of this type.
    const outcome = textOf(outcomeText) as Posted["outcome"];
    // The reply omits the item that the script has just added, to save bytes.
    const added = isAdded === "1" ? item : undefined;
    if (outcome === "posted")
      return {
        outcome,
        stored: () => readable(id, () => storedTaskOf(taskOf(id, task), own, added)),
        count: Number(count),
      };
    if (outcome === "leased")
      return {
        outcome,
        isNew: added !== undefined,
        stored: readable(id, () => storedOf(taskOf(id, task), own, added)),
        epoch: Number(count),
      };
    return { outcome, state: textOf(task), generation: Number(count) };
  }

  append(appends: readonly Append[]): Promise<readonly Verdict[]> {
    return appendAll(this.#engine, appends);
  }

  list(
    scope: Scope,
    query: TaskQuery,
    onRead: (id: string, grown: number, bytes: number) => void,
  ): Promise<TaskPage> {
    return list(this.#engine, scope, query, onRead);
  }

  renew(leases: readonly Lease[], { ttlMs }: Claim): Promise<ReadonlySet<Lease>> {
    return renew(this.#engine, leases, ttlMs);
  }

  async claimExpired(claim: Claim, limit: number, everyMs?: number): Promise<Claimed<Leased>> {
    const { server, codec } = this.#engine;
    const within = optional(everyMs === undefined ? undefined : everyMs * sharedPart);
    const reply = await this.#expired.make((call) =>
      server.run(expiredScript, [call, claim.holder, claim.ttlMs, limit, within]),
    );
    const [found, more, searches] = listOf(reply);
    const againInMs = this.#pace.next(Number(searches), everyMs);
    const rows: Leased[] = [];
    const unreadable: UnreadableTaskError[] = [];
    const parked: (string | number)[] = [];
    for (const row of listOf(found)) {
      const lease = leaseOf(row, claim.holder);
      if (!collect(unreadable, () => rows.push({ lease, stored: claimedOf(lease, row, codec) })))
        parked.push(lease.id, lease.epoch);
    }
    if (parked.length > 0) await server.run(parkScript, [parked.length / 2, ...parked]);
    return { rows, unreadable, hasMore: more === "1", againInMs };
  }

  putWebhook(
    scope: Scope,
    webhook: Webhook,
    max: number | undefined,
  ): Promise<{ readonly outcome: "put" | "full" | undefined; readonly isDue: boolean }> {
    return outbox.put(this.#engine, scope, webhook, max);
  }

  webhooks(scope: Scope, taskId: string): Promise<readonly Webhook[] | undefined> {
    return outbox.list(this.#engine, scope, taskId);
  }

  deleteWebhook(scope: Scope, taskId: string, id: string): Promise<boolean> {
    return outbox.drop(this.#engine.server, scope, taskId, id);
  }

  claimWebhooks(claim: Claim, limit: number): Promise<Claimed<WebhookLease>> {
    return this.#due.make((call) => outbox.due(this.#engine, call, claim, limit));
  }

  delivered(lease: WebhookLease, outcome: Delivery): Promise<boolean> {
    return outbox.settle(this.#engine, lease, outcome);
  }

  deleteExpired(retention: Retention): Promise<number> {
    return deleteExpired(this.#engine, retention);
  }

  async usage({ tenant, owner }: Scope, withStored: boolean): Promise<Usage> {
    const found = listOf(await this.#engine.server.run(usageScript, [tenant, owner]));
    const [openTasks = 0, webhooks = 0, storedBytes = 0, ended = 0] = found.map((text) =>
      Number(text ?? 0),
    );
    return {
      openTasks,
      webhooks,
      openBytes: storedBytes - ended,
      ...(withStored && { storedBytes }),
    };
  }

  async erase({ tenant, owner, taskId }: ErasureTarget, step: number): Promise<number> {
    return Number(
      await this.#engine.server.run(eraseScript, [tenant, optional(owner), optional(taskId), step]),
    );
  }

  async mark(name: string, value: string | undefined): Promise<string | undefined> {
    const reply = await this.#engine.server.run(markScript, [name, optional(value)]);
    return typeof reply === "string" ? reply : undefined;
  }

  async isEmpty(): Promise<boolean> {
    let cursor = "0";
    do {
      const [next, isFound] = listOf(await this.#engine.server.run(ownersScript, [cursor]));
      if (isFound === "1") return false;
      cursor = textOf(next);
    } while (cursor !== "0");
    return true;
  }

  async compact(id: string): Promise<void> {
    await fold(this.#engine, id, false);
  }
}
