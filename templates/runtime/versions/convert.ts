import { isObject } from "../base/json.js";
import { ValidationContext, ValidationError } from "../schema/schema.js";

/** Something of the earlier of two versions, and of the later one. */
export type Sides<T> = readonly [earlier: T, later: T];

/** One of two versions: 0 for the earlier one. */
export type Side = 0 | 1;

/** How a value of one version follows from that of the other. */
export type Conversion =
  | { readonly kind: "opposite" | "same" }
  /** As the table of types says. */
  | { readonly kind: "type"; readonly name: string }
  | { readonly kind: "list"; readonly element: Conversion }
  | { readonly kind: "map"; readonly value: Conversion }
  /** One version has a list, and the other its first element, or `none` for an empty one. */
  | { readonly kind: "only"; readonly list: Side; readonly element: Conversion; readonly none: unknown }
  /** One version has nothing in its place. */
  | { readonly kind: "nothing"; readonly empty: Sides<"null" | "object" | undefined> };

/** How values of types follow from each other, by the names that conversions give them. */
export type TypeConversions = Readonly<Record<string, TypeConversion>>;

/** How the values of one type follow from each other. */
export type TypeConversion =
  | { readonly kind: "enum"; readonly values: readonly Sides<string>[] }
  | ({ readonly kind: "object" } & Members)
  | { readonly kind: "choice"; readonly alternatives: readonly (Members & { readonly when: Sides<Sign> })[] };

/** What tells an alternative from others: the constant of a member, or the presence of one of some members. */
type Sign = { readonly key: string; readonly value: string } | { readonly members: readonly string[] };

interface Members {
  readonly fields: readonly Member[];
  /** Members that are always the same. */
  readonly constants?: Sides<Readonly<Record<string, string>>>;
  /** Members of which an object has at most one. */
  readonly exclusive?: Sides<readonly string[] | undefined>;
  readonly first?: FirstElement;
  readonly wrapped?: Wrapped;
}

interface Member {
  /** The keys that lead to it, where the version has it. */
  readonly at: Sides<readonly string[] | undefined>;
  readonly value: Conversion;
  /** What stands there where the other version has nothing. */
  readonly fill?: Sides<unknown>;
  /** The fact that stands there. */
  readonly fact?: "last";
}

/** A property that is an object in the earlier version, which has any other value as the member `as` of one. */
interface Wrapped {
  readonly at: Sides<readonly string[]>;
  readonly as: string;
  /** Where a flag says so in the earlier version, and where it would be in the later one. */
  readonly flag: Sides<readonly string[]>;
}

/** What is known of a value besides. */
export interface ConversionFacts {
  /** Whether it is the last event of a stream. */
  readonly last?: boolean | undefined;
  /** Whether values and alternatives stay as they came that the other version does not have. */
  readonly keepsUnknown?: boolean;
}

/** A list whose first element one of the versions has in the object itself. */
interface FirstElement {
  readonly lists: Sides<string>;
  readonly inObject: Side;
  readonly element: Conversion;
  /** The members of the object, and those of the first element. */
  readonly fields: readonly Member[];
  /** The members of the object that stand for every element. */
  readonly shared: readonly Member[];
}

/**
 * Returns a value of one version as one of the other, `to`. What has another form than its version says is left as it
 * is, for checks that follow; members that neither version knows are left out. Throws a {@link ValidationError} for
 * values and alternatives that the other version does not have.
 */
export function convert(
  types: TypeConversions,
  conversion: Conversion,
  value: unknown,
  to: Side,
  facts: ConversionFacts = {},
): unknown {
  const context = new ValidationContext("json");
  const result = new Converter(types, to, context, facts).value(conversion, value);
  if (context.issues.length === 0) return result;
  throw new ValidationError(conversion.kind === "type" ? conversion.name : "value", context.issues);
}

type Given = Readonly<Record<string, unknown>>;

class Converter {
  readonly #types: TypeConversions;
  readonly #to: Side;
  readonly #from: Side;
  readonly #context: ValidationContext;
  readonly #facts: ConversionFacts;

  constructor(types: TypeConversions, to: Side, context: ValidationContext, facts: ConversionFacts) {
    this.#types = types;
    this.#to = to;
    this.#from = to === 0 ? 1 : 0;
    this.#context = context;
    this.#facts = facts;
  }

