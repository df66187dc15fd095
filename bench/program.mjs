import { fork } from "node:child_process";
import { join } from "node:path";
import { build } from "esbuild";
import { library } from "../test/tools/library.mjs";

/**
 * Bundles an area of the benchmarks in a tree, so that every Node version can run it, with a main
 * program that sends each result to its parent. If `isPaced` is set, the program waits for a
 * message before each round.
 */
async function compile({ tree, folder = "areas", area, effort, out, isPaced }) {
  const wait =
    'turns.wait = () => new Promise((go) => { process.once("message", go); ' +
    'process.send("ready"); });';
  const contents = [
    `import { ${effort}, turns } from "./clock.js";`,
    `import { measure } from "./${folder}/${area}.js";`,
    isPaced ? `${wait}\nawait turns.wait();` : "",
    `for await (const result of measure(${effort})) process.send(result);`,
    // Open handles, such as the pool of an HTTP client, must not keep the process alive.
    `process.disconnect();`,
    `process.exit();`,
  ].join("\n");
  await build({
    stdin: {
      contents,
      resolveDir: join(tree, "bench"),
      loader: "ts",
      sourcefile: `${area}.main.ts`,
    },
    outdir: out,
    entryNames: area,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    // In a single file, esbuild would omit the start of modules that are imported both statically
    // and later, because the package has no side effects.
    splitting: true,
    format: "esm",
    platform: "node",
    target: "node20.19",
    packages: "external",
    plugins: [library({ compiled: true })],
    logLevel: "error",
  });
  return join(out, `${area}.mjs`);
}

/**
 * Starts an area in a separate process, so that it does not slow down the next area. `onMessage`
 * receives its results.
 */
export async function startArea(options, onMessage) {
  const { tree, area, out } = options;
  const child = fork(await compile(options), {
    cwd: tree,
    execArgv: ["--expose-gc"],
    stdio: ["ignore", 2, 2, "ipc"],
    env: { ...process.env, BENCH_OUT: out },
  });
  child.on("message", onMessage);
  const ended = new Promise((resolve, reject) => {
    child.on("exit", (code) => {
      if (code === 0) resolve();
      else reject(new Error(`The area ${area} ended with ${code}`));
    });
  });
  return { child, ended };
}
