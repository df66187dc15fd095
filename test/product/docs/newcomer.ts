import { execFile, spawn, type ChildProcess } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { once } from "node:events";
import type { Readable } from "node:stream";
import { packageFolder } from "../../../support/package-folder.js";
import { freePort } from "../../support/free-port.js";
import { outFolder } from "../../support/output.js";
import { linkPackages } from "../../support/linked.js";

/** Output of a command on both channels, and its exit code. */
export interface Outcome {
  readonly code: number;
  readonly output: string;
}

/** Server in a separate process. */
export interface RunningAgent {
  readonly url: string;
  readonly grpcUrl: string;
  stop(): Promise<void>;
}

/** Options of {@link NewcomerProject.startAgent}. */
interface StartOptions {
  readonly program?: string;
  readonly path?: string;
  readonly variables?: Readonly<Record<string, string>>;
}

/** The programs that the pages start by `npx`, and their paths. */
const commands = {
  "a2a-codegen": join(packageFolder, "dist", "generator", "cli", "main.cjs"),
  a2a: join(packageFolder, "dist", "tools", "a2a", "main.js"),
  tsc: join(packageFolder, "node_modules", "typescript-7", "bin", "tsc"),
  vitest: join(packageFolder, "node_modules", "vitest", "vitest.mjs"),
};

/** A project as a newcomer has it after installing: empty, with the package in `node_modules`. */
export class NewcomerProject {
  readonly folder: string;
  readonly #bin: string;

  /** Makes the project in a folder of this name, which must not be there yet. */
  constructor(name: string) {
    if (!existsSync(commands["a2a-codegen"]))
      throw new Error("The build is missing: run `npm run build`");
    this.folder = join(outFolder, name);
    this.#bin = join(outFolder, `${name}-bin`);
    linkPackages(this.folder);
    this.write("package.json", JSON.stringify({ name, private: true, type: "module" }));
    // Vitest would otherwise find the configuration of this repository.
    this.write("vitest.config.js", "export default {};\n");
    this.#replaceNpx();
  }

  /** Writes a file; the path is relative to the project. */
  write(path: string, text: string): void {
    const target = join(this.folder, path);
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, text);
  }

  /** Runs a script in the shell. It ends at the first command that fails. */
  shell(script: string): Promise<Outcome> {
    return this.#run("sh", ["-e", "-c", script]);
  }

  /** Runs a script of Node. */
  node(...args: readonly string[]): Promise<Outcome> {
    return this.#run(process.execPath, args);
  }

  /** Compiles all of `src` with additional compiler options. */
  compile(...flags: readonly string[]): Promise<Outcome> {
    return this.node(commands.tsc, ...flags);
  }

  /**
   * Starts an agent on free ports, and waits until it has printed `lines` lines. `argsOf` returns
   * the arguments for a port. The program is Node by default. `path` is the path below which it
   * serves the agent, and `variables` are added to its environment.
   */
  async startAgent(
    argsOf: string | ((port: number) => readonly string[]),
    lines: number,
    { program = process.execPath, path = "", variables = {} }: StartOptions = {},
  ): Promise<RunningAgent> {
    const [port, grpcPort] = [await freePort(), await freePort()];
    const args = typeof argsOf === "string" ? [argsOf] : argsOf(port);
    const url = `http://127.0.0.1:${port}`;
    const ports = { PORT: String(port), GRPC_PORT: String(grpcPort), PUBLIC_URL: url + path };
    const env = { ...process.env, ...ports, NO_COLOR: "1", ...variables };
    const child = spawn(program, args, {
      cwd: this.folder,
      env,
      stdio: ["ignore", "pipe", "pipe"],
    });
    // Node prints warnings to its standard error, and Deno prints its address there.
    await printed(
      child,
      lines,
      program === process.execPath ? [child.stdout] : [child.stdout, child.stderr],
    );
    const stop = async () => {
      const ended = once(child, "exit");
      if (child.kill()) await ended;
    };
    return { url, grpcUrl: `127.0.0.1:${grpcPort}`, stop };
  }

  #run(command: string, args: readonly string[]): Promise<Outcome> {
    const env = {
      ...process.env,
      PATH: `${this.#bin}${delimiter}${process.env["PATH"] ?? ""}`,
      NO_COLOR: "1",
    };
    return new Promise((resolve) => {
      execFile(command, args, { cwd: this.folder, env }, (error, stdout, stderr) => {
        const code = error === null ? 0 : typeof error.code === "number" ? error.code : 1;
        resolve({ code, output: stdout + stderr });
      });
    });
  }

  /**
   * Puts an `npx` on the path that starts the commands of this repository, and never downloads
   * anything.
   */
  #replaceNpx(): void {
    const cases = Object.entries(commands).map(
      ([name, path]) => `${name}) exec node "${path}" "$@" ;;`,
    );
    const lines = ["#!/bin/sh", "name=$1; shift", 'case "$name" in', ...cases, "esac", "exit 127"];
    mkdirSync(this.#bin, { recursive: true });
    writeFileSync(join(this.#bin, "npx"), `${lines.join("\n")}\n`);
    chmodSync(join(this.#bin, "npx"), 0o755);
  }
}

/**
 * Waits until a process has printed a number of lines on some channels. Rejects if the process ends
 * before.
 */
function printed(
  child: ChildProcess,
  lines: number,
  channels: readonly (Readable | null)[],
): Promise<void> {
  return new Promise((resolve, reject) => {
    let [text, errors] = ["", ""];
    child.stderr?.on("data", (chunk: unknown) => (errors += String(chunk)));
    for (const channel of channels) {
      channel?.on("data", (chunk: unknown) => {
        text += String(chunk);
        if (text.split("\n").length > lines) resolve();
      });
    }
    child.once("error", reject);
    child.once("exit", (code) =>
      reject(new Error(`the agent ended with exit code ${String(code)}: ${text}${errors}`)),
    );
  });
}
