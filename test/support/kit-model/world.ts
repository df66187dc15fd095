import { expect } from "vitest";
import type {
  SendMessageRequest,
  StreamResponse,
  Task,
} from "../../../generated/1.1-draft/models.js";
import { LeaseLostError, type TaskStore } from "../../../library/kit/store.js";
import { memoryStore } from "../../../library/kit/memory/store.js";
import type { Turn } from "../../../library/kit/turns/turn.js";
import { kitAgent } from "../kit.js";
import { lateStore } from "../late-store.js";
import { Random } from "../random/random.js";
import { record } from "./recording-store.js";
import { Scheduler, ticks } from "./scheduler.js";
import { runner } from "./scripts.js";

/** Start of a run. */
export interface Setting {
  /** How many services work on the tasks, which share one store. */
  readonly services: number;
  /** How late the store answers: at once, after some microtasks, or when it is told to. */
  readonly late: "no" | "ticks" | "gates";
  /** Whether the first of several services may end in the middle, as its process may. */
  readonly crashes: boolean;
  /**
   * How many entries of a task the store keeps: readers who are further behind get the task
   * instead.
   */
  readonly maxLog: number;
  /** Decides how late. */
  readonly seed: number;
}

/** A call, and what has come of it. */
export interface Call {
  readonly kind: "send" | "stream" | "cancel" | "subscribe" | "other";
  readonly what: string;
  /** The id of the message, or of the request to cancel. */
  readonly id: string;
  readonly user: string;
  /** How the call of a sender is answered, which `returnImmediately` does at once. */
  readonly immediately?: boolean;
  /** The task of the step, if it names a task. */
  readonly taskId?: string | undefined;
  readonly contextId?: string | undefined;
  result?: { readonly task: Task | undefined } | { readonly error: unknown };
  readonly events: StreamResponse[];
  /** Whether its stream has ended, or its answer is there. */
  isOver: boolean;
  hasLeft: boolean;
  leave?: () => void;
  /** The service that was asked. */
  readonly agent: Agent;
}

export type Agent = ReturnType<typeof kitAgent<unknown>>;

export const limits = { maxPending: 3, maxQueue: 4, cancelWithinMs: 5_000 };

/** Several services over one store, and their callers. */
export class World {
  readonly scheduler = new Scheduler();
  readonly recording;
  readonly setting: Setting;
  /** Those services that have not crashed. */
  agents: readonly Agent[];
  readonly calls: Call[] = [];
  /** The tasks whose turns are at work. */
  readonly active = new Set<Turn>();
  readonly crashed = new Set<Agent>();
  /** The ids of the messages that turns got, in order. */
  readonly read: string[] = [];
  readonly memory: TaskStore;
  #ids = 0;

  constructor(setting: Setting) {
    const { scheduler } = this;
    this.setting = setting;
    const now = () => scheduler.now;
    this.memory = memoryStore({ now, maxLog: setting.maxLog });
    const random = new Random(setting.seed);
    let lost = 0;
    this.recording = record(this.memory, () => {
      lost = setting.late !== "no" && lost < 2 && random.oneIn(10) ? lost + 1 : 0;
      return lost > 0;
    });
    // A process that is killed gives nothing back.
    if (setting.seed % 2 === 1) {
      const { store } = this.recording;
      const renew = store.renew.bind(store);
      store.renew = (leases, claim) =>
        claim.ttlMs === 0 ? Promise.resolve({ held: [] }) : renew(leases, claim);
    }
    this.agents = Array.from({ length: setting.services }, () => {
      const store = this.#late(setting, random);
      const newId = () => `id-${(this.#ids += 1)}`;
      const common = {
        store,
        now,
        newId,
        limits,
        leaseMs: setting.crashes ? 60_000 : 1_000_000_000,
      };
      return kitAgent<unknown>({ ...common, run: runner(scheduler, this.active, this.read) });
    });
  }

