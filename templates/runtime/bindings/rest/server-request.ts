import { invalidField, type A2AError, type ErrorTable } from "../../protocol/error.js";
import { isObject } from "../../base/json.js";
import type { RouteVariable } from "./route.js";
import type { Type } from "../../schema/schema.js";

/** A request on its way together. It has no prototype, so that no key means more than it says. */
export type RawRequest = Record<string, unknown>;

/**
 * Begins a request with its body: all of it for `*`, one field for a name, nothing for routes without a body. Throws
 * invalid params where all fields should come in the body and it is no object.
 */
export function withBody(field: string | undefined, body: unknown, errors: ErrorTable): RawRequest {
  const raw = emptyRequest();
  if (field === undefined) return raw;
  if (field !== "*") raw[field] = body;
  else if (isObject(body)) Object.assign(raw, body);
  else throw invalidField("", "The body of the request has to be a JSON object", errors);
  return raw;
}

/**
 * Adds the parameters of a query: dots lead into nested messages, a repeated parameter is a list, and so is one with
 * bare commas where the field is a list. Parameters that are no fields of `type`, nor in `others`, are ignored. Throws
 * invalid params for broken escapes.
 */
export function addQuery(
  raw: RawRequest,
  query: string,
  { type, others = [] }: { readonly type: Type<unknown>; readonly others?: readonly string[] | undefined },
  errors: ErrorTable,
): void {
  for (const parameter of query.split("&")) {
    if (parameter === "") continue;
    const equals = parameter.indexOf("=");
    const name = decode(equals < 0 ? parameter : parameter.slice(0, equals), errors);
    const path = name.split(".");
    const field = fieldAt(type, path);
    if (field === undefined && !others.includes(name)) continue;
    const text = equals < 0 ? "" : parameter.slice(equals + 1);
    const values = (field?.element === undefined ? [text] : text.split(",")).map((value) => decode(value, errors));
    const place = placeOf(raw, path, errors);
    const before = place.parent[place.key];
    if (Array.isArray(before)) for (const value of values) before.push(value);
    else if (before !== undefined) place.parent[place.key] = [before, ...values];
    else place.parent[place.key] = field?.element === undefined ? values[0] : values;
  }
}

/** Adds the variables of a path. Throws invalid params where the rest of the request says something else. */
export function addVariables(raw: RawRequest, variables: readonly RouteVariable[], errors: ErrorTable): void {
  for (const [field, value] of variables) {
    const { parent, key } = placeOf(raw, field.split("."), errors);
    const same = camelCase(key);
    for (const other of Object.keys(parent)) {
      if (camelCase(other) !== same) continue;
      const given = parent[other];
      const unset = given === undefined || given === null || given === "";
      // A list or object is never what a path says, and one nested deep enough cannot even be written out.
      const text = typeof given === "number" || typeof given === "boolean" ? String(given) : given;
      if (!unset && text !== value) throw contradiction(field, errors);
      Reflect.deleteProperty(parent, other);
    }
    parent[key] = value;
  }
}

function contradiction(field: string, errors: ErrorTable): A2AError {
  return invalidField(field, `${field} is not the same everywhere in the request`, errors);
}

/** Finds where the last name of a path belongs, and makes the messages on the way there. */
function placeOf(raw: RawRequest, path: readonly string[], errors: ErrorTable): { parent: RawRequest; key: string } {
  let parent = raw;
  for (const name of path.slice(0, -1)) {
    const member = parent[name];
    if (member !== undefined && !isObject(member)) throw contradiction(name, errors);
    const copy = emptyRequest();
    for (const key of Object.keys(member ?? copy)) copy[key] = member?.[key];
    parent[name] = copy;
    parent = copy;
  }
  return { parent, key: path.at(-1) ?? "" };
}

function fieldAt(type: Type<unknown>, path: readonly string[]): Type<unknown> | undefined {
  let field: Type<unknown> | undefined = type;
  for (const name of path) field = field?.field?.(name);
  return field;
}

function decode(text: string, errors: ErrorTable): string {
  const spaced = text.includes("+") ? text.replaceAll("+", " ") : text;
  if (!spaced.includes("%")) return spaced;
  try {
    return decodeURIComponent(spaced);
  } catch {
    throw invalidField("", "The query has a broken percent escape", errors);
  }
}

/**
 * Returns whether a body is the whole request although the route says that it is one field of it: some callers send it
 * so, and a body with a member of that name can be nothing else where the field itself has none.
 */
export function isWholeRequest(body: unknown, field: string | undefined, type: Type<unknown>): boolean {
  if (field === undefined || field === "*" || !isObject(body) || !Object.hasOwn(body, field)) return false;
  const inner = fieldAt(type, [field]);
  return inner?.field !== undefined && inner.field(field) === undefined;
}

function camelCase(name: string): string {
  return name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

function emptyRequest(): RawRequest {
  return { __proto__: null };
}
