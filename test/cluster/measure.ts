import { setTimeout as pause } from "node:timers/promises";
import { Random } from "../support/random/random.js";
import { clientOf, Cluster } from "./cluster.js";
import { type CpuTimes, cpuTimes } from "./cpu.js";
import type { EngineKind } from "./engines/engine.js";
import { History } from "./history.js";
import { clock, markOf, owners, type Script } from "./protocol.js";
import { aMessage } from "../support/messages.js";
import { roundedQuantile } from "../support/quantile.js";

/** Measurements for a number of processes. */
export interface Measurement {
  readonly processes: number;
  readonly "tasks/s": number;
  readonly "updates/s": number;
  /** How many cores were at work meanwhile. */
  readonly "cores of agents": number;
  readonly "of the engine": number;
  readonly "of the rig": number;
  /**
   * From an update in a turn to a subscriber of another process, at about 1,000 updates a second.
   */
  readonly "latency ms, median": number;
  readonly "latency ms, 99 %": number;
  readonly "at events/s": number;
}

/** Number of updates of a task whose throughput is measured. */
export const updates = 20;
const leaseMs = 30_000;

const [owner = ""] = owners;

/** Members of a script for a task that neither asks nor sleeps. */
const plain = { asks: false, wakes: 0, naps: [] };

/** Measures an agent that nothing disturbs, with one process and up to as many as are wanted. */
export async function measure(
  name: string,
  kind: EngineKind,
  processes: number,
): Promise<Measurement[]> {
  const found: Measurement[] = [];
  for (let count = 1; count <= processes; count += 1) {
    const engine = await kind.start(new Random(1));
    const history = new History();
    const cluster = new Cluster(
      { engine: name, address: engine.address, leaseMs },
      history,
      new Random(1),
    );
    await Promise.all(Array.from({ length: count }, () => cluster.add()));
    const { perSecond, cores } = await throughput(cluster);
    const latencies = await latency(cluster);
    found.push({
      processes: count,
      "tasks/s": Math.round(perSecond),
      "updates/s": Math.round(perSecond * updates),
      "cores of agents": cores.agents,
      "of the engine": cores.engine,
      "of the rig": cores.rig,
      "latency ms, median": roundedQuantile(latencies.times, 0.5, 1),
      "latency ms, 99 %": roundedQuantile(latencies.times, 0.99, 1),
      "at events/s": Math.round(latencies.perSecond),
    });
    await cluster.close();
    await engine.stop();
  }
  return found;
}

async function send(cluster: Cluster, script: Script, returnImmediately: boolean) {
  const message = aMessage(JSON.stringify(script));
  const { task } = await cluster
    .client(owner)
    .sendMessage({ message, configuration: { returnImmediately } });
  if (task === undefined) throw new Error("The agent replied with a message");
  return task;
}

/**
 * Returns how many tasks are done in a second, when callers always wait for some, and what that
 * takes.
 * @param ms Minimum duration of the measurement, after a warm-up.
 */
export async function throughput(
  cluster: Cluster,
  ms = 5_000,
): Promise<{ readonly perSecond: number; readonly cores: CpuTimes }> {
  let done = 0;
  let isOver = false;
  const script = { ...plain, updates, everyMs: 0 };
  const callers = Array.from({ length: 48 }, async () => {
    while (!isOver) {
      await send(cluster, script, false);
      done += 1;
    }
  });
  // Just-in-time compilation is excluded.
  await pause(2_000);
  const agents = new Set(cluster.members.map(({ child }) => child.pid ?? 0));
  const [before, began, cpuBefore] = [done, performance.now(), cpuTimes(agents)];
  // On a busy machine, no task may be done in a short measurement.
  do await pause(ms);
  while (done === before);
  const [seconds, cpu] = [(performance.now() - began) / 1_000, cpuTimes(agents)];
  const perSecond = (done - before) / seconds;
  const coresOf = (whose: keyof CpuTimes) =>
    Number(((cpu[whose] - cpuBefore[whose]) / seconds).toFixed(2));
  isOver = true;
  await Promise.all(callers);
  return {
    perSecond,
    cores: { agents: coresOf("agents"), engine: coresOf("engine"), rig: coresOf("rig") },
  };
}

/**
 * Returns the delay of events from one process to subscribers of another process.
 * @param count Number of updates of each task. The first 20 updates are a warm-up.
 */
export async function latency(
  cluster: Cluster,
  count = 120,
): Promise<{ readonly times: number[]; readonly perSecond: number }> {
  const times: number[] = [];
  // 50 tasks with 20 updates a second each, for some seconds.
  const script = { ...plain, updates: count, everyMs: 49 };
  const began = performance.now();
  await Promise.all(
    Array.from({ length: 50 }, async () => {
      const { id } = await send(cluster, script, true);
      const worker = [...cluster.members].find(({ working }) => working.has(id));
      const reader = cluster.other(worker?.child.pid ?? 0);
      for await (const { statusUpdate } of clientOf(reader, owner).subscribeToTask({ id })) {
        const mark = markOf(statusUpdate?.status.message?.parts[0]?.text);
        if (mark !== undefined && mark.number > 20) times.push(clock() - mark.at);
      }
    }),
  );
  return { times, perSecond: (50 * script.updates * 1_000) / (performance.now() - began) };
}
