#!/usr/bin/env node
import module from "node:module";

// Older versions of Node cannot load the other modules, and would print their source. So this file
// imports no other module of the package before the version check, and uses only syntax that those
// versions support.
const [major = 0, minor = 0] = process.version.slice(1).split(".").map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  process.stderr.write(
    `a2a requires Node 20.19 or later, and this is Node ${process.version.slice(1)}.\n`,
  );
  process.exitCode = 2;
} else void start();

async function start(): Promise<void> {
  // Overwrites the command line in the list of processes, which may contain a token.
  process.title = "a2a";
  // Node 22.8 and later can cache compiled code for the next run, but only for modules that are
  // imported after this line.
  if ("enableCompileCache" in module && typeof module.enableCompileCache === "function")
    Reflect.apply(module.enableCompileCache, module, []);
  const { run } = await import("./run.js");
  const { interruptible } = await import("./interrupts.js");
  const { programOf } = await import("./program.js");
  const { signal, end } = interruptible();
  const program = programOf(process.env, process.argv[1]);
  const code = await run(process.argv.slice(2), {
    cwd: process.cwd(),
    env: process.env,
    signal,
    program,
  });
  end(code);
}
