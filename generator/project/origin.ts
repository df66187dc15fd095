import { existsSync, readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { isFolder } from "../../support/files.js";
import { hashOf } from "../../support/hash.js";
import type { SourceDigest } from "../input/digest.js";
import type { SourceText } from "../input/source.js";
import type { Hashes } from "../output/hashes.js";
import type { Lock, Origin } from "../output/lock.js";
import type { Settings } from "./settings.js";

/** The inputs of an output, by their hashes. */
export interface InputHashes {
  readonly spec: SourceDigest;
  /** Hashes of the other versions that the output supports, and of its extensions. */
  readonly others: readonly string[];
  /** Hash of the templates and the support modules. */
  readonly assets: string;
}

/** Returns the members of the lock file that identify the inputs of the output. */
export function originOf(
  { spec, others, assets }: InputHashes,
  { options }: Pick<Settings, "options">,
): Origin {
  const { generator, ...chosen } = options;
  return {
    lockVersion: 1,
    generator,
    spec: spec.title,
    input: hashOf(JSON.stringify(options), spec.hash, ...others, assets),
    source: spec.hash,
    options: chosen,
  };
}

/** Returns the lock file for an output that is generated from `origin`. */
export function lockOf(origin: Origin, user: Partial<Lock>, hashes: Hashes): Lock {
  return { ...origin, ...user, ...hashes };
}

/**
 * Returns every file that is an input of the output, and the folders in which a new file would be
 * an input.
 */
export function sourceFiles(
  texts: readonly SourceText[],
  { folder, configFile, templates, protos = [] }: Settings,
): string[] {
  const files = texts.map(({ file }) => resolve(folder, file));
  const overrides = templates === undefined ? [] : entriesIn(templates);
  const folders = protos.map((path) => resolve(folder, path)).filter(isFolder);
  const config = configFile === undefined ? [] : [configFile];
  return [
    ...files,
    ...config,
    ...(templates === undefined ? [] : [templates]),
    ...overrides,
    ...folders.flatMap((each) => [each, ...entriesIn(each).filter(isFolder)]),
  ].filter((file) => existsSync(file));
}

function entriesIn(folder: string): string[] {
  const entries = readdirSync(folder, { recursive: true, encoding: "utf8" });
  return entries.map((entry) => join(folder, entry));
}
