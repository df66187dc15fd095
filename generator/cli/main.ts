#!/usr/bin/env node
import module from "node:module";

// Older versions of Node cannot load the other modules, and would print their source. Before the
// version check, this file therefore imports no other module of the package. It only uses syntax
// that older versions support.
const [major = 0, minor = 0] = process.version.slice(1).split(".").map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  process.stderr.write(
    `a2a-codegen requires Node 20.19 or later, but this is Node ${process.version.slice(1)}.\n`,
  );
  process.exitCode = 2;
} else void start();

async function start(): Promise<void> {
  // Node 22.8 and later can cache compiled code for the next run, but only for modules that are
  // imported after this line.
  if ("enableCompileCache" in module && typeof module.enableCompileCache === "function")
    Reflect.apply(module.enableCompileCache, module, []);
  const { run } = await import("./run.js");

  // A process such as `head` may close the pipe before it has read everything. This is not an
  // error.
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
  });
  process.exitCode = await run(process.argv.slice(2), process.cwd());
}
