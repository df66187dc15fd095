import { build } from "esbuild";
import { fork } from "node:child_process";
import { once } from "node:events";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { packageFolder } from "../../support/package-folder.js";
import type { Kind, Ready } from "./work.js";

/** Compiled host programs. */
export interface Programs {
  /** Starts a host in a separate process. `name` is a key in `host.ts`. */
  start(name: string, kind: Kind): Promise<Host>;
  /** Removes the programs. */
  remove(): Promise<void>;
}

/** A running host. */
export interface Host extends Ready {
  /** Returns the CPU time in seconds that all its threads have used. */
  secondsUsed(): Promise<number>;
  stop(): Promise<void>;
}

/** Compiles the host programs to JavaScript inside the package, so that their imports resolve. */
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

/** Starts a host program in a separate process. */
export async function startHost(program: string, name: string, kind: Kind): Promise<Host> {
  // As in production, where Express is faster. The SDK causes warnings of Node about many
  // listeners. The last variable is for profiles: `--cpu-prof`.
  const env = { ...process.env, NODE_ENV: "production", NODE_NO_WARNINGS: "1" };
  const execArgv = process.env["BENCH_HOST_ARGUMENTS"]?.split(" ") ?? [];
  const child = fork(program, [name, kind], {
    env,
    execArgv,
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  const failed = once(child, "exit").then(() =>
    Promise.reject(new Error(`The host ${name} does not start`)),
  );
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
