import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import {
  order,
  Order,
  OrderPrograms,
  type OrderProcess,
  type OrderProcesses,
  type ProgramOptions,
  type StartOptions,
} from "./orders.js";

/** An engine for workflows, and the page with its example. */
export interface OrderEngine {
  readonly title: string;
  /** Reason why the engine is not available; `undefined` if it is. */
  readonly missing: string | undefined;
  /** Path of the page, such as `docs/dbos.md`. */
  readonly page: string;
  /** Options for the programs of the page. */
  readonly programs?: ProgramOptions;
  /** Program that serves the agent. */
  readonly agent: string;
  /** Program that runs the workflows, if it is not the agent. */
  readonly worker?: { readonly program: string; readonly ready: string };
  /** Starts the servers of the engine; resolves to the variables of the programs. */
  start(): Promise<Readonly<Record<string, string>>>;
  stop(): Promise<void>;
  /** Variables of a process with a name. */
  variablesOf(name: string): Readonly<Record<string, string>>;
  /** Resolves when the worker can be called. */
  register?(worker: OrderProcess): Promise<void>;
  /** Returns the state of the workflow of a task. */
  stateOf(taskId: string): Promise<string>;
  /** Returns the time of the last heartbeat of the current step in seconds, if it has any. */
  readonly heartbeatOf?: (taskId: string) => Promise<number | undefined>;
  /** Ends the workflow of a task without its knowledge, if the engine can do this. */
  readonly terminate?: (taskId: string) => Promise<void>;
  /** State of a workflow that was canceled. */
  readonly canceled: string;
  /** State of a workflow whose steps have all succeeded. */
  readonly succeeded: string;
  /** State of a workflow that has failed because of a step. */
  readonly failed: string;
}

/** A moment at which a process is killed with SIGKILL. */
interface Kill {
  /** The moment, for the title of the test. */
  readonly when: string;
  readonly victim: "agent" | "worker";
  /**
   * Note at which the process is killed, and how often it was noted by then; `waiting` kills the
   * process while the question waits for its answer.
   */
  readonly at: string;
  /** Text that the subscriber must have received before the kill. */
  readonly after?: string;
  /** Whether the process is killed after the answer, which is sent to it. */
  readonly isLate?: boolean;
  /** Whether the task can end before the workflow has recorded its last report. */
  readonly isLast?: boolean;
  /** Whether the report is repeated before the answer is sent. */
  readonly isRepeated?: boolean;
  /** Whether the kit has forgotten the ids of earlier requests to wake a task. */
  readonly forgets?: boolean;
  /** Step that has run twice after the kill. */
  readonly twice?: string;
}

const [, cups] = order.progress;

const waiting: Omit<Kill, "victim"> = { when: "while the question waits", at: "waiting" };

/** Kills of the process that runs the workflow. */
const ofWorkflow: readonly Omit<Kill, "victim">[] = [
  { when: "in a step", at: "reserve cups 1", twice: "reserve cups" },
  { when: "after a report that is not recorded", at: "woken 2", after: cups },
  {
    when: "after a report that is not recorded, whose id the kit forgets",
    at: "woken 2",
    after: cups,
    forgets: true,
  },
  waiting,
  { when: "in the step after the answer", at: "charge 1", isLate: true, twice: "charge" },
  {
    when: "after the report of the result, whose id the kit forgets",
    at: "woken 5",
    forgets: true,
    isLate: true,
    isLast: true,
  },
];

/** Kills of the process that runs the turns. */
const ofTurns: readonly Omit<Kill, "victim">[] = [
  { when: "before the workflow begins", at: "turn 1" },
  { when: "after the start of the workflow", at: "end 1" },
  { when: "in a turn that has reported progress", at: "end 3", after: cups },
  { when: "before the question is stored", at: "end 5" },
  {
    when: "after the answer is sent to the workflow",
    at: "end 6",
    isLate: true,
    // With the answer, the workflow runs on until the kill.
    isLast: true,
  },
  { when: "before the result is stored", at: "end 7", isLate: true, isLast: true },
];

