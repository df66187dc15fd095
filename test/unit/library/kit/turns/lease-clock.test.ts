import { afterEach, describe, expect, it, vi } from "vitest";
import { memoryStore } from "../../../../../library/kit/memory/store.js";
import { LeaseLostError, type TaskStore } from "../../../../../library/kit/store.js";
import type { Turn } from "../../../../../library/kit/turns/turn.js";
import {
  completed,
  type End,
  type Update,
  working,
} from "../../../../../library/kit/turns/updates.js";
import { kitAgent, message } from "../../../../support/kit.js";
import { Scheduler, useOwnTimers } from "../../../../support/kit-model/scheduler.js";
import { Random } from "../../../../support/random/random.js";
import { sized } from "../../../../support/size.js";

const leaseMs = 3_000;
const atOnce = (text: string) => ({ ...message(text), configuration: { returnImmediately: true } });

/** Outcome of the calls of a process to its store. */
type Line = "works" | "refuses" | "swallows" | "is silent" | "is slow";
const lines: readonly Line[] = ["works", "refuses", "swallows", "is silent", "is slow"];

/** Processes on one store that share the clock of the scheduler. */
class Cluster {
  readonly scheduler = new Scheduler();
  readonly store = memoryStore({ now: () => this.scheduler.now });
  /** The run of each task that began last. */
  readonly latest = new Map<string, object>();
  /** Actions of turns after another process had started to work on their task. */
  readonly overlaps: string[] = [];
  readonly reported: unknown[][] = [];
  #effects = 0;

  get effects(): number {
    return this.#effects;
  }

  /** Starts a process. Its work between two updates waits for a gate. */
  start(updates = 1_000) {
    const line: { is: Line } = { is: "works" };
    const agent = kitAgent<unknown>({
      store: this.#behind(line),
      now: () => this.scheduler.now,
      leaseMs,
      run: (turn) => this.#work(turn, updates),
    });
    this.reported.push(agent.errors);
    return { agent, line };
  }

  async *#work(turn: Turn, updates: number): AsyncGenerator<Update, End, undefined> {
    const [run, { id }] = [{}, turn.task];
    // As most authors do: the signal is taken out of the turn once.
    const { signal } = turn;
    this.latest.set(id, run);
    for (let number = 0; number < updates; number += 1) {
      yield working(String(number));
      this.#effect(id, run, "between two updates");
      await this.scheduler.gate();
      // As an author does before an effect that must not happen twice.
      signal.throwIfAborted();
      this.#effect(id, run, "after a look at the signal");
    }
    return completed();
  }

  #effect(id: string, run: object, where: string): void {
    this.#effects += 1;
    if (this.latest.get(id) !== run)
      this.overlaps.push(`${where}, at ${String(this.scheduler.now)}`);
  }

  #behind(line: { is: Line }): TaskStore {
    const through = async <T>(call: () => Promise<T>): Promise<T> => {
      const { is } = line;
      if (is === "refuses") throw new Error("The connection was refused");
      const found = is === "is silent" ? undefined : await call();
      if (is === "swallows") throw new Error("The connection was cut");
      if (is === "is silent") return new Promise<never>(() => undefined);
      if (is === "is slow") await this.scheduler.gate();
      return found as T;
    };
    return new Proxy<TaskStore>(this.store, {
      get(inner, name: keyof TaskStore) {
        const own: unknown = Reflect.get(inner, name);
        if (typeof own !== "function") return own;
        const method = own.bind(inner) as (...given: unknown[]) => unknown;
        if (name === "watch" || name === "onDue") return method;
        return (...given: unknown[]) => through(() => method(...given) as Promise<unknown>);
      },
    });
  }

  /**
   * Lets time pass as long as a process does not run: its timers are late, and what it waited for
   * comes first.
   */
  async sleep(ms: number): Promise<void> {
    this.scheduler.now += ms;
    this.scheduler.openAll();
    await this.scheduler.settle();
  }

  async pass(ms: number): Promise<void> {
    this.scheduler.advance(ms);
    await this.scheduler.settle();
  }

  async step(): Promise<void> {
    this.scheduler.openAll();
    await this.scheduler.settle();
  }
}

function rejected(call: () => unknown): unknown {
  try {
    return call();
  } catch (error) {
    return error;
  }
}

function clusterOf(): Cluster {
  const cluster = new Cluster();
  vi.spyOn(performance, "now").mockImplementation(() => cluster.scheduler.now);
  return cluster;
}

