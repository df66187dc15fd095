import { snakeCase } from "../../../support/names.js";
import type { Imports } from "../../emit/imports.js";
import { modelRef } from "../../emit/output-modules.js";
import type { SymbolRef } from "../../emit/symbols.js";
import { block, indent, memberOf, quote } from "../../emit/text.js";
import { constantsOf } from "../../protocol/model/constants.js";
import type { FieldDef, MessageDef, TypeDef, ValueType } from "../../protocol/model/types.js";
import { call, join, plain, returnLines, type Condition } from "../validators/conditions.js";

/**
 * Whether a value of a type can contain a field by its name in the proto: nowhere, only where a
 * printed function finds it, or also elsewhere.
 */
type Occurrence = "nowhere" | "found" | "hidden";

/**
 * Prints the functions with which a client finds fields by their names in the proto. Such a member
 * is unknown to a guard, which accepts it, but a client has to read it. The functions only get
 * values that the guard has accepted.
 */
export class Spellings {
  readonly #types: ReadonlyMap<string, TypeDef>;
  readonly #imports: Imports;
  readonly #typeName: (symbol: SymbolRef) => string;
  readonly #occurrences = new Map<string, Occurrence>();
  /** The names of the functions, by the names of their types. */
  readonly #names = new Map<string, string>();
  readonly #functions: (readonly string[])[] = [];

  /** `typeName` returns the name of a type of the models in the file. */
  constructor(
    types: readonly TypeDef[],
    imports: Imports,
    typeName: (symbol: SymbolRef) => string,
  ) {
    this.#typeName = typeName;
    this.#types = new Map(types.map((type) => [type.name, type]));
    this.#imports = imports;
    // Types can refer to each other, so repeats until nothing changes.
    const changes = (type: TypeDef): boolean => {
      const found = this.#inType(type);
      const isNew = this.#occurrences.get(type.name) !== found;
      this.#occurrences.set(type.name, found);
      return isNew;
    };
    while (types.filter(changes).length > 0);
  }

  /** Returns whether the functions find all fields by their names in the proto. */
  covers(name: string): boolean {
    return this.#occurrences.get(name) !== "hidden";
  }

  /** Returns the lines of all functions that {@link functionFor} has returned. */
  get functions(): readonly (readonly string[])[] {
    return this.#functions;
  }

