import { InputError } from "../support/diagnostics.js";

/** What a project says about its output. Paths are relative to the file. */
export interface Config {
  /** A version, or the path of a proto or JSON Schema; each of several has a folder of its own below `out`. */
  readonly spec?: string | readonly (string | SpecEntry)[];
  /** The path of the JSON Schema that belongs to a proto. */
  readonly schema?: string;
  /** A version whose binding manifest to use, or the path of one. */
  readonly manifest?: string;
  /** Other versions that the output speaks as well, by adapters below `versions/`. */
  readonly versions?: readonly string[];
  /** The output folder. */
  readonly out?: string;
  readonly targets?: readonly string[];
  /** A folder with templates that replace those of the generator. */
  readonly templates?: string;
  /**
   * The support modules of the output: `package` for those of a2a-codegen, `copy` (the default) for copies of its own, a
   * folder that several outputs share, or the name of another package that exports them.
   */
  readonly runtime?: string;
  /** The agent skeleton, which is created once and then belongs to the user. */
  readonly agent?: string;
  /** Which names of earlier versions stay as deprecated aliases. */
  readonly aliases?: "all" | "none";
  /** Whether to leave out aliases that the version may remove. */
  readonly dropExpired?: boolean;
  /** How relative imports of the output end. */
  readonly importExtension?: "js" | "ts" | "none";
}

/** A specification of a list, with the files that go with it. */
export interface SpecEntry {
  readonly spec: string;
  /** The path of the JSON Schema that belongs to a proto. */
  readonly schema?: string;
  /** A version whose binding manifest to use, or the path of one. */
  readonly manifest?: string;
  /** The agent skeleton of this specification. */
  readonly agent?: string;
}

/** Returns a member of a list of specifications, which may be only a name, as an entry. */
export function entryOf(listed: string | SpecEntry): SpecEntry {
  return typeof listed === "string" ? { spec: listed } : listed;
}

/** The specification that a run is about, and the files that go with it. */
export interface SpecChoice {
  readonly spec: string;
  readonly manifest?: string;
  readonly schema?: string;
}

/**
 * Chooses a specification: that of the command line, with the files that it names, or that of the configuration. Throws
 * an `InputError` where the configuration names several.
 */
export function specChoice(
  request: { readonly [K in "spec" | "manifest" | "schema"]?: string | undefined },
  config: Config,
): SpecChoice {
  const own = request.spec === undefined ? config : {};
  if (typeof own.spec === "object") {
    const listed = own.spec.map((one) => entryOf(one).spec).join(", ");
    const message = `the configuration names several specifications: ${listed}`;
    throw new InputError({ message, hint: "Choose one of them with --spec" });
  }
  const { manifest = own.manifest, schema = own.schema } = request;
  return {
    spec: request.spec ?? own.spec ?? "1.0",
    ...(manifest !== undefined && { manifest }),
    ...(schema !== undefined && { schema }),
  };
}

/** A configuration for one specification. */
export type SingleConfig = Omit<Config, "spec"> & { readonly spec?: string };
