import { constantsOf } from "../../protocol/model/constants.js";
import { pascalCase } from "../../../support/names.js";
import type {
  FieldDef,
  MessageDef,
  OneofDef,
  RestDef,
  TypeDef,
  UnionDef,
  ValueType,
} from "../../protocol/model/types.js";
import { checkedType } from "../../emit/checks.js";
import {
  call,
  equals,
  join,
  negate,
  plain,
  refuseIf,
  returnLines,
  type Condition,
} from "./conditions.js";
import { exclusionOf } from "./depth.js";
import type { GuardWriter } from "./guards.js";
import type { ValidatorNames } from "./names.js";
import { access, countMembers, isLocal, locals, read } from "./members.js";
import { indent, headedStatement, quote } from "../../emit/text.js";

/** Prints the bodies of the type guards. */
export class GuardBodies {
  readonly #types: ReadonlyMap<string, TypeDef>;
  readonly #names: ValidatorNames;
  readonly #guards: GuardWriter;
  readonly #excludes: (type: ValueType) => boolean;

  constructor(types: readonly TypeDef[], names: ValidatorNames, guards: GuardWriter) {
    this.#types = new Map(types.map((type) => [type.name, type]));
    this.#names = names;
    this.#guards = guards;
    this.#excludes = exclusionOf(types);
  }