  /** Sends a message; `names` may name a task and a context. */
  send(
    agent: Agent,
    user: string,
    how: number,
    script: string,
    names: { taskId?: string; contextId?: string },
  ): void {
    const id = `m${this.calls.length}`;
    const request: SendMessageRequest = {
      message: { messageId: id, role: "ROLE_USER", parts: [{ text: script }], ...names },
      configuration: { returnImmediately: how === 2 },
    };
    const what = `${["send", "stream", "send and return"][how]} ${id} ${JSON.stringify(names)} by ${user}: ${script}`;
    if (how === 1) {
      const call = this.#call({ kind: "stream", agent, what, id, user, ...names });
      void this.#follow(call, agent.stream(request, user));
    } else {
      const call = this.#call({
        kind: "send",
        agent,
        what,
        id,
        user,
        immediately: how === 2,
        ...names,
      });
      void this.#wait(call, agent.send(request, user));
    }
  }

  cancel(agent: Agent, user: string, taskId: string): void {
    const id = `c${this.calls.length}`;
    const call = this.#call({
      kind: "cancel",
      agent,
      what: `cancel ${taskId} by ${user}`,
      id,
      user,
      taskId,
    });
    const { service, context } = agent;
    void this.#wait(
      call,
      Promise.resolve(service.cancelTask({ id: taskId, metadata: { call: id } }, context(user))),
    );
  }

  subscribe(agent: Agent, user: string, taskId: string): void {
    const what = `subscribe ${taskId} by ${user}`;
    const call = this.#call({
      kind: "subscribe",
      agent,
      what,
      id: `s${this.calls.length}`,
      user,
      taskId,
    });
    void this.#follow(call, agent.subscribe(taskId, user));
  }

  /** Gets a task, or lists tasks, and checks what does not depend on when that happens. */
  look(agent: Agent, user: string, taskId: string, how: number, which: number): void {
    const call = this.#call({
      kind: "other",
      agent,
      what: `look at ${taskId} by ${user}`,
      id: "",
      user,
      taskId,
    });
    const get = async () => {
      const historyLength = which % 4;
      const task = await agent.service.getTask({ id: taskId, historyLength }, agent.context(user));
      expect((task.history ?? []).length, "historyLength").toBeLessThanOrEqual(historyLength);
      expect(this.recording.logs.get(taskId)?.scope.owner).toBe(user);
      return task;
    };
    const list = async () => {
      const { tasks } = await agent.list({ pageSize: 1 + (which % 4) }, user);
      expect(tasks.map(({ id }) => this.recording.logs.get(id)?.scope.owner)).toEqual(
        tasks.map(() => user),
      );
      return undefined;
    };
    void this.#wait(call, how % 2 === 0 ? get() : list());
  }

  /** Ends what has not ended: opens all gates, cancels what is at work, and has readers leave. */
  async windDown(): Promise<void> {
    const { scheduler } = this;
    scheduler.isOpen = true;
    await this.#pass();
    // Other services claim the tasks of a crashed service.
    for (let round = 0; this.crashed.size > 0 && round < 10; round += 1) {
      this.scheduler.advance(20_000);
      await this.#pass();
    }
    for (const [id, { scope }] of this.recording.logs) {
      const state = (await this.memory.read(scope, id))?.task.status.state ?? "";
      const isAtRest = ["COMPLETED", "FAILED", "CANCELED", "REJECTED"].some((end) =>
        state.endsWith(end),
      );
      const agent = this.agents[0];
      if (
        !isAtRest &&
        ([...this.active].some(({ task }) => task.id === id) || !state.endsWith("REQUIRED")) &&
        agent !== undefined
      )
        this.cancel(agent, scope.owner, id);
    }
    await this.#pass();
    for (const call of this.calls) if (call.kind === "subscribe" && !call.isOver) call.leave?.();
    await this.#pass();
  }

  /** Stops the first service if another service exists. */
  crash(): void {
    const [first, ...others] = this.agents;
    if (!this.setting.crashes || first === undefined || others.length === 0) return;
    this.agents = others;
    this.crashed.add(first);
    void first.close();
  }

  /** Closes all agents, and lets pass the time that they take for it at most. */
  async close(): Promise<void> {
    const closing = Promise.all(this.agents.map((agent) => agent.close()));
    await this.#pass();
    await closing;
  }

  async #pass(): Promise<void> {
    for (let round = 0; round < 4; round += 1) {
      this.scheduler.openAll();
      await this.scheduler.settle();
      this.scheduler.advance(limits.cancelWithinMs / 2 + 1);
      await this.scheduler.settle();
    }
  }

  #late({ late }: Setting, random: Random): TaskStore {
    const { store } = this.recording;
    if (late === "no") return store;
    return lateStore(store, () =>
      late === "gates" && random.oneIn(4) ? this.scheduler.gate() : ticks(random.below(6)),
    );
  }

  #call(call: Omit<Call, "events" | "isOver" | "hasLeft">): Call {
    const made: Call = { ...call, events: [], isOver: false, hasLeft: false };
    this.calls.push(made);
    return made;
  }

  async #wait(call: Call, promise: Promise<Task | undefined>): Promise<void> {
    try {
      call.result = { task: await promise };
    } catch (error) {
      call.result = { error };
    }
    call.isOver = true;
  }

  async #follow(call: Call, promise: Promise<AsyncIterable<StreamResponse>>): Promise<void> {
    try {
      const events = (await promise)[Symbol.asyncIterator]();
      call.leave = () => {
        call.hasLeft = true;
        void events.return?.();
      };
      if (call.hasLeft) call.leave();
      for (let step = await events.next(); step.done !== true; step = await events.next()) {
        call.events.push(step.value);
        // Some readers take their time.
        if (Number(call.id.slice(1)) % 3 === 0) await this.scheduler.gate();
      }
    } catch (error) {
      call.result = { error };
    }
    call.isOver = true;
  }
}

/**
 * Whether an error may come out of what services report: what scripts do wrong, and what the store
 * was told to do.
 */
export function isExpected(error: unknown): boolean {
  // If the response to the last write was lost, another process may have claimed the task before
  // the write is repeated.
  if (error instanceof LeaseLostError) return true;
  const text = String(error);
  return [
    "ScriptError",
    "Error: throw",
    "The turn yielded",
    "The turn returned",
    "`emit` was called after",
    "ValidationError",
  ].some((known) => text.includes(known));
}
