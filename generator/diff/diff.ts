import { InputError } from "../../support/diagnostics.js";
import { specRegistry } from "../input/registry.js";
import { readProtocol } from "../core/read.js";
import { compareProtocols } from "./compare.js";
import type { Comparison } from "./report.js";

/** Specifications to compare. */
export interface DiffRequest {
  readonly cwd: string;
  /** Versions, or paths of protos or JSON Schemas. */
  readonly from: string;
  readonly to: string;
  /** Binding manifest for specifications that are given by path: a version, or a path. */
  readonly manifest?: string | undefined;
  /** Folders that the imports of protos are relative to. */
  readonly protoPaths?: readonly string[] | undefined;
}

/**
 * Compares two specifications.
 *
 * @throws InputError if a specification cannot be read, or if a manifest is given and both
 *   specifications are bundled
 */
export function compareSpecs({ cwd, from, to, manifest, protoPaths }: DiffRequest): Comparison {
  const registry = specRegistry(cwd);
  const isBundled = (spec: string): boolean => registry.idOf(spec) !== undefined;
  if (manifest !== undefined && isBundled(from) && isBundled(to)) {
    const message =
      `--manifest is only for specifications with paths, but ${from} and ${to} have bundled ` +
      "manifests";
    throw new InputError({ message, hint: "Remove it" });
  }
  const [before, after] = [from, to].map((spec) => {
    const files = isBundled(spec)
      ? {}
      : { ...(manifest !== undefined && { manifest }), ...(protoPaths && { protoPaths }) };
    // Doc comments are not compared, and parsing them takes time.
    return readProtocol({ ...registry.find(spec, files), docs: [] });
  });
  if (before === undefined || after === undefined) throw new Error("There are two specifications");
  return { from: before.title, to: after.title, changes: compareProtocols(before, after) };
}
