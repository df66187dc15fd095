import { build } from "esbuild";
import { fork } from "node:child_process";
import { once } from "node:events";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { packageFolder } from "../../support/package-folder.js";
import type { Kind, Order, Ready } from "./work.js";

/** Compiled host programs. */
export interface Programs {
  /** Starts a host in a separate process. `name` is a key in `host.ts`. */
  start(name: string, kind: Kind, runtime?: Runtime): Promise<Host>;
  /** Removes the programs. */
  remove(): Promise<void>;
}

/** The Node that runs a host: this one by default, with the flags of `BENCH_HOST_ARGUMENTS`. */
export interface Runtime {
  readonly program?: string;
  readonly flags?: readonly string[];
}

/** A running host. */
export interface Host extends Ready {
  readonly pid: number;
  /** Collects garbage. Requires the flag `--expose-gc`. */
  settle(): Promise<void>;
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
    start: (name, kind, runtime) => startHost(join(folder, "host.mjs"), name, kind, runtime),
    remove: () => rm(folder, { recursive: true }),
  };
}

/** Starts a host program in a separate process. */
export async function startHost(
  program: string,
  name: string,
  kind: Kind,
  runtime: Runtime = {},
): Promise<Host> {
  // As in production, where Express is faster. The SDK causes warnings of Node about many
  // listeners. The last variable is for profiles: `--cpu-prof`.
  const env = { ...process.env, NODE_ENV: "production", NODE_NO_WARNINGS: "1" };
  const { program: execPath = process.execPath, flags = [] } = runtime;
  const execArgv = [...flags, ...(process.env["BENCH_HOST_ARGUMENTS"]?.split(" ") ?? [])];
  const child = fork(program, [name, kind], {
    env,
    execPath,
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
  const order = async (order: Order): Promise<number> => {
    child.send(order);
    const [{ user, system }] = (await once(child, "message")) as [NodeJS.CpuUsage];
    return (user + system) / 1e6;
  };
  return {
    ...ready,
    pid: child.pid ?? 0,
    secondsUsed: () => order("usage"),
    settle: async () => {
      await order("settle");
    },
    stop,
  };
}
