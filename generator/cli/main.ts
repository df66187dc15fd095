#!/usr/bin/env node
import module from "node:module";

// Older versions of Node cannot load the other modules, and would print their source. So this file imports no other
// module of the package before the version check, and uses only syntax that those versions support.
const [major = 0, minor = 0] = process.version.slice(1).split(".").map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  process.stderr.write(`a2a-codegen requires Node 20.19 or later, but this is Node ${process.version.slice(1)}.\n`);
  process.exitCode = 2;
} else void start();

async function start(): Promise<void> {
  // From 22.8 on, Node can cache compiled code for the next run, but only of modules that are imported after this line.
  if ("enableCompileCache" in module && typeof module.enableCompileCache === "function")
    Reflect.apply(module.enableCompileCache, module, []);
  const { run } = await import("./run.js");

  // It is not an error if a process such as `head` closes the pipe before it has read everything.
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
  });
  process.exitCode = await run(process.argv.slice(2), process.cwd());
}
