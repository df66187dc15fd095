#!/usr/bin/env node
import module from "node:module";

// Older versions of Node cannot load what comes next, and would print all of it. So this file imports nothing else, and
// has no syntax that they do not know.
const [major = 0, minor = 0] = process.version.slice(1).split(".").map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  process.stderr.write(`a2a-codegen requires Node 20.19 or later, and this is Node ${process.version.slice(1)}.\n`);
  process.exitCode = 2;
} else void start();

async function start(): Promise<void> {
  // From 22.8 on, Node can keep compiled code for the next run. Only modules that are imported after this line profit.
  if ("enableCompileCache" in module && typeof module.enableCompileCache === "function")
    Reflect.apply(module.enableCompileCache, module, []);
  const { run } = await import("./run.js");

  // A reader that has seen enough, such as `head`, is no failure.
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
  });
  process.exitCode = await run(process.argv.slice(2), process.cwd());
}
