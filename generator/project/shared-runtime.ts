import { existsSync } from "node:fs";
import { join, relative, resolve, sep } from "node:path";
import { runtimeFiles } from "../core/runtime-files.js";
import type { Assets, OutputFile } from "../core/contract.js";
import { findDrift, type Drift } from "../output/drift.js";
import { formattedFiles, hashesOf } from "../output/hashes.js";
import { hashOf, lockFile, readLock, type Lock } from "../output/lock.js";
import { recover } from "../output/swap.js";
import { checkFolder, checkReplaceable, planChanges, writeOutput, type Changes } from "../output/write.js";
import { InputError } from "../../support/diagnostics.js";
import { withSlashes } from "../../support/paths.js";
import type { Settings } from "./settings.js";
import { moduleTexts } from "./origin.js";

/**
 * Folder of runtime modules that several outputs import. Its lock file lists the outputs, and the modules that each
 * output requires. A run can therefore add the modules of its output and keep the modules of all other outputs.
 */
export class SharedRuntime {
  readonly #folder: string;
  readonly #shown: string;
  readonly #out: string;
  readonly #assets: Assets;
  readonly #options: Settings["options"];
  readonly #force: boolean;

  constructor(
    folder: string,
    { out, options, configFolder }: Settings,
    assets: Assets,
    run: { cwd: string; force?: boolean },
  ) {
    this.#folder = folder;
    this.#shown = relative(run.cwd, folder) || ".";
    this.#out = out;
    this.#assets = assets;
    this.#options = options;
    this.#force = run.force === true;
    checkFolder(folder, this.#shown, [run.cwd, configFolder]);
    this.#checkFolder();
  }

  /** Repairs the folder after an interrupted run. */
  recover(): void {
    recover(this.#folder);
  }

  /**
   * Returns whether the folder contains the modules that the output requires, in the form that this version of the
   * generator writes.
   */
  isCurrent(): boolean {
    const lock = this.#lock();
    if (lock?.users?.[this.#user] === undefined || lock.input !== this.#input()) return false;
    return formattedFiles(this.#folder, lock) !== undefined;
  }

  /** Compares the folder with the result of a run. Paths are relative to the output folder. */
  drift(modules: readonly OutputFile[]): readonly Drift[] {
    const lock = this.#lock();
    const drift = findDrift(this.#folder, lock, this.#expected(modules, lock).lock);
    return drift.map((one) => ({ ...one, path: this.#pathFromOutput(one.path) }));
  }

  /** Plans the changes of a run. Throws an `InputError` if the run would overwrite edited files. */
  plan(modules: readonly OutputFile[]): Changes {
    const lock = this.#lock();
    const expected = this.#expected(modules, lock);
    checkReplaceable(this.#folder, this.#shown);
    return planChanges({ out: this.#folder, shown: this.#shown, lock, force: this.#force }, expected.lock);
  }

  /**
   * Writes the modules. Reads the lock file again, because another output of the same run may have written to the
   * folder since the changes were planned.
   */
  write(modules: readonly OutputFile[]): void {
    const { files, lock } = this.#expected(modules, this.#lock());
    writeOutput(this.#folder, files, lock, this.plan(modules));
  }

  /** Converts the paths of changes so that they are relative to the output folder. */
  fromOutput({ written, unchanged, removed }: Changes): Changes {
    const [path] = [(name: string): string => this.#pathFromOutput(name)];
    return { written: written.map(path), unchanged: unchanged.map(path), removed: removed.map(path) };
  }

  #pathFromOutput(path: string): string {
    return withSlashes(relative(this.#out, join(this.#folder, path)));
  }

  get #user(): string {
    return withSlashes(relative(this.#folder, this.#out));
  }

  #lock(): Lock | undefined {
    const lock = readLock(this.#folder, this.#shown);
    if (lock === undefined) return undefined;
    if (lock.users === undefined)
      throw new InputError({
        message: `the runtime folder "${this.#shown}" is the folder of an output`,
        hint: "Use a separate folder with --runtime",
      });
    return lock;
  }

  /**
   * Returns the required content of the folder: the modules that this output requires, and the modules that all other
   * outputs require.
   */
  #expected(modules: readonly OutputFile[], lock: Lock | undefined): { files: readonly OutputFile[]; lock: Lock } {
    const others = Object.entries(lock?.users ?? {}).filter(([user]) => user !== this.#user && this.#isThere(user));
    this.#checkExtension(lock, others);
    const { runtime } = this.#assets;
    const needed = new Set(others.flatMap(([, names]) => names));
    const files = new Map(modules.map((file) => [file.path, file]));
    const known = [...needed].filter((name) => runtime.has(name));
    for (const file of runtimeFiles(known, runtime, this.#options)) files.set(file.path, file);
    const written = [...files.values()].sort((a, b) => (a.path < b.path ? -1 : 1));
    const own = modules.map(({ path }) => path.replace(/\.ts$/, "")).sort();
    const users = Object.fromEntries([...others, [this.#user, own] as const].sort(([a], [b]) => (a < b ? -1 : 1)));
    const { generator, importExtension } = this.#options;
    const origin = { lockVersion: 1, generator, spec: "runtime modules", input: this.#input() } as const;
    const hashes = hashesOf(written, lock);
    // Keep modules that only an earlier version of the generator contains, for the outputs that were generated by that
    // version.
    const kept = [...needed].map((name) => `${name}.ts`).filter((path) => !files.has(path));
    const hashesOfKept = (all: Lock["files"] = {}): Record<string, string> =>
      Object.fromEntries(Object.entries(all).filter(([path]) => kept.includes(path)));
    return {
      files: written,
      lock: {
        ...origin,
        options: { importExtension },
        users,
        files: { ...hashes.files, ...hashesOfKept(lock?.files) },
        forms: { ...hashes.forms, ...hashesOfKept(lock?.forms) },
      },
    };
  }

  #isThere(user: string): boolean {
    return existsSync(join(resolve(this.#folder, user), lockFile));
  }

  #input(): string {
    return hashOf(this.#options.importExtension, ...moduleTexts(this.#assets));
  }

  #checkFolder(): void {
    const [folder, out] = [`${resolve(this.#folder)}${sep}`, `${resolve(this.#out)}${sep}`];
    if (!folder.startsWith(out) && !out.startsWith(folder)) return;
    const message = `one of the runtime folder "${this.#shown}" and the output folder contains the other`;
    throw new InputError({ message, hint: "Use a folder next to the output with --runtime" });
  }

  #checkExtension(lock: Lock | undefined, others: readonly (readonly [string, unknown])[]): void {
    const { importExtension } = this.#options;
    const otherExtension =
      lock !== undefined && "importExtension" in lock.options ? lock.options.importExtension : undefined;
    if (others.length === 0 || typeof otherExtension !== "string" || otherExtension === importExtension) return;
    const message = `imports end in "${importExtension}" here, and in "${otherExtension}" in other outputs that share the runtime folder "${this.#shown}"`;
    throw new InputError({ message, hint: "Use the same --import-extension for all outputs" });
  }
}
