import { isObject } from "../base/json.js";
import { formatTimestamp, inTimestampRange } from "../base/time.js";
import type { Spelling } from "../protocol/operation.js";
import { describe, issueOf, type Issue } from "../schema/issue.js";
import { memberAt } from "../protocol/requirements.js";

/**
 * Returns a received request in which alternative spellings of fields are replaced with the names
 * of the fields, and adds each of them to `deviations`. A field with its own name takes precedence.
 * If a value cannot be converted, its field is not renamed, so the request is rejected because the
 * field is missing.
 */
export function respelled(
  request: unknown,
  spellings: readonly Spelling[],
  deviations: Issue[],
): unknown {
  if (!isObject(request)) return request;
  let result: Readonly<Record<string, unknown>> = request;
  for (const spelling of spellings) {
    const { name, field } = spelling;
    const value = valueOf(request[name], spelling);
    if (value === undefined || memberAt(result, field) !== undefined) continue;
    const others = { ...result };
    Reflect.deleteProperty(others, name);
    result = withMember(others, field, value);
    deviations.push(
      issueOf(`"${field.join(".")}" in place of "${name}"`, describe(request[name]), [name]),
    );
  }
  return result;
}

/**
 * Returns a copy of an object with the member at a path set. Creates absent objects on the path.
 */
function withMember(
  owner: object,
  [key = "", ...inner]: readonly string[],
  value: unknown,
): Record<string, unknown> {
  const members: Record<string, unknown> = { ...owner };
  const member = members[key];
  if (inner.length === 0) return { ...members, [key]: value };
  const innerOwner = isObject(member) ? member : {};
  return { ...members, [key]: withMember(innerOwner, inner, value) };
}

function valueOf(value: unknown, { prefix, unit }: Spelling): unknown {
  if (value === undefined || value === null) return undefined;
  if (prefix !== undefined)
    return typeof value === "string" && value !== "" ? prefix + value : undefined;
  if (unit === undefined) return value;
  // In a query, numbers are strings.
  const time = typeof value === "string" && value !== "" ? Number(value) : value;
  if (typeof time !== "number" || !Number.isFinite(time)) return undefined;
  const seconds = Math.floor(time / 1_000);
  if (!inTimestampRange(seconds)) return undefined;
  const milliseconds = Math.floor(time) - seconds * 1_000;
  return formatTimestamp({ seconds, nanos: milliseconds * 1_000_000 });
}
