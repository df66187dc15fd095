#!/usr/bin/env node
import module from "node:module";

// From 22.8 on, Node can keep compiled code for the next run. Only modules that are imported after this line profit.
if ("enableCompileCache" in module && typeof module.enableCompileCache === "function")
  Reflect.apply(module.enableCompileCache, module, []);
const { run } = await import("./run.js");

// A reader that has seen enough, such as `head`, is no failure.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error;
});
process.exitCode = await run(process.argv.slice(2), process.cwd());
