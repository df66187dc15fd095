import type { Diagnostics } from "../../../support/diagnostics.js";
import type { SchemaError } from "../model/schema-parts.js";
import type { LoadedManifest, Manifest, ManifestOperation } from "../model/manifest.js";
import { legacyOf, removedOf } from "./legacy.js";
import { subjectsOf } from "./subjects.js";
import { versionHintsOf } from "./version-hints.js";
import { upperSnakeCase } from "../../../support/names.js";
import { streamsRequests, streamsResponses } from "../model/streaming.js";
import type {
  AliasDef,
  BindingDef,
  ErrorDef,
  HttpRouteDef,
  LookupDef,
  LossDef,
  Omission,
  OperationDef,
  OperationErrorDef,
  Protocol,
  RangeDef,
  RequirementDef,
  TypeDef,
  ValueType,
  WireDef,
} from "../model/types.js";

/** Results of reading the proto, the schema and the manifest. */
export interface Parts {
  readonly title: string;
  /** The kinds of the sources, except for the manifest. */
  readonly sources: readonly ("proto" | "schema")[];
  /** The types of the model. */
  readonly types: readonly TypeDef[];
  readonly wire: WireDef | undefined;
  readonly losses: readonly LossDef[];
  /** The operations that the sources declare. */
  readonly operations: readonly OperationDef[];
  /** The errors of the schema. */
  readonly errors: readonly SchemaError[];
  /** The parts of the sources that the output cannot contain. */
  readonly omissions: readonly Omission[];
  readonly manifest: LoadedManifest | undefined;
}

/** Builds the protocol from the results of the readers and the manifest. Reports contradictions. */
export function linkProtocol(parts: Parts, diagnostics: Diagnostics): Protocol {
  const { manifest: loaded } = parts;
  const binding =
    loaded &&
    (hasFacts(loaded.manifest) ? bindingOf(loaded, parts.errors, diagnostics) : undefined);
  const aliases = new Map(
    parts.types.flatMap((type) => (type.kind === "alias" ? [[type.name, type] as const] : [])),
  );
  const limits = new Map(
    parts.operations.map((operation) => [operation.name, limitOf(operation, aliases)]),
  );
  const operations = parts.operations.map((operation) =>
    linkOperation(operation, loaded?.manifest ?? {}, limits.get(operation.name) === undefined),
  );
  const without = new Set(parts.omissions.map(({ subject }) => subject));
  const omissions = operations.flatMap((operation) =>
    omissionsOf(
      operation,
      limits.get(operation.name),
      binding !== undefined,
      without.has(operation.name),
    ),
  );
  const { title, sources, types, wire, losses } = parts;
  const names = { types, operations, ...(binding && { binding }) };
  return {
    title,
    sources: [...sources, ...(loaded === undefined ? [] : (["manifest"] as const))],
    types,
    subjects: subjectsOf(types, operations, loaded?.manifest.subjects),
    ...(wire && { wire }),
    losses,
    operations,
    omissions: [...parts.omissions, ...omissions],
    legacy: legacyOf(names, loaded, diagnostics),
    removed: removedOf(names, loaded, diagnostics),
    ...(loaded && { versions: versionHintsOf(names, loaded, diagnostics) }),
    ...(binding && { binding }),
  };
}

/**
 * Returns the reason why only gRPC supports an operation; `undefined` if the other bindings also
 * support it.
 */
function limitOf(
  operation: OperationDef,
  aliases: ReadonlyMap<string, AliasDef>,
): string | undefined {
  if (streamsRequests(operation))
    return (
      `a ${streamsResponses(operation) ? "bidirectional" : "client"} stream requires more than ` +
      "one HTTP request"
    );
  const { request } = operation;
  const alias = request.kind === "named" ? aliases.get(request.name) : undefined;
  if (
    alias === undefined ||
    !["wrapper", "wellKnown"].includes(alias.type.kind) ||
    isObject(alias.type)
  )
    return undefined;
  return `${alias.fullName} is not an object in JSON, as requests must be; wrap it in a message`;
}

function isObject(type: ValueType): boolean {
  return type.kind === "wellKnown" && ["Struct", "Any"].includes(type.wellKnown);
}

function linkOperation(operation: OperationDef, manifest: Manifest, isJson: boolean): OperationDef {
  const { operations = {}, capabilities = {} } = manifest;
  const given = Object.hasOwn(operations, operation.name) ? operations[operation.name] : undefined;
  const {
    jsonRpc = operation.jsonRpc,
    method,
    missing,
    sample,
    nonEmpty,
    fallbackMethods = [],
  } = given ?? {};
  const routes = requestRoutes(operation.http, given?.routes);
  const fallbacks = fallbackMethods.flatMap((httpMethod) =>
    routes.map((route) => ({ ...route, httpMethod, use: "fallback" as const })),
  );
  return {
    ...operation,
    ...(method !== undefined && { method }),
    http: isJson
      ? [...routes.map((route, index) => markUse(route, index, manifest)), ...fallbacks]
      : [],
    ...(jsonRpc !== undefined && isJson && { jsonRpc }),
    ...linkRequirements(given ?? {}, capabilities),
    ...(missing !== undefined && { missing }),
    ...(given?.publicCard === true && { publicCard: true }),
    ...(given?.errors !== undefined && { errors: Object.entries(given.errors).map(errorOf) }),
    ...(sample !== undefined && { sample }),
    ...(given?.lookup !== undefined && { lookups: Object.entries(given.lookup).map(lookupOf) }),
    ...(given?.spellings !== undefined && {
      spellings: Object.entries(given.spellings).map(([name, { field, ...spelling }]) => ({
        name,
        field: field.split("."),
        ...spelling,
      })),
    }),
    ...(nonEmpty !== undefined && { nonEmpty: nonEmpty.map((path) => path.split(".")) }),
    ...(given?.urls !== undefined && { urls: given.urls.map((path) => path.split(".")) }),
    ...(given?.ranges !== undefined && { ranges: Object.entries(given.ranges).map(rangeOf) }),
  };
}

