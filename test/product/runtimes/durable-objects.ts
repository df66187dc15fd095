import { spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { build } from "esbuild";
import { listening, type RunningApp } from "./runtimes.js";

/** A Worker with a class of Durable Objects. */
export interface ObjectWorker {
  readonly folder: string;
  /** Main module of the Worker, in this folder. */
  readonly entry: string;
  /** Name of the class, whose binding is `AGENTS`. */
  readonly className: string;
  /** Name of the folder with the databases of its objects, in the folder of the Worker. */
  readonly state?: string;
  /** Variables of the Worker: texts, or other JSON. */
  readonly vars?: Readonly<Record<string, unknown>>;
}

/** Bundles a Worker, as it is bundled before it is deployed. */
export async function bundleWorker({ folder, entry }: ObjectWorker): Promise<void> {
  await build({
    entryPoints: [join(folder, entry)],
    outfile: join(folder, "worker.js"),
    bundle: true,
    format: "esm",
    external: ["cloudflare:workers"],
    logLevel: "error",
  });
}

/**
 * Serves a bundled Worker on a free port of the loopback address. The objects of an earlier start
 * with the same state keep their databases and their alarms.
 */
export async function startObjects(program: string, worker: ObjectWorker): Promise<RunningApp> {
  const { folder, state = "state" } = worker;
  mkdirSync(join(folder, state), { recursive: true });
  const config = join(folder, `${state}.capnp`);
  writeFileSync(config, configOf({ ...worker, state }));
  const child = spawn(program, ["serve", config, "--control-fd=3"], {
    cwd: folder,
    stdio: ["ignore", "pipe", "pipe", "pipe"],
  });
  return await listening(child, [child.stdio[3] as Readable, child.stderr], /"port":(\d+)/);
}

const configOf = ({
  className,
  state = "",
  vars = {},
}: ObjectWorker) => `using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (
  services = [
    (name = "app", worker = .app),
    (name = "disk", disk = (path = ${JSON.stringify(state)}, writable = true)),
    (name = "loopback", network = (allow = ["local"])),
  ],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "app")],
);

const app :Workerd.Worker = (
  modules = [(name = "worker.js", esModule = embed "worker.js")],
  compatibilityDate = "2026-01-01",
  globalOutbound = "loopback",
  durableObjectNamespaces = [
    (className = ${JSON.stringify(className)}, uniqueKey = "agents", enableSql = true),
  ],
  durableObjectStorage = (localDisk = "disk"),
  bindings = [
    (name = "AGENTS", durableObjectNamespace = ${JSON.stringify(className)}),
${Object.entries(vars).map(bindingOf).join("\n")}
  ],
);
`;

/** Returns the binding of a variable. */
function bindingOf([name, value]: [string, unknown]) {
  const kind = typeof value === "string" ? "text" : "json";
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return `    (name = ${JSON.stringify(name)}, ${kind} = ${JSON.stringify(text)}),`;
}
