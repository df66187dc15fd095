import type { Location } from "../../../support/diagnostics.js";
import type {
  CardDef,
  ErrorFormat,
  ErrorRole,
  ErrorVariant,
  LegacyDef,
  LegacyKind,
  RemovedDef,
  SpellingDef,
  TasksDef,
  VersionHints,
} from "./types.js";

/**
 * A binding manifest, merged with the manifests that it extends. `spec/manifest.schema.json`
 * describes its keys.
 */
export interface Manifest {
  readonly version?: string;
  readonly wireVersion?: string;
  readonly assumedVersion?: string;
  readonly headers?: { readonly version: string; readonly extensions: string };
  readonly tenant?: string;
  readonly webhook?: string;
  readonly subjects?: Readonly<Record<string, readonly string[]>>;
  readonly tasks?: TasksDef;
  readonly mediaTypes?: {
    readonly http?: string;
    readonly accept?: readonly string[];
    readonly lines?: string;
  };
  readonly bindings?: { readonly jsonRpc: string; readonly http: string; readonly grpc: string };
  readonly card?: CardDef;
  readonly capabilities?: Readonly<
    Record<string, { readonly path: readonly string[]; readonly error: string }>
  >;
  readonly operations?: Readonly<Record<string, ManifestOperation>>;
  readonly names?: Readonly<Record<string, string>>;
  readonly keys?: Readonly<Record<string, string>>;
  readonly enumAliases?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly correlate?: ManifestCorrelation;
  readonly legacy?: ByKind<ManifestLegacy> & { readonly removed?: ByKind<ManifestRemoved> };
  readonly versions?: VersionHints;
  readonly elsewhere?: Pick<Manifest, "operations" | "correlate">;
  readonly requiredOneofs?: readonly string[];
  readonly maybeEmpty?: readonly string[];
  readonly fieldAliases?: Readonly<Record<string, string>>;
  readonly errorDomain?: string;
  readonly errorFormat?: ErrorFormat;
  readonly streamErrors?: "response" | "event";
  readonly errors?: Readonly<Record<string, ManifestError>>;
  readonly errorDocs?: Readonly<Record<string, string>>;
  readonly errorRoles?: Readonly<Partial<Record<ErrorRole, string>>>;
  readonly errorVariants?: Readonly<Partial<Record<ErrorRole, ErrorVariant>>>;
}

/** The section `correlate` of a manifest: how the proto represents the types of the schema. */
export interface ManifestCorrelation {
  readonly fields?: Readonly<Record<string, string>>;
  readonly resources?: Readonly<Record<string, readonly string[]>>;
  readonly enums?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly members?: Readonly<Record<string, string>>;
  readonly onlyJson?: readonly string[];
  readonly onlyProtobuf?: readonly string[];
  readonly trueIfAbsent?: readonly string[];
}

/** The entry of an operation in a manifest. */
export interface ManifestOperation {
  readonly jsonRpc?: string;
  readonly method?: string;
  readonly streaming?: "none" | "server";
  readonly resultOf?: string;
  readonly returns?: string;
  readonly publicCard?: true;
  readonly routes?: readonly string[];
  readonly nonEmpty?: readonly string[];
  readonly urls?: readonly string[];
  readonly requires?: string;
  readonly fieldRequires?: Readonly<Record<string, string>>;
  readonly ranges?: Readonly<Record<string, readonly [least: number, most?: number]>>;
  readonly missing?: string;
  readonly errors?: Readonly<Record<string, string>>;
  readonly sample?: Readonly<Record<string, unknown>>;
  readonly lookup?: Readonly<Record<string, string>>;
  readonly spellings?: Readonly<Record<string, ManifestSpelling>>;
  readonly fallbackMethods?: readonly string[];
}

/**
 * The entry of an alternative spelling in a manifest. The keys in `field` are separated by dots.
 */
export type ManifestSpelling = Omit<SpellingDef, "name" | "field"> & { readonly field: string };

/** The entry of an old name in a manifest. */
export type ManifestLegacy = Omit<LegacyDef, "kind" | "old">;

/** The entry of a removed name in a manifest. */
export type ManifestRemoved = Omit<RemovedDef, "kind" | "old">;

/** Entries by kind and old name. */
type ByKind<Entry> = Readonly<Partial<Record<LegacyKind, Readonly<Record<string, Entry>>>>>;

/** The entry of an error in a manifest. */
export interface ManifestError {
  readonly message?: string;
  readonly reason?: string;
  readonly jsonRpc?: number;
  readonly http?: number;
  readonly grpc?: string;
}

/** A manifest, with the locations of its entries. */
export interface LoadedManifest {
  readonly manifest: Manifest;
  /** Returns the location of an entry by its keys, in the last file that contains the entry. */
  readonly locationOf: (...keys: readonly string[]) => Location | undefined;
  /** Returns the location of an entry, or of the innermost existing entry that contains it. */
  readonly nearest: (...keys: readonly string[]) => Location;
  /**
   * Whether the manifest belongs to another version. Such a manifest may name elements that this
   * version does not have.
   */
  readonly borrowed: boolean;
  /**
   * Returns whether the manifest itself contains an entry. Returns `false` for inherited entries,
   * and if the manifest belongs to another version.
   */
  readonly owns: (...keys: readonly string[]) => boolean;
}
