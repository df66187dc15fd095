import type { Diagnostics } from "../diagnostics.js";
import type { LoadedManifest, Manifest } from "../input/manifest.js";
import { checkManifest } from "./check-manifest.js";
import { upperSnakeCase } from "./names.js";
import type { BindingDef, ErrorDef, HttpRouteDef, Omission, OperationDef, Protocol, TypeDef } from "./types.js";

/** What the readers found, before it is put together. */
export interface Parts {
  readonly title: string;
  readonly package: string;
  readonly types: readonly TypeDef[];
  /** The operations as the proto declares them. */
  readonly operations: readonly OperationDef[];
  /** The routes of the proto that cannot be used. */
  readonly omissions: readonly Omission[];
  readonly manifest: LoadedManifest | undefined;
}

/** Puts the interface and the manifest together. What does not fit together is added to the diagnostics. */
export function linkProtocol(parts: Parts, diagnostics: Diagnostics): Protocol {
  const { manifest: loaded } = parts;
  const binding = loaded && bindingOf(loaded, diagnostics);
  const operations = parts.operations.map((operation) => linkOperation(operation, loaded?.manifest ?? {}));
  if (loaded !== undefined) checkManifest(parts, loaded, diagnostics);
  const without = new Set(parts.omissions.map(({ subject }) => subject));
  const omissions = operations.flatMap((operation) =>
    omissionsOf(operation, loaded !== undefined, without.has(operation.name)),
  );
  const { title, types } = parts;
  return {
    title,
    package: parts.package,
    types,
    operations,
    omissions: [...parts.omissions, ...omissions],
    ...(binding && { binding }),
  };
}

function linkOperation(operation: OperationDef, manifest: Manifest): OperationDef {
  const { operations = {}, capabilities = {} } = manifest;
  const given = Object.hasOwn(operations, operation.name) ? operations[operation.name] : undefined;
  const { jsonRpc, requires, missing, sample, fallbackVerbs = [] } = given ?? {};
  const capability =
    requires !== undefined && Object.hasOwn(capabilities, requires) ? capabilities[requires] : undefined;
  const twoWay = operation.streaming === "client" || operation.streaming === "both";
  const fallbacks = fallbackVerbs.flatMap((verb) =>
    operation.http.map((route) => ({ ...route, verb, use: "fallback" as const })),
  );
  return {
    ...operation,
    http: twoWay ? [] : [...operation.http.map((route, index) => markUse(route, index, manifest)), ...fallbacks],
    ...(jsonRpc !== undefined && !twoWay && { jsonRpc }),
    ...(capability !== undefined && { requires: { capability: capability.path, error: capability.error } }),
    ...(missing !== undefined && { missing }),
    ...(sample !== undefined && { sample }),
  };
}

/** The first route is the one to send; one with the tenant in its path is for requests that have a tenant. */
function markUse(route: HttpRouteDef, index: number, { tenant }: Manifest): HttpRouteDef {
  if (tenant !== undefined && route.path.includes(`{${tenant}}`)) return { ...route, use: "tenant" };
  return index === 0 ? route : { ...route, use: "accept" };
}

function omissionsOf(operation: OperationDef, hasManifest: boolean, isExplained: boolean): Omission[] {
  const { name, streaming } = operation;
  if (streaming === "client" || streaming === "both") {
    const reason = `a ${streaming === "both" ? "bidirectional" : "client"} stream needs more than one HTTP request`;
    return ["jsonrpc", "rest"].map((target) => ({ target, subject: name, reason }));
  }
  const omissions: Omission[] = [];
  if (operation.jsonRpc === undefined && hasManifest) {
    omissions.push({ target: "jsonrpc", subject: name, reason: `the manifest has no operations.${name}.jsonRpc` });
  }
  if (operation.http.length === 0 && !isExplained)
    omissions.push({ target: "rest", subject: name, reason: "the proto gives it no HTTP route" });
  return omissions;
}

function bindingOf(loaded: LoadedManifest, diagnostics: Diagnostics): BindingDef | undefined {
  const { manifest, placeOf } = loaded;
  const {
    version,
    wireVersion,
    assumedVersion = wireVersion,
    headers,
    mediaTypes,
    card,
    bindings,
    errorDomain,
    errorRoles,
  } = manifest;
  if (
    version === undefined ||
    wireVersion === undefined ||
    assumedVersion === undefined ||
    headers === undefined ||
    mediaTypes?.http === undefined ||
    card === undefined ||
    bindings === undefined ||
    errorDomain === undefined ||
    errorRoles === undefined
  ) {
    const needed = [
      "version",
      "wireVersion",
      "headers",
      "mediaTypes",
      "card",
      "bindings",
      "errorDomain",
      "errorRoles",
    ] as const;
    const lacking = needed.filter((key) => manifest[key] === undefined).join(", ");
    diagnostics.add(
      placeOf(),
      `the manifest lacks ${lacking || "mediaTypes.http"}`,
      "Add it; spec/1.0/manifest.yaml is an example",
    );
    return undefined;
  }
  return {
    version,
    wireVersion,
    assumedVersion,
    headers,
    mediaTypes: { http: mediaTypes.http, accept: mediaTypes.accept ?? [mediaTypes.http] },
    card,
    bindings,
    errorDomain,
    errorRoles,
    errors: errorsOf(loaded, diagnostics),
    ...(manifest.tenant !== undefined && { tenant: manifest.tenant }),
  };
}

function errorsOf({ manifest, placeOf }: LoadedManifest, diagnostics: Diagnostics): ErrorDef[] {
  return Object.entries(manifest.errors ?? {}).flatMap(([name, { http, grpc, message, reason, jsonRpc }]) => {
    if (http === undefined || grpc === undefined) {
      diagnostics.add(placeOf("errors", name), `${name} lacks http or grpc`, "Add what is missing");
      return [];
    }
    const docs = manifest.errorDocs?.[name] ?? message ?? "";
    const given = reason ?? upperSnakeCase(name.replace(/Error$/, ""));
    return [
      {
        name,
        reason: given,
        docs,
        http,
        grpc,
        ...(message !== undefined && { message }),
        ...(jsonRpc !== undefined && { jsonRpc }),
      },
    ];
  });
}
