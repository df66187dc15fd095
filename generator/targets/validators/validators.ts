import { hasSchemaValues } from "../../protocol/json-schema/schema-values.js";
import type { Protocol, TypeDef } from "../../protocol/model/types.js";
import { layout } from "../../emit/expressions.js";
import { GuardBodies } from "./guard-bodies.js";
import { GuardWriter } from "./guards.js";
import { Imports } from "../../emit/imports.js";
import { SchemaWriter } from "./schemas.js";
import { SearchWriter } from "./searches.js";
import { enclose, quote } from "../../emit/text.js";
import { emptyPlan, type Target } from "../../emit/plan.js";

/** Validators: type guards, assertions, parsers and schemas for every type. */
export const validators: Target = {
  name: "validators",
  summary: "isX, assertX, validateX, parseX and XSchema for every type (validators.ts)",
  needs: ["models"],
  plan: (protocol) => {
    const imports = new Imports();
    const writer = new ViewWriter(protocol, imports);
    const types = protocol.types.map((type) => writer.view(type));
    for (const name of ["Schema", "Validation"]) imports.type("runtime/schema/schema", name);
    for (const name of ["ValidationError", "parse"]) imports.value("runtime/schema/schema", name);
    imports.value("runtime/schema/search", "issuesOf");
    const reads = protocol.wire?.isProtoJson === true ? "as ProtoJSON parsers do" : "leniently";
    const file = imports.plan("validators.ts", "validators/validators", { types, reads, anyTypes: writer.anyTypes() });
    return { ...emptyPlan, files: [file], exports: ["validators"] };
  },
};

interface TypeView {
  readonly name: string;
  /** How the text of a doc comment calls a value of the type. */
  readonly a: string;
  /** The lines of the functions and constants that the guard needs. */
  readonly helpers: readonly (readonly string[])[];
  /** The lines that declare the schema. */
  readonly schema: readonly string[];
  /** The lines that throw what is wrong with a value, and those that give it back. */
  readonly refuse: readonly string[];
  readonly issues: readonly string[];
  /** The lines of the function that finds it; none where the schema does. */
  readonly search: readonly string[];
  /** The lines that open each function. */
  readonly heads: Readonly<Record<"is" | "isAt" | "assert" | "validate" | "parse", readonly string[]>>;
  /** What the guard does; without `at` it does not have to know how deep a value is. */
  readonly guard: { readonly lines: readonly string[]; readonly at: boolean };
}

/** Writes the views of all types of a protocol. */
class ViewWriter {
  readonly #imports: Imports;
  readonly #guards: GuardWriter;
  readonly #schemas: SchemaWriter;
  readonly #bodies: GuardBodies;
  readonly #searches: SearchWriter;

  constructor({ types }: Protocol, imports: Imports) {
    const module = types.some(hasSchemaValues) ? "runtime/schema/constraints" : "runtime/schema/predicates";
    this.#imports = imports;
    this.#guards = new GuardWriter(types, module, imports);
    this.#schemas = new SchemaWriter(types, this.#guards, imports);
    this.#bodies = new GuardBodies(types, this.#guards);
    this.#searches = new SearchWriter(types, this.#guards, this.#schemas);
  }

  /** The entries of the messages that an Any may hold. */
  anyTypes(): readonly string[] {
    return this.#schemas.anyTypes();
  }

  view(type: TypeDef): TypeView {
    const { name } = type;
    this.#imports.type("models", name);
    const lines = this.#bodies.lines(type);
    const at = type.kind !== "enum" && this.#guards.isDeep({ kind: type.kind, name });
    const schema = this.#schemas.declare(type);
    const helpers = this.#guards.takeHelpers();
    const finder = this.#searches.searchOf(type);
    const args = [`${name}Schema`, "value", ...(finder === undefined ? [] : [finder.name])];
    const found = { call: "issuesOf", args };
    const refuse = layout("throw ", { call: "new ValidationError", args: [quote(name), found] }, ";", 2);
    const issues = layout("return ", { object: { issues: found } }, ";", 2);
    const search = finder === undefined ? [] : this.#search(finder);
    const a = /^[AEIOU]/.test(name) ? "an" : "a";
    return { name, a, helpers, schema, refuse, issues, search, heads: headsOf(name), guard: { lines, at } };
  }

  #search({ name, lines }: { readonly name: string; readonly lines: readonly string[] }): readonly string[] {
    this.#imports.type("runtime/schema/search", "IssueSearch");
    const head = enclose(`function ${name}(`, ["value: unknown", "search: IssueSearch"], "): void {");
    return [...head, ...lines, "}"];
  }
}

function headsOf(name: string): TypeView["heads"] {
  const head = (helper: string, parameters: readonly string[], result: string): readonly string[] =>
    enclose(`function ${helper}(`, parameters, `): ${result} {`);
  const exported = (helper: string, result: string): readonly string[] =>
    enclose(`export function ${helper}(`, ["value: unknown"], `): ${result} {`);
  return {
    is: exported(`is${name}`, `value is ${name}`),
    isAt: head(`is${name}At`, ["value: unknown", "depth: number"], `value is ${name}`),
    assert: exported(`assert${name}`, `asserts value is ${name}`),
    validate: exported(`validate${name}`, `Validation<${name}>`),
    parse: exported(`parse${name}`, name),
  };
}
