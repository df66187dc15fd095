import type { LegacyDef, LossDef, Omission } from "../protocol/model/types.js";
import type { TemplateTexts } from "../render/render.js";
import type { SpecSource } from "../input/source.js";
import type { RuntimeModule } from "../compiled/runtime-module.js";
import type { ServicePlan } from "../merge/types.js";
import type { VersionLoss } from "../protocol/versions/types.js";

/**
 * The templates and support modules, which are the input of the generator in addition to the
 * specification.
 */
export interface Assets {
  /** The templates, by path without `.hbs`. */
  readonly templates: TemplateTexts;
  /** The names that messages use for the user's templates, by path without `.hbs`. */
  readonly overrides?: ReadonlyMap<string, string>;
  /** The modules of the runtime to copy, by path without `.ts`. */
  readonly runtime: ReadonlyMap<string, RuntimeModule>;
  /**
   * The modules of the kit to copy, by path below the output folder without `.ts`. Their imports
   * are also paths below the output folder.
   */
  readonly kit: ReadonlyMap<string, RuntimeModule>;
  /** Returns the specification for which the task kit of the package is compiled. */
  readonly librarySource?: () => SpecSource;
}

/** Options that a user can set. */
export interface GenerateOptions {
  readonly targets: readonly string[];
  readonly importExtension: "js" | "ts" | "none";
  /** Determines which names of earlier versions remain as deprecated aliases. */
  readonly aliases: "all" | "none";
  /** The version of the generator, which `index.ts` and the lock file contain. */
  readonly generator: string;
  /**
   * The module path from the agent skeleton to the output folder. Without it, no skeleton is
   * generated.
   */
  readonly agentImport?: string;
  /**
   * The name of a package that exports the runtime and the task kit. Without it, the output
   * contains copies of these modules.
   */
  readonly runtimeImport?: string;
}

/** The defaults of options, on the command line, in configurations, and in the API. */
export const defaults = {
  importExtension: "js",
  aliases: "none",
} as const satisfies Partial<GenerateOptions>;

/** A file of the output, by its path below the output folder. */
export interface OutputFile {
  readonly path: string;
  readonly text: string;
}

/** A file that implements a service. It is created once, and is then edited by the user. */
export interface ServiceFile extends OutputFile {
  /** The path, relative to the folder of the program that serves the service. */
  readonly path: string;
  /** The full name of the service, for example `shop.v1.Orders`. */
  readonly fullName: string;
  /** The service, for merging. */
  readonly service: ServicePlan;
  /** The expression with which the program serves the service. */
  readonly served: string;
}

/** The result of a run: the files, the skeleton if requested, and the omissions. */
export interface Generated {
  readonly title: string;
  /** The packages of a run with several outputs. */
  readonly packages?: readonly PackageOutput[];
  readonly files: readonly OutputFile[];
  /**
   * The modules of a package that the files import, directly or indirectly; empty if the output
   * contains copies.
   */
  readonly library: readonly OutputFile[];
  readonly agent: string | undefined;
  /** The service that the skeleton implements, for merging; absent if the output has no server. */
  readonly service: ServicePlan | undefined;
  /**
   * The files that implement the services of the output, if they are requested and the services are
   * not agents. `agent` is then the program that serves them.
   */
  readonly implementations: readonly ServiceFile[];
  readonly omissions: readonly Omission[];
  /** The losses of the selected bindings. */
  readonly losses: readonly LossDef[];
  /** The other versions that the output supports. */
  readonly versions: readonly AdaptedVersion[];
  /** Names of earlier versions that the options exclude. */
  readonly dropped: readonly LegacyDef[];
  readonly counts: {
    readonly messages: number;
    readonly enums: number;
    readonly operations: number;
    readonly errors: number;
  };
}

/** A package of a run with several outputs, and the folder of its output below the output folder. */
export interface PackageOutput {
  readonly name: string;
  readonly folder: string;
}

/** Another version that an output supports. */
export interface AdaptedVersion {
  readonly title: string;
  /** The folder of the version's adapter, below the output folder. */
  readonly folder: string;
  /** The elements of one version that the other version cannot represent. */
  readonly losses: readonly VersionLoss[];
}
