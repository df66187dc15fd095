import { realpathSync } from "node:fs";
import { InputError } from "../support/diagnostics.js";
import { loadOptional } from "../support/optional-package.js";
import type { Generated } from "../core/contract.js";
import type { Insertion, MergeReport } from "../merge/types.js";
import type { Lock } from "../output/lock.js";
import { checkWritable, prepareUserFile, readUserFile } from "../output/user-file.js";

/** What a run did to the user's implementation of the service, or would do. */
export interface AgentReport extends MergeReport {
  /** The file, relative to the folder of the call. */
  readonly file: string;
  /** Why the file cannot be merged; only where that does not matter, because nothing is to be changed. */
  readonly message?: string;
}

/** A file that implements the service, and the output folder that it is to be merged with. */
export interface AgentFile {
  readonly path: string;
  /** How messages call the file. */
  readonly shown: string;
  /** What the file is about to hold; what it holds by default. */
  readonly text?: string;
  readonly out: string;
  /** How the file imports the output folder. */
  readonly outImport: string;
  readonly lock: Lock | undefined;
  readonly importExtension: "js" | "ts" | "none";
}

/** A merge that is ready: what it does, and how to do it around the writing of the output. */
export interface PreparedMerge {
  readonly report: AgentReport;
  /** What the file is to hold, and what comes in for that. */
  readonly text: string;
  readonly insertions: readonly Insertion[];
  /**
   * Puts the merged file in place and does `rest`; where that throws, the file is put back. Throws an `InputError` where
   * the file has changed in the meantime.
   */
  readonly around: (rest: () => void) => void;
}

/**
 * Merges what is new in the service into a file of the user. Throws an `InputError` for a file that does not parse, that
 * has no implementation, or that would have to be written to and cannot be. `isDry` says that nothing is written.
 */
export async function mergeAgent(
  agent: AgentFile,
  generated: Generated,
  isDry: boolean,
): Promise<PreparedMerge | undefined> {
  const { path, shown, out, lock } = agent;
  const { service, files } = generated;
  if (service === undefined) return undefined;
  const before = agent.text ?? readUserFile(path, shown);
  // The syntax tree is slow to load, and most runs do without it.
  const [{ mergeService }, { ProjectModules }] = await loadOptional("ts-morph", `merging ${shown}`, () =>
    Promise.all([import("../merge/merge.js"), import("../merge/modules.js")]),
  );
  const { text, insertions, ...report } = mergeService(before, {
    file: shown,
    service,
    known: lock?.methods,
    removed: lock?.gone,
    modules: new ProjectModules(path, { out, files: files.map((file) => file.path) }),
    specifierOf: (module) => specifierOf(module, agent),
    keepPlaces: isDry,
  });
  if (text !== before) checkWritable(realpathSync(path), shown);
  const around = (rest: () => void): void => {
    if (text === before) rest();
    else replaceAround(agent, before, text, rest);
  };
  return { report: { file: shown, ...report }, text, insertions, around };
}

/** As {@link mergeAgent}, for a run that only compares: what is wrong with the file is in the report, and not thrown. */
export async function compareAgent(agent: AgentFile, generated: Generated): Promise<AgentReport | undefined> {
  try {
    return (await mergeAgent(agent, generated, true))?.report;
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    return { file: agent.shown, added: [], removed: [], changed: [], missing: [], message: error.message };
  }
}

function replaceAround({ path, shown }: AgentFile, before: string, after: string, rest: () => void): void {
  const change = prepareUserFile(path, shown, before, after);
  try {
    // The file comes first: a run that ends in between then finds the methods there, and does not add them again.
    change.commit();
    try {
      rest();
    } catch (error) {
      change.undo();
      throw error;
    }
  } finally {
    change.close();
  }
}

function specifierOf(module: string, { outImport, importExtension }: AgentFile): string {
  return `${outImport}/${module}${importExtension === "none" ? "" : `.${importExtension}`}`;
}
