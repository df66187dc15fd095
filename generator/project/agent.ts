import { realpathSync } from "node:fs";
import { InputError } from "../../support/diagnostics.js";
import { loadOptional } from "../../support/optional-package.js";
import type { Generated } from "../core/contract.js";
import type { Insertion, MergeReport, ServicePlan } from "../merge/types.js";
import { checkWritable, prepareUserFile, readUserFile } from "../output/user-file.js";

/** Changes that a run made, or would make, to the user's implementation of the service. */
export interface AgentReport extends MergeReport {
  /** Path of the file, relative to the working directory. */
  readonly file: string;
  /** Reason why the file cannot be merged. */
  readonly message?: string;
}

/** File that implements the service, and the output folder whose new methods are merged into it. */
export interface AgentFile {
  readonly path: string;
  /** Path of the file, as shown in messages. */
  readonly shown: string;
  /** Text that the file will have. Defaults to its current content. */
  readonly text?: string;
  readonly out: string;
  /** Specifier that the file uses to import the output folder. */
  readonly outImport: string;
  readonly service: ServicePlan;
  /** Methods of the service in the previous run, if it is known. */
  readonly known: readonly string[] | undefined;
  /** Methods that were removed from the service before the previous run. */
  readonly removed: readonly string[] | undefined;
  /** Whether a file that does not implement the service stays unchanged, instead of an error. */
  readonly isOptional?: boolean;
  readonly importExtension: "js" | "ts" | "none";
}

/** Prepared merge: its result, and a function that applies the merge together with the output. */
export interface PreparedMerge {
  /** Absolute path of the file. */
  readonly path: string;
  readonly report: AgentReport;
  /** Merged text of the file, and the insertions that produce it. */
  readonly text: string;
  readonly insertions: readonly Insertion[];
  /**
   * Writes the merged file and calls `rest`. If `rest` throws, restores the file.
   *
   * @throws InputError if the file has changed since it was read
   */
  readonly around: (rest: () => void) => void;
}

/**
 * Prepares a merge that adds the new methods of the service to a user's file. `isDry` is true if
 * the merge will not be written; its report then also lists imports from old locations.
 *
 * @throws InputError if the file has a syntax error, does not implement the service, or must be
 *   changed but is read-only
 */
export async function mergeAgent(
  agent: AgentFile,
  generated: Pick<Generated, "files">,
  isDry: boolean,
): Promise<PreparedMerge> {
  const { path, shown, out, service, known, removed, isOptional = false } = agent;
  const { files } = generated;
  const before = agent.text ?? readUserFile(path, shown);
  // The TypeScript compiler is slow to load, and most runs do not need it.
  const [{ mergeService }, { ProjectModules }] = await loadOptional(
    "ts-morph",
    `merging ${shown}`,
    () => Promise.all([import("../merge/merge.js"), import("../merge/modules.js")]),
  );
  const { text, insertions, isImplemented, ...report } = mergeService(before, {
    file: shown,
    service,
    known,
    removed,
    isOptional,
    modules: new ProjectModules(path, { out, files: new Set(files.map((file) => file.path)) }),
    specifierOf: (module) => specifierOf(module, agent),
    reportsOldLocations: isDry,
  });
  if (text !== before) checkWritable(realpathSync(path), shown);
  const around = (rest: () => void): void => {
    if (text === before) rest();
    else replaceAround(agent, { before, after: text }, rest);
  };
  const message = `${shown} does not implement ${service.name}, so new rpcs are not added to it`;
  const shownReport = { file: shown, ...report, ...(!isImplemented && { message }) };
  return { path, report: shownReport, text, insertions, around };
}

/**
 * Merges like {@link mergeAgent}, for a run that only compares. Errors are part of the result
 * instead of being thrown.
 */
export async function compareAgent(
  agent: AgentFile,
  generated: Pick<Generated, "files">,
): Promise<AgentReport> {
  try {
    return (await mergeAgent(agent, generated, true)).report;
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    return {
      file: agent.shown,
      added: [],
      removed: [],
      changed: [],
      missing: [],
      message: error.message,
    };
  }
}

/** Replaces a file of the user, and calls `rest`. If `rest` throws, restores the file. */
export function replaceAround(
  { path, shown }: Pick<AgentFile, "path" | "shown">,
  { before, after }: { readonly before: string; readonly after: string },
  rest: () => void,
): void {
  const change = prepareUserFile(path, shown, before, after);
  try {
    // Write the user's file first. If the process ends before the lock file is written, the next
    // run finds the methods in the file and does not add them twice.
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
