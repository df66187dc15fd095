import { existsSync, readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Assets, Generated } from "../core/contract.js";
import { mainTexts, otherTexts, type SourceText, type SpecSource } from "../input/source.js";
import type { Hashes } from "../output/hashes.js";
import { hashOf, type Lock, type Origin } from "../output/lock.js";
import type { AgentReport } from "./agent.js";
import type { Settings } from "./settings.js";

/** Returns the members of the lock file that identify the inputs of the output. */
export function originOf(
  source: SpecSource,
  imports: readonly SourceText[],
  assets: Assets,
  { options }: Settings,
): Origin {
  const { generator, ...chosen } = options;
  const uris = source.extensions?.map(({ uri }) => uri) ?? [];
  const others = [...otherTexts(source).flatMap(({ file, text }) => [file, text]), ...uris];
  const imported = imports.flatMap(({ file, text }) => [file, text]);
  const texts = [source.title, ...mainTexts(source).map(({ text }) => text), ...imported];
  const input = hashOf(
    JSON.stringify(options),
    ...texts,
    ...others,
    ...[...assets.templates].flat(),
    ...moduleTexts(assets),
  );
  return {
    lockVersion: 1,
    generator,
    spec: source.title,
    input,
    source: hashOf(...texts),
    options: chosen,
  };
}

/** Returns the names and texts of the support modules, for a hash. */
export function moduleTexts({ runtime, kit }: Pick<Assets, "runtime" | "kit">): string[] {
  return [...runtime, ...kit].flatMap(([path, { text }]) => [path, text]);
}

/** Returns the lock file for an output that is generated from `origin`. */
export function lockOf(
  origin: Origin,
  {
    generated: { service },
    merge,
  }: { readonly generated: Generated; readonly merge?: AgentReport },
  hashes: Hashes,
  agent?: string,
): Lock {
  const methods = service?.methods.map(({ name }) => name);
  const gone = [...new Set(merge?.removed.map(({ method }) => method))];
  const own = service && agent !== undefined && { agent };
  return {
    ...origin,
    ...(methods && { methods }),
    ...own,
    ...(gone.length > 0 && { gone }),
    ...hashes,
  };
}

/**
 * Returns every file that is an input of the output, and the folders in which a new file would be
 * an input.
 */
export function sourceFiles(
  source: SpecSource,
  imports: readonly SourceText[],
  { folder, configFile, templates }: Settings,
): string[] {
  const texts = [...mainTexts(source), ...imports, ...otherTexts(source)].map(({ file }) =>
    resolve(folder, file),
  );
  const overrides =
    templates === undefined
      ? []
      : readdirSync(templates, { recursive: true, encoding: "utf8" }).map((entry) =>
          join(templates, entry),
        );
  const config = configFile === undefined ? [] : [configFile];
  return [
    ...texts,
    ...config,
    ...(templates === undefined ? [] : [templates]),
    ...overrides,
  ].filter((file) => existsSync(file));
}
