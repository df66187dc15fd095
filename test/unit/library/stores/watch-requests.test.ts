import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { Entry, Lease, Watch } from "../../../../library/kit/store.js";
import {
  ChangeListeners,
  type ChangeNotifier,
} from "../../../../library/stores/log/change-listeners.js";
import type { ListenHandlers } from "../../../../library/stores/log/notifications.js";
import type { StoreState } from "../../../../library/stores/log/poll.js";
import type { Position } from "../../../../library/stores/log/rows.js";
import { Random, seedOf } from "../../../support/random/random.js";
import { seed } from "../../../support/seed.js";
import { sized } from "../../../support/size.js";

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

const pollMs = 60_000;
/** Maximum delay of a request, of a response and of a notification. */
const maxDelayMs = 20;
/** Number of watchers of a task above which all processes are notified. */
const maxWatchers = 2;
const scope = { tenant: "", owner: "" };

/** The head of a task. */
interface Head {
  readonly id: string;
  generation: number;
  watchedUntil: number;
  /** Names of its watchers; empty if all processes are notified. */
  watchers: readonly string[];
  /** Number of times that its watchers have asked for notifications. */
  marks: number;
}

/** A database with some tasks, whose statements take effect at one moment. */
class World {
  readonly random: Random;
  readonly processes: Process[];
  readonly heads: ReadonlyMap<string, Head>;
  notifications = 0;

  constructor(of: number) {
    this.random = new Random(of);
    this.processes = [1, 2, 3].map((epoch) => new Process(this, epoch));
    const ids = Array.from({ length: 6 }, (_, at) => `task-${String(at)}`);
    this.heads = new Map(
      ids.map(
        (id) => [id, { id, generation: 1, watchedUntil: 0, watchers: [], marks: 0 }] as const,
      ),
    );
  }

  head(id: string): Head {
    const head = this.heads.get(id);
    if (head === undefined) throw new Error(`no ${id}`);
    return head;
  }

  /** Runs a statement: it and its result take some time. */
  async run<T>(statement: () => T): Promise<T> {
    await this.pause();
    const result = statement();
    await this.pause();
    return result;
  }

  pause(): Promise<void> {
    return new Promise((resolve) => setTimeout(resolve, this.random.below(maxDelayMs)));
  }

  readState(watcher: string, ids: readonly string[], watched: readonly string[]): StoreState {
    const watchedMs = 4 * pollMs;
    for (const head of watched.map((id) => this.head(id))) {
      const isOld = head.watchedUntil <= Date.now();
      const isAll = !isOld && head.watchers.length === 0;
      const isNew = isOld || !(isAll || head.watchers.includes(watcher));
      if (!isNew && head.watchedUntil >= Date.now() + watchedMs / 2) continue;
      const watchers = isOld ? [] : head.watchers;
      if (isNew) head.watchers = watchers.length === maxWatchers ? [] : [...watchers, watcher];
      head.watchedUntil = Date.now() + watchedMs;
      head.marks += 1;
    }
    const stateOf = (id: string) => ({
      id,
      end: `${String(this.head(id).generation)} 0`,
      posts: 0,
    });
    return { tasks: ids.map(stateOf), isDue: false };
  }

  /** Notifies all processes, or only some of them. */
  notify(change: string, names?: readonly string[]): void {
    for (const process of this.processes) {
      if (names?.includes(process.name) === false) continue;
      this.notifications += 1;
      void this.pause().then(() => process.handlers?.onMessage(change));
    }
  }
}

interface Reader {
  readonly id: string;
  readonly watch: Watch;
  readonly after: number;
  readonly found: number[];
}

class Process {
  readers: Reader[] = [];
  readonly name: string;
  readonly #world: World;
  readonly #epoch: number;
  readonly #listeners: ChangeListeners;
  handlers: ListenHandlers | undefined;

