import type { Assets } from "../core/contract.js";
import type { Overrides } from "../project/assets.js";
import type { SpecSource } from "../input/source.js";
import { InputError } from "../support/diagnostics.js";
import { isRecord } from "../support/values.js";

/** Throws an `InputError` unless the value is a non-empty string. `name` is its name in messages. */
export function checkText(value: unknown, name: string, hint: string): asserts value is string {
  if (typeof value === "string" && value !== "" && !value.includes("\0")) return;
  throw new InputError({ message: `"${name}" is ${value === "" ? "empty" : "not a string"}`, hint });
}

/** Throws an `InputError` unless the value is a specification. */
export function checkSource(value: unknown): asserts value is SpecSource {
  const hint = "Give what specRegistry().find() returns";
  if (!isRecord(value)) throw new InputError({ message: "the source is not a specification", hint });
  const { title, proto, schema, docs, manifests, readImport } = value;
  const problems = [
    ...(typeof title === "string" ? [] : ['"title" is not a string']),
    ...(proto === undefined && schema === undefined ? ['"proto" and "schema" are both absent'] : []),
    ...Object.entries({ proto, schema }).flatMap(([name, one]) =>
      one === undefined || isText(one) ? [] : [`"${name}" is not an object with "file" and "text"`],
    ),
    ...Object.entries({ docs, manifests }).flatMap(([name, all]) =>
      Array.isArray(all) && all.every(isText) ? [] : [`"${name}" is not a list of objects with "file" and "text"`],
    ),
    ...(typeof readImport === "function" ? [] : ['"readImport" is not a function']),
  ];
  if (problems.length > 0)
    throw new InputError(
      ...problems.map((problem) => ({ message: `the source is no specification: ${problem}`, hint })),
    );
}

function isText(value: unknown): boolean {
  return isRecord(value) && typeof value["file"] === "string" && typeof value["text"] === "string";
}

/** Throws an `InputError` unless the value is a set of templates and support modules. */
export function checkAssets(value: unknown): asserts value is Assets {
  const isMap = (member: unknown): boolean => member instanceof Map && member.size > 0;
  if (isRecord(value) && isMap(value["templates"]) && isMap(value["runtime"])) return;
  throw new InputError({ message: "the assets are no templates and modules", hint: "Give what loadAssets() returns" });
}

/** Throws an `InputError` unless the value is a folder with templates. */
export function checkOverrides(value: unknown): asserts value is Overrides | undefined {
  if (value === undefined) return;
  const hint = 'Give an object with "folder", the path of templates of your own, or nothing';
  if (!isRecord(value)) throw new InputError({ message: "the overrides are not an object", hint });
  checkText(value["folder"], "folder", hint);
  if (value["shown"] !== undefined) checkText(value["shown"], "shown", hint);
}
