import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync, writeFileSync } from "node:fs";
import { arch, platform } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { build } from "esbuild";
import { packageFolder } from "../../../support/package-folder.js";

/** Another runtime than Node, from its npm package. */
export interface Runtime {
  readonly name: string;
  /**
   * Path of the program, or `undefined` if its package does not support this machine or the program
   * does not start.
   */
  readonly program: string | undefined;
  /** Serves a module of a folder, by default `app.ts`, on a free port of the loopback address. */
  readonly start: (program: string, folder: string, entry?: string) => Promise<RunningApp>;
}

export interface RunningApp {
  readonly url: string;
  /** Ends the process, by default with SIGTERM. */
  stop(signal?: NodeJS.Signals): Promise<void>;
}

const machine = `${platform()}-${arch()}`;

export const runtimes: readonly Runtime[] = [
  {
    name: "Deno",
    program: programOf(`@deno/${machine}-glibc/deno`, `@deno/${machine}/deno`),
    start: (program, folder) => {
      const limits = [
        "--no-config",
        "--no-lock",
        "--no-remote",
        "--no-npm",
        "--allow-net=127.0.0.1",
      ];
      const args = [
        "serve",
        ...limits,
        "--host",
        "127.0.0.1",
        "--port",
        "0",
        join(folder, "app.ts"),
      ];
      const child = spawn(program, args, {
        stdio: ["ignore", "pipe", "pipe"],
        env: {
          ...process.env,
          DENO_DIR: join(folder, ".deno"),
          DENO_NO_UPDATE_CHECK: "1",
          NO_COLOR: "1",
        },
      });
      return listening(child, [child.stdout, child.stderr], /http:\/\/127\.0\.0\.1:(\d+)/);
    },
  },
  {
    name: "Bun",
    program: programOf("bun/bin/bun.exe", `@oven/bun-${machine}/bin/bun`) ?? inPath("bun"),
    start: (program, folder) => {
      writeFileSync(
        join(folder, "bun.ts"),
        'import { serve } from "./app.ts";\nexport default { port: 0, hostname: "127.0.0.1", fetch: serve };\n',
      );
      const child = spawn(program, ["run", "--no-install", join(folder, "bun.ts")], {
        stdio: ["ignore", "pipe", "pipe"],
        env: { ...process.env, NO_COLOR: "1" },
      });
      return listening(
        child,
        [child.stdout, child.stderr],
        /http:\/\/(?:127\.0\.0\.1|localhost):(\d+)/,
      );
    },
  },
  {
    name: "workerd",
    program: programOf(
      `@cloudflare/workerd-${platform()}-${arch() === "x64" ? "64" : arch()}/bin/workerd`,
    ),
    start: async (program, folder, entry = "app.ts") => {
      // Workers are bundled before they are deployed.
      await build({
        entryPoints: [join(folder, entry)],
        outfile: join(folder, "worker.js"),
        bundle: true,
        format: "esm",
        logLevel: "error",
      });
      writeFileSync(join(folder, "worker.capnp"), workerConfig);
      const child = spawn(program, ["serve", join(folder, "worker.capnp"), "--control-fd=3"], {
        stdio: ["ignore", "pipe", "pipe", "pipe"],
      });
      return await listening(child, [child.stdio[3] as Readable, child.stderr], /"port":(\d+)/);
    },
  },
];

const workerConfig = `using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (
  services = [
    (name = "app", worker = .app),
    (name = "loopback", network = (allow = ["local"])),
  ],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "app")],
);

const app :Workerd.Worker = (
  modules = [(name = "worker.js", esModule = embed "worker.js")],
  compatibilityDate = "2026-01-01",
  globalOutbound = "loopback",
);
`;

/** Returns the first program among some in `node_modules` that starts on this machine. */
function programOf(...paths: readonly string[]) {
  const programs = paths
    .map((path) => join(packageFolder, "node_modules", path))
    .filter((path) => existsSync(path));
  return programs.find((program) => spawnSync(program, ["--version"]).status === 0);
}

/**
 * Waits until a process prints its port on one of its channels. Rejects if the process ends before.
 */
export async function listening(
  child: ChildProcess,
  channels: readonly (Readable | null)[],
  port: RegExp,
): Promise<RunningApp> {
  let printed = "";
  const found = await new Promise<string>((resolve, reject) => {
    for (const channel of channels) {
      channel?.setEncoding("utf8").on("data", (text: string) => {
        printed += text;
        const [, number] = port.exec(printed) ?? [];
        if (number !== undefined) resolve(number);
      });
    }
    child.once("error", reject);
    child.once("exit", (code) =>
      reject(new Error(`it ended with exit code ${String(code)}: ${printed}`)),
    );
  });
  const stop = async (signal?: NodeJS.Signals) => {
    const ended = once(child, "exit");
    if (child.kill(signal)) await ended;
  };
  return { url: `http://127.0.0.1:${found}/`, stop };
}

/** Returns a program of the PATH; `undefined` if it does not start. */
function inPath(name: string) {
  return spawnSync(name, ["--version"]).status === 0 ? name : undefined;
}