describe("the work of a process on a task", () => {
  useOwnTimers();
  afterEach(() => {
    vi.restoreAllMocks();
    vi.clearAllTimers();
  });

  it.each([
    ["refuses every call", "refuses"],
    ["responds to no call", "is silent"],
  ] as const)("the work ends with the lease if the store %s", async (_, fault) => {
    const cluster = clusterOf();
    const { agent, line } = cluster.start();
    await agent.send(atOnce("work"));
    await cluster.pass(leaseMs / 3);
    line.is = fault;
    // It was renewed at a third, so the lease ends at four thirds.
    for (let third = 2; third < 4; third += 1) await cluster.pass(leaseMs / 3);
    const before = cluster.effects;
    await cluster.step();
    expect(cluster.effects, "steps within the lease").toBeGreaterThan(before);
    await cluster.pass(leaseMs / 3);
    const after = cluster.effects;
    await cluster.step();
    expect(cluster.effects, "steps after the lease").toBe(after);
    expect(String(agent.errors)).toMatch(/The store has not responded|was refused/);
  });

  it("the work ends if the process wakes up after its lease has expired, before any timer runs", async () => {
    const cluster = clusterOf();
    const { agent } = cluster.start();
    const { id } = await agent.send(atOnce("work"));
    await cluster.step();
    const before = cluster.effects;
    await cluster.sleep(leaseMs);
    expect(cluster.effects).toBe(before);
    expect(agent.errors).toEqual([expect.any(LeaseLostError)]);
    // The guard of the same process takes the task over again.
    await cluster.pass(leaseMs / 3);
    await cluster.step();
    expect(cluster.effects).toBeGreaterThan(before);
    expect((await agent.get(id)).status.state).toBe("TASK_STATE_WORKING");
  });

  it.each<[string, (signal: AbortSignal) => unknown]>([
    ["aborted", (signal) => signal.aborted],
    ["reason", (signal) => signal.reason instanceof LeaseLostError],
    [
      "throwIfAborted",
      (signal) => rejected(() => signal.throwIfAborted()) instanceof LeaseLostError,
    ],
    [
      "fetch",
      (signal) =>
        fetch("http://127.0.0.1:1/", { signal }).catch(
          (error: unknown) => error instanceof LeaseLostError,
        ),
    ],
    [
      "AbortSignal.any",
      (signal) => AbortSignal.any([signal, new AbortController().signal]).aborted,
    ],
  ])(
    "a signal that was taken out of its turn checks the lease when %s reads it",
    async (_, look) => {
      const cluster = clusterOf();
      const seen: unknown[] = [];
      const agent = kitAgent({
        store: cluster.store,
        leaseMs,
        async *run({ signal }) {
          yield working();
          await cluster.scheduler.gate();
          expect(signal.aborted).toBe(false);
          // The process is suspended here, beyond its lease, so that its timers have not run yet.
          cluster.scheduler.now += leaseMs;
          seen.push(await look(signal));
          return completed();
        },
      });
      await agent.send(atOnce("work"));
      await cluster.step();
      await cluster.scheduler.settle();
      expect(seen).toEqual([true]);
    },
  );

  it("the work does not start if the store grants the lease too late", async () => {
    const cluster = clusterOf();
    const [first, second] = [cluster.start(), cluster.start()];
    const { id } = await first.agent.send(atOnce("work"));
    first.line.is = "refuses";
    second.line.is = "is slow";
    // The second one claims the task, and gets to know of it when that lease has ended, too.
    for (let third = 0; third < 4; third += 1) await cluster.pass(leaseMs / 3);
    const before = cluster.effects;
    await cluster.sleep(leaseMs);
    expect(cluster.effects).toBe(before);
    second.line.is = "works";
    await cluster.pass(leaseMs / 3);
    await cluster.step();
    expect(cluster.effects).toBeGreaterThan(before);
    expect((await second.agent.get(id)).id).toBe(id);
  });

  it("the work of two processes never overlaps, regardless of the delays of calls and timers", async () => {
    for (let seed = 1; seed <= sized(100, 500); seed += 1) {
      vi.clearAllTimers();
      const cluster = clusterOf();
      const random = new Random(seed);
      const processes = [cluster.start(), cluster.start(), cluster.start()];
      const senders = processes.map(({ agent }, at) =>
        agent.send(atOnce(`work ${String(at)}`)).catch(() => undefined),
      );
      await Promise.all(senders);
      for (let step = 0; step < 40; step += 1) {
        const what = random.below(8);
        if (what === 0) await cluster.sleep(random.below(2 * leaseMs));
        else if (what < 3) random.pick(processes).line.is = random.pick(lines);
        else if (what < 6) await cluster.pass(random.below(leaseMs / 2));
        else await cluster.step();
      }
      expect(cluster.overlaps, `seed ${String(seed)}`).toEqual([]);
    }
  });
});
