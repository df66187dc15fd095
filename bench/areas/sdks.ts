import { loadavg } from "node:os";
import { measures, median, turns, type Effort, type Rounds } from "../clock.js";
import { amount, rate, type Omission, type Result } from "../result.js";
import { contestantsOf, type Contestant, type Running } from "../sdks/agents.js";
import { calls, linesTo, listed, requestFor, type Call } from "../sdks/calls.js";
import { memoryOf, type Amounts, type Memory } from "../sdks/memory.js";
import { secondsUsedBy } from "../sdks/usage.js";
import { buildPrograms } from "../servers/children.js";
import { keepBusy, type Line } from "../servers/line.js";

/**
 * Turns and warm-ups last until the agent has used this CPU time in seconds, but at most `maxMs`:
 * on a busy machine, a time on the clock is too short. `/proc` counts hundredths of a second.
 */
const times = { rounds: 7, memoryRounds: 5, turn: 0.4, warmUp: 4, maxMs: 10_000 };
const amounts: Amounts = { messages: 2_000, tasks: 10_000, streams: 1_000 };
const quickTimes = { rounds: 1, memoryRounds: 1, turn: 0.03, warmUp: 0, maxMs: 5_000 };
const quickAmounts: Amounts = { messages: 16, tasks: 480, streams: 10 };

const concurrentCalls = 16;
const MiB = 2 ** 20;

/** Rows of the memory, with the unit of each. */
export const memoryRows = [
  { name: "Memory at rest", of: "atRest", unit: "MiB", divisor: MiB },
  { name: "Memory of 10,000 tasks", of: "tasks", unit: "MiB", divisor: MiB },
  { name: "Memory of an open stream", of: "stream", unit: "KiB", divisor: 1024 },
] as const;

/**
 * Measures our agent and agents on the official SDKs of all languages, which do the same: calls per
 * second of CPU time of the server, and memory. All agents run in processes of their own, and take
 * turns. In quick runs and comparisons of commits, only the JavaScript SDK takes part. Linux only.
 *
 * The environment variable `BENCH_SDKS` selects rows whose names contain its value.
 */
export async function* measure({ quick }: Effort): AsyncGenerator<Result | Omission> {
  if (process.platform !== "linux")
    throw new Error("The area sdks requires Linux: it reads CPU time and memory from /proc");
  const effort = quick ? quickTimes : times;
  const only = process.env["BENCH_SDKS"] ?? "";
  const chosen = calls.filter(({ name }) => name.includes(only));
  const rows = memoryRows.filter(({ name }) => name.includes(only));
  if (chosen.length + rows.length === 0) throw new Error(`No row has a name with "${only}"`);
  const programs = await buildPrograms();
  try {
    const isAlone = quick || turns.wait !== undefined;
    const { contestants, missing } = await contestantsOf(programs, !isAlone);
    for (const { name, reason } of missing) yield { name: "All rows", peerName: name, reason };
    for (const call of chosen) {
      const all = contestants.filter(({ versions }) => versions.includes(call.version));
      const { sides, omissions } = await speedOf(call, all, effort);
      yield* resultsOf(call.name, call.unit, sides);
      yield* omissions;
      for (const { name, omits = "" } of contestants.filter((one) => !all.includes(one)))
        yield { name: call.name, peerName: name, reason: omits };
    }
    if (rows.length === 0) return;
    const found = await memoriesOf(contestants, quick ? quickAmounts : amounts, effort);
    for (const { name, of, unit, divisor } of rows) {
      const sides: Measured[] = [];
      for (const { contestant, memories } of found) {
        const rounds = memories.map((memory) => memory[of]);
        const grown = rounds.map((bytes) => Number(bytes) / divisor);
        const reason = rounds.find((round) => typeof round === "string") ?? noGrowth(grown);
        if (reason !== undefined) yield { name, peerName: contestant.name, reason };
        else sides.push({ contestant, rounds: grown });
      }
      yield* resultsOf(name, unit, sides);
    }
  } finally {
    await programs.remove();
  }
}

/** The reason not to compare amounts of memory: a heap can have room for all that is added. */
function noGrowth(amounts: readonly number[]): string | undefined {
  return median(amounts) > 0 ? undefined : "the memory of its process did not grow";
}

