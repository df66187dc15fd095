import type { Diagnostics } from "../../../support/diagnostics.js";
import { upperSnakeCase } from "../../../support/names.js";
import { defined } from "../../../support/values.js";
import type { LoadedManifest, Manifest } from "../model/manifest.js";
import type { SchemaError } from "../model/schema-parts.js";
import type { BindingDef, ErrorDef } from "../model/types.js";

/** The keys that a manifest must contain so that a client or a server can be generated. */
const needed = ["version", "wireVersion", "mediaTypes", "bindings", "errorRoles"] as const;

/** The keys that a manifest of agents must contain in addition. */
const neededByAgents = ["headers", "card", "errorDomain"] as const;

/** The keys that only manifests of agents contain. */
const ofAgents = ["headers", "card", "capabilities", "webhook", "tasks"] as const;

/**
 * The keys that only a manifest for clients and servers contains. A manifest without these keys
 * only describes names.
 */
const facts = [
  ...needed,
  ...ofAgents,
  "assumedVersion",
  "errorDomain",
  "errors",
  "errorDocs",
  "errorFormat",
  "errorVariants",
  "streamErrors",
] as const;

/** Returns whether a manifest describes a binding, and not only names. */
export function hasFacts(manifest: Manifest): boolean {
  return facts.some((key) => manifest[key] !== undefined);
}

type Complete = Manifest & Required<Pick<Manifest, (typeof needed)[number]>>;

function isComplete(manifest: Manifest): manifest is Complete {
  return missingIn(manifest).length === 0;
}

/** Returns the keys that a manifest must contain and does not contain. */
function missingIn(manifest: Manifest): string[] {
  const isOfAgents = ofAgents.some((key) => manifest[key] !== undefined);
  const keys = isOfAgents ? [...needed, ...neededByAgents] : needed;
  return keys.filter((key) => manifest[key] === undefined);
}

/** Returns the data of a manifest that clients and servers use. Reports missing keys. */
export function bindingOf(
  loaded: LoadedManifest,
  declared: readonly SchemaError[],
  diagnostics: Diagnostics,
): BindingDef | undefined {
  const { manifest, nearest } = loaded;
  if (!isComplete(manifest) || manifest.mediaTypes.http === undefined) {
    const missingKeys = missingIn(manifest).join(", ") || "mediaTypes.http";
    const hint = "Add the missing keys; spec/1.0/manifest.yaml is an example";
    diagnostics.add(nearest(), `the manifest requires ${missingKeys}`, hint);
    return undefined;
  }
  const {
    version,
    wireVersion,
    headers,
    card,
    bindings,
    errorDomain,
    errorRoles,
    errorVariants,
    tenant,
    webhook,
    tasks,
  } = manifest;
  const { http, accept = [http], lines } = manifest.mediaTypes;
  return defined({
    version,
    wireVersion,
    assumedVersion: manifest.assumedVersion ?? wireVersion,
    headers,
    mediaTypes: defined({ http, accept, lines }),
    card,
    bindings,
    errorDomain,
    errorFormat: manifest.errorFormat ?? "status",
    streamErrors: manifest.streamErrors ?? "response",
    errorRoles,
    errorVariants,
    errors: errorsOf(loaded, declared, diagnostics),
    tenant,
    webhook,
    tasks,
  });
}

/**
 * Returns the errors that the schema and the manifest define, with the statuses from the manifest.
 */
function errorsOf(
  { manifest, nearest }: LoadedManifest,
  declared: readonly SchemaError[],
  diagnostics: Diagnostics,
): ErrorDef[] {
  const { errors = {}, errorDocs = {} } = manifest;
  const known = new Map(declared.map((error) => [error.name, error]));
  return [...new Set([...known.keys(), ...Object.keys(errors)])].flatMap((name) => {
    const own = known.get(name);
    const { http, grpc, message = own?.message, jsonRpc = own?.code, reason } = errors[name] ?? {};
    if (http === undefined || grpc === undefined) {
      diagnostics.add(
        nearest("errors", name),
        `${name} requires http and grpc`,
        `Add them under errors.${name}`,
      );
      return [];
    }
    return [
      defined({
        name,
        reason: reason ?? upperSnakeCase(name.replace(/Error$/, "")),
        docs: errorDocs[name] ?? docsOf(own) ?? message ?? "",
        http,
        grpc,
        message,
        jsonRpc,
      }),
    ];
  });
}

/** Returns the doc comment of an error in the schema; `undefined` if the error has no comment. */
function docsOf(error: SchemaError | undefined): string | undefined {
  return error === undefined || error.docs === "" ? undefined : error.docs;
}
