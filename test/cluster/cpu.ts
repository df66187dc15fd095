import { readdirSync, readFileSync } from "node:fs";

/**
 * Seconds of CPU that were used: by the agents, the engine, and the rig with its proxy and clients.
 */
export interface CpuTimes {
  readonly agents: number;
  readonly engine: number;
  readonly rig: number;
}

/** CPU time of a process so far, in seconds, and its parent. */
export interface ProcessTimes {
  readonly parent: number;
  readonly seconds: number;
  /** CPU time of its child processes that have ended. */
  readonly endedSeconds: number;
}

/** How many ticks of the clock of Linux a second has. */
const ticks = 100;

/**
 * Returns the CPU time used so far. The time of the engine is 0 if the system does not list
 * processes.
 */
export function cpuTimes(agents: ReadonlySet<number>): CpuTimes {
  const all = processes();
  const { user, system } = process.cpuUsage();
  const times = { agents: 0, engine: 0, rig: (user + system) / 1_000_000 };
  for (const [pid, { seconds }] of all) {
    if (agents.has(pid)) times.agents += seconds;
    // All other child processes of the rig belong to the engine.
    else if (pid !== process.pid && isBelow(all, pid)) times.engine += seconds;
  }
  return times;
}

/** Returns whether a process, by default this process, is an ancestor of another process. */
export function isBelow(
  all: ReadonlyMap<number, ProcessTimes>,
  pid: number,
  ancestor = process.pid,
): boolean {
  let parent = all.get(pid)?.parent;
  while (parent !== undefined && parent !== ancestor) parent = all.get(parent)?.parent;
  return parent !== undefined;
}

/**
 * Returns the processes of this machine by their ids; none if the system does not list processes.
 */
export function processes(): Map<number, ProcessTimes> {
  const found = new Map<number, ProcessTimes>();
  for (const name of foldersOf("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    try {
      // The name of a process comes before these, in parentheses.
      const fields =
        readFileSync(`/proc/${name}/stat`, "utf8").split(") ").at(-1)?.split(" ") ?? [];
      const secondsIn = (first: number) =>
        (Number(fields[first]) + Number(fields[first + 1])) / ticks;
      found.set(Number(name), {
        parent: Number(fields[1]),
        seconds: secondsIn(11),
        endedSeconds: secondsIn(13),
      });
    } catch {
      // It has ended meanwhile.
    }
  }
  return found;
}

function foldersOf(path: string) {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
}
