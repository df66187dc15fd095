import type { Conversion, Side, Sign } from "../../protocol/versions/types.js";
import { flat, literalOf } from "../../emit/expressions.js";
import type { Imports } from "../../emit/imports.js";
import {
  braced,
  group,
  indented,
  joined,
  line,
  print,
  softLine,
  type Layout,
} from "../../emit/layout.js";
import { runtime } from "../../emit/runtime-modules.js";
import {
  destructured,
  encloseObject,
  guard,
  headedStatement,
  indent,
  keyOf,
  quote,
  withHead,
} from "../../emit/text.js";
import { pascalCase } from "../../../support/names.js";
import {
  DirectForms,
  membersOf,
  whole,
  type DirectForm,
  type DirectMember,
  type DirectObject,
} from "./direct-forms.js";
import type { AdapterTables } from "./mapping.js";

/** Direct conversions to one version: their table, and the functions. */
export interface DirectView {
  /** The entries of the table, by the names of their conversions. */
  readonly entries: readonly string[];
  readonly functions: readonly (readonly string[])[];
}

/** Returns the direct conversions of requests to the application's version. */
export function requestsDirectly(tables: AdapterTables, imports: Imports): DirectView {
  const { own, operations } = tables;
  const requests = Object.values(operations).map(({ request }) => request);
  return new DirectCode(imports, new DirectForms(tables.types, own), own, "own").view(requests);
}

/** Returns the direct conversions of responses and requests to webhooks to the other version. */
export function responsesDirectly(tables: AdapterTables, imports: Imports): DirectView {
  const { own, operations, webhook, card } = tables;
  const other = own === 0 ? 1 : 0;
  // Cards are converted once, so their conversions may be slow.
  const responses = Object.values(operations)
    .map(({ response }) => response)
    .filter((response) => !isSame(response, card));
  const roots = [...responses, ...(webhook === undefined ? [] : [webhook.body])];
  return new DirectCode(imports, new DirectForms(tables.types, other), other, "other").view(roots);
}

function isSame(left: Conversion, right: Conversion): boolean {
  return left.kind === "type" && right.kind === "type" && left.name === right.name;
}

/**
 * Prints functions that convert values like the tables, but without reading tables. Members are
 * read and set by constant keys, in the order of the tables, so objects of a type have few hidden
 * classes.
 */
class DirectCode {
  readonly #imports: Imports;
  readonly #forms: DirectForms;
  readonly #to: Side;
  readonly #prefix: string;
  /** The names of the functions that have been called so far, by type. */
  readonly #names = new Map<string, string>();
  readonly #functions: (readonly string[])[] = [];

  constructor(imports: Imports, forms: DirectForms, to: Side, prefix: "other" | "own") {
    this.#imports = imports;
    this.#forms = forms;
    this.#to = to;
    this.#prefix = prefix;
  }

  view(roots: readonly Conversion[]): DirectView {
    const names = new Set(roots.flatMap((root) => (root.kind === "type" ? [root.name] : [])));
    const entries = [...names]
      .filter((name) => this.#forms.isNested(name))
      .flatMap((name) => headedStatement(`${keyOf(name)}:`, `${this.#functionOf(name)},`, 4));
    return { entries, functions: this.#functions };
  }

  /** Returns the name of the function of a type, and adds the function when it is first used. */
  #functionOf(type: string): string {
    const known = this.#names.get(type);
    if (known !== undefined) return known;
    // A conversion has both names of its type if the later version renamed the type.
    const [old = "", now = old] = type.split("~");
    const name = this.#imports.declare(this.#prefix + pascalCase(this.#to === 0 ? old : now));
    this.#names.set(type, name);
    const form = this.#forms.of(type);
    if (form !== undefined) this.#add(name, type, this.#body(form));
    return name;
  }

  #add(name: string, type: string, body: readonly string[]): void {
    const facts = this.#usesFacts(type)
      ? `, facts: ${this.#imports.type(runtime.ConversionFacts)}`
      : "";
    this.#functions.push([`function ${name}(given: unknown${facts}): unknown {`, ...body, "}"]);
  }

