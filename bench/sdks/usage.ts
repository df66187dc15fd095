import { readdirSync, readFileSync } from "node:fs";

/** Clock ticks per second in `/proc`, on every Linux. */
const ticks = 100;

/**
 * Returns the CPU time in seconds that all threads of a process and of its child processes have
 * used, in user mode and in the kernel. Linux only.
 */
export function secondsUsedBy(pid: number): number {
  return sumOf(pid, (one) => {
    const text = readFileSync(`/proc/${one}/stat`, "utf8");
    // The name of the program may contain spaces. It ends with the last parenthesis.
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
    // User and system time of the process, and of its child processes that have ended.
    return fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0) / ticks;
  });
}

/** Returns the memory in bytes that a process and its child processes have in use. Linux only. */
export function bytesOf(pid: number): number {
  return sumOf(pid, (one) => {
    const text = readFileSync(`/proc/${one}/smaps_rollup`, "utf8");
    return Number(/^Rss: +(\d+) kB$/m.exec(text)?.[1]) * 1024;
  });
}

function sumOf(pid: number, read: (pid: number) => number): number {
  const children = readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
    readFileSync(`/proc/${pid}/task/${thread}/children`, "utf8").split(" ").filter(Boolean),
  );
  return children.reduce((sum, child) => sum + sumOf(Number(child), read), read(pid));
}
