import { isBelow, processes } from "../cpu.js";

/** Processes of a siege, by what they do. Ids of processes that do not exist are `undefined`. */
export interface Roles {
  readonly agents: readonly (number | undefined)[];
  readonly attacker: number | undefined;
  /** The process of the proxy. The processes below it are the database. */
  readonly proxy: number | undefined;
}

/** Seconds of CPU, by what the processes do. */
export type CpuSeconds = Readonly<
  Record<"agents" | "database" | "proxy" | "attacker" | "observer", number>
>;

/**
 * Returns the CPU time that the processes of a siege have used so far. All times are 0 where
 * processes are not listed.
 */
export function cpuSeconds({ agents, attacker, proxy }: Roles): CpuSeconds {
  const all = processes();
  const secondsOf = (pid: number | undefined) =>
    pid === undefined ? 0 : (all.get(pid)?.seconds ?? 0);
  let database = 0;
  if (proxy !== undefined)
    for (const [pid, { seconds, endedSeconds }] of all)
      if (isBelow(all, pid, proxy)) database += seconds + endedSeconds;
  return {
    agents: agents.reduce<number>((sum, pid) => sum + secondsOf(pid), 0),
    database,
    proxy: secondsOf(proxy),
    attacker: secondsOf(attacker),
    observer: secondsOf(process.pid),
  };
}

/** Returns the share of a core that each part used between two times. */
export function cpuShares(before: CpuSeconds, after: CpuSeconds, seconds: number): CpuSeconds {
  const shareOf = (name: keyof CpuSeconds) =>
    Math.round((100 * (after[name] - before[name])) / seconds) / 100;
  return {
    agents: shareOf("agents"),
    database: shareOf("database"),
    proxy: shareOf("proxy"),
    attacker: shareOf("attacker"),
    observer: shareOf("observer"),
  };
}