  #call(name: string, type: string, given: string): string {
    return this.#usesFacts(type) ? `${name}(${given}, facts)` : `${name}(${given})`;
  }

  #usesFacts(type: string): boolean {
    return membersOf(this.#forms.of(type)).some(
      ({ fact, value }) => fact === "last" || ("name" in value && this.#usesFacts(value.name)),
    );
  }

  #body(form: DirectForm): string[] {
    if (form.kind === "enum") {
      const cases = [...form.values].flatMap(([value, other]) => [
        `    case ${quote(value)}:`,
        `      return ${quote(other)};`,
      ]);
      const rest = ["    default:", "      return undefined;", "  }"];
      return ["  switch (given) {", ...cases, ...rest];
    }
    const isPlain = `  if (!${this.#imports.value(runtime.isPlain)}(given)) return undefined;`;
    if (form.kind === "object") return [isPlain, ...this.#object(form, 2).map(indent)];
    // The tables would convert an alternative without code, even if the value has further signs.
    const last = form.alternatives.findLastIndex((alternative) => alternative.form !== undefined);
    const alternatives = form.alternatives.slice(0, last + 1).flatMap(({ when, form: object }) => {
      const [first = "", ...rest] =
        object === undefined ? ["return undefined;"] : this.#object(object, 4, presentBy(when));
      const test = conditionOf(when);
      if (rest.length === 0) return print(withHead(test, first), 2);
      return print([test, braced(" ", [first, ...rest])], 2);
    });
    return [isPlain, ...alternatives.map(indent), "  return undefined;"];
  }

  /** Returns the statements that convert the object `given`, whose member `present` exists. */
  #object(form: DirectObject, columns: number, present?: string): string[] {
    const { members, refused, exclusive, wrapped, constants } = form;
    const [only] = members;
    if (only?.target === whole) {
      const given = typeof only.from === "string" ? `given[${quote(only.from)}]` : "given";
      return [`return ${this.#converted(only, given)};`];
    }
    const given = members.map(({ from }) => from).filter((from) => typeof from === "string");
    const keys = new Set([...given, ...refused, ...(wrapped ? [wrapped.key] : [])]);
    const both = exclusive.flatMap((key, index) =>
      exclusive.slice(0, index).map((other) => `${other} !== undefined && ${key} !== undefined`),
    );
    const isLater = members.findIndex((member) => expressionOf(member, present) === undefined);
    const first = members.slice(0, isLater === -1 ? undefined : isLater);
    const entries = [
      ...Object.entries(constants).map(([key, value]) => `${keyOf(key)}: ${quote(value)}`),
      ...first.map((member) => entryOf(String(member.target), expressionOf(member, present) ?? "")),
    ];
    const type = this.#imports.type(runtime.Members);
    return [
      ...destructured("given", [...keys], columns),
      ...refused.map((key) => `if (${key} !== undefined) return undefined;`),
      ...both.flatMap((test) => guard(test, ["return undefined;"], columns)),
      ...(wrapped === undefined ? [] : this.#unwrapped(wrapped, columns, present)),
      ...encloseObject(`const result: ${type} = `, entries, ";", columns),
      ...members.slice(first.length).flatMap((member) => this.#member(member, columns, present)),
      "return result;",
    ];
  }

  #unwrapped(
    { key, flag }: NonNullable<DirectObject["wrapped"]>,
    columns: number,
    present?: string,
  ): string[] {
    const refused = [
      `!${this.#imports.value(runtime.isPlain)}(${key})`,
      ...(flag === undefined ? [] : [`${key}[${quote(flag)}] !== undefined`]),
    ].join(" || ");
    const isEither = flag !== undefined && key !== present;
    const given = key === present ? "" : `${key} !== undefined && `;
    return guard(given + (isEither ? `(${refused})` : refused), ["return undefined;"], columns);
  }

  /** Returns the statements that set a member of `result`. */
  #member(member: DirectMember, columns: number, present?: string): string[] {
    const { from, value, fact } = member;
    const set = (to: string): string => `result[${quote(String(member.target))}] = ${to};`;
    const whenAbsent = defaultOf(member);
    if (from === undefined) {
      if (whenAbsent !== undefined) return [set(whenAbsent)];
      return [`if (facts.last !== undefined) ${set("facts.last")}`];
    }
    if (from === whole) return this.#assigned(member, "given", set);
    const expression = expressionOf(member, present);
    if (expression !== undefined) {
      const head = `result[${quote(String(member.target))}] =`;
      return headedStatement(head, `${expression};`, columns);
    }
    const absent = [
      ...(from === present ? [] : ["undefined"]),
      ...(member.isNullAbsent ? ["null"] : []),
    ];
    const isAbsent = absent.map((value) => `${from} === ${value}`).join(" || ");
    const isGiven = isAbsent.replaceAll("===", "!==").replace("||", "&&");
    const needed = fact === "id" ? [`if (${isAbsent}) return undefined;`] : [];
    if (value.kind === "same") return [...needed, ...guard(isGiven, [set(from)], columns)];
    if (value.kind === "refused") {
      const filled = whenAbsent === undefined ? [] : [set(whenAbsent)];
      return [...needed, `if (${isGiven}) return undefined;`, ...filled];
    }
    const otherwise = whenAbsent === undefined ? ["}"] : ["} else {", indent(set(whenAbsent)), "}"];
    const assigned = this.#assigned(member, from, set).map(indent);
    return [...needed, `if (${isGiven}) {`, ...assigned, ...otherwise];
  }

  #assigned(member: DirectMember, given: string, set: (to: string) => string): string[] {
    if (member.value.kind === "opposite")
      return [`if (typeof ${given} !== "boolean") return undefined;`, set(`!${given}`)];
    return [
      `const converted = ${this.#converted(member, given)};`,
      "if (converted === undefined) return undefined;",
      set("converted"),
    ];
  }

  #converted({ value }: DirectMember, given: string): string {
    if (value.kind === "list") {
      const name = this.#functionOf(value.name);
      const each = this.#usesFacts(value.name) ? `(item) => ${name}(item, facts)` : name;
      return `${this.#imports.value(runtime.listOf)}(${given}, ${each})`;
    }
    return value.kind === "type"
      ? this.#call(this.#functionOf(value.name), value.name, given)
      : given;
  }
}

