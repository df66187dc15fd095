import { build } from "esbuild";
import { fork } from "node:child_process";
import { once } from "node:events";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { packageFolder } from "../../generator/support/package-folder.js";
import type { Kind, Ready } from "./work.js";

/** Host programs, ready to be started. */
export interface Programs {
  /** Starts a host in a process of its own. `name` is one of those in `host.ts`. */
  start(name: string, kind: Kind): Promise<Host>;
  /** Removes the programs. */
  remove(): Promise<void>;
}

/** A host that runs. */
export interface Host extends Ready {
  /** Returns the seconds of processor time that it has used, in all of its threads. */
  secondsUsed(): Promise<number>;
  stop(): Promise<void>;
}

/** Makes JavaScript of the host programs. They lie in the package, where they find what they import. */
export async function buildPrograms(): Promise<Programs> {
  const folder = join(packageFolder, "bench", ".out", `servers-${process.pid}`);
  await build({
    entryPoints: [join(packageFolder, "bench", "servers", "host.ts")],
    outdir: folder,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    splitting: true,
    packages: "external",
    platform: "node",
    format: "esm",
    logLevel: "error",
  });
  return {
    start: (name, kind) => startHost(join(folder, "host.mjs"), name, kind),
    remove: () => rm(folder, { recursive: true }),
  };
}

async function startHost(program: string, name: string, kind: Kind): Promise<Host> {
  // A server in production says so; Express is faster then. The SDK has Node warn of its many listeners. The last
  // variable is for profiles: `--cpu-prof`.
  const env = { ...process.env, NODE_ENV: "production", NODE_NO_WARNINGS: "1" };
  const execArgv = process.env["BENCH_HOST_ARGUMENTS"]?.split(" ") ?? [];
  const child = fork(program, [name, kind], { env, execArgv, stdio: ["ignore", "ignore", "inherit", "ipc"] });
  const failed = once(child, "exit").then(() => Promise.reject(new Error(`The host ${name} does not start`)));
  const [ready] = (await Promise.race([once(child, "message"), failed])) as [Ready];
  failed.catch(() => undefined);
  const stop = async (): Promise<void> => {
    const gone = once(child, "exit");
    child.disconnect();
    await gone;
  };
  const secondsUsed = async (): Promise<number> => {
    child.send("usage");
    const [{ user, system }] = (await once(child, "message")) as [NodeJS.CpuUsage];
    return (user + system) / 1e6;
  };
  return { ...ready, secondsUsed, stop };
}
