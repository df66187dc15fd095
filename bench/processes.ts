import { spawn } from "node:child_process";

/** Resources that a process has used. */
export interface Taken {
  readonly ms: number;
  /** Peak memory in bytes, without child processes. */
  readonly bytes: number;
}

/** Code that prints the peak memory of a process at its end. */
const meter = `data:text/javascript,${encodeURIComponent(
  `process.on("exit", () => process.stderr.write("\\n" + process.resourceUsage().maxRSS));`,
)}`;

/**
 * Runs a program in a new Node process, and returns the time and memory it took. Rejects with its
 * standard error if it fails.
 * @param input Data for its standard input.
 * @param cwd Its working directory; the directory of this process by default.
 */
export async function runNode(
  args: readonly string[],
  input: string | Uint8Array = "",
  cwd?: string,
): Promise<Taken> {
  const start = performance.now();
  const child = spawn(process.execPath, ["--import", meter, ...args], {
    stdio: ["pipe", "pipe", "pipe"],
    cwd,
  });
  child.stdin.end(input);
  child.stdout.resume();
  let errors = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (errors += text));
  const code = await new Promise((resolve) => child.on("close", resolve));
  const ms = performance.now() - start;
  if (code !== 0) throw new Error(`${args.join(" ")} ended with ${String(code)}: ${errors}`);
  return { ms, bytes: Number(errors.trimEnd().split("\n").at(-1)) * 1024 };
}