  constructor(world: World, epoch: number) {
    this.#world = world;
    this.#epoch = epoch;
    this.name = `process-${String(epoch)}`;
    const notifier: ChangeNotifier = {
      grown: (id, { generation }, watchers) => {
        world.notify(`g ${String(generation)}-0 ${id}`, watchers);
      },
      posted: () => undefined,
      due: () => undefined,
    };
    this.#listeners = new ChangeListeners({
      read: (id, after) => world.run(() => batchOf(world.head(id), after)),
      readState: (ids, watched) => world.run(() => world.readState(this.name, ids, watched)),
      pollMs,
      listen: (handlers) => {
        let isClosed = false;
        void world.pause().then(() => {
          if (isClosed) return;
          this.handlers = handlers;
          handlers.onListening();
        });
        return () => {
          isClosed = true;
          this.handlers = undefined;
        };
      },
      notifier,
    });
  }

  async take(id: string): Promise<void> {
    await this.#world.run(() => undefined);
    this.#listeners.hold(this.#leaseOf(id), { holder: "", ttlMs: 1, onPost: () => undefined });
  }

  async append(id: string, release = false): Promise<void> {
    const head = this.#world.head(id);
    const { generation, watchers } = await this.#world.run(() => {
      const { watchers } = head;
      const isWatched = head.watchedUntil > Date.now();
      const isByAll = isWatched && watchers.length === 0;
      return {
        generation: (head.generation += 1),
        watchers: isByAll ? undefined : isWatched ? watchers : [],
      };
    });
    if (release) this.#listeners.release(this.#leaseOf(id));
    const before = { generation: generation - 1, nth: 0 };
    const batch = { entries: [entryOf(generation)], end: { generation, nth: 0 } };
    this.#listeners.appended(id, before, batch, watchers);
  }

  #leaseOf(id: string): Lease {
    return { id, scope, holder: this.name, epoch: this.#epoch };
  }

  open(id: string): void {
    const after = this.#world.head(id).generation;
    const found: number[] = [];
    const watch = this.#listeners.watch(id, after);
    this.readers.push({ id, watch, after, found });
    const read = async () => {
      for (;;) {
        const next = await watch.next();
        if (next === undefined || "reset" in next) return;
        for (const { generation } of next) found.push(generation);
      }
    };
    void read();
  }

  stop(id: string): void {
    for (const reader of this.readers) if (reader.id === id) reader.watch.close();
    this.readers = this.readers.filter((reader) => reader.id !== id);
  }

  close(): void {
    this.#listeners.close();
  }
}

function batchOf(head: Head, after: Position) {
  const end = { generation: Math.max(after.generation, head.generation), nth: 0 };
  const count = end.generation - after.generation;
  const entries = Array.from({ length: count }, (_, at) => entryOf(after.generation + 1 + at));
  return { entries, end };
}

function entryOf(generation: number): Entry {
  const status = { state: "TASK_STATE_WORKING" } as const;
  return { generation, event: { statusUpdate: { taskId: "task", contextId: "c", status } } };
}

/** Checks that each open watch of a task has all events since it was opened, once and in order. */
function check({ processes }: World, { id, generation }: Head): void {
  for (const { readers } of processes)
    for (const { after, found } of readers.filter((reader) => reader.id === id))
      expect(found).toEqual(Array.from({ length: generation - after }, (_, at) => after + 1 + at));
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** Works on a task: its lease moves, it grows, and processes watch it for a while. */
async function workOn(head: Head, world: World): Promise<void> {
  const { random, processes } = world;
  const { id } = head;
  let holder = random.pick(processes);
  await holder.take(id);
  for (let step = 0; step < 20; step += 1) {
    const process = random.pick(processes);
    if (random.oneIn(8)) process.open(id);
    if (random.oneIn(8)) process.stop(id);
    const moves = random.oneIn(4);
    await holder.append(id, moves);
    if (moves) {
      holder = random.pick(processes);
      await holder.take(id);
    }
    if (random.oneIn(3)) await world.pause();
    // A pause during which requests end, or must be renewed.
    if (random.oneIn(20)) await sleep(5.5 * pollMs);
    if (random.oneIn(4)) {
      await sleep(10 * maxDelayMs);
      check(world, head);
    }
  }
}

it("a process that only notifies the watchers of a task never leaves a watch of another process behind, even if the lease moves", async () => {
  for (let index = 0; index < sized(40, 500); index += 1) {
    const world = new World(seedOf(seed, "watch requests", index));
    let results: readonly PromiseSettledResult<void>[] | undefined;
    const works = [...world.heads.values()].map((head) => workOn(head, world));
    void Promise.allSettled(works).then((settled) => (results = settled));
    while (results === undefined) await vi.advanceTimersByTimeAsync(100 * maxDelayMs);
    expect(results.filter(({ status }) => status === "rejected")).toEqual([]);
    for (const process of world.processes) process.close();
  }
}, 300_000);

it("no process notifies other processes if only the lease holder watches its task", async () => {
  const world = new World(seed);
  const [holder] = world.processes;
  const run = async () => {
    await holder?.take("task-0");
    holder?.open("task-0");
    for (let count = 0; count < 20; count += 1) await holder?.append("task-0", count === 19);
    holder?.stop("task-0");
  };
  void run();
  await vi.advanceTimersByTimeAsync(100 * maxDelayMs);
  expect([world.head("task-0"), world.notifications]).toMatchObject([
    { generation: 21, marks: 0 },
    0,
  ]);
});

it("a request for notifications is renewed as long as a watch is open, but not at each poll", async () => {
  const world = new World(seed);
  const [, other] = world.processes;
  const head = world.head("task-0");
  other?.open(head.id);
  await vi.advanceTimersByTimeAsync(20 * pollMs);
  expect(head.watchedUntil).toBeGreaterThan(Date.now());
  expect(head.marks).toBeLessThan(12);
  other?.stop(head.id);
  await vi.advanceTimersByTimeAsync(5 * pollMs);
  expect(head.watchedUntil).toBeLessThan(Date.now());
});
