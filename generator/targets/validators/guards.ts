import { pascalCase } from "../../../support/names.js";
import { keyPredicate, scalarPredicate, wellKnownPredicates } from "../../emit/runtime-names.js";
import type {
  ListType,
  LiteralType,
  NumberType,
  StringType,
  TypeDef,
  ValueType,
} from "../../protocol/model/types.js";
import {
  call,
  choose,
  countOne,
  equals,
  join,
  negate,
  plain,
  returnLines,
  type Condition,
} from "./conditions.js";
import { depthOf } from "./depth.js";
import type { Imports } from "../../emit/imports.js";
import { hasSchemaValues } from "../../protocol/json-schema/schema-values.js";
import { predicateModules } from "../../emit/runtime-modules.js";
import { valueRef } from "../../emit/symbols.js";
import type { ValidatorNames } from "./names.js";
import { lineWidth } from "../../emit/layout.js";
import { enclose, quote } from "../../emit/text.js";

/**
 * Value that a condition checks: its expression, its depth, and the text that represents it in
 * function names.
 */
export interface Subject {
  readonly value: string;
  readonly depth: string;
  readonly name: string;
}

/** Function or constant that guards require, with the lines of its declaration. */
export interface Helper {
  readonly name: string;
  readonly lines: readonly string[];
}

/** Maximum length of an inline condition. A longer condition becomes a function. */
const maxInline = lineWidth - 40;

/** Prints the conditions of guards, and the functions that they require. */
export class GuardWriter {
  readonly #imports: Imports;
  readonly #module: string;
  readonly #functions: ValidatorNames;
  #names = new Set<string>();
  #patterns = new Map<string, string>();
  /** Returns whether the check of a type requires the depth of the value. */
  readonly isDeep: (type: ValueType) => boolean;
  #helpers: Helper[] = [];

  constructor(types: readonly TypeDef[], functions: ValidatorNames, imports: Imports) {
    this.isDeep = depthOf(types);
    this.#module = types.some(hasSchemaValues)
      ? predicateModules.constraints
      : predicateModules.predicates;
    this.#functions = functions;
    this.#imports = imports;
  }

  /** Returns the functions and constants that were added since the last call. */
  takeHelpers(): readonly Helper[] {
    const helpers = this.#helpers;
    this.#helpers = [];
    return helpers;
  }

  /** Returns the local name of a function of the support module. */
  is(name: string): string {
    return this.#imports.value(valueRef(this.#module, name));
  }

