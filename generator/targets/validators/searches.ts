import { pascalCase } from "../../../support/names.js";
import type { FieldDef, MessageDef, TypeDef, ValueType } from "../../protocol/model/types.js";
import { equals, join, negate } from "./conditions.js";
import { exclusionOf } from "./depth.js";
import { layout } from "../../emit/expressions.js";
import type { GuardWriter } from "./guards.js";
import { countMembers, locals, read } from "./members.js";
import type { ValidatorNames } from "./names.js";
import type { SchemaWriter } from "./schemas.js";
import { bracketed, group, indented, print, softLine } from "../../emit/layout.js";
import { withHead, guard, indent, quote } from "../../emit/text.js";

/** Prints the functions that find all issues of a message field by field. They replace the table of its schema. */
export class SearchWriter {
  readonly #types: ReadonlyMap<string, TypeDef>;
  readonly #names: ValidatorNames;
  readonly #guards: GuardWriter;
  readonly #schemas: SchemaWriter;
  readonly #excludes: (type: ValueType) => boolean;

  constructor(types: readonly TypeDef[], names: ValidatorNames, guards: GuardWriter, schemas: SchemaWriter) {
    this.#types = new Map(types.map((type) => [type.name, type]));
    this.#names = names;
    this.#guards = guards;
    this.#schemas = schemas;
    this.#excludes = exclusionOf(types);
  }

  /**
   * Returns the name and statements of the function that finds the issues of a type's values field by field;
   * `undefined` if only the schema can find them.
   */
  searchOf(type: TypeDef): { readonly name: string; readonly lines: readonly string[] } | undefined {
    return this.#isSearched(type) ? { name: this.#names.search(type.name), lines: this.#lines(type) } : undefined;
  }

  /** Returns the statements that report the issues of `value` to `search`. */
  #lines(type: MessageDef): string[] {
    return [
      ...leaveUnlessObject(type.name, this.#names.type(type.name)),
      ...locals(type),
      ...type.fields.flatMap((field) => this.#field(type, field).map((line) => `  ${line}`)),
      ...type.oneofs.flatMap((oneof) => {
        const { lines, isWrong } = countMembers(oneof, type, this.#guards);
        const expected = `${oneof.required ? "exactly" : "at most"} one of ${oneof.members.join(", ")}`;
        const report = layout("", { call: "search.report", args: [quote(expected), "value"] }, ";", 4);
        return [...lines, ...guard(isWrong, report).map((line) => `  ${line}`)];
      }),
    ];
  }

  /**
   * Returns whether the issues of a type can be found field by field. Only the schema can find the issues of types with
   * additional rules, or with a field whose type would accept `undefined`.
   */
  #isSearched(type: TypeDef | undefined): type is MessageDef {
    if (type?.kind !== "message" || type.rest !== undefined) return false;
    return !type.fields.some((field) => this.#excludes(field.type));
  }

  #field(message: MessageDef, field: FieldDef): string[] {
    const value = read(field.name, this.#guards);
    const condition = this.#refused(message, field, value);
    const statement = this.#search(message, field, value);
    return condition === undefined ? statement : guard(condition, statement);
  }

  /** Returns the condition under which a field must be searched: it is present, and its quick check fails. */
  #refused(message: MessageDef, { name, type, presence }: FieldDef, value: string): string | undefined {
    const isThere = negate(equals(value, "undefined"));
    const parts = presence === "required" ? [] : [isThere];
    if (isQuick(type) && !this.#guards.isDeep(type)) {
      const subject = { value, depth: "0", name: message.name + pascalCase(name) };
      parts.push(negate(this.#guards.accept(type, subject)));
    }
    return parts.length === 0 ? undefined : join("&&", parts).text;
  }

  #search(message: MessageDef, field: FieldDef, value: string): string[] {
    const { type, nonEmpty } = field;
    const key = quote(field.name);
    const named = this.#named(type);
    if (named !== undefined) return [`search.in(${key}, ${value}, ${named});`];
    if (type.kind === "list" && type.maxItems === undefined && type.unique !== true && (type.minItems ?? 0) < 2) {
      const { element } = type;
      const finder = this.#named(element);
      const isFilled = nonEmpty || type.minItems === 1;
      if (finder !== undefined && "name" in element)
        return [`search.${isFilled ? "some" : "each"}(${key}, ${value}, ${quote(element.name)}, ${finder});`];
      if (!isFilled && element.kind === "scalar" && element.scalar === "string")
        return [`search.texts(${key}, ${value});`];
    }
    const expression = this.#schemas.typeOf(message, field);
    const method = isFree(type) ? "search.json" : "search.at";
    return layout("", { call: method, args: [key, expression, value] }, ";", 4);
  }

  /** Returns the function that searches the values of a named type. */
  #named(type: ValueType): string | undefined {
    if (type.kind !== "message" && type.kind !== "union" && type.kind !== "alias") return undefined;
    const found = this.#types.get(type.name);
    return this.#isSearched(found) ? this.#names.search(found.name) : `${this.#names.schema(type.name)}.check`;
  }
}

function leaveUnlessObject(name: string, type: string): string[] {
  const call = bracketed(`!search.object<${type}>(`, [quote(name), "value"], ")");
  const test = group(["if (", indented([softLine, call]), softLine, ")"]);
  return print(withHead(test, "return;"), 2).map(indent);
}

/** Returns whether a single call or comparison can reject values of a type. */
function isQuick({ kind }: ValueType): boolean {
  return ["scalar", "wrapper", "wellKnown", "enum", "boolean", "null", "string", "number"].includes(kind);
}

/** Returns whether a type accepts any JSON, or any JSON of one kind. */
function isFree(type: ValueType): boolean {
  if (type.kind === "wellKnown") return ["Struct", "Value", "ListValue"].includes(type.wellKnown);
  return type.kind === "any" || (type.kind === "map" && type.value.kind === "any" && type.key === "string");
}
