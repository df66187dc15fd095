import type { Assets } from "../core/contract.js";
import type { Overrides } from "../project/assets.js";
import type { SpecSource } from "../input/source.js";
import { InputError } from "../../support/diagnostics.js";
import { isRecord } from "../../support/values.js";

/**
 * Throws an `InputError` unless the value is a non-empty string. `name` is the name of the value,
 * as shown in messages.
 */
export function checkText(value: unknown, name: string, hint: string): asserts value is string {
  if (typeof value === "string" && value !== "" && !value.includes("\0")) return;
  throw new InputError({
    message: `"${name}" must ${value === "" ? "not be empty" : "be a string"}`,
    hint,
  });
}

/** Throws an `InputError` unless the value is a list of non-empty strings. */
export function checkTexts(value: unknown, name: string, hint: string): void {
  if (!Array.isArray(value) || value.length === 0)
    throw new InputError({ message: `"${name}" must be a list of strings`, hint });
  for (const text of value) checkText(text, name, hint);
}

/** Throws an `InputError` unless the value is a specification. */
export function checkSource(value: unknown): asserts value is SpecSource {
  const hint = "Pass the result of specRegistry().find()";
  if (!isRecord(value))
    throw new InputError({ message: "the source is not a specification", hint });
  const { title, proto, schema, packages, docs, manifests, readImport } = value;
  const problems = [
    ...(typeof title === "string" ? [] : ['"title" must be a string']),
    ...(proto === undefined && schema === undefined && packages === undefined
      ? ['"proto" or "schema" is required']
      : []),
    ...Object.entries({ proto, schema }).flatMap(([name, one]) =>
      one === undefined || isText(one)
        ? []
        : [`"${name}" must be an object with "file" and "text"`],
    ),
    ...Object.entries({ docs, manifests }).flatMap(([name, all]) =>
      Array.isArray(all) && all.every(isText)
        ? []
        : [`"${name}" must be a list of objects with "file" and "text"`],
    ),
    ...(typeof readImport === "function" ? [] : ['"readImport" must be a function']),
  ];
  if (problems.length > 0)
    throw new InputError(
      ...problems.map((problem) => ({
        message: `the source is not a specification: ${problem}`,
        hint,
      })),
    );
}

function isText(value: unknown): boolean {
  return isRecord(value) && typeof value["file"] === "string" && typeof value["text"] === "string";
}

/** Throws an `InputError` unless the value is a set of templates and support modules. */
export function checkAssets(value: unknown): asserts value is Assets {
  const isMap = (member: unknown): boolean => member instanceof Map && member.size > 0;
  if (isRecord(value) && isMap(value["templates"]) && isMap(value["runtime"])) return;
  throw new InputError({
    message: "the assets are not templates and modules",
    hint: "Pass the result of loadAssets()",
  });
}

/** Throws an `InputError` unless the value is a folder with templates. */
export function checkOverrides(value: unknown): asserts value is Overrides | undefined {
  if (value === undefined) return;
  const hint = 'Pass an object with "folder", the path of your templates, or omit it';
  if (!isRecord(value)) throw new InputError({ message: "the overrides must be an object", hint });
  checkText(value["folder"], "folder", hint);
  if (value["shown"] !== undefined) checkText(value["shown"], "shown", hint);
}
