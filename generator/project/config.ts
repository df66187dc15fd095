import { resolve } from "node:path";
import type { SpecFiles } from "../input/registry.js";
import { InputError } from "../../support/diagnostics.js";
import { defined } from "../../support/values.js";

/** Settings of a project for its output. Paths are relative to the configuration file. */
export interface Config {
  /**
   * A version, the path of a proto, a folder of protos or a JSON Schema, or a list of versions and
   * paths. In a list, each specification has its own folder below `out`. Protos in a folder, and in
   * a list that only contains protos and folders, have one output with a folder for each package.
   */
  readonly spec?: string | readonly (string | SpecEntry)[];
  /** Path of the JSON Schema that belongs to a proto. */
  readonly schema?: string;
  /** Version whose binding manifest to use, or the path of a manifest. */
  readonly manifest?: string;
  /** Folders that the imports of a proto are relative to. */
  readonly protoPaths?: readonly string[];
  /** Other versions that the output also supports, with adapters below `versions/`. */
  readonly versions?: readonly string[];
  /** Paths of the JSON Schemas of extensions, whose modules are below `extensions/`. */
  readonly extensions?: readonly string[];
  /** Path of the output folder. */
  readonly out?: string;
  readonly targets?: readonly string[];
  /** Folder with templates that replace bundled templates. */
  readonly templates?: string;
  /**
   * Location of the support modules: `package` for a2a-codegen, `copy` (the default) for copies in
   * the output, or the name of another package that exports the modules.
   */
  readonly runtime?: string;
  /**
   * Path of the agent skeleton, or of the program that serves services, which is created once and
   * then edited by the user.
   */
  readonly agent?: string;
  /** Another name of `agent`, for services. Loading a configuration replaces it by `agent`. */
  readonly implementation?: string;
  /** Names of earlier versions to keep as deprecated aliases. */
  readonly aliases?: "all" | "none";
  /** File extension in relative imports of the output. */
  readonly importExtension?: "js" | "ts" | "none";
}

/** Entry in a list of specifications, with its additional files. */
export interface SpecEntry {
  readonly spec: string;
  /** Path of the JSON Schema that belongs to a proto. */
  readonly schema?: string;
  /** Version whose binding manifest to use, or the path of a manifest. */
  readonly manifest?: string;
  /** Folders that the imports of the proto are relative to. */
  readonly protoPaths?: readonly string[];
  /** Path of the agent skeleton, or of the program, for this specification. */
  readonly agent?: string;
  /** Another name of `agent`, for services. */
  readonly implementation?: string;
}

/** Converts a member of a list of specifications to an entry. The member may be a string. */
export function entryOf(listed: string | SpecEntry): SpecEntry {
  return typeof listed === "string" ? { spec: listed } : listed;
}

/** Specification for a run, and its additional files. */
export interface SpecChoice extends SpecFiles {
  readonly spec: string;
}

/**
 * Selects the specification for a run: from the command line, otherwise from the configuration, by
 * default 1.0. If the command line names a specification, the files in the configuration are
 * ignored, because they belong to another specification.
 *
 * @throws InputError if the configuration names several specifications
 */
export function specChoice(request: SpecRequest, config: Config): SpecChoice {
  const own = request.spec === undefined ? config : {};
  if (typeof own.spec === "object") {
    const listed = own.spec.map((entry) => entryOf(entry).spec).join(", ");
    const message = `the configuration has several specifications: ${listed}`;
    throw new InputError({ message, hint: "Choose one of them with --spec" });
  }
  const { manifest = own.manifest, schema = own.schema } = request;
  const protoPaths = protoPathsOf(request, own.protoPaths);
  return defined({ spec: request.spec ?? own.spec ?? "1.0", manifest, schema, protoPaths });
}

/** Parts of a request that choose a specification. */
export interface SpecRequest {
  readonly cwd: string;
  readonly spec?: string | undefined;
  readonly manifest?: string | undefined;
  readonly schema?: string | undefined;
  readonly protoPaths?: readonly string[] | undefined;
}

/**
 * Returns the roots of imports: from the request, with paths relative to its folder, otherwise from
 * the configuration.
 */
export function protoPathsOf(
  { cwd, protoPaths }: Pick<SpecRequest, "cwd" | "protoPaths">,
  configured: readonly string[] | undefined,
): readonly string[] | undefined {
  return protoPaths?.map((path) => resolve(cwd, path)) ?? configured;
}

/** Configuration for a single specification. */
export type SingleConfig = Omit<Config, "spec"> & { readonly spec?: string };
