import type { Protocol, TypeDef } from "../../protocol/model/types.js";
import { layout } from "../../emit/expressions.js";
import { GuardBodies } from "./guard-bodies.js";
import { GuardWriter } from "./guards.js";
import { Imports } from "../../emit/imports.js";
import { runtime } from "../../emit/runtime-modules.js";
import { exportedValidators, ValidatorNames } from "./names.js";
import { SchemaWriter, type AnyTypes } from "./schemas.js";
import { SearchWriter } from "./searches.js";
import { enclose, quote } from "../../emit/text.js";
import { emptyPlan, type Target } from "../../emit/plan.js";

/** Validators: type guards, assertions, parsers and schemas for every type. */
export const validators: Target = {
  name: "validators",
  summary: "isX, assertX, validateX, parseX and XSchema for every type (validators.ts)",
  needs: ["models"],
  plan: (protocol) => {
    const imports = new Imports("validators.ts", exportedValidators(protocol.types));
    const writer = new ViewWriter(protocol, imports);
    const types = protocol.types.map((type) => writer.view(type));
    const reads = protocol.wire?.isProtoJson === true ? "as ProtoJSON parsers do" : "leniently";
    const file = imports.plan("validators/validators", { types, reads, anyTypes: writer.anyTypes() ?? false });
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
  readonly guard: { readonly lines: readonly string[]; readonly at: string | false };
  /** The call that reads a value leniently. */
  readonly parsed: string;
}

/** Writes the views of all types of a protocol. */
class ViewWriter {
  readonly #imports: Imports;
  readonly #names: ValidatorNames;
  readonly #guards: GuardWriter;
  readonly #schemas: SchemaWriter;
  readonly #bodies: GuardBodies;
  readonly #searches: SearchWriter;

  constructor({ types }: Protocol, imports: Imports) {
    this.#imports = imports;
    this.#names = new ValidatorNames(types, imports);
    this.#guards = new GuardWriter(types, this.#names, imports);
    this.#schemas = new SchemaWriter(types, this.#names, this.#guards, imports);
    this.#bodies = new GuardBodies(types, this.#names, this.#guards);
    this.#searches = new SearchWriter(types, this.#names, this.#guards, this.#schemas);
  }

  /** The function that gives the messages that an Any may hold; none where no type has an Any. */
  anyTypes(): AnyTypes | undefined {
    return this.#schemas.anyTypes();
  }

  view(type: TypeDef): TypeView {
    const { name } = type;
    const lines = this.#bodies.lines(type);
    const isDeep = type.kind !== "enum" && this.#guards.isDeep({ kind: type.kind, name });
    const schema = this.#schemas.declare(type);
    const helpers = this.#guards.takeHelpers();
    const finder = this.#searches.searchOf(type);
    const args = [this.#names.schema(name), "value", ...(finder === undefined ? [] : [finder.name])];
    const found = { call: this.#imports.value(runtime.issuesOf), args };
    const thrown = `new ${this.#imports.value(runtime.ValidationError)}`;
    const refuse = layout("throw ", { call: thrown, args: [quote(name), found] }, ";", 2);
    const issues = layout("return ", { object: { issues: found } }, ";", 2);
    const search = finder === undefined ? [] : this.#search(finder);
    const a = /^[AEIOU]/.test(name) ? "an" : "a";
    const guard = { lines, at: isDeep && this.#names.isAt(name) };
    const parsed = `${this.#imports.value(runtime.parse)}(${this.#names.schema(name)}, value)`;
    return { name, a, helpers, schema, refuse, issues, search, heads: this.#heads(name), guard, parsed };
  }

  #search({ name, lines }: { readonly name: string; readonly lines: readonly string[] }): readonly string[] {
    const type = this.#imports.type(runtime.IssueSearch);
    const head = enclose(`function ${name}(`, ["value: unknown", `search: ${type}`], "): void {");
    return [...head, ...lines, "}"];
  }

  #heads(name: string): TypeView["heads"] {
    const type = this.#names.type(name);
    const validation = this.#imports.type(runtime.Validation);
    const exported = (helper: string, result: string): readonly string[] =>
      enclose(`export function ${helper}(`, ["value: unknown"], `): ${result} {`);
    return {
      is: exported(`is${name}`, `value is ${type}`),
      isAt: enclose(
        `function ${this.#names.isAt(name)}(`,
        ["value: unknown", "depth: number"],
        `): value is ${type} {`,
      ),
      assert: exported(`assert${name}`, `asserts value is ${type}`),
      validate: exported(`validate${name}`, `${validation}<${type}>`),
      parse: exported(`parse${name}`, type),
    };
  }
}
