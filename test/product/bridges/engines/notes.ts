import { appendFileSync, existsSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";

/** Environment of a process whose steps are noted. */
export interface NotedEnvironment {
  /** Name of the process, which begins its notes. */
  readonly NAME: string;
  /** File with the notes. */
  readonly NOTES: string;
  /** Note at which the process stands still, and how often it was noted by then: `turn 3`. */
  readonly HOLD: string;
  /** File whose existence lets the process continue. */
  readonly RELEASE: string;
  /** Whether the kit has forgotten the ids of earlier requests to wake a task: empty if not. */
  readonly FORGETS: string;
  /** Number by which the times until tasks wake are divided. */
  readonly FASTER: string;
}

const counts = new Map<string, number>();

/** Returns the environment of this process. */
export function environment(): NotedEnvironment {
  return process.env as unknown as NotedEnvironment;
}

/**
 * Notes that something happens in this process. The promise resolves at once, unless the process
 * stands still at this note.
 */
export async function note(what: string): Promise<void> {
  const { NAME, NOTES, HOLD, RELEASE } = environment();
  const count = (counts.get(what) ?? 0) + 1;
  counts.set(what, count);
  appendFileSync(NOTES, `${NAME} ${what}\n`);
  if (`${what} ${String(count)}` !== HOLD) return;
  appendFileSync(NOTES, `${NAME} held\n`);
  while (!existsSync(RELEASE)) await pause(20);
}
