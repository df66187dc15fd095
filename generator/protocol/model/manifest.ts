import type { Place } from "../../support/diagnostics.js";
import type { CardDef, ErrorFormat, ErrorRole, LegacyDef, LegacyKind, RemovedDef } from "./types.js";

/** A binding manifest, as `spec/manifest.schema.json` describes it, after merging it with the ones that it extends. */
export interface Manifest {
  readonly version?: string;
  readonly wireVersion?: string;
  readonly assumedVersion?: string;
  readonly headers?: { readonly version: string; readonly extensions: string };
  readonly tenant?: string;
  readonly mediaTypes?: { readonly http?: string; readonly accept?: readonly string[] };
  readonly bindings?: { readonly jsonRpc: string; readonly http: string; readonly grpc: string };
  readonly card?: CardDef;
  readonly capabilities?: Readonly<Record<string, { readonly path: readonly string[]; readonly error: string }>>;
  readonly operations?: Readonly<Record<string, ManifestOperation>>;
  readonly names?: Readonly<Record<string, string>>;
  readonly keys?: Readonly<Record<string, string>>;
  readonly enumAliases?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly correlate?: ManifestCorrelation;
  readonly legacy?: ByKind<ManifestLegacy> & { readonly removed?: ByKind<ManifestRemoved> };
  readonly elsewhere?: Pick<Manifest, "operations" | "correlate">;
  readonly requiredOneofs?: readonly string[];
  readonly maybeEmpty?: readonly string[];
  readonly errorDomain?: string;
  readonly errorFormat?: ErrorFormat;
  readonly streamErrors?: "response" | "event";
  readonly errors?: Readonly<Record<string, ManifestError>>;
  readonly errorDocs?: Readonly<Record<string, string>>;
  readonly errorRoles?: Readonly<Partial<Record<ErrorRole, string>>>;
}

/** What a manifest says about how the proto carries what the schema describes. */
export interface ManifestCorrelation {
  readonly fields?: Readonly<Record<string, string>>;
  readonly resources?: Readonly<Record<string, readonly string[]>>;
  readonly enums?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly members?: Readonly<Record<string, string>>;
  readonly onlyJson?: readonly string[];
  readonly onlyProtobuf?: readonly string[];
  readonly trueIfAbsent?: readonly string[];
}

/** What a manifest says about an operation. */
export interface ManifestOperation {
  readonly jsonRpc?: string;
  readonly method?: string;
  readonly streaming?: "none" | "server";
  readonly resultOf?: string;
  readonly routes?: readonly string[];
  readonly demands?: readonly string[];
  readonly requires?: string;
  readonly fieldRequires?: Readonly<Record<string, string>>;
  readonly ranges?: Readonly<Record<string, readonly [least: number, most?: number]>>;
  readonly missing?: string;
  readonly sample?: Readonly<Record<string, unknown>>;
  readonly fallbackVerbs?: readonly string[];
}

/** What a manifest says about a name of an earlier version. */
export type ManifestLegacy = Omit<LegacyDef, "kind" | "old">;

/** What a manifest says about a name of an earlier version that has no successor. */
export type ManifestRemoved = Omit<RemovedDef, "kind" | "old">;

/** Entries by kind and old name. */
type ByKind<Entry> = Readonly<Partial<Record<LegacyKind, Readonly<Record<string, Entry>>>>>;

/** What a manifest says about an error. */
export interface ManifestError {
  readonly message?: string;
  readonly reason?: string;
  readonly jsonRpc?: number;
  readonly http?: number;
  readonly grpc?: string;
}

/** A manifest, and where its entries stand. */
export interface LoadedManifest {
  readonly manifest: Manifest;
  /** Gives the place of an entry by its keys, in the last text that has it. */
  readonly placeOf: (...keys: readonly string[]) => Place | undefined;
  /** The same, or the place of the nearest entry around one that has none of its own. */
  readonly nearest: (...keys: readonly string[]) => Place;
  /** Whether it is the manifest of another version, which may name what this one does not have. */
  readonly borrowed: boolean;
  /** Tells whether the manifest has an entry itself, and has neither borrowed it nor taken it over from another one. */
  readonly owns: (...keys: readonly string[]) => boolean;
}
