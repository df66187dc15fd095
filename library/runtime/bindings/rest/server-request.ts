import type { A2AError, ErrorTable } from "../../protocol/error.js";
import { invalidField } from "../../protocol/field-violations.js";
import { isObject } from "../../base/json.js";
import type { RouteVariable } from "./route.js";
import { check, type Type } from "../../schema/schema.js";

/**
 * A request during its assembly. The object has no prototype, so that keys such as `__proto__` are
 * ordinary members.
 */
export type RawRequest = Record<string, unknown>;

/**
 * Creates a request from its body: all fields for `*`, one field for a name, and no field for a
 * route without a body. Throws the error for invalid params if the body must contain all fields and
 * is not an object.
 */
export function withBody(field: string | undefined, body: unknown, errors: ErrorTable): RawRequest {
  const raw = emptyRequest();
  if (field === undefined) return raw;
  if (field !== "*") raw[field] = body;
  else if (isObject(body)) Object.assign(raw, body);
  else throw invalidField("", "The body of the request must be a JSON object", errors);
  return raw;
}

/** The fields that path and query may contain. */
export interface UrlFields {
  readonly type: Type<unknown>;
  /**
   * Whether `type` reads values in the form of a URL. Otherwise, they stay strings, which a
   * conversion of the request reads.
   */
  readonly isModel: boolean;
  /** The field that the body contains, which the query cannot change. */
  readonly body?: string | undefined;
  /** Further names of query parameters. */
  readonly others?: readonly string[] | undefined;
}

/** A query parameter with the value of a key of a map, such as `labels[color]`. */
const mapParameter = /^([^[\]]+)\[(.*)\]$/s;

/**
 * Adds the query parameters. Dots separate the names of nested fields, and the key of a map is in
 * brackets. A repeated parameter becomes a list. Parameters that are neither fields of the type nor
 * other names are ignored. Throws the error for invalid params if a percent escape is invalid.
 */
export function addQuery(
  raw: RawRequest,
  query: string,
  fields: UrlFields,
  errors: ErrorTable,
): void {
  const { type, body, others = [] } = fields;
  for (const parameter of query.split("&")) {
    if (parameter === "") continue;
    const equals = parameter.indexOf("=");
    const name = decode(equals < 0 ? parameter : parameter.slice(0, equals), errors);
    const ofMap = mapParameter.exec(name);
    const key = ofMap?.[2];
    const path = (ofMap?.[1] ?? name).split(".");
    if (body !== undefined && camelCase(path[0] ?? "") === camelCase(body)) continue;
    const holder = fieldAt(type, path);
    const field = key === undefined ? holder : holder?.entry;
    if (field === undefined && !others.includes(name)) continue;
    const text = decode(equals < 0 ? "" : parameter.slice(equals + 1), errors);
    const value = valueOf(text, field?.element ?? field, fields);
    if (key !== undefined) path.push(key);
    const { parent, key: member } = memberOf(raw, path, errors);
    const before = parent[member];
    if (key !== undefined) parent[member] = value;
    else if (Array.isArray(before)) before.push(value);
    else if (before !== undefined) parent[member] = [before, value];
    else parent[member] = field?.element === undefined ? value : [value];
  }
}

/**
 * Adds the path variables. Throws the error for invalid params if the rest of the request contains
 * a different value.
 */
export function addVariables(
  raw: RawRequest,
  variables: readonly RouteVariable[],
  fields: UrlFields,
  errors: ErrorTable,
): void {
  for (const [field, value] of variables) {
    const path = field.split(".");
    const { parent, key } = memberOf(raw, path, errors);
    for (const spelling of Object.keys(parent)) {
      if (camelCase(spelling) !== camelCase(key)) continue;
      const given = parent[spelling];
      const isUnset = given === undefined || given === null || given === "";
      // Do not convert a list or an object, because it never equals a variable, and conversion
      // fails for deeply nested values.
      const text = typeof given === "number" || typeof given === "boolean" ? String(given) : given;
      if (!isUnset && text !== value) throw contradiction(field, errors);
      // Remove the spelling of the field that the body uses, so that the request does not contain
      // the field twice.
      Reflect.deleteProperty(parent, spelling);
    }
    parent[key] = valueOf(value, fieldAt(fields.type, path), fields);
  }
}

/**
 * Returns the value that a string in a URL represents. An invalid string is returned unchanged, so
 * that the check of the whole request reports it.
 */
function valueOf(text: string, type: Type<unknown> | undefined, { isModel }: UrlFields): unknown {
  if (!isModel || type === undefined) return text;
  return check(type, text, "text").value ?? text;
}

function contradiction(field: string, errors: ErrorTable): A2AError {
  return invalidField(field, `${field} has different values in the request`, errors);
}

/** Returns the parent and the key for a path. Creates absent objects on the path. */
function memberOf(
  raw: RawRequest,
  path: readonly string[],
  errors: ErrorTable,
): { parent: RawRequest; key: string } {
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
    throw invalidField("", "The query contains an invalid percent escape", errors);
  }
}

/**
 * Returns the value of an empty body: an object, or `undefined` if the body is a field that is not
 * an object.
 */
export function emptyBody(field: string | undefined, type: Type<unknown>): object | undefined {
  const isPart = field !== undefined && field !== "*";
  return isPart && fieldAt(type, [field])?.field === undefined ? undefined : {};
}

/**
 * Returns whether a body is the whole request, although the route expects only one of its fields.
 * Some callers send such a body. A body is the whole request if it has a member with the name of
 * the field, and the field's type does not have a member with this name.
 */
export function isWholeRequest(
  body: unknown,
  field: string | undefined,
  type: Type<unknown>,
): boolean {
  const isPart = field !== undefined && field !== "*";
  if (!isPart || !isObject(body) || !Object.hasOwn(body, field)) return false;
  const fieldType = fieldAt(type, [field]);
  return fieldType?.field !== undefined && fieldType.field(field) === undefined;
}

function camelCase(name: string): string {
  return name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

function emptyRequest(): RawRequest {
  return { __proto__: null };
}