  /** Returns the condition that a value is of a type. */
  accept(type: ValueType, subject: Subject): Condition {
    const { value, depth } = subject;
    switch (type.kind) {
      case "message":
      case "union":
      case "alias":
      case "enum":
        return this.isDeep(type)
          ? call(this.#functions.isAt(type.name), value, depth)
          : call(this.#functions.is(type.name), value);
      case "list":
        return this.#list(type, subject);
      case "map":
        return this.#map(type.value, keyPredicate(type.key), subject);
      case "string":
        return this.#string(type, subject);
      case "number":
        return this.#number(type, subject);
      case "literal":
        return this.#literal(type, subject);
      case "anyOf":
      case "oneOf":
      case "allOf":
      case "not":
      case "if":
        return type.kind === "anyOf"
          ? this.#anyOf(type, type.members, subject)
          : this.#combined(type, subject);
      default:
        return this.#simple(type, subject);
    }
  }

  /** Returns the name of a function that accepts the values of a type. */
  predicate(type: ValueType, name: string): string {
    const condition = this.accept(type, { value: "value", depth: "depth", name });
    const { name: known, args = [] } = condition.called ?? {};
    if (known !== undefined && ["value", "value,depth"].includes(args.join())) return known;
    if (condition.text === 'typeof value === "string"') return this.is("isString");
    if (condition.text === 'typeof value === "boolean"') return this.is("isBoolean");
    if (condition.text === "value === null") return this.is("isNull");
    const helper = this.name("accepts", name);
    const parameters = ["value: unknown", ...(this.isDeep(type) ? ["depth: number"] : [])];
    this.addFunction(helper, parameters, returnLines(condition));
    return helper;
  }

  /** Returns a name that is unique in the file. */
  name(...parts: readonly string[]): string {
    let name = parts.join("");
    while (this.#names.has(name) || this.#imports.isTaken(name)) name += "Too";
    this.#names.add(name);
    return name;
  }

  /** Adds a function that returns whether `value` satisfies a condition. */
  addFunction(name: string, parameters: readonly string[], body: readonly string[]): void {
    this.#helpers.push({
      name,
      lines: [...enclose(`function ${name}(`, parameters, "): boolean {"), ...body, "}"],
    });
  }

  /** Adds a regular expression and returns the name of its constant. */
  pattern(source: string, name: string): string {
    const known = this.#patterns.get(source);
    if (known !== undefined) return this.#imports.own(known);
    const constant = this.name("pattern", name);
    this.#patterns.set(source, constant);
    const expression = enclose("/* @__PURE__ */ new RegExp(", [quote(source), '"u"'], ");");
    const [first = "", ...rest] = expression;
    this.#helpers.push({
      name: constant,
      lines: [`const ${constant}: RegExp = ${first}`, ...rest],
    });
    return constant;
  }

  #simple(
    type: Extract<
      ValueType,
      { kind: "any" | "never" | "boolean" | "null" | "scalar" | "wrapper" | "wellKnown" }
    >,
    { value, depth }: Subject,
  ): Condition {
    switch (type.kind) {
      case "any":
        return call(this.is("isJsonValue"), value, depth);
      case "never":
        return call(this.is("isNever"), value);
      case "boolean":
        return equals(`typeof ${value}`, '"boolean"');
      case "null":
        return equals(value, "null");
      case "wellKnown": {
        if (type.wellKnown === "NullValue") return equals(value, "null");
        return call(
          this.is(wellKnownPredicates[type.wellKnown]),
          value,
          ...(this.isDeep(type) ? [depth] : []),
        );
      }
      default:
        if (type.scalar === "string") return equals(`typeof ${value}`, '"string"');
        if (type.scalar === "bool") return equals(`typeof ${value}`, '"boolean"');
        return call(this.is(scalarPredicate(type.scalar)), value);
    }
  }

  #list(
    { element, minItems = 0, maxItems, unique }: ListType,
    { value, depth, name }: Subject,
  ): Condition {
    const nonEmpty = minItems === 1 && maxItems === undefined;
    const isText = element.kind === "scalar" && element.scalar === "string";
    const items =
      element.kind === "any" || (isText && !nonEmpty)
        ? call(this.is(isText ? "isTextList" : "isJsonArray"), value, depth)
        : call(
            this.is(nonEmpty ? "isNonEmptyListOf" : "isListOf"),
            value,
            this.predicate(element, `${name}Element`),
            depth,
          );
    const limits = [value, String(minItems), ...(maxItems === undefined ? [] : [String(maxItems)])];
    const isSized = maxItems !== undefined || minItems > (element.kind === "any" ? 0 : 1);
    return join("&&", [
      items,
      ...(isSized ? [call(this.is("isSized"), ...limits)] : []),
      ...(unique === true ? [call(this.is("isUnique"), value)] : []),
    ]);
  }

  #map(item: ValueType, key: string, { value, depth, name }: Subject): Condition {
    if (item.kind === "any") return call(this.is("isJsonObject"), value, depth);
    return call(
      this.is("isMapOf"),
      value,
      this.is(key),
      this.predicate(item, `${name}Member`),
      depth,
    );
  }

  #string({ minLength = 0, maxLength, pattern }: StringType, { value, name }: Subject): Condition {
    if (minLength === 0 && maxLength === undefined && pattern === undefined)
      return equals(`typeof ${value}`, '"string"');
    const most = maxLength ?? (pattern === undefined ? undefined : "Infinity");
    const limits = [minLength, ...(most === undefined ? [] : [most])].map(String);
    const last = pattern === undefined ? [] : [this.pattern(pattern, name)];
    return call(this.is("isText"), value, ...limits, ...last);
  }

  #number(type: NumberType, subject: Subject): Condition {
    const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = type;
    const { value } = subject;
    const limits = [
      [">=", minimum],
      [">", exclusiveMinimum],
      ["<=", maximum],
      ["<", exclusiveMaximum],
    ] as const;
    const checked = limits.filter(([, limit]) => limit !== undefined);
    const kind = call(this.is(type.integer ? "isInteger" : "isNumber"), value);
    if (checked.length === 0 && multipleOf === undefined) return kind;
    // TypeScript only narrows variables and their properties, not the results of calls.
    if (value.includes("(")) return this.#apply(type, subject);
    const multiple =
      multipleOf === undefined ? [] : [call(this.is("isMultiple"), value, String(multipleOf))];
    return join("&&", [
      kind,
      ...checked.map(([operator, limit]) => plain(`${value} ${operator} ${limit ?? 0}`)),
      ...multiple,
    ]);
  }

  #literal(type: LiteralType, subject: Subject): Condition {
    const texts = type.values.map((value) =>
      typeof value === "string" ? quote(value) : String(value),
    );
    const comparisons = texts.map((text) => equals(subject.value, text));
    return this.#short(type, subject, () => join("||", comparisons));
  }

  #anyOf(type: Combined, members: readonly ValueType[], subject: Subject): Condition {
    return this.#short(type, subject, () => {
      const operands = members.map((member, index) => this.#operand(member, index, subject));
      return join("||", operands);
    });
  }

  /**
   * Returns a condition for use within another condition. If it is too long, it becomes a function.
   */
  #short(type: ValueType, subject: Subject, build: () => Condition): Condition {
    if (subject.value === "value") return build();
    return (
      this.#tentatively(build, ({ parts, text }) => parts.length < 2 || text.length <= maxInline) ??
      this.#apply(type, subject)
    );
  }

  #operand(type: ValueType, index: number, subject: Subject): Condition {
    const operand = { ...subject, name: `${subject.name}${choiceName(type, index)}` };
    const build = (): Condition => this.accept(type, operand);
    if (type.kind !== "number" && type.kind !== "anyOf" && type.kind !== "list") return build();
    const isShort = ({ operator, text }: Condition): boolean =>
      operator === undefined || text.length <= maxInline;
    return this.#tentatively(build, isShort) ?? this.#apply(type, operand);
  }

  /**
   * Builds a condition. If the condition is not accepted, removes the names, patterns and functions
   * that were added for it.
   */
  #tentatively(
    build: () => Condition,
    accepts: (condition: Condition) => boolean,
  ): Condition | undefined {
    const before = {
      names: new Set(this.#names),
      patterns: new Map(this.#patterns),
      helpers: this.#helpers.length,
    };
    const condition = build();
    if (accepts(condition)) return condition;
    this.#names = before.names;
    this.#patterns = before.patterns;
    this.#helpers.length = before.helpers;
    return undefined;
  }

  /**
   * Returns the condition for `oneOf`, `allOf`, `not` or `if`. Its parts are calls, so that
   * TypeScript does not narrow the type of the value from one part to the next.
   */
  #combined(type: Combined, subject: Subject): Condition {
    const part = (operand: ValueType, name: string): Condition =>
      this.#apply(operand, { ...subject, name: subject.name + name });
    if (type.kind === "not") return negate(part(type.type, "Not"));
    if (type.kind === "allOf") {
      const checked = type.members.filter(({ kind }) => kind !== "any");
      const members = checked.length === 0 ? type.members.slice(0, 1) : checked;
      const parts = (): Condition[] =>
        members.map((member, index) => part(member, choiceName(member, index)));
      return this.#short(type, subject, () => join("&&", parts()));
    }
    if (subject.value !== "value") return this.#apply(type, subject);
    if (type.kind === "if")
      return choose(part(type.test, "If"), part(type.then, "Then"), part(type.otherwise, "Else"));
    const parts = type.members.map((member, index) => part(member, choiceName(member, index)));
    return countOne(this.is("isOnlyOne"), parts);
  }

  /** Returns a call to a separate function that accepts the values of a type. */
  #apply(type: ValueType, subject: Subject): Condition {
    const depth = this.isDeep(type) ? [subject.depth] : [];
    return call(this.predicate(type, subject.name), subject.value, ...depth);
  }
}

type Combined =
  | { readonly kind: "anyOf" | "oneOf" | "allOf"; readonly members: readonly ValueType[] }
  | Extract<ValueType, { kind: "not" | "if" }>;

/** Returns the text that represents a member of a union in function names. */
function choiceName(type: ValueType, index: number): string {
  return "name" in type ? type.name : pascalCase(type.kind) + (index === 0 ? "" : "Or");
}
