import { spawn, type ChildProcess } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect } from "vitest";
import { packageFolder } from "../../../support/package-folder.js";
import { runInProcess, wordsOf, type Run, type Words } from "./in-process.js";
import { temporaryFolder } from "../../support/temporary-folder.js";

export type { Run } from "./in-process.js";

/** The built command line. */
export const cli = join(packageFolder, "dist", "generator", "cli", "main.cjs");

if (!existsSync(cli)) throw new Error("The build is missing: run `npm run build`");

/** An empty project in a temporary folder, which goes away after the tests of the file. */
export class Project {
  readonly folder = temporaryFolder();

  constructor(files: Readonly<Record<string, string>> = {}) {
    this.write({ "package.json": '{ "type": "module" }\n', ...files });
  }

  /** Writes files by their paths. */
  write(files: Readonly<Record<string, string>>): void {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(this.path(path)), { recursive: true });
      writeFileSync(this.path(path), text);
    }
  }

  path(path: string): string {
    return join(this.folder, path);
  }

  read(path: string): string {
    return readFileSync(this.path(path), "utf8");
  }

  has(path: string): boolean {
    return existsSync(this.path(path));
  }

  /**
   * Returns every file below a folder with its text, except for files of packages, which may be
   * links to this repository.
   */
  files(path = "."): Record<string, string> {
    if (!this.has(path)) return {};
    const below = (folder: string): string[] =>
      readdirSync(this.path(join(path, folder)), { withFileTypes: true }).flatMap((entry) => {
        const name = join(folder, entry.name);
        if (entry.name === "node_modules") return [];
        return statSync(this.path(join(path, name))).isDirectory() ? below(name) : [name];
      });
    return Object.fromEntries(
      below("")
        .sort()
        .map((entry) => [entry, this.read(join(path, entry))]),
    );
  }

  /** Starts the built command line in a separate process. */
  start(words: Words, env: Readonly<Record<string, string>> = {}): ChildProcess {
    return spawn(process.execPath, [cli, ...wordsOf(words)], {
      cwd: this.folder,
      env: { ...process.env, ...env },
      stdio: ["pipe", "pipe", "pipe"],
    });
  }

  /** Runs the command line in the project to its end, in this process. */
  async run(...words: readonly Words[]): Promise<Run> {
    return await runInProcess(words.flatMap(wordsOf), this.folder);
  }

  /** Runs a command that must end with code 0, and returns what it prints. */
  async succeed(...words: readonly Words[]): Promise<string> {
    const { code, stdout, stderr } = await this.run(...words);
    expect(code, `${stdout}${stderr}`).toBe(0);
    return stdout;
  }

  /** Runs a command that must end with code 2, and returns the error that it prints. */
  async refusal(...words: readonly Words[]): Promise<string> {
    const { code, stdout, stderr } = await this.run(...words);
    expect(code, `${stdout}${stderr}`).toBe(2);
    return stderr;
  }

  /** Runs the built command line to its end. `input` is its standard input. */
  async spawn(words: Words, input = "", env: Readonly<Record<string, string>> = {}): Promise<Run> {
    const child = this.start(words, env);
    child.stdin?.end(input);
    return await ended(child);
  }

  /**
   * Runs a command with `--json` and returns its output, which must be exactly one JSON document.
   */
  async json(
    ...words: readonly Words[]
  ): Promise<{ readonly code: number | null; readonly output: Output }> {
    const { code, stdout, stderr } = await this.run(...words, "--json");
    if (stderr !== "") throw new Error(`Something was printed besides the document: ${stderr}`);
    return { code, output: JSON.parse(stdout) as Output };
  }
}

/** Documents of the commands, as far as tests read them. */
export interface Output {
  readonly ok: boolean;
  readonly errors?: readonly {
    readonly location?: object;
    readonly message: string;
    readonly hint: string;
  }[];
  readonly [key: string]: unknown;
}

/** Waits for the end of a process. */
export async function ended(child: ChildProcess): Promise<Run> {
  const [out, err]: string[][] = [[], []];
  child.stdout?.on("data", (chunk: Buffer) => out?.push(chunk.toString()));
  child.stderr?.on("data", (chunk: Buffer) => err?.push(chunk.toString()));
  return await new Promise((resolve) => {
    child.on("close", (code) =>
      resolve({ code, stdout: (out ?? []).join(""), stderr: (err ?? []).join("") }),
    );
  });
}

/** A small proto, which generates quickly. */
export const smallProto = `syntax = "proto3";
package small;

// A note.
message Note {
  string id = 1;
  repeated string tags = 2;
}
`;
