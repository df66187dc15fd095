import { AsyncLocalStorage } from "node:async_hooks";
import { run } from "../../../generator/cli/run.js";

/** Result of a run of the command line. */
export interface Run {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * Arguments of a command line. A string is split at its spaces, except for text in double quotes,
 * and a list is passed on.
 */
export type Words = string | readonly string[];

/** Returns the arguments of a command line. */
export function wordsOf(words: Words): readonly string[] {
  if (typeof words !== "string") return words;
  return (words.match(/"[^"]*"|\S+/g) ?? []).map((word) => word.replaceAll('"', ""));
}

/** Output of the run that a call belongs to. Runs may overlap, and each run has its own output. */
const printed = new AsyncLocalStorage<{ stdout: string; stderr: string }>();

/**
 * Runs the command line in this process: the sources and not the build, and without the second that
 * a process takes to start. Returns what it printed, and its exit code.
 */
export async function runInProcess(args: readonly string[], cwd: string): Promise<Run> {
  return await captured(() => run(args, cwd));
}

/** Runs a command line in this process, and returns what it printed. */
export async function captured(command: () => Promise<number>): Promise<Run> {
  const output = { stdout: "", stderr: "" };
  const code = await printed.run(output, command);
  return { code, ...output };
}

for (const channel of ["stdout", "stderr"] as const) {
  const stream = process[channel];
  const write = stream.write.bind(stream);
  stream.write = (chunk: string | Uint8Array, ...rest: readonly unknown[]) => {
    const output = printed.getStore();
    if (output === undefined) return Boolean(Reflect.apply(write, stream, [chunk, ...rest]));
    output[channel] += Buffer.from(chunk).toString();
    return true;
  };
}

// Vitest intercepts the console, and the parser of the command line prints help with it.
const { log, error } = console;
console.log = (...given: readonly unknown[]) => {
  if (printed.getStore() === undefined) log(...given);
  else process.stdout.write(`${given.join(" ")}\n`);
};
console.error = (...given: readonly unknown[]) => {
  if (printed.getStore() === undefined) error(...given);
  else process.stderr.write(`${given.join(" ")}\n`);
};
