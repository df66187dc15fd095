import type { Diagnostic } from "../../../support/diagnostics.js";

/** A path template of `google.api.http`. */
export interface PathTemplate {
  /** The paths of the fields that the variables contain. */
  readonly fields: readonly string[];
  /** The template without the names of its variables. Equal shapes match the same paths. */
  readonly shape: string;
}

/** A variable with an optional pattern: `{field}` or `{field=pattern}`. */
export const variable = /\{([^{}=]+)(?:=([^{}]*))?\}/g;

/** Returns a parsed path template that begins with a slash, or the reason why it is invalid. */
export function parseTemplate(path: string): PathTemplate | Omit<Diagnostic, "location"> {
  const fields: string[] = [];
  const shape = path.replace(variable, (_, field: string, pattern = "*") => {
    fields.push(field.trim());
    return pattern as string;
  });
  const bare = path.replace(variable, "{}");
  if (/[{}]/.test(path.replace(variable, "")))
    return {
      message: "has an unmatched brace",
      hint: "write variables as {field} or {field=pattern}",
    };
  if (/[^/]\{|\}[^/:]/.test(bare))
    return {
      message: "has a variable in a part of a segment",
      hint: "write a slash before and after the variable",
    };
  const colon = shape.lastIndexOf(":");
  const hasSuffix = colon > shape.lastIndexOf("/") && bare.lastIndexOf(":") > bare.lastIndexOf("}");
  const segments = (hasSuffix ? shape.slice(0, colon) : shape).slice(1).split("/");
  if (/[?#\s]/.test(shape))
    return { message: "has a query, a fragment or a space", hint: "write the path alone" };
  if (segments.includes("") && segments.length > 1)
    return { message: "has an empty segment", hint: "write a segment between slashes" };
  if (hasSuffix && colon === shape.length - 1)
    return { message: "has an empty suffix", hint: "remove the colon" };
  if (segments.some((segment) => segment.includes("*") && !/^\*\*?$/.test(segment)))
    return { message: "has a wildcard in a part of a segment", hint: "use * or ** as a segment" };
  if (segments.filter((segment) => segment === "**").length > 1)
    return { message: "has ** more than once", hint: "use * for one of them" };
  const twice = fields.find((field, index) => fields.indexOf(field) !== index);
  if (twice !== undefined)
    return { message: `has the variable ${twice} twice`, hint: "use each field once" };
  return { fields, shape };
}