function errorOf([error, condition]: [string, string]): OperationErrorDef {
  return { error, condition };
}

function lookupOf([path, error]: [string, string]): LookupDef {
  return { path: path.split("."), error };
}

function rangeOf([path, [least, most]]: [
  string,
  readonly [least: number, most?: number],
]): RangeDef {
  return { path: path.split("."), least, ...(most !== undefined && { most }) };
}

/**
 * Returns the capabilities that the card must declare for the operation, and for fields of its
 * request.
 */
function linkRequirements(
  { requires, fieldRequires = {} }: ManifestOperation,
  capabilities: NonNullable<Manifest["capabilities"]>,
): Pick<OperationDef, "requires" | "fieldRequires"> {
  const requirement = (name: string): RequirementDef[] => {
    const found = Object.hasOwn(capabilities, name) ? capabilities[name] : undefined;
    return found === undefined ? [] : [{ capability: found.path, error: found.error }];
  };
  const [own] = requires === undefined ? [] : requirement(requires);
  const ofFields = Object.entries(fieldRequires).flatMap(([path, name]) =>
    requirement(name).map((each) => ({ path: path.split("."), ...each })),
  );
  return { ...(own && { requires: own }), ...(ofFields.length > 0 && { fieldRequires: ofFields }) };
}

/** Returns the routes in the manifest, followed by the other routes of the operation. */
function requestRoutes(
  routes: readonly HttpRouteDef[],
  paths: readonly string[] = [],
): HttpRouteDef[] {
  const [first] = routes;
  const preferred = paths.flatMap((text) => {
    const [, httpMethod = first?.httpMethod, path = ""] = /^(?:([A-Z]+) )?(.*)$/.exec(text) ?? [];
    const plain = httpMethod === "GET" || httpMethod === "DELETE" ? {} : { body: "*" };
    return httpMethod === undefined ? [] : [{ ...(first ?? plain), httpMethod, path }];
  });
  const isPreferred = (route: HttpRouteDef): boolean =>
    preferred.some(
      ({ path, httpMethod }) => path === route.path && httpMethod === route.httpMethod,
    );
  return [...preferred, ...routes.filter((route) => !isPreferred(route))];
}

/**
 * Returns a route with the mark that states when clients use it. Clients use the first route, or
 * the route with a tenant if the request has a tenant. Servers accept all routes.
 */
function markUse(route: HttpRouteDef, index: number, { tenant }: Manifest): HttpRouteDef {
  if (tenant !== undefined && route.path.includes(`{${tenant}}`))
    return { ...route, use: "tenant" };
  return index === 0 ? route : { ...route, use: "accept" };
}

function omissionsOf(
  operation: OperationDef,
  limit: string | undefined,
  hasManifest: boolean,
  isExplained: boolean,
): Omission[] {
  const { name } = operation;
  if (limit !== undefined)
    return ["jsonrpc", "rest"].map((target) => ({ target, subject: name, reason: limit }));
  const omissions: Omission[] = [];
  if (operation.jsonRpc === undefined && hasManifest) {
    omissions.push({
      target: "jsonrpc",
      subject: name,
      reason: `the manifest has no operations.${name}.jsonRpc`,
    });
  }
  if (operation.http.length === 0 && !isExplained && operation.rpc !== undefined)
    omissions.push({ target: "rest", subject: name, reason: "it has no HTTP route in the proto" });
  return omissions;
}

/** The keys that a manifest must contain so that a client or a server can be generated. */
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

/**
 * The keys that only a manifest for clients and servers contains. A manifest without these keys
 * only describes names.
 */
const facts = [
  ...needed,
  "assumedVersion",
  "capabilities",
  "errors",
  "errorDocs",
  "errorFormat",
  "streamErrors",
  "webhook",
  "tasks",
] as const;

function hasFacts(manifest: Manifest): boolean {
  return facts.some((key) => manifest[key] !== undefined);
}

type Complete = Manifest & Required<Pick<Manifest, (typeof needed)[number]>>;

function isComplete(manifest: Manifest): manifest is Complete {
  return needed.every((key) => manifest[key] !== undefined);
}

function bindingOf(
  loaded: LoadedManifest,
  declared: readonly SchemaError[],
  diagnostics: Diagnostics,
): BindingDef | undefined {
  const { manifest, nearest } = loaded;
  if (!isComplete(manifest) || manifest.mediaTypes.http === undefined) {
    const missingKeys =
      needed.filter((key) => manifest[key] === undefined).join(", ") || "mediaTypes.http";
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
    tenant,
    webhook,
    tasks,
  } = manifest;
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
    errorFormat: manifest.errorFormat ?? "status",
    streamErrors: manifest.streamErrors ?? "response",
    errorRoles,
    errors: errorsOf(loaded, declared, diagnostics),
    ...(tenant !== undefined && { tenant }),
    ...(webhook !== undefined && { webhook }),
    ...(tasks !== undefined && { tasks }),
  };
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
      {
        name,
        reason: reason ?? upperSnakeCase(name.replace(/Error$/, "")),
        docs: errorDocs[name] ?? docsOf(own) ?? message ?? "",
        http,
        grpc,
        ...(message !== undefined && { message }),
        ...(jsonRpc !== undefined && { jsonRpc }),
      },
    ];
  });
}

/** Returns the doc comment of an error in the schema; `undefined` if the error has no comment. */
function docsOf(error: SchemaError | undefined): string | undefined {
  return error === undefined || error.docs === "" ? undefined : error.docs;
}