/** Compares our agent on each Node with each peer; an SDK for JavaScript only on the same Node. */
function* resultsOf(name: string, unit: string, sides: readonly Measured[]): Generator<Result> {
  const compare = unit.endsWith("/s") ? rate : amount;
  const load = loadavg()[0] ?? NaN;
  for (const ours of sides.filter(({ contestant }) => contestant.isOurs)) {
    const { node: runtime = "" } = ours.contestant;
    for (const { contestant, rounds } of sides) {
      if (contestant.isOurs || (contestant.node ?? runtime) !== runtime) continue;
      const result = compare(`${name}, ${runtime}`, ours.rounds, contestant.name, rounds, unit);
      yield { ...result, runtime, load };
    }
  }
}

/** An agent of a comparison, and the connections to it. */
interface Side {
  readonly contestant: Contestant;
  readonly agent: Running;
  readonly lines: readonly Line[];
}

/** The results of an agent, in the order of the rounds. */
interface Measured {
  readonly contestant: Contestant;
  readonly rounds: Rounds;
}

/**
 * Returns the responses per second of CPU time of each agent that responds as the call expects, and
 * why the other agents are omitted. Throws if our agent is one of them.
 */
async function speedOf(
  call: Call,
  contestants: readonly Contestant[],
  { rounds, turn, warmUp, maxMs }: typeof times,
): Promise<{ readonly sides: readonly Measured[]; readonly omissions: readonly Omission[] }> {
  const running: Side[] = [];
  const omissions: Omission[] = [];
  try {
    for (const contestant of contestants) {
      const agent = await contestant.start(call.version, 0);
      const lines = await linesTo(agent, call.request, concurrentCalls);
      running.push({ contestant, agent, lines });
      if (call.needsTasks === true) await fill(agent);
    }
    const able = [];
    for (const side of running) {
      const reason = await faultOf(call, side);
      if (reason === undefined) {
        await work(side, warmUp, maxMs);
        able.push(side);
      } else if (side.contestant.isOurs) throw new Error(`${call.name}: ${reason}`);
      else omissions.push({ name: call.name, peerName: side.contestant.name, reason });
    }
    const all = able.map((side, index) => [String(index), () => work(side, turn, maxMs)] as const);
    const found = await measures(Object.fromEntries(all), rounds);
    const sides = able.map(({ contestant }, index) => ({
      contestant,
      rounds: found[String(index)] ?? [],
    }));
    return { sides, omissions };
  } finally {
    for (const { lines } of running) for (const line of lines) line.close();
    await Promise.all(running.map(({ agent }) => agent.stop()));
  }
}

/**
 * Calls an agent until it has used a CPU time in seconds, and returns its responses per second of
 * CPU time.
 */
async function work({ agent, lines }: Side, seconds: number, maxMs: number): Promise<number> {
  const [start, before] = [performance.now(), secondsUsedBy(agent.pid)];
  let responses = 0;
  let used: number;
  do {
    responses += await keepBusy(lines, (seconds * 1000) / 4);
    used = secondsUsedBy(agent.pid) - before;
  } while (used < seconds && performance.now() - start < maxMs);
  return responses / used;
}

/** Returns why an agent does not do what a call asks for, with all connections in use. */
async function faultOf(call: Call, { lines }: Side): Promise<string | undefined> {
  try {
    const all = await Promise.all(lines.map((line) => line.responses()));
    for (const responses of all) call.check(responses);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** Makes an agent keep the tasks that it lists. */
async function fill(agent: Running): Promise<void> {
  const [line] = await linesTo(agent, requestFor("task", "1.0"), 1);
  for (let left = listed; left > 0; left -= 1) await line?.call(() => undefined);
  line?.close();
}

/** Returns the memory of each agent, in each round. Each round starts new processes. */
async function memoriesOf(
  contestants: readonly Contestant[],
  amounts: Amounts,
  { memoryRounds }: typeof times,
): Promise<readonly { readonly contestant: Contestant; readonly memories: readonly Memory[] }[]> {
  const found = contestants.map((contestant) => ({ contestant, memories: new Array<Memory>() }));
  for (let round = 0; round < memoryRounds; round += 1) {
    await turns.wait?.();
    for (const { contestant, memories } of found)
      memories.push(await memoryOf(contestant, amounts));
  }
  return found;
}
