import type { LegacyDef, LossDef, Omission } from "../protocol/model/types.js";
import type { TemplateTexts } from "../render/render.js";
import type { SpecSource } from "../input/source.js";
import type { RuntimeModule } from "../compiled/runtime-module.js";
import type { ServicePlan } from "../merge/types.js";
import type { VersionLoss } from "../protocol/versions/types.js";

/** What the generator needs besides the specification: its own templates and support modules. */
export interface Assets {
  /** The templates, by path without `.hbs`. */
  readonly templates: TemplateTexts;
  /** The files of templates that somebody overrides, by path without `.hbs`, as messages call them. */
  readonly overrides?: ReadonlyMap<string, string>;
  /** The modules of the runtime, which are copied, by path without `.ts`. */
  readonly runtime: ReadonlyMap<string, RuntimeModule>;
  /**
   * The modules of the kit, which are copied, by path below the output folder without `.ts`. What they import is named
   * in the same way.
   */
  readonly kit: ReadonlyMap<string, RuntimeModule>;
  /** Returns the specification that the task kit of the package is compiled with. */
  readonly librarySource?: () => SpecSource;
}

/** What the user chose. */
export interface GenerateOptions {
  readonly targets: readonly string[];
  readonly importExtension: "js" | "ts" | "none";
  /** Which names of earlier versions stay as deprecated aliases. */
  readonly aliases: "all" | "none";
  /** Whether to leave out aliases that the version may remove. */
  readonly dropExpired: boolean;
  /** The version of the generator, which `index.ts` and the lock name. */
  readonly generator: string;
  /** The module path from the agent skeleton to the output folder; no skeleton without it. */
  readonly agentImport?: string;
  /**
   * The module path from the output folder to a folder of runtime modules that several outputs share, or the name of a
   * package that exports the runtime and the task kit; without it, the output has copies of its own.
   */
  readonly runtimeImport?: string;
}

/** A file of the output, by its path below the output folder. */
export interface OutputFile {
  readonly path: string;
  readonly text: string;
}

/** What a run returns: files, the skeleton if asked for, and what was left out. */
export interface Generated {
  readonly title: string;
  readonly files: readonly OutputFile[];
  /** The runtime modules that the files import from elsewhere, by paths below their folder; none where they have copies. */
  readonly runtime: readonly OutputFile[];
  readonly agent: string | undefined;
  /** The service that the skeleton implements, for merging; absent where there is no server. */
  readonly service: ServicePlan | undefined;
  readonly omissions: readonly Omission[];
  /** What one of the chosen bindings does not carry. */
  readonly losses: readonly LossDef[];
  /** The other versions that the output speaks. */
  readonly versions: readonly AdaptedVersion[];
  /** Names of earlier versions that the options leave out. */
  readonly dropped: readonly LegacyDef[];
  readonly counts: {
    readonly messages: number;
    readonly enums: number;
    readonly operations: number;
    readonly errors: number;
  };
}

/** Another version that an output speaks. */
export interface AdaptedVersion {
  readonly title: string;
  /** The folder of its adapter, below the output folder. */
  readonly folder: string;
  /** What one of the two versions has and the other cannot carry. */
  readonly losses: readonly VersionLoss[];
}
