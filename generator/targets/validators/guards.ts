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
import { GuardHelpers } from "./guard-helpers.js";
import type { ValidatorNames } from "./names.js";
import { lineWidth } from "../../emit/layout.js";
import { quote } from "../../emit/text.js";

/**
 * Value that a condition checks: its expression, its depth, and the text that represents it in
 * function names.
 */
export interface Subject {
  readonly value: string;
  readonly depth: string;
  readonly name: string;
}

/** Maximum length of an inline condition. A longer condition becomes a function. */
const maxInline = lineWidth - 40;

/** The functions of the support module for conditions that are usually inline. */
const predicates: ReadonlyMap<string, string> = new Map([
  ['typeof value === "string"', "isString"],
  ['typeof value === "boolean"', "isBoolean"],
  ["value === null", "isNull"],
]);

/** Prints the conditions of guards, and the functions that they require. */
export class GuardWriter {
  readonly #imports: Imports;
  readonly #module: string;
  readonly #functions: ValidatorNames;
  /** The functions and constants that the conditions call. */
  readonly helpers: GuardHelpers;
  /** Returns whether the check of a type requires the depth of the value. */
  readonly isDeep: (type: ValueType) => boolean;

  constructor(types: readonly TypeDef[], functions: ValidatorNames, imports: Imports) {
    this.isDeep = depthOf(types);
    this.#module = types.some(hasSchemaValues)
      ? predicateModules.constraints
      : predicateModules.predicates;
    this.#functions = functions;
    this.#imports = imports;
    this.helpers = new GuardHelpers(imports);
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
        if (!this.isDeep(type)) return call(this.#functions.is(type.name), value);
        return call(this.#functions.isAt(type.name), value, depth);
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
        return this.#anyOf(type, subject);
      case "allOf":
        return this.#allOf(type, subject);
      case "oneOf":
      case "not":
      case "if":
        return this.#combined(type, subject);
      default:
        return this.#simple(type, subject);
    }
  }

  /** Returns the name of a function that accepts the values of a type. */
  predicate(type: ValueType, name: string): string {
    const condition = this.accept(type, { value: "value", depth: "depth", name });
    const { name: known, args = [] } = condition.called ?? {};
    if (known !== undefined && ["value", "value,depth"].includes(args.join())) return known;
    const predicate = predicates.get(condition.text);
    if (predicate !== undefined) return this.is(predicate);
    const helper = this.helpers.name("accepts", name);
    const parameters = ["value: unknown", ...(this.isDeep(type) ? ["depth: number"] : [])];
    this.helpers.addFunction(helper, parameters, returnLines(condition));
    return helper;
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
        const predicate = this.is(wellKnownPredicates[type.wellKnown]);
        return this.isDeep(type) ? call(predicate, value, depth) : call(predicate, value);
      }
      default:
        if (type.scalar === "string") return equals(`typeof ${value}`, '"string"');
        if (type.scalar === "bool") return equals(`typeof ${value}`, '"boolean"');
        return call(this.is(scalarPredicate(type.scalar)), value);
    }
  }

  #list(type: ListType, subject: Subject): Condition {
    const { element, minItems = 0, maxItems, unique } = type;
    const { value } = subject;
    // The check of the items already refuses an empty list, except for a list of any values.
    const checkedItems = element.kind === "any" ? 0 : 1;
    const isSized = maxItems !== undefined || minItems > checkedItems;
    const limits = [minItems, maxItems].filter((limit) => limit !== undefined).map(String);
    return join("&&", [
      this.#items(type, subject),
      ...(isSized ? [call(this.is("isSized"), value, ...limits)] : []),
      ...(unique === true ? [call(this.is("isUnique"), value)] : []),
    ]);
  }

  #items({ element, minItems, maxItems }: ListType, { value, depth, name }: Subject): Condition {
    if (element.kind === "any") return call(this.is("isJsonArray"), value, depth);
    const isNonEmpty = minItems === 1 && maxItems === undefined;
    const isText = element.kind === "scalar" && element.scalar === "string";
    if (isText && !isNonEmpty) return call(this.is("isTextList"), value, depth);
    const check = this.is(isNonEmpty ? "isNonEmptyListOf" : "isListOf");
    return call(check, value, this.predicate(element, `${name}Element`), depth);
  }

  #map(item: ValueType, key: string, { value, depth, name }: Subject): Condition {
    if (item.kind === "any") return call(this.is("isJsonObject"), value, depth);
    const members = this.predicate(item, `${name}Member`);
    return call(this.is("isMapOf"), value, this.is(key), members, depth);
  }

  #string({ minLength = 0, maxLength, pattern }: StringType, { value, name }: Subject): Condition {
    if (minLength === 0 && maxLength === undefined && pattern === undefined)
      return equals(`typeof ${value}`, '"string"');
    const most = maxLength ?? (pattern === undefined ? undefined : "Infinity");
    const limits = [minLength, ...(most === undefined ? [] : [most])].map(String);
    const last = pattern === undefined ? [] : [this.helpers.pattern(pattern, name)];
    return call(this.is("isText"), value, ...limits, ...last);
  }

  #number(type: NumberType, subject: Subject): Condition {
    const { multipleOf } = type;
    const { value } = subject;
    const kind = call(this.is(type.integer ? "isInteger" : "isNumber"), value);
    const comparisons = comparisonsOf(type, value);
    if (comparisons.length === 0 && multipleOf === undefined) return kind;
    // TypeScript only narrows variables and their properties, not the results of calls.
    if (value.includes("(")) return this.#apply(type, subject);
    const multiple =
      multipleOf === undefined ? [] : [call(this.is("isMultiple"), value, String(multipleOf))];
    return join("&&", [kind, ...comparisons, ...multiple]);
  }

  #literal(type: LiteralType, subject: Subject): Condition {
    const texts = type.values.map((value) =>
      typeof value === "string" ? quote(value) : String(value),
    );
    const comparisons = texts.map((text) => equals(subject.value, text));
    return this.#short(type, subject, () => join("||", comparisons));
  }

  #anyOf(type: Choice, subject: Subject): Condition {
    return this.#short(type, subject, () => {
      const operands = type.members.map((member, index) => this.#operand(member, index, subject));
      return join("||", operands);
    });
  }

  #allOf(type: Choice, subject: Subject): Condition {
    const checked = type.members.filter(({ kind }) => kind !== "any");
    const members = checked.length === 0 ? type.members.slice(0, 1) : checked;
    return this.#short(type, subject, () => join("&&", this.#parts(members, subject)));
  }

  /**
   * Returns a condition for use within another condition. If it is too long, it becomes a function.
   */
  #short(type: ValueType, subject: Subject, build: () => Condition): Condition {
    if (subject.value === "value") return build();
    const isShort = ({ parts, text }: Condition): boolean =>
      parts.length < 2 || text.length <= maxInline;
    return this.helpers.tentatively(build, isShort) ?? this.#apply(type, subject);
  }

  #operand(type: ValueType, index: number, subject: Subject): Condition {
    const operand = { ...subject, name: `${subject.name}${choiceName(type, index)}` };
    const build = (): Condition => this.accept(type, operand);
    if (type.kind !== "number" && type.kind !== "anyOf" && type.kind !== "list") return build();
    const isShort = ({ operator, text }: Condition): boolean =>
      operator === undefined || text.length <= maxInline;
    return this.helpers.tentatively(build, isShort) ?? this.#apply(type, operand);
  }

  /** Returns the condition for `oneOf`, `not` or `if`. */
  #combined(type: Combined, subject: Subject): Condition {
    if (type.kind === "not") return negate(this.#part(type.type, "Not", subject));
    if (subject.value !== "value") return this.#apply(type, subject);
    if (type.kind !== "if")
      return countOne(this.is("isOnlyOne"), this.#parts(type.members, subject));
    return choose(
      this.#part(type.test, "If", subject),
      this.#part(type.then, "Then", subject),
      this.#part(type.otherwise, "Else", subject),
    );
  }

  #parts(members: readonly ValueType[], subject: Subject): Condition[] {
    return members.map((member, index) => this.#part(member, choiceName(member, index), subject));
  }

  /**
   * Returns the condition of a part as a call, so that TypeScript does not narrow the type of the
   * value from one part to the next.
   */
  #part(type: ValueType, name: string, subject: Subject): Condition {
    return this.#apply(type, { ...subject, name: subject.name + name });
  }

  /** Returns a call to a separate function that accepts the values of a type. */
  #apply(type: ValueType, subject: Subject): Condition {
    const depth = this.isDeep(type) ? [subject.depth] : [];
    return call(this.predicate(type, subject.name), subject.value, ...depth);
  }
}

type Choice = Extract<ValueType, { readonly members: readonly ValueType[] }>;

type Combined = Choice | Extract<ValueType, { readonly kind: "not" | "if" }>;

/** Returns the comparisons of a number with its limits. */
function comparisonsOf(type: NumberType, value: string): Condition[] {
  const limits = [
    { operator: ">=", limit: type.minimum },
    { operator: ">", limit: type.exclusiveMinimum },
    { operator: "<=", limit: type.maximum },
    { operator: "<", limit: type.exclusiveMaximum },
  ];
  return limits.flatMap(({ operator, limit }) =>
    limit === undefined ? [] : [plain(`${value} ${operator} ${limit}`)],
  );
}

/** Returns the text that represents a member of a union in function names. */
function choiceName(type: ValueType, index: number): string {
  return "name" in type ? type.name : pascalCase(type.kind) + (index === 0 ? "" : "Or");
}
