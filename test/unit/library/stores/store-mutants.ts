import {
  CursorError,
  type Leased,
  LeaseLostError,
  type Scope,
  type Stored,
  TaskExistsError,
  type TaskStore,
  type Watch,
} from "../../../../library/kit/store.js";
import { isTerminal } from "../../../../library/kit/states.js";

/** A changed method of a store. */
export type Mutant = (store: TaskStore) => Partial<TaskStore>;

const none = { inbox: [], released: false, bytes: 0 };

/** Has every scope taken for another one. */
function withScopes(change: (scope: Scope) => Scope): Mutant {
  return (store) => ({
    create: async (task, options) => {
      const lease = await store.create(task, { ...options, scope: change(options.scope) });
      return lease && { ...lease, scope: options.scope };
    },
    read: (scope, id) => store.read(change(scope), id),
    list: (scope, query) => store.list(change(scope), query),
  });
}

/** Has something else done with each watch. */
function withWatch(change: (watch: Watch) => Partial<Watch>): Mutant {
  return (store) => ({
    watch: (...given) => {
      const watch = store.watch(...given);
      const changed = change(watch);
      return {
        next: changed.next ?? (() => watch.next()),
        close: changed.close ?? (() => watch.close()),
      };
    },
  });
}

/** Returns something else in place of an error. */
function without<T>(type: new () => Error, promise: Promise<T>, instead: () => T | Promise<T>) {
  return promise.catch((error: unknown) => {
    if (error instanceof type) return instead();
    throw error;
  });
}

function never<T>(): Promise<T> {
  return new Promise(() => undefined);
}