  /** Returns the statements of the guard of a type, which checks `value` at `depth`. */
  lines(type: TypeDef): string[] {
    switch (type.kind) {
      case "enum": {
        const cases = type.values.map(({ name }) => `    case ${quote(name)}:`);
        return [
          "  switch (value) {",
          ...cases,
          "      return true;",
          "    default:",
          "      return false;",
          "  }",
        ];
      }
      case "message":
        return this.#message(type);
      case "union":
        if (type.discriminator !== undefined) return this.#union(type, type.discriminator);
        return this.#whole(type.name, {
          kind: type.exclusive ? "oneOf" : "anyOf",
          members: type.members,
        });
      case "alias":
        return this.#whole(type.name, type.type);
    }
  }

  #whole(name: string, type: ValueType): string[] {
    const accepted = this.#guards.accept(type, { value: "value", depth: "depth", name });
    const isThere = negate(equals("value", "undefined"));
    return returnLines(this.#excludes(type) ? join("&&", [isThere, accepted]) : accepted);
  }

  #object(name: string): string {
    const isObject = `${this.#guards.is("isObject")}<${this.#names.type(name)}>`;
    return `  if (!${isObject}(value, depth)) return false;`;
  }

  #union(type: UnionDef, discriminator: string): string[] {
    const constants = constantsOf(type.members, discriminator, this.#types);
    const cases = [...constants].flatMap(([constant, member]) => [
      `    case ${quote(constant)}:`,
      `      return ${this.#names.isAt(member)}(value, depth);`,
    ]);
    const value = access(discriminator, this.#guards);
    return [
      this.#object(type.name),
      `  switch (${value}) {`,
      ...cases,
      "    default:",
      "      return false;",
      "  }",
    ];
  }

  #message(type: MessageDef): string[] {
    return [
      this.#object(type.name),
      ...locals(type),
      ...type.fields.flatMap((field) => this.#items(type, field) ?? [this.#field(type, field)]),
      ...type.oneofs.flatMap((oneof) => this.#oneof(oneof, type)),
      ...(type.rest === undefined ? [] : this.#rest(type, type.rest)),
      "  return true;",
    ];
  }

  /**
   * Checks a field that is a list of messages, like {@link #field}, but in a separate loop. Engines
   * optimize a separate loop better than a loop that all lists share.
   */
  #items(message: MessageDef, { name, type, nonEmpty, presence }: FieldDef): string[] | undefined {
    if (!isLocal(name) || type.kind !== "list" || type.element.kind !== "message") return undefined;
    const { element, minItems = nonEmpty ? 1 : 0, maxItems, unique } = type;
    if (minItems > 1 || maxItems !== undefined || unique === true) return undefined;
    const isList = negate(call(this.#guards.is("isArray"), name, "depth + 1"));
    const isEmpty = minItems === 1 ? [equals(`${name}.length`, "0")] : [];
    const subject = { value: "item", depth: "depth + 2", name: message.name + pascalCase(name) };
    const isRequired = presence === "required";
    const refused = negate(this.#guards.accept(element, subject)).text;
    const statement = `if (${refused}) return false;`;
    const loop = headedStatement(`for (const item of ${name})`, statement, isRequired ? 2 : 4);
    const lines = [refuseIf(join("||", [isList, ...isEmpty])), ...loop.map(indent)];
    return isRequired ? lines : [`  if (${name} !== undefined) {`, ...lines.map(indent), "  }"];
  }

  /** Returns the statement that returns `false` if a field is invalid. */
  #field(message: MessageDef, { name, type, nonEmpty, presence }: FieldDef): string {
    const value = read(name, this.#guards);
    const isAbsent = equals(value, "undefined");
    if (type.kind === "never" && presence !== "required") return refuseIf(negate(isAbsent));
    const subject = { value, depth: "depth + 1", name: message.name + pascalCase(name) };
    const refused = negate(this.#guards.accept(checkedType({ type, nonEmpty }), subject));
    if (presence !== "required") return refuseIf(join("&&", [negate(isAbsent), refused]));
    return refuseIf(this.#excludes(type) ? join("||", [isAbsent, refused]) : refused);
  }

  #oneof(oneof: OneofDef, message: MessageDef): string[] {
    const { lines, isWrong } = countMembers(oneof, message, this.#guards);
    return [...lines, `  if (${isWrong}) return false;`];
  }

  #rest(type: MessageDef, rest: RestDef): string[] {
    const { minProperties, maxProperties, patterns, others, names } = rest;
    const conditions: Condition[] = [];
    if (minProperties !== undefined || maxProperties !== undefined) {
      const most = maxProperties === undefined ? [] : [String(maxProperties)];
      const limits = [String(minProperties ?? 0), ...most];
      conditions.push(call(this.#guards.is("isCounted"), "value", ...limits));
    }
    if (patterns.length > 0 || others !== undefined || names !== undefined) {
      const check = this.#guards.is("areMembers");
      conditions.push(call(check, "value", this.#member(type, rest), "depth"));
    }
    return conditions.map((condition) => refuseIf(negate(condition)));
  }

  /** Adds the function that checks the additional members of a message, and returns its name. */
  #member(type: MessageDef, rest: RestDef): string {
    const { patterns, others, names } = rest;
    const helper = this.#guards.helpers.name("accepts", type.name, "Member");
    const subject = { value: "value", depth: "depth", name: `${type.name}Member` };
    const tests = patterns.map(
      ({ pattern }) => `${this.#guards.helpers.pattern(pattern, subject.name)}.test(key)`,
    );
    const mismatches = patterns.map((pattern, index) => {
      const isMatch = plain(tests[index] ?? "");
      return join("&&", [isMatch, negate(this.#guards.accept(pattern.type, subject))]);
    });
    const body = [
      ...(names === undefined ? [] : [this.#key(names, type.name)]),
      ...mismatches.map(refuseIf),
      ...this.#others(type, others, tests),
    ];
    this.#guards.helpers.addFunction(helper, this.#memberParameters(type, rest), body);
    return helper;
  }

  /**
   * Returns the parameters that the function uses. The name of an unused parameter before a used
   * parameter begins with an underscore.
   */
  #memberParameters(type: MessageDef, { patterns, others, names }: RestDef): string[] {
    const types = [...patterns.map((pattern) => pattern.type), others, names].filter(
      (part) => part !== undefined,
    );
    const isDeep = types.some((part) => this.#guards.isDeep(part));
    const readsKey =
      patterns.length > 0 ||
      names !== undefined ||
      (others !== undefined && type.fields.length > 0);
    const readsValue = patterns.length > 0 || (others !== undefined && others.kind !== "never");
    const key = readsKey ? "key: string" : "_key: string";
    const value = readsValue ? "value: unknown" : "_value: unknown";
    if (isDeep) return [key, value, "depth: number"];
    return readsValue ? [key, value] : [key];
  }

  #key(names: ValueType, owner: string): string {
    const depth = this.#guards.isDeep(names) ? ["depth"] : [];
    return refuseIf(negate(call(this.#guards.predicate(names, `${owner}Key`), "key", ...depth)));
  }

  #others(type: MessageDef, others: ValueType | undefined, tests: readonly string[]): string[] {
    if (others === undefined) return ["  return true;"];
    const known = tests.map((test) => `  if (${test}) return true;`);
    if (type.fields.length === 0) return [...known, ...this.#otherValue(type, others, 0)];
    const cases = type.fields.map(({ name }) => `    case ${quote(name)}:`);
    const nested = this.#otherValue(type, others, 4).map((line) => " ".repeat(4) + line);
    const fields = [...cases, "      return true;"];
    return [...known, "  switch (key) {", ...fields, "    default:", ...nested, "  }"];
  }

  #otherValue(type: MessageDef, others: ValueType, columns: number): string[] {
    if (others.kind === "never") return ["  return false;"];
    const subject = { value: "value", depth: "depth", name: `${type.name}Other` };
    return returnLines(this.#guards.accept(others, subject), columns);
  }
}
