import type {
  Entry,
  InboxItem,
  Posted,
  Scope,
  TaskStore,
  Watch,
} from "../../../library/kit/store.js";
import type { Task } from "../../../library/kit/model.js";

/** Changes of a task, in order. */
export interface TaskLog {
  readonly scope: Scope;
  /** The task at its creation. */
  readonly task: Task;
  readonly entries: Entry[];
}

/** A post, and what became of it. */
export interface Post {
  readonly id: string;
  readonly item: InboxItem;
  readonly outcome: Posted["outcome"] | undefined;
}

/** A store that notes what happens in it. */
export interface Recording {
  readonly store: TaskStore;
  readonly logs: Map<string, TaskLog>;
  readonly posts: Post[];
  /** How many watches are open. */
  readonly open: () => number;
}

/**
 * More writes than any run has: a worker that writes without end would never let go of the
 * processor.
 */
const manyWrites = 2_000;

/**
 * Records what happens in a store that acts when it is called; `loses` says which answers to
 * appends get lost.
 */
export function record(inner: TaskStore, loses: () => boolean): Recording {
  const logs = new Map<string, TaskLog>();
  const posts: Post[] = [];
  const open = new Set<Watch>();
  let writes = 0;
  const store: TaskStore = Object.create(inner) as TaskStore;
  store.create = async (task, options) => {
    const lease = await inner.create(task, options);
    logs.set(task.id, { scope: options.scope, task, entries: [...(options.entries ?? [])] });
    return lease;
  };
  store.post = async (scope, id, item, claim, expected) => {
    const posted = await inner.post(scope, id, item, claim, expected);
    posts.push({ id, item, outcome: posted?.outcome });
    return posted;
  };
  store.append = async (lease, entries, options) => {
    if ((writes += 1) > manyWrites) throw new Error("The writes do not end");
    const found = await inner.append(lease, entries, options);
    const known = logs.get(lease.id)?.entries ?? [];
    for (const entry of entries)
      if (!known.some((other) => isSame(other, entry))) known.push(entry);
    if (loses()) throw new Error("The answer was lost");
    return found;
  };
  store.watch = (...given) => {
    const watch = inner.watch(...given);
    open.add(watch);
    return {
      next: () => watch.next(),
      close: () => {
        open.delete(watch);
        watch.close();
      },
    };
  };
  store.read = (...given) => inner.read(...given);
  store.list = (...given) => inner.list(...given);
  store.renew = (...given) => inner.renew(...given);
  store.claimExpired = (...given) => inner.claimExpired(...given);
  store.claimWebhooks = (...given) => inner.claimWebhooks(...given);
  store.onDue = (listener) => inner.onDue?.(listener) ?? (() => undefined);
  return { store, logs, posts, open: () => open.size };
}

function isSame(one: Entry, other: Entry) {
  if ("event" in one) return "event" in other && one.generation === other.generation;
  return "message" in other && one.item === other.item;
}
