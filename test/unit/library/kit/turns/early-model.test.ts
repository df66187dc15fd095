import { expect, it, vi } from "vitest";
import { memoryStore } from "../../../../../library/kit/memory/store.js";
import type { Entry, InboxItem, TaskStore } from "../../../../../library/kit/store.js";
import { inputRequired, textOf, working } from "../../../../../library/kit/turns/updates.js";
import { kitAgent, message } from "../../../../support/kit.js";
import { lateStore } from "../../../../support/late-store.js";
import { Random } from "../../../../support/random/random.js";
import { sized } from "../../../../support/size.js";

const atOnce = { configuration: { returnImmediately: true } };
const scope = { tenant: "", owner: "" };
/**
 * Only the death of a process makes leases expire in the store. A process that waits for the
 * processor for so long would stop its turns, so the time must be long.
 */
const leaseMs = 3_000;
const never = new Promise<never>(() => undefined);

/** A message that a turn has begun with. */
interface Begun {
  readonly text: string;
  readonly early: boolean;
  /** Whether the message was stored before the last question. */
  readonly wasBefore: boolean;
}

/** Processes that share a store, and whose turns all end with a question. */
class Processes {
  readonly begun: Begun[] = [];
  readonly #random: Random;
  /** Whether processes die. The first message is sent before. */
  #deaths = false;
  readonly #memory = memoryStore({ now: () => this.#now });
  readonly #agents: ReturnType<typeof kitAgent<number>>[] = [];
  readonly #posts = new Map<string, number>();
  /** Time of the store's clock. Leases only expire when a process dies. */
  #now = 0;
  #order = 0;
  #lastQuestion = 0;

  constructor(seed: number) {
    this.#random = new Random(seed);
    for (let count = 0; count < 3; count += 1) this.#start(count);
  }

  /** Sends messages to one task through all processes, and waits until they are read. */
  async run({ deaths }: { readonly deaths: boolean }): Promise<void> {
    const [first] = this.#agents;
    const { id = "" } = (await first?.send({ ...message("first"), ...atOnce })) ?? {};
    this.#deaths = deaths;
    for (let count = 0; count < 12; count += 1) {
      const request = { ...message(`m${String(count)}`, { taskId: id }), ...atOnce };
      // Processes that die do not answer, and a busy task may refuse a message.
      void this.#random
        .pick(this.#agents)
        .send(request)
        .catch(() => undefined);
      await this.#pause(12);
    }
    await vi.waitFor(
      async () => {
        const stored = await this.#memory.read(scope, id);
        expect(stored).toMatchObject({ inbox: [] });
        expect(stored?.task.status.state).toBe("TASK_STATE_INPUT_REQUIRED");
      },
      { interval: 5 },
    );
    for (const agent of this.#agents) void agent.close();
  }

  /** Starts a process, also to replace a dead process. */
  #start(index: number): void {
    const process = { isDead: false };
    const observed = this.#observed(process, index);
    const store = this.#random.oneIn(2) ? observed : lateStore(observed, this.#random.next());
    this.#agents[index] = kitAgent<number>({
      store,
      leaseMs,
      run: async function* (this: void, turn) {
        const text = textOf(turn.message);
        const wasBefore = (self.#posts.get(text) ?? 0) < self.#lastQuestion;
        if (!process.isDead && !turn.resumed)
          self.begun.push({ text, early: turn.early, wasBefore });
        for (let count = self.#random.below(3); count > 0; count -= 1) {
          await self.#pause(4);
          if (self.#random.oneIn(2)) yield working();
          else await turn.checkpoint(count);
        }
        return inputRequired("Sure?");
      },
    });
    // eslint-disable-next-line @typescript-eslint/no-this-alias -- for the generator above
    const self = this;
  }

  async #pause(turns: number): Promise<void> {
    for (let left = this.#random.below(turns); left > 0; left -= 1) await new Promise(setImmediate);
  }

  /** Returns the store as a process sees it, which may die before or after any call. */
  #observed(process: { isDead: boolean }, index: number): TaskStore {
    const dies = () => {
      if (process.isDead || !this.#deaths || !this.#random.oneIn(80)) return process.isDead;
      process.isDead = true;
      this.#now += 10 * leaseMs;
      this.#start(index);
      return true;
    };
    return new Proxy<TaskStore>(this.#memory, {
      get: (memory, name) => {
        const own: unknown = Reflect.get(memory, name);
        if (typeof own !== "function") return own;
        const call = (given: unknown[]): unknown => Reflect.apply(own, memory, given);
        if (name === "watch" || name === "onDue") return (...given: unknown[]) => call(given);
        return (...given: unknown[]): unknown => {
          if (dies()) return never;
          const result = call(given);
          if (name === "post") this.#notePost(given[2] as InboxItem, result as Promise<unknown>);
          if (name === "append") this.#noteAppend(given[1] as Entry[], result as Promise<unknown>);
          return dies() ? never : result;
        };
      },
    });
  }

  #notePost({ message: posted }: InboxItem, result: Promise<unknown>): void {
    const text = posted === undefined ? "" : textOf(posted);
    result.then(
      () => {
        this.#order += 1;
        if (!this.#posts.has(text)) this.#posts.set(text, this.#order);
      },
      () => undefined,
    );
  }

  #noteAppend(entries: readonly Entry[], result: Promise<unknown>): void {
    if (!entries.some(isQuestion)) return;
    result.then(
      () => {
        this.#order += 1;
        this.#lastQuestion = this.#order;
      },
      // The process has lost its lease.
      () => undefined,
    );
  }
}

function isQuestion(entry: Entry): boolean {
  if (!("event" in entry) || !("statusUpdate" in entry.event)) return false;
  return entry.event.statusUpdate.status.state === "TASK_STATE_INPUT_REQUIRED";
}

it("a message is early exactly if it was stored before the last question", async () => {
  for (let seed = 1; seed <= sized(20, 60); seed += 1) {
    const processes = new Processes(seed);
    await processes.run({ deaths: false });
    expect(processes.begun.length).toBeGreaterThan(1);
    const wrong = processes.begun.slice(1).filter(({ early, wasBefore }) => early !== wasBefore);
    expect([seed, wrong]).toEqual([seed, []]);
  }
});

it("a message that was stored before the last question is early, whichever process dies when", async () => {
  const seeds = Array.from({ length: sized(20, 60) }, (_, index) => index + 1);
  await Promise.all(
    seeds.map(async (seed) => {
      const processes = new Processes(seed);
      await processes.run({ deaths: true });
      const wrong = processes.begun.slice(1).filter(({ early, wasBefore }) => wasBefore && !early);
      expect([seed, wrong]).toEqual([seed, []]);
    }),
  );
});
