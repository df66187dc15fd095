import { isObject } from "../../base/json.js";
import type { HttpRoute } from "../../protocol/operation.js";
import { expandRoute, routeFields } from "./route.js";

/** The parts of a request for a route. */
export interface SplitRequest {
  /** The path with its variables filled in, encoded. */
  readonly path: string;
  /** The encoded query parameters. */
  readonly query: readonly string[];
  /** The value of the body; `undefined` if the request has no body. */
  readonly body: unknown;
}

type Fields = Readonly<Record<string, unknown>>;

/** Returns whether a request has values for the variables in the path of a route. */
export function fitsRoute({ path }: HttpRoute, request: unknown): boolean {
  return expandRoute(path, (field) => textAt(request, field)) !== undefined;
}

/**
 * Splits a request into path, query and body according to `google.api.http`. Throws an `Error` if
 * the route cannot represent the request: a field in the path is missing, a string is not
 * well-formed Unicode, or the query would contain a list of objects. `maps` are the paths of the
 * maps in the request.
 */
export function splitRequest(
  route: HttpRoute,
  request: unknown,
  maps: readonly string[] = [],
): SplitRequest {
  const variables = routeFields(route.path);
  const path = expandRoute(route.path, (field) => textAt(request, field));
  if (path === undefined)
    throw new Error(`${variables.join(", ")} must match the path ${route.path}`);
  const given: Readonly<Record<string, unknown>> = isObject(request) ? request : {};
  const rest = variables.reduce((fields, field) => without(fields, field.split(".")), given);
  if (route.body === "*") return { path, query: [], body: rest };
  const body = route.body === undefined ? undefined : rest[route.body];
  const query = route.body === undefined ? rest : without(rest, [route.body]);
  return {
    path,
    query: Object.entries(query).flatMap(([name, value]) => parameters(name, value, maps)),
    body,
  };
}

/** Returns the field at a path as a string. */
function textAt(request: unknown, field: string): string | undefined {
  let value = request;
  for (const key of field.split("."))
    value = isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
  return textOf(value);
}

function textOf(value: unknown): string | undefined {
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  return typeof value === "string" ? value : undefined;
}

/** Returns a copy of `fields` without the field at `path`. */
function without(fields: Fields, [key = "", ...path]: readonly string[]): Fields {
  const { [key]: value, ...others } = fields;
  return path.length > 0 && isObject(value) ? { ...others, [key]: without(value, path) } : others;
}

/**
 * Returns the query parameters for a field. A list repeats the name, dots separate the names of
 * nested members, and the key of a map is in brackets.
 */
function parameters(name: string, value: unknown, maps: readonly string[]): string[] {
  if (Array.isArray(value)) {
    if (value.some((item) => typeof item === "object"))
      throw new Error(`${name} cannot be sent in a query`);
    return value.flatMap((item) => parameters(name, item, maps));
  }
  if (isObject(value)) {
    const isMap = maps.includes(name);
    return Object.entries(value).flatMap(([key, member]) => {
      if (isMap && isObject(member)) throw new Error(`${name} cannot be sent in a query`);
      return parameters(isMap ? `${name}[${key}]` : `${name}.${key}`, member, maps);
    });
  }
  const text = textOf(value);
  return text === undefined ? [] : [`${encodeURIComponent(name)}=${encodeURIComponent(text)}`];
}
