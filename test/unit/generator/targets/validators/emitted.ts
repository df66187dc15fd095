import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Issue, Validation } from "../../../../../library/runtime/schema/schema.js";
import type { SpecSource } from "../../../../../generator/input/source.js";
import { generateFrom, writeTo } from "../../../../support/output.js";

/** The functions that an output has for one type. */
export interface Validators {
  readonly is: (value: unknown) => boolean;
  readonly validate: (value: unknown) => Validation<unknown>;
  readonly parse: (value: unknown) => unknown;
  readonly assert: (value: unknown) => void;
}

/** Writes the validators of a specification into a folder called `name`, and gives them by type. */
export async function emitValidators(
  name: string,
  source: SpecSource,
): Promise<(type: string) => Validators> {
  const folder = writeTo(
    join("validators", name),
    await generateFrom(source, { targets: ["validators"] }),
  );
  const module = (await import(pathToFileURL(join(folder, "validators.ts")).href)) as Record<
    string,
    unknown
  >;
  const find = (key: string): ((value: unknown) => never) => {
    if (typeof module[key] !== "function") throw new Error(`Missing: ${key}`);
    return module[key] as (value: unknown) => never;
  };
  return (type) => ({
    is: find(`is${type}`),
    validate: find(`validate${type}`),
    parse: find(`parse${type}`),
    assert: find(`assert${type}`),
  });
}

/** A specification that is one JSON Schema. */
export function schemaSource(definitions: object, manifest?: string): SpecSource {
  const text = JSON.stringify(
    { $schema: "http://json-schema.org/draft-07/schema#", definitions },
    null,
    2,
  );
  return {
    title: "test.json",
    schema: { file: "test.json", text },
    docs: [],
    borrowed: false,
    manifests: manifest === undefined ? [] : [{ file: "manifest.yaml", text: manifest }],
    readImport: () => undefined,
  };
}

/** Result of a parser for a value: the result or the issues. */
export function outcomeOf(
  parse: (value: unknown) => unknown,
  value: unknown,
): { value: unknown } | { issues: string[] } {
  try {
    return { value: parse(value) };
  } catch (error) {
    if (!(error instanceof Error) || !("issues" in error)) throw error;
    return { issues: (error.issues as Issue[]).map(({ message }) => message) };
  }
}
