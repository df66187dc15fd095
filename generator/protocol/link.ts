import type { Diagnostics } from "../diagnostics.js";
import type { LoadedManifest, Manifest } from "../input/manifest.js";
import { checkManifest } from "./check-manifest.js";
import { upperSnakeCase } from "./names.js";
import { streamsRequests, streamsResponses } from "./streaming.js";
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
  const twoWay = streamsRequests(operation);
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
  const { name } = operation;
  if (streamsRequests(operation)) {
    const reason = `a ${streamsResponses(operation) ? "bidirectional" : "client"} stream needs more than one HTTP request`;
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

/** What a manifest has to say for a client or server. */
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

type Complete = Manifest & Required<Pick<Manifest, (typeof needed)[number]>>;

function isComplete(manifest: Manifest): manifest is Complete {
  return needed.every((key) => manifest[key] !== undefined);
}

function bindingOf(loaded: LoadedManifest, diagnostics: Diagnostics): BindingDef | undefined {
  const { manifest, placeOf } = loaded;
  if (!isComplete(manifest) || manifest.mediaTypes.http === undefined) {
    const lacking = needed.filter((key) => manifest[key] === undefined).join(", ") || "mediaTypes.http";
    const remedy = "Add it; spec/1.0/manifest.yaml is an example";
    diagnostics.add(placeOf(), `the manifest lacks ${lacking}`, remedy);
    return undefined;
  }
  const { version, wireVersion, headers, card, bindings, errorDomain, errorRoles, tenant } = manifest;
  const { http, accept = [http] } = manifest.mediaTypes;
  return {
    version,
    wireVersion,
    assumedVersion: manifest.assumedVersion ?? wireVersion,
    headers,
    mediaTypes: { http, accept },
    card,
    bindings,
    errorDomain,
    errorRoles,
    errors: errorsOf(loaded, diagnostics),
    ...(tenant !== undefined && { tenant }),
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