  value(conversion: Conversion, value: unknown): unknown {
    switch (conversion.kind) {
      case "same":
        return value;
      case "opposite":
        return typeof value === "boolean" ? !value : value;
      case "type":
        return this.#named(conversion.name, value);
      case "list":
        if (!Array.isArray(value) || this.#context.tooDeep(value)) return value;
        return value.map((item, index) => this.#at([index], conversion.element, item));
      case "map":
        if (!isObject(value) || this.#context.tooDeep(value)) return value;
        return Object.fromEntries(
          Object.entries(value).map(([key, item]) => [key, this.#at([key], conversion.value, item)]),
        );
      case "only":
        return this.#only(conversion, value);
      case "nothing":
        return conversion.empty[this.#to] === "null" ? null : {};
    }
  }

  #only({ list, element, none }: Conversion & { readonly kind: "only" }, value: unknown): unknown {
    if (list === this.#to) return value === none ? [] : [this.value(element, value)];
    if (!Array.isArray(value)) return value;
    return value.length === 0 ? none : this.#at([0], element, value[0]);
  }

  #at(path: readonly (string | number)[], conversion: Conversion, value: unknown): unknown {
    this.#context.path.push(...path);
    const result = this.value(conversion, value);
    this.#context.path.length -= path.length;
    return result;
  }

  #named(name: string, value: unknown): unknown {
    const type = Object.hasOwn(this.#types, name) ? this.#types[name] : undefined;
    if (type === undefined || this.#context.tooDeep(value)) return value;
    if (type.kind === "object") return this.#object(type, value);
    if (type.kind === "enum") return this.#text(type.values, value);
    if (!isObject(value)) return value;
    const found = type.alternatives.find(({ when }) => isIt(when[this.#from], value));
    if (found !== undefined) return this.#object(found, value);
    if (this.#facts.keepsUnknown === true) return value;
    this.#context.report(`one of ${type.alternatives.map(({ when }) => nameOf(when[this.#from])).join(", ")}`, value);
    return value;
  }

  #text(values: readonly Sides<string>[], value: unknown): unknown {
    if (typeof value !== "string") return value;
    const found = values.find((pair) => pair[this.#from] === value);
    if (found !== undefined) return found[this.#to];
    if (this.#facts.keepsUnknown === true) return value;
    this.#context.report(`one of ${values.map((pair) => pair[this.#from]).join(", ")}`, value);
    return value;
  }

  #object(members: Members, value: unknown): unknown {
    const { constants, exclusive, first, wrapped } = members;
    const { isWhole, steps } = planOf(members.fields, this.#to);
    if (!isObject(value) && !isWhole) return value;
    let result = this.#members(steps, value, constants?.[this.#to] ?? nothing);
    if (first !== undefined && isObject(value) && isObject(result)) result = this.#withFirst(first, value, result);
    if (wrapped !== undefined && isObject(value) && isObject(result)) result = this.#rewrap(wrapped, value, result);
    const names = exclusive?.[this.#to];
    if (names === undefined || !isObject(result)) return result;
    const given = result;
    const [, ...others] = names.filter((name) => Object.hasOwn(given, name));
    return others.length === 0 ? result : without(given, others);
  }

  /** Returns what members of a value are in the other version, added to what is there already. */
  #members(steps: readonly Step[], value: unknown, base: Given): unknown {
    // Members are added one by one: those that are added to a spread copy take engines ten times as long.
    const copy: Given = {};
    if (base !== nothing) for (const name of Object.keys(base)) setMember(copy, name, base[name]);
    let result: unknown = copy;
    for (const step of steps) {
      const { key, from, target, name, fill, fact, conversion } = step;
      const given = key === undefined ? from && memberAt(value, from) : memberOf(value, key);
      const isAbsent = given === undefined || (given === null && (conversion.kind !== "same" || step.isFilled));
      const known = fact === undefined ? undefined : this.#facts[fact];
      const found = isAbsent ? (known ?? fill) : this.#found(step, given);
      if (found === undefined) continue;
      // What has been made here may be changed here.
      if (name !== undefined && isObject(result)) setMember(result, name, found);
      else result = target.length === 0 ? found : withMember(result, target, found);
    }
    return result;
  }

  #found({ conversion, key, from = [] }: Step, given: unknown): unknown {
    if (conversion.kind === "same") return given;
    if (key === undefined) return this.#at(from, conversion, given);
    const { path } = this.#context;
    path.push(key);
    const result = this.value(conversion, given);
    path.pop();
    return result;
  }

  #rewrap({ at, as, flag }: Wrapped, value: Given, result: Given): Given {
    const given = memberAt(value, at[this.#from]);
    if (this.#to === 0) {
      if (given === undefined || isObject(given)) return result;
      return withMember(withMember(result, at[0], { [as]: given }), flag[0], true);
    }
    if (memberAt(value, flag[0]) !== true || !isObject(given) || !Object.hasOwn(given, as)) return result;
    const around = flag[1].slice(0, -1);
    const others = without(memberAt(result, around) as Given, flag[1].slice(-1));
    const unwrapped = withMember(result, at[1], given[as]);
    return Object.keys(others).length === 0 ? without(unwrapped, around) : withMember(unwrapped, around, others);
  }

  #withFirst({ lists, inObject, element, fields, shared }: FirstElement, value: Given, result: Given): Given {
    const list = Object.hasOwn(value, lists[this.#from]) ? value[lists[this.#from]] : undefined;
    const elements: readonly unknown[] = Array.isArray(list) ? list : [];
    const steps = (members: readonly Member[]): readonly Step[] => planOf(members, this.#to).steps;
    const converted = (skipped: number): unknown[] =>
      elements.slice(skipped).map((item, index) => this.#at([lists[this.#from], index + skipped], element, item));
    if (inObject === this.#to) {
      const members = this.#members([...steps(fields), ...steps(shared)], elements[0], result) as Given;
      const others = converted(1);
      return others.length === 0 ? members : { ...members, [lists[this.#to]]: others };
    }
    const all = [this.#members(steps(fields), value, nothing), ...converted(0)];
    return { ...result, [lists[this.#to]]: all.map((item) => this.#members(steps(shared), value, item as Given)) };
  }
}

const nothing: Given = {};

/** A member on its way to one of the versions. */
interface Step {
  readonly conversion: Conversion;
  /** The keys that lead to it where it comes from, and the only one of them. */
  readonly from: readonly string[] | undefined;
  readonly key: string | undefined;
  /** The keys that lead to it where it goes, and the only one of them. */
  readonly target: readonly string[];
  readonly name: string | undefined;
  readonly fill: unknown;
  readonly isFilled: boolean;
  readonly fact: Member["fact"];
}

/** What becomes of the members of an object on the way to one of the versions. */
interface Plan {
  readonly steps: readonly Step[];
  /** Whether a member stands for the whole value. */
  readonly isWhole: boolean;
}

/** Plans are made when they are first needed. */
const plans: Sides<WeakMap<readonly Member[], Plan>> = [new WeakMap(), new WeakMap()];

function planOf(members: readonly Member[], to: Side): Plan {
  const known = plans[to].get(members);
  if (known !== undefined) return known;
  const side = to === 0 ? 1 : 0;
  const steps = members.flatMap(({ at, value: conversion, fill, fact }): Step[] => {
    const [from, target] = [at[side], at[to]];
    if (target === undefined) return [];
    const only = (path?: readonly string[]): string | undefined => (path?.length === 1 ? path[0] : undefined);
    const filled = { fill: fill?.[to], isFilled: fill !== undefined, fact };
    return [{ conversion, from, key: only(from), target, name: only(target), ...filled }];
  });
  const plan = { steps, isWhole: members.some(({ at }) => at[side]?.length === 0) };
  plans[to].set(members, plan);
  return plan;
}

function isIt(sign: Sign, value: Given): boolean {
  if ("key" in sign) return Object.hasOwn(value, sign.key) && value[sign.key] === sign.value;
  return sign.members.some((name) => Object.hasOwn(value, name) && value[name] !== undefined);
}

function nameOf(sign: Sign): string {
  return "key" in sign ? `${sign.key} "${sign.value}"` : sign.members.join(", ");
}

function memberAt(value: unknown, path: readonly string[]): unknown {
  return path.reduce(memberOf, value);
}

function memberOf(value: unknown, key: string): unknown {
  return isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

/** Adds a member to an object, whatever its name. */
function setMember(object: Given, key: string, member: unknown): void {
  if (key === "__proto__")
    Object.defineProperty(object, key, { value: member, enumerable: true, configurable: true, writable: true });
  else (object as Record<string, unknown>)[key] = member;
}

/** Returns a copy with a member at a path, and with objects on the way to it. */
function withMember(value: unknown, [key = "", ...rest]: readonly string[], member: unknown): Given {
  const base = isObject(value) ? value : {};
  const inner = rest.length === 0 ? member : withMember(memberAt(base, [key]), rest, member);
  return { ...base, [key]: inner };
}

function without(value: Given, names: readonly string[]): Given {
  return Object.fromEntries(Object.entries(value).filter(([name]) => !names.includes(name)));
}
