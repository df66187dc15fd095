import { defined } from "../../../support/values.js";
import type { Manifest, ManifestOperation, ManifestSpelling } from "../model/manifest.js";
import type {
  HttpRouteDef,
  LookupDef,
  OperationDef,
  OperationErrorDef,
  RangeDef,
  RequirementDef,
  SpellingDef,
} from "../model/types.js";

/** Returns an operation with the data that the manifest adds. */
export function linkOperation(
  operation: OperationDef,
  manifest: Manifest,
  { isJson }: { readonly isJson: boolean },
): OperationDef {
  const { operations = {}, capabilities = {} } = manifest;
  const given = ownEntry(operations, operation.name) ?? {};
  const { jsonRpc = operation.jsonRpc, method = operation.method, publicCard } = given;
  const http = isJson ? httpRoutes(operation, given, manifest) : [];
  const linked = defined({
    http,
    jsonRpc: isJson ? jsonRpc : undefined,
    ...linkRequirements(given, capabilities),
    missing: given.missing,
    publicCard: publicCard === true ? publicCard : undefined,
    errors: given.errors && Object.entries(given.errors).map(errorOf),
    sample: given.sample,
    lookups: given.lookup && Object.entries(given.lookup).map(lookupOf),
    spellings: given.spellings && Object.entries(given.spellings).map(spellingOf),
    nonEmpty: given.nonEmpty?.map(keysOf),
    urls: given.urls?.map(keysOf),
    ranges: given.ranges && Object.entries(given.ranges).map(rangeOf),
  });
  return { ...operation, method, ...linked };
}

/** Returns the own value of a key, so that `toString` and similar names are ordinary keys. */
function ownEntry<T>(table: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined;
}

function httpRoutes(
  { http }: OperationDef,
  { routes, fallbackMethods = [] }: ManifestOperation,
  manifest: Manifest,
): HttpRouteDef[] {
  const all = requestRoutes(http, routes);
  const fallbacks = fallbackMethods.flatMap((httpMethod) =>
    all.map((route) => ({ ...route, httpMethod, use: "fallback" as const })),
  );
  return [...all.map((route, index) => markUse(route, index, manifest)), ...fallbacks];
}

function keysOf(path: string): string[] {
  return path.split(".");
}

function spellingOf([name, { field, ...spelling }]: [string, ManifestSpelling]): SpellingDef {
  return { name, field: keysOf(field), ...spelling };
}

function errorOf([error, condition]: [string, string]): OperationErrorDef {
  return { error, condition };
}

function lookupOf([path, error]: [string, string]): LookupDef {
  return { path: keysOf(path), error };
}

function rangeOf([path, [least, most]]: [
  string,
  readonly [least: number, most?: number],
]): RangeDef {
  return { path: keysOf(path), least, ...(most !== undefined && { most }) };
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
    const found = ownEntry(capabilities, name);
    return found === undefined ? [] : [{ capability: found.path, error: found.error }];
  };
  const [own] = requires === undefined ? [] : requirement(requires);
  const ofFields = Object.entries(fieldRequires).flatMap(([path, name]) =>
    requirement(name).map((required) => ({ path: keysOf(path), ...required })),
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
 * Returns a route with the mark that states when clients use it. Clients of agents use the first
 * route, or the route with a tenant if the request has a tenant. Clients of other services use the
 * first route that fits the request. Servers accept all routes.
 */
function markUse(route: HttpRouteDef, index: number, { card, tenant }: Manifest): HttpRouteDef {
  if (tenant !== undefined && route.path.includes(`{${tenant}}`))
    return { ...route, use: "tenant" };
  return index === 0 || card === undefined ? route : { ...route, use: "accept" };
}
