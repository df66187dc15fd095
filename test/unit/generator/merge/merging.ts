import { join } from "node:path";
import type { Generated } from "../../../../generator/core/contract.js";
import {
  mergeService,
  type MergePlan,
  type MergeResult,
} from "../../../../generator/merge/merge.js";
import { ProjectModules } from "../../../../generator/merge/modules.js";
import {
  findSource,
  generateFrom,
  libraryOptions,
  outFolder,
  writeTo,
} from "../../../support/output.js";

/**
 * The output for a version in a separate folder `a2a`, and the data for a merge with files next to
 * it.
 */
export class Workspace {
  readonly folder: string;
  readonly generated: Generated;

  constructor(name: string, generated: Generated) {
    this.folder = join(outFolder, name);
    this.generated = generated;
  }

  /** Generates a version, and writes it. */
  static async of(name: string, version: string): Promise<Workspace> {
    const generated = await generateFrom(findSource(version), {
      ...libraryOptions,
      agentImport: "./a2a",
    });
    writeTo(join(name, "a2a"), generated);
    return new Workspace(name, generated);
  }

  get methods(): string[] {
    return this.generated.service?.methods.map(({ name }) => name) ?? [];
  }

  /** Data for merging a file. By default, `listTasks` is new. */
  plan(file: string, changes: Partial<MergePlan> = {}): MergePlan {
    const { service, files } = this.generated;
    if (service === undefined) throw new Error("The output has no server");
    return {
      file,
      service,
      known: this.methods.filter((name) => name !== "listTasks"),
      modules: new ProjectModules(join(this.folder, file), {
        out: join(this.folder, "a2a"),
        files: new Set(files.map(({ path }) => path)),
      }),
      specifierOf: (module) => `./a2a/${module}.js`,
      ...changes,
    };
  }

  merge(text: string, changes: Partial<MergePlan> = {}, file = "agent.ts"): MergeResult {
    return mergeService(text, this.plan(file, changes));
  }
}

/**
 * Finds the first line of a text that is missing in another text, reading both in order. A line may
 * have an additional comma or, in an import, additional names.
 */
export function lostLine(before: string, after: string): string | undefined {
  const lines = after.split(/\r\n|\n|\r/);
  let next = 0;
  for (const line of before.split(/\r\n|\n|\r/)) {
    const found = lines.findIndex((candidate, index) => index >= next && isKept(line, candidate));
    if (found < 0) return line;
    next = found + 1;
  }
  return undefined;
}

function isKept(line: string, candidate: string) {
  if (candidate === line) return true;
  if (/\bimport\b.*\{/.test(line)) return isWithin(line, candidate);
  for (let at = candidate.indexOf(","); at >= 0; at = candidate.indexOf(",", at + 1)) {
    if (candidate.slice(0, at) + candidate.slice(at + 1) === line) return true;
  }
  return false;
}

/** Tells whether the characters of a text are all in another one, in the same order. */
export function isWithin(text: string, other: string): boolean {
  let next = 0;
  for (const character of other) if (character === text[next]) next += 1;
  return next === text.length;
}
