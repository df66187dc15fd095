import { isObject } from "../../base/json.js";
import type { HttpRoute } from "../../protocol/operation.js";
import { expandRoute, routeFields } from "./route.js";

/** A request spread over the places that a route has for it. */
export interface PlacedRequest {
  /** The path, filled in and encoded. */
  readonly path: string;
  /** The parameters of the query, encoded. */
  readonly query: readonly string[];
  /** The value of the body; `undefined` where there is none. */
  readonly body: unknown;
}

type Fields = Readonly<Record<string, unknown>>;

/**
 * Spreads a request over path, query and body as `google.api.http` says. Throws an `Error` where the route cannot carry
 * it: a field of the path is missing, a string is no well-formed Unicode, or a list of objects would go into the query.
 */
export function placeRequest(route: HttpRoute, request: unknown): PlacedRequest {
  const variables = routeFields(route.path);
  const path = expandRoute(route.path, (field) => textAt(request, field));
  if (path === undefined) throw new Error(`${variables.join(", ")} must fit the path ${route.path}`);
  const given: Readonly<Record<string, unknown>> = isObject(request) ? request : {};
  const rest = variables.reduce((fields, field) => without(fields, field.split(".")), given);
  if (route.body === "*") return { path, query: [], body: rest };
  const body = route.body === undefined ? undefined : rest[route.body];
  const query = route.body === undefined ? rest : without(rest, [route.body]);
  return { path, query: Object.entries(query).flatMap(([name, value]) => parameters(name, value)), body };
}

/** The value of a field as a string, found by its path. */
function textAt(request: unknown, field: string): string | undefined {
  let value = request;
  for (const key of field.split(".")) value = isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
  return textOf(value);
}

function textOf(value: unknown): string | undefined {
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  return typeof value === "string" ? value : undefined;
}

/** A copy of `fields` that lacks the field at `path`. */
function without(fields: Fields, [key = "", ...path]: readonly string[]): Fields {
  const { [key]: value, ...others } = fields;
  return path.length > 0 && isObject(value) ? { ...others, [key]: without(value, path) } : others;
}

/** Writes a field as parameters of a query: lists repeat the name, objects join theirs with dots. */
function parameters(name: string, value: unknown): string[] {
  if (Array.isArray(value)) {
    if (value.some((item) => typeof item === "object")) throw new Error(`${name} does not fit a query`);
    return value.flatMap((item) => parameters(name, item));
  }
  if (isObject(value)) return Object.entries(value).flatMap(([key, member]) => parameters(`${name}.${key}`, member));
  const text = textOf(value);
  return text === undefined ? [] : [`${encodeURIComponent(name)}=${encodeURIComponent(text)}`];
}