/** Stores that violate one rule of the contract, which their names describe. */
export const mutants: Readonly<Record<string, Mutant>> = {
  "joins tenant and owner": withScopes(({ tenant, owner }) => ({
    tenant: "",
    owner: tenant + owner,
  })),
  "ignores the tenant": withScopes(({ owner }) => ({ tenant: "", owner })),
  "ignores case": withScopes(({ tenant, owner }) => ({
    tenant: tenant.toLowerCase(),
    owner: owner.toLowerCase(),
  })),
  "accepts an id that is in use": (store) => ({
    create: (task, options) =>
      without(TaskExistsError, store.create(task, options), () => undefined),
  }),
  "drops the entries of a new task": (store) => ({
    create: (task, options) => store.create(task, { ...options, entries: [] }),
  }),
  "changes a value after returning it": (store) => {
    const returned = new Map<string, Stored>();
    return {
      read: async (scope, id) => {
        const stored = await store.read(scope, id);
        const before = returned.get(id);
        if (stored === undefined || before === undefined) {
          if (stored !== undefined) returned.set(id, { ...stored });
          return returned.get(id);
        }
        return Object.assign(before, stored);
      },
    };
  },
  "omits messages of the inbox from the history": (store) => ({
    read: async (scope, id) => {
      const stored = await store.read(scope, id);
      const history = stored?.task.history?.slice(0, -stored.inbox.length || undefined);
      return stored && { ...stored, task: { ...stored.task, ...(history && { history }) } };
    },
  }),
  "posts an item that is not expected": (store) => ({
    post: (scope, id, item, claim) => store.post(scope, id, item, claim),
  }),
  "posts the same item again": (store) => {
    const posted = new Set<string>();
    return {
      post: (scope, id, item, claim, expected) => {
        const again = posted.has(item.id) ? { ...item, id: `${item.id} again` } : item;
        posted.add(item.id);
        return store.post(scope, id, again, claim, expected);
      },
    };
  },
  "does not notify a lease holder of posts": (store) => ({
    create: (task, { claim, ...options }) =>
      store.create(
        task,
        claim === undefined
          ? options
          : { ...options, claim: { ...claim, onPost: () => undefined } },
      ),
  }),
  "notifies a lease holder of posts to another scope": (store) => ({
    create: (task, options) =>
      store.create(task, {
        ...options,
        ...(options.claim?.onPost !== undefined && {
          claim: {
            ...options.claim,
            onPost: ({ tenant }, id) => options.claim?.onPost?.({ tenant, owner: "" }, id),
          },
        }),
      }),
  }),
  "accepts an id of another scope without a task": (store) => {
    const scopes = new Map<string, Scope>();
    return {
      create: (task, options) => {
        const { scope, claim } = options;
        const known = scopes.get(task.id) ?? scope;
        scopes.set(task.id, known);
        const created = store.create(task, options);
        if (known.tenant === scope.tenant && known.owner === scope.owner) return created;
        const lease = claim && { id: task.id, scope, holder: claim.holder, epoch: 1 };
        return without(TaskExistsError, created, () => lease);
      },
    };
  },
  "replaces a mark": () => ({ mark: (_, value) => Promise.resolve(value) }),
  "sets a mark that is only read": (store) => ({
    mark: async (name, value = "") => store.mark?.(name, value),
  }),
  "has one mark for all names": (store) => ({
    mark: async (_, value) => store.mark?.("", value),
  }),
  "appends with a lost lease": (store) => ({
    append: (lease, entries, options) =>
      without(LeaseLostError, store.append(lease, entries, options), () => none),
  }),
  "does not append entries atomically": (store) => ({
    append: async (lease, entries, options) => {
      for (const entry of entries.slice(0, -1)) await store.append(lease, [entry]);
      return store.append(lease, entries.slice(-1), options);
    },
  }),
  "refuses a repeated append": (store) => {
    const seen = new Set<string>();
    return {
      append: (lease, entries, options) => {
        const names = entries.map(({ generation }) => `${lease.id} ${generation}`);
        if (names.some((name) => seen.has(name))) return Promise.reject(new Error("repeated"));
        return store
          .append(lease, entries, options)
          .finally(() => names.forEach((name) => seen.add(name)));
      },
    };
  },
  "releases every lease": (store) => ({
    append: async (lease, entries, options) => {
      const found = await store.append(lease, entries, options);
      return { ...found, released: options?.release === true };
    },
  }),
  "releases no lease": (store) => ({
    append: (lease, entries, options) =>
      store.append(lease, entries, { ...options, release: false }),
  }),
  "drops a checkpoint": (store) => ({
    append: (lease, entries, options = {}) =>
      store.append(lease, entries, { ...options, checkpoint: options.checkpoint ?? null }),
  }),
  "drops the checkpoint of an end": (store) => ({
    read: async (scope, id) => {
      const stored = await store.read(scope, id);
      return (
        stored &&
        (isTerminal(stored.task.status.state) ? { ...stored, checkpoint: undefined } : stored)
      );
    },
  }),
  "keeps a checkpoint after an end without one": (store) => {
    const saved = new Map<string, unknown>();
    return {
      create: (task, options) => {
        saved.set(task.id, options.checkpoint);
        return store.create(task, options);
      },
      append: (lease, entries, options = {}) => {
        const { checkpoint = saved.get(lease.id) } = options;
        saved.set(lease.id, checkpoint);
        return store.append(lease, entries, { ...options, checkpoint });
      },
    };
  },
  "removes nothing from the inbox": (store) => ({
    append: (lease, entries, options) => store.append(lease, entries, { ...options, taken: [] }),
  }),
  "renews no lease with an append": (store) => ({
    append: (lease, entries, { ttlMs: _, ...options } = {}) =>
      store.append(lease, entries, options),
  }),
  "shortens leases with an append": (store) => ({
    append: async (lease, entries, options) => {
      const found = await store.append(lease, entries, options);
      if (options?.ttlMs === 1) await store.renew([lease], { holder: lease.holder, ttlMs: 1 });
      return found;
    },
  }),
  "never lets a lease expire": (store) => ({
    create: (task, { claim, ...options }) =>
      store.create(
        task,
        claim === undefined ? options : { ...options, claim: { ...claim, ttlMs: 2 ** 40 } },
      ),
  }),
  "renews lost leases": (store) => ({
    renew: (leases, claim) => store.renew(leases, claim).then(() => ({ held: leases })),
  }),
  "renews leases for too short a time": (store) => ({
    renew: (leases, claim) => store.renew(leases, { ...claim, ttlMs: 1 }),
  }),
  "grants expired leases to several claimers": (store) => {
    const all: Leased[] = [];
    return {
      claimExpired: async (claim, limit) => {
        const found = await store.claimExpired(claim, limit);
        all.push(...found.rows);
        return { ...found, rows: all.slice(-limit) };
      },
    };
  },
  "wakes tasks that sleep at once": (store) => ({
    append: (lease, entries, options) =>
      store.append(lease, entries, {
        ...options,
        wakeInMs: options?.wakeInMs === undefined ? undefined : 0,
      }),
  }),
  "never wakes a task that sleeps": (store) => ({
    append: (lease, entries, options) =>
      store.append(lease, entries, { ...options, wakeInMs: undefined }),
  }),
  "creates no task that wakes": (store) => ({
    create: (task, options) => store.create(task, { ...options, wakeInMs: undefined }),
  }),
  "claims more than the limit": (store) => ({
    claimExpired: (claim) => store.claimExpired(claim, 1_000),
  }),
  "starts a watch one entry too late": (store) => ({
    watch: (scope, id, after) => store.watch(scope, id, after + 1),
  }),
  "starts a watch one entry too early": (store) => ({
    watch: (scope, id, after) => store.watch(scope, id, after - 1),
  }),
  "returns entries twice": withWatch((watch) => {
    let before: Awaited<ReturnType<Watch["next"]>>;
    let isAgain = false;
    return {
      next: async () => {
        isAgain = !isAgain;
        return isAgain ? (before = await watch.next()) : before;
      },
    };
  }),
  "loses entries that are appended together": withWatch((watch) => ({
    next: async () => {
      const found = await watch.next();
      return Array.isArray(found) ? found.slice(-1) : found;
    },
  })),
  "only returns events from a watch": withWatch((watch) => ({
    next: async () => {
      const found = await watch.next();
      return Array.isArray(found) ? found.filter((entry) => "event" in entry) : found;
    },
  })),
  "does not end a waiting watch": withWatch((watch) => {
    let isClosed = false;
    return {
      next: async () => {
        const found = isClosed ? undefined : await watch.next();
        return found ?? (isClosed ? never() : found);
      },
      close: () => {
        isClosed = true;
        watch.close();
      },
    };
  }),
  "only watches existing tasks": (store) => {
    const created = new Set<string>();
    return {
      create: (task, options) => {
        created.add(task.id);
        return store.create(task, options);
      },
      watch: (scope, id, after) => store.watch(scope, created.has(id) ? id : "nobody", after),
    };
  },
  "lists tasks in the order of ids": (store) => ({
    list: async (scope, query) => {
      const page = await store.list(scope, query);
      return {
        ...page,
        tasks: page.tasks.toSorted((one, other) => (one.task.id < other.task.id ? 1 : -1)),
      };
    },
  }),
  "uses offsets as cursors": (store) => ({
    list: async (scope, { cursor = "0", ...query }) => {
      const start = Number(cursor);
      if (Number.isNaN(start)) throw new CursorError();
      const { tasks, total } = await store.list(scope, { ...query, limit: 1_000 });
      const end = start + query.limit;
      return { tasks: tasks.slice(start, end), total, ...(end < total && { next: String(end) }) };
    },
  }),
  "starts at the first page for an invalid cursor": (store) => ({
    list: (scope, query) => {
      return without(CursorError, store.list(scope, query), () =>
        store.list(scope, { ...query, cursor: undefined }),
      );
    },
  }),
  "excludes tasks that changed exactly at the time of a filter": (store) => ({
    list: (scope, query) =>
      store.list(scope, { ...query, ...(query.since !== undefined && { since: query.since + 1 }) }),
  }),
  "ignores the state in lists": (store) => ({
    list: (scope, { state: _, ...query }) => store.list(scope, query),
  }),
  "returns the count of a page as the total": (store) => ({
    list: async (scope, query) => {
      const page = await store.list(scope, query);
      return { ...page, total: page.tasks.length };
    },
  }),
  "returns a page after the last page": (store) => ({
    list: async (scope, query) => {
      const { next, ...page } = await store.list(scope, query);
      const last = page.tasks.at(-1)?.task;
      if (last?.status.timestamp === undefined) return page;
      return { ...page, next: next ?? `${Date.parse(last.status.timestamp)}_${last.id}` };
    },
  }),
  "lists webhooks in the order of their creation": (store) => ({
    webhooks: async (scope, id) => (await store.webhooks(scope, id))?.toReversed(),
  }),
  "keeps deleted webhooks": (store) => ({
    deleteWebhook: async (scope, taskId) => (await store.webhooks(scope, taskId)) !== undefined,
  }),
  "leases webhooks to several senders": (store) => ({
    claimWebhooks: async (claim, limit) => {
      const leases = await store.claimWebhooks(claim, limit);
      for (const lease of leases.rows) await store.delivered(lease, { upTo: 0 });
      return leases;
    },
  }),
  "counts no failures": (store) => ({
    claimWebhooks: async (claim, limit) => {
      const found = await store.claimWebhooks(claim, limit);
      return { ...found, rows: found.rows.map((lease) => ({ ...lease, failures: 0 })) };
    },
  }),
  "retries without a delay": (store) => ({
    delivered: (lease, outcome) =>
      store.delivered(lease, "retryInMs" in outcome ? { ...outcome, retryInMs: 0 } : outcome),
  }),
  "delivers notifications again": (store) => ({
    delivered: (lease, outcome) =>
      store.delivered(lease, "upTo" in outcome ? { ...outcome, upTo: 0 } : outcome),
  }),
  "never drops a webhook": (store) => ({
    delivered: (lease, outcome) =>
      store.delivered(lease, "givenUp" in outcome ? { upTo: 0 } : outcome),
  }),
  "deletes more tasks than a step allows": (store) => ({
    deleteExpired: (retention) => store.deleteExpired({ ...retention, step: 1_000 }),
  }),
  "deletes tasks by their number only": (store) => ({
    deleteExpired: ({ maxAgeMs: _, ...retention }) => store.deleteExpired(retention),
  }),
  "deletes young tasks without counting them": (store) => ({
    deleteExpired: async (retention) => {
      if (retention.maxAgeMs !== 600_000) return store.deleteExpired(retention);
      await store.deleteExpired({ maxCount: 0 });
      return 0;
    },
  }),
  "deletes tasks without limits and does not count them": (store) => ({
    deleteExpired: async (retention) => {
      if (Object.keys(retention).length > 0) return store.deleteExpired(retention);
      await store.deleteExpired({ maxCount: 0 });
      return 0;
    },
  }),
  "calls listeners after their removal": (store) => ({
    onDue: (listener) => {
      store.onDue?.(listener);
      return () => undefined;
    },
  }),
};