  /**
   * Returns the name of the function that returns whether a value of a type contains a field by its
   * name in the proto; `undefined` if no value does.
   */
  functionFor(name: string): string | undefined {
    const type = this.#types.get(name);
    if (type === undefined || this.#occurrences.get(name) !== "found") return undefined;
    const known = this.#names.get(name);
    if (known !== undefined) return known;
    const declared = this.#imports.declare(`respells${name}`);
    this.#names.set(name, declared);
    const head = `function ${declared}(value: ${this.#typeName(modelRef(name))}): boolean {`;
    this.#functions.push([head, ...this.#body(type), "}"]);
    return declared;
  }

  #inType(type: TypeDef): Occurrence {
    switch (type.kind) {
      case "enum":
        return "nowhere";
      case "alias":
        return this.#inValue(type.type);
      case "union":
        return type.discriminator === undefined
          ? this.#inChoice(type.members)
          : mostOf(type.members.map((member) => this.#inValue(member)));
      case "message": {
        const { patterns = [], others } = type.rest ?? {};
        const further = [...patterns.map((pattern) => pattern.type), ...(others ? [others] : [])];
        if (further.some((other) => this.#inValue(other) !== "nowhere")) return "hidden";
        const own = otherNames(type).length > 0 ? "found" : "nowhere";
        return mostOf([own, ...type.fields.map((field) => this.#inValue(field.type))]);
      }
    }
  }

  #inValue(type: ValueType): Occurrence {
    switch (type.kind) {
      case "message":
      case "union":
      case "alias":
        return this.#occurrences.get(type.name) ?? "nowhere";
      case "list":
        return this.#inValue(type.element);
      case "map":
        return this.#inValue(type.value);
      case "anyOf":
      case "oneOf":
      case "allOf":
        return this.#inChoice(type.members);
      case "not":
        return this.#inValue(type.type) === "nowhere" ? "nowhere" : "hidden";
      case "if": {
        const parts = [type.test, type.then, type.otherwise];
        return parts.every((part) => this.#inValue(part) === "nowhere") ? "nowhere" : "hidden";
      }
      default:
        return "nowhere";
    }
  }

  /** One look at an object must find the names of all members, as nothing tells them apart. */
  #inChoice(members: readonly ValueType[]): Occurrence {
    if (members.every((member) => this.#inValue(member) === "nowhere")) return "nowhere";
    return members.every((member) => this.#isFlat(member)) ? "found" : "hidden";
  }

  /** Returns whether a type is a message whose fields contain no other names. */
  #isFlat(type: ValueType): boolean {
    const message = this.#messageOf(type);
    const isFlat = message?.fields.every((field) => this.#inValue(field.type) === "nowhere");
    return isFlat === true && message?.rest === undefined;
  }

  #messageOf(type: ValueType): MessageDef | undefined {
    const found = type.kind === "message" ? this.#types.get(type.name) : undefined;
    return found?.kind === "message" ? found : undefined;
  }

  #body(type: TypeDef): string[] {
    if (type.kind === "message") return returnLines(join("||", this.#inMessage(type)));
    if (type.kind === "union" && type.discriminator !== undefined)
      return this.#cases(type.members, type.discriminator);
    const whole: ValueType | undefined =
      type.kind === "union"
        ? { kind: "anyOf", members: type.members }
        : type.kind === "alias"
          ? type.type
          : undefined;
    return returnLines((whole && this.#test(whole, "value")) ?? plain("false"));
  }

  #cases(members: readonly ValueType[], discriminator: string): string[] {
    const cases = [...constantsOf(members, discriminator, this.#types)].flatMap(
      ([constant, member]) => {
        const test = this.functionFor(member);
        return test === undefined ? [] : [`case ${quote(constant)}:`, `  return ${test}(value);`];
      },
    );
    const head = `switch (${memberOf("value", discriminator)}) {`;
    return block(head, [...cases, "default:", "  return false;"]).map(indent);
  }

  #inMessage(message: MessageDef): Condition[] {
    const own = otherNames(message).map((name) => plain(`${quote(name)} in value`));
    const inner = message.fields.flatMap(({ name, type, presence }) => {
      const value = memberOf("value", name);
      const isRequired = presence === "required";
      const isChained = !isRequired && type.kind === "list";
      const test = this.#test(type, isChained ? `${value}?` : value);
      if (test === undefined) return [];
      if (isRequired) return [test];
      if (isChained) return [plain(`${test.text} === true`)];
      return [join("&&", [plain(`${value} !== undefined`), test])];
    });
    return [...own, ...inner];
  }

  /** Returns the condition that a value contains other names; `undefined` if it cannot. */
  #test(type: ValueType, value: string): Condition | undefined {
    switch (type.kind) {
      case "message":
      case "union":
      case "alias": {
        const test = this.functionFor(type.name);
        return test === undefined ? undefined : call(test, value);
      }
      case "list":
        return this.#some(type.element, value);
      case "map":
        return this.#some(type.value, `Object.values(${value})`);
      case "anyOf":
      case "oneOf":
      case "allOf": {
        const names = type.members.flatMap((member) => otherNames(this.#messageOf(member)));
        if (names.length === 0) return undefined;
        return join(
          "||",
          [...new Set(names)].map((name) => plain(`${quote(name)} in ${value}`)),
        );
      }
      default:
        return undefined;
    }
  }

  #some(element: ValueType, values: string): Condition | undefined {
    const name = "name" in element ? this.functionFor(element.name) : undefined;
    if (name !== undefined) return call(`${values}.some`, name);
    const test = this.#test(element, "item");
    return test && call(`${values}.some`, `(item) => ${test.text}`);
  }
}

/** Returns the names in the proto of the fields of a message that JSON names differently. */
function otherNames(message: MessageDef | undefined): string[] {
  const fields = message?.fields ?? [];
  const names = new Set(fields.map(({ name }) => name));
  return fields.map(protoName).filter((name) => !names.has(name));
}

function protoName({ name, proto }: FieldDef): string {
  return proto?.name ?? snakeCase(name);
}

function mostOf(occurrences: readonly Occurrence[]): Occurrence {
  if (occurrences.includes("hidden")) return "hidden";
  return occurrences.includes("found") ? "found" : "nowhere";
}
