#!/usr/bin/env node
import type * as upToDate from "./up-to-date.js";

// Older versions of Node cannot load the other modules, and would print their source. Before the
// version check, this file therefore loads no other module, not even of Node. It only uses syntax
// that older versions support. The build compiles it to CommonJS, which Node loads faster than ES
// modules.
const [major = 0, minor = 0] = process.version.slice(1).split(".").map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  process.stderr.write(
    `a2a-codegen requires Node 20.19 or later, but this is Node ${process.version.slice(1)}.\n`,
  );
  process.exitCode = 2;
} else void start(process.argv.slice(2));

async function start(args: readonly string[]): Promise<void> {
  const done = await quickRun(args);
  if (done !== undefined) {
    process.exitCode = done.code;
    write(done.text);
    return;
  }
  // Node 22.8 and later can cache compiled code for the next run, but only for modules that are
  // loaded after this line.
  const module: object = process.getBuiltinModule("node:module");
  if ("enableCompileCache" in module && typeof module.enableCompileCache === "function")
    Reflect.apply(module.enableCompileCache, module, []);
  const { run } = await import("./run.js");
  ignoreClosedPipe();
  process.exitCode = await run(args, process.cwd());
}

/**
 * Runs the most frequent command lines without the whole program: the help, which the build has
 * printed, and `generate` without changes.
 */
async function quickRun(args: readonly string[]): Promise<upToDate.CurrentRun | undefined> {
  const [first = "--help", second] = args;
  if (second === undefined && ["--help", "-h", "help"].includes(first)) {
    const { readFileSync } = process.getBuiltinModule("node:fs");
    return { code: 0, text: readFileSync(`${import.meta.dirname}/help.txt`, "utf8") };
  }
  if (!args.includes("generate")) return undefined;
  const load = process.getBuiltinModule("node:module").createRequire(import.meta.filename);
  const { runIfCurrent } = load("./up-to-date.cjs") as typeof upToDate;
  return await runIfCurrent(args, process.cwd());
}

/**
 * Writes a text to standard output. Loading the streams of Node would take longer than the whole
 * run. On Windows, only they convert text for the console.
 */
function write(text: string): void {
  let rest = Buffer.from(text);
  if (process.platform !== "win32")
    try {
      const { writeSync } = process.getBuiltinModule("node:fs");
      rest = rest.subarray(writeSync(1, rest));
    } catch {
      // The pipe is full or closed.
    }
  if (rest.length === 0) return;
  ignoreClosedPipe();
  process.stdout.write(rest);
}

/**
 * Ignores that the reader of standard output, such as `head`, has ended before it has read
 * everything.
 */
function ignoreClosedPipe(): void {
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
  });
}