/** Returns the key of a member that exists in each object with a sign. */
function presentBy(sign: Sign): string | undefined {
  return "members" in sign && sign.members.length === 1 ? sign.members[0] : undefined;
}

/** Returns the expression for a member that is always set and needs no conversion. */
function expressionOf(member: DirectMember, present?: string): string | undefined {
  const { from, value, isNullAbsent } = member;
  if (value.kind !== "same" || from === whole) return undefined;
  if (from !== undefined && from === present && !isNullAbsent) return from;
  const whenAbsent = defaultOf(member);
  return from === undefined || whenAbsent === undefined ? whenAbsent : `${from} ?? ${whenAbsent}`;
}

/** Returns the expression that is set if a member is absent. */
function defaultOf({ fill, fact }: DirectMember): string | undefined {
  if (fill === undefined) return undefined;
  const text = flat(literalOf(fill));
  return fact === "last" ? `facts.last ?? ${text}` : text;
}

/** Returns the test whether an object has the sign of an alternative. */
function conditionOf(sign: Sign): Layout {
  const tests =
    "key" in sign
      ? [`given[${quote(sign.key)}] === ${quote(sign.value)}`]
      : sign.members.map((key) => `given[${quote(key)}] !== undefined`);
  if (tests.length === 1) return ["if (", ...tests, ")"];
  return group(["if (", indented([softLine, joined([" ||", line], tests)]), softLine, ")"]);
}

/** Returns a member of an object literal. */
function entryOf(key: string, value: string): string {
  return key === value ? key : `${keyOf(key)}: ${value}`;
}