/**
 * Returns kills of the process that runs the workflow after the report of the question. A worker
 * repeats the report at once, and an agent when the answer has come.
 */
function ofQuestion(hasWorker: boolean): Omit<Kill, "victim">[] {
  const when = "after the report of the question";
  const kill = { at: "woken 4", after: order.question, isRepeated: hasWorker };
  const forgets = { ...kill, when: `${when}, whose id the kit forgets`, forgets: true };
  return hasWorker ? [{ ...kill, when }, forgets] : [forgets];
}

/** Returns the kills of the processes of an engine. */
function killsOf({ worker }: OrderEngine): Kill[] {
  const hasWorker = worker !== undefined;
  const victim = hasWorker ? "worker" : "agent";
  // If the agent runs the workflow, it has been killed while the question waits.
  const turns = hasWorker ? [...ofTurns, waiting] : ofTurns;
  return [
    ...[...ofWorkflow, ...ofQuestion(hasWorker)].map((kill): Kill => ({ ...kill, victim })),
    ...turns.map((kill): Kill => ({ ...kill, victim: "agent" })),
  ];
}

/** Settings of the processes of a test. */
type Opening = Pick<Kill, "at" | "victim" | "forgets">;

/** Processes of one test: an agent that can be killed, another agent, and their worker, if any. */
class Shop {
  readonly #engine: OrderEngine;
  readonly processes: OrderProcesses;
  /** The agent that gets the orders, and stands still if it is the victim. */
  first!: OrderProcess;
  /** Another agent, which follows the orders. */
  second!: OrderProcess;
  /** Whether the other agent starts after the kill, so that the victim runs all turns before. */
  isAlone = false;
  worker: OrderProcess | undefined;

  constructor(engine: OrderEngine, processes: OrderProcesses) {
    this.#engine = engine;
    this.processes = processes;
  }

  /** The process that runs the workflows. */
  get runner(): OrderProcess {
    return this.worker ?? this.first;
  }

  /** Starts the processes. */
  async open({ at, victim, forgets = false }: Opening, faster = 20): Promise<void> {
    const { worker } = this.#engine;
    const isWorker = worker !== undefined && victim === "worker";
    const hold = at === "waiting" ? "" : at;
    const given = { forgets, faster };
    if (worker !== undefined) {
      this.worker = await this.#start("W", isWorker ? { ...given, hold } : given);
    }
    this.first = await this.#start("A", isWorker ? given : { ...given, hold });
    if (!this.isAlone) this.second = await this.#start("B", given);
  }

  /** Starts the other agent, if it is not running. */
  async openSecond(): Promise<void> {
    if (this.isAlone) this.second = await this.#start("B", {});
  }

  /** Starts a process that has been killed again. */
  async again(killed: OrderProcess, faster = 20): Promise<void> {
    await this.#start(killed.name, { port: killed.port, faster });
  }

  async #start(name: string, options: Omit<StartOptions, "ready">): Promise<OrderProcess> {
    const { agent, worker } = this.#engine;
    const { program, ready } =
      name === "W" && worker !== undefined ? worker : { program: agent, ready: "Orders listens" };
    const variables = this.#engine.variablesOf(name);
    const started = await this.processes.start(program, name, { ...options, ready, variables });
    if (name === "W") await this.#engine.register?.(started);
    return started;
  }
}

/** Tests the example of an engine. */
export function describeOrders(engine: OrderEngine): void {
  const { title, missing } = engine;
  describe.skipIf(missing !== undefined)(
    `the example of ${title} (${missing ?? "available"})`,
    () => {
      let programs: OrderPrograms;
      let variables: Readonly<Record<string, string>>;
      const shop = () => new Shop(engine, programs.processes(variables));

      /** Resolves when the workflow of an order has reached a state. */
      const reaches = ({ id }: Order, state: string) =>
        vi.waitUntil(async () => (await engine.stateOf(id)) === state, { timeout: 100_000 });

      beforeAll(async () => {
        if (missing !== undefined) return;
        variables = await engine.start();
        programs = await OrderPrograms.of(engine.page, engine.programs);
      });
      afterAll(() => (missing === undefined ? engine.stop() : undefined));

      it.each(killsOf(engine).map((kill) => [kill.victim, kill.when, kill] as const))(
        "an order ends well, and reports each step once, if the %s is killed %s",
        async (victim, _, kill) => {
          const { at, after, isLate = false, isLast = false, isRepeated = false, twice } = kill;
          const opened = shop();
          // Otherwise, the other agent could run the turn in which the victim is killed.
          const isInTurn = at.startsWith("turn ") || at.startsWith("end ");
          opened.isAlone = victim === "agent" && (engine.worker !== undefined || isInTurn);
          await opened.open(kill);
          const { first, isAlone, processes } = opened;
          const killed = victim === "worker" ? opened.runner : first;
          const placed = await Order.of(first, isAlone ? first : opened.second, order.text);
          const end = async () => {
            if (at !== "waiting") await processes.held(killed.name);
            if (after !== undefined) await placed.saw(after);
            await killed.kill();
            if (victim === "worker") await opened.again(killed);
            await opened.openSecond();
            if (isAlone) await placed.follow(opened.second);
          };
          if (at !== "waiting" && !isLate) await end();
          await placed.saw(order.question);
          if (at === "waiting") await end();
          const questions =
            isRepeated && kill.forgets ? [order.question, order.question] : [order.question];
          if (isRepeated) {
            await processes.noted("woken", 5);
            await placed.saw(order.question, questions.length);
            // The other order asks after the question would have been asked again.
            const next = await Order.of(first, opened.second, "jam");
            await next.saw("Pay 3 €?");
          }
          await placed.say("yes", isLate ? first : opened.second);
          if (isLate) await end();
          await placed.ended;
          // Without a worker, only a process with the same name continues the workflow of a task that
          // has ended.
          if (isLast && engine.worker === undefined) await opened.again(killed);
          await reaches(placed, engine.succeeded);

          expect(placed.texts).toEqual([...order.progress, ...questions, order.result]);
          expect(placed.seen.at(-1)).toEqual(["TASK_STATE_COMPLETED", order.result]);
          const { steps } = processes;
          const repeated = Object.keys(steps).filter((step) => steps[step] !== 1);
          expect(Object.values(steps)).not.toContain(0);
          if (twice !== undefined) expect(steps).toMatchObject({ [twice]: 2 });
          // Only the step in progress can run again.
          expect(repeated.length, processes.notes.join()).toBeLessThanOrEqual(1);
          expect(Math.max(...Object.values(steps))).toBeLessThanOrEqual(2);
        },
      );

      it("a task fails, and its workflow runs once, if the agent is killed after the start of a workflow that fails", async () => {
        const opened = shop();
        opened.isAlone = engine.worker !== undefined;
        await opened.open({ at: "end 1", victim: "agent" });
        const { first, isAlone, processes } = opened;
        const placed = await Order.of(first, isAlone ? first : opened.second, "tea, broken");
        await processes.held(first.name);
        await reaches(placed, engine.failed);
        await first.kill();
        await opened.openSecond();
        if (isAlone) await placed.follow(opened.second);
        await placed.ended;
        expect(placed.seen.at(-1)).toEqual(["TASK_STATE_FAILED", "The order has failed"]);
        expect(placed.texts).toEqual(["Reserved: tea", "The order has failed"]);
        expect(processes.steps).toMatchObject({ "reserve tea": 1, charge: 0 });
      });

      it("an order that is canceled in a step runs no further step", async () => {
        const opened = shop();
        await opened.open({ at: "reserve cups 1", victim: "worker" });
        const { first, second, processes } = opened;
        const placed = await Order.of(first, second, order.text);
        await processes.held(opened.runner.name);
        const { status } = await placed.cancel(second);
        expect(status.state).toBe("TASK_STATE_CANCELED");
        expect(status.message?.parts[0]?.text).toBe("The order is stopped");
        processes.release();
        // The other order ends after the first one would have run on.
        const next = await Order.of(first, second, "milk");
        await next.saw("Pay 4 €?");
        await next.say("yes", first);
        await next.ended;
        expect(processes.steps).toEqual({
          "reserve tea": 1,
          "reserve cups": 1,
          "reserve milk": 1,
          charge: 1,
        });
        await reaches(placed, engine.canceled);
      });

      it("an order that is canceled while its question waits ends the workflow", async () => {
        const opened = shop();
        await opened.open({ at: "", victim: "agent" });
        const { first, second } = opened;
        const placed = await Order.of(first, second, order.text);
        await placed.saw(order.question);
        const { status } = await placed.cancel(second);
        expect(status.message?.parts[0]?.text).toBe("The order is stopped");
        await reaches(placed, engine.canceled);
      });

      const { heartbeatOf, terminate } = engine;
      if (heartbeatOf !== undefined)
        it("a step sends heartbeats more often than its time limit requires", async () => {
          const opened = shop();
          await opened.open({ at: "reserve cups 1", victim: "worker" });
          const { first, processes, second } = opened;
          const placed = await Order.of(first, second, order.text);
          await processes.held(opened.runner.name);
          let last = -Infinity;
          await vi.waitUntil(
            async () => {
              const time = await heartbeatOf(placed.id);
              if (time === undefined || time === last) return false;
              const gap = time - last;
              last = time;
              // Throttled heartbeats are eight seconds apart.
              return gap < 4;
            },
            { timeout: 100_000, interval: 200 },
          );
          processes.release();
        });
      if (terminate !== undefined)
        it("an order whose workflow was terminated accepts an answer, and can be canceled", async () => {
          const opened = shop();
          await opened.open({ at: "", victim: "agent" });
          const { first, second, processes } = opened;
          const placed = await Order.of(first, second, order.text);
          await placed.saw(order.question);
          await terminate(placed.id);
          await placed.say("yes", first);
          const { status } = await placed.cancel(second);
          expect(status.message?.parts[0]?.text).toBe("The order is stopped");
          expect(processes.steps).toMatchObject({ charge: 0 });
        });

      it.each([
        ["in a step before the question", "worker", "reserve cups 1", 1],
        ["in the turn that asks the question", "agent", "end 5", 2],
      ] as const)("a message that is sent %s does not answer it", async (_, victim, at, times) => {
        const opened = shop();
        opened.isAlone = engine.worker !== undefined;
        await opened.open({ at, victim });
        const { first, processes } = opened;
        const placed = await Order.of(first, first, order.text);
        await processes.held(victim === "worker" ? opened.runner.name : first.name);
        await placed.say("yes", first);
        processes.release();
        // After the message, the question is asked again.
        await placed.saw(order.question, times);
        await placed.say("no", first);
        await placed.ended;
        const questions = Array(times).fill(order.question) as string[];
        expect(placed.texts).toEqual([...order.progress, ...questions, "Not paid"]);
        expect(processes.steps).toMatchObject({ charge: 0 });
      });

      it("a task fails if its workflow fails", async () => {
        const opened = shop();
        await opened.open({ at: "", victim: "agent" });
        const { first, second } = opened;
        const placed = await Order.of(first, second, "tea, broken");
        await placed.ended;
        expect(placed.seen.at(-1)).toEqual(["TASK_STATE_FAILED", "The order has failed"]);
        expect(placed.texts).toEqual(["Reserved: tea", "The order has failed"]);
      });

      if (engine.worker === undefined)
        it("a process that starts again under its name continues its orders at once", async () => {
          const opened = shop();
          // The time at which the other process would continue the order is not shortened.
          await opened.open({ at: "reserve cups 1", victim: "agent" }, 1);
          const { first, second, processes } = opened;
          const placed = await Order.of(first, second, order.text);
          await processes.held(first.name);
          await first.kill();
          const killedAt = performance.now();
          await opened.again(first, 1);
          await placed.saw(order.question);
          expect(performance.now() - killedAt).toBeLessThan(50_000);
          expect(placed.texts).toEqual([...order.progress, order.question]);
        });
    },
  );
}
