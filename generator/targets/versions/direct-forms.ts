import { keywords } from "../../../support/names.js";
import type {
  Conversion,
  Member,
  Members,
  Name,
  Side,
  Sign,
  TypeConversion,
  TypeConversions,
  Wrapped,
} from "../../protocol/versions/types.js";

/** A type whose values direct code can convert in one direction. */
export type DirectForm =
  | { readonly kind: "enum"; readonly values: ReadonlyMap<string, string> }
  | ({ readonly kind: "object" } & DirectObject)
  | {
      readonly kind: "choice";
      readonly alternatives: readonly DirectAlternative[];
    };

/** An alternative. The direct code does not cover its values if `form` is absent. */
export interface DirectAlternative {
  readonly when: Sign;
  readonly form: DirectObject | undefined;
}

/** An object whose members are converted one by one. */
export interface DirectObject {
  readonly constants: Readonly<Record<string, string>>;
  readonly members: readonly DirectMember[];
  /** Keys of members that the tables must convert. */
  readonly refused: readonly string[];
  /** Keys of members of which at most one may be present. */
  readonly exclusive: readonly string[];
  readonly wrapped: DirectWrapped | undefined;
}

/** A member of the result. */
export interface DirectMember {
  /** The key of the given member; `undefined` if the given version does not have the member. */
  readonly from: string | typeof whole | undefined;
  readonly target: string | typeof whole;
  readonly value: DirectValue;
  /** Whether `null` counts as absent. */
  readonly isNullAbsent: boolean;
  readonly fill: unknown;
  readonly fact: Member["fact"];
}

/** The whole value, in place of a member. */
export const whole = Symbol("whole");

/**
 * How a member is converted: by the function of a type, or of lists of a type. A `refused` member
 * must be converted by the tables.
 */
export type DirectValue =
  | { readonly kind: "same" | "opposite" | "refused" }
  | { readonly kind: "type" | "list"; readonly name: string };

/**
 * Values that the tables wrap or unwrap: values of the member `key` that are not objects, or all
 * values if the object in the member `key` contains a flag.
 */
export interface DirectWrapped {
  readonly key: string;
  readonly flag: string | undefined;
}

/** Returns the members of a type, or of all its alternatives. */
export function membersOf(form: DirectForm | undefined): readonly DirectMember[] {
  if (form === undefined || form.kind === "enum") return [];
  if (form.kind === "object") return form.members;
  return form.alternatives.flatMap((alternative) => alternative.form?.members ?? []);
}

/** Finds the forms of types that direct code can convert to the version `to`. */
export class DirectForms {
  readonly #types: TypeConversions;
  readonly #to: Side;
  readonly #from: Side;
  /** `undefined` for types without a form, and for a type whose form is being determined. */
  readonly #forms = new Map<string, DirectForm | undefined>();

  constructor(types: TypeConversions, to: Side) {
    this.#types = types;
    this.#to = to;
    this.#from = to === 0 ? 1 : 0;
  }

  /** Returns the form of a type. A type within itself has none, which limits the depth. */
  of(name: string): DirectForm | undefined {
    const type = Object.hasOwn(this.#types, name) ? this.#types[name] : undefined;
    if (type === undefined) return undefined;
    if (!this.#forms.has(name)) {
      this.#forms.set(name, undefined);
      this.#forms.set(name, this.#form(type));
    }
    return this.#forms.get(name);
  }

  /**
   * Returns whether a type has a form and contains other types. Without them, the tables are fast
   * enough.
   */
  isNested(name: string): boolean {
    return membersOf(this.of(name)).some(({ value }) => "name" in value);
  }

  #form(type: TypeConversion): DirectForm | undefined {
    if (type.kind === "enum") {
      const values = new Map<string, string>();
      for (const pair of type.values) {
        const value = pair[this.#from];
        // The tables use the first pair of a value.
        if (!values.has(value)) values.set(value, pair[this.#to]);
      }
      return { kind: "enum", values };
    }
    if (type.kind === "object") {
      const form = this.#object(type);
      return form && { kind: "object", ...form };
    }
    const alternatives = type.alternatives.map((alternative) => ({
      when: alternative.when[this.#from],
      form: this.#object(alternative),
    }));
    const keys = alternatives.flatMap(({ when }) => ("key" in when ? [when.key] : when.members));
    const isReadable = keys.every(isSimple) && alternatives.some(({ form }) => form !== undefined);
    return isReadable ? { kind: "choice", alternatives } : undefined;
  }

  #object(type: Members): DirectObject | undefined {
    const { first, needs, exclusive, constants = [{}, {}], wrapped } = type;
    if (first !== undefined || needs?.[this.#from] !== undefined) return undefined;
    const found = type.fields.map((field) => this.#member(field));
    const members = found.filter((member) => typeof member === "object");
    const refused = found.filter((member) => typeof member === "string");
    const named = (type.names ?? []).flatMap((name) => this.#keysOfName(name));
    const one = exclusive?.[this.#to] ?? [];
    const form = {
      constants: constants[this.#to],
      members,
      refused: [...new Set([...refused, ...named])],
      exclusive: members.filter(({ target }) => one.some((key) => key === target)),
      wrapped: wrapped && this.#wrapped(wrapped),
    };
    const isCovered = !found.includes(unclear) && (wrapped === undefined || form.wrapped);
    if (!isCovered || !isUnambiguous(form)) return undefined;
    const keys = form.exclusive.map(({ from }) => from).filter((key) => typeof key === "string");
    return { ...form, exclusive: keys };
  }

  /**
   * Returns the keys of a member of the result. Returns the key of a member that is refused if it
   * is given, {@link unclear} if the object has no form, or `undefined` if nothing is converted.
   */
  #member(field: Member): DirectMember | string | typeof unclear | undefined {
    const { at, value: conversion, fact } = field;
    const [given, target] = [at[this.#from], at[this.#to]];
    if (target === undefined) return undefined;
    const fill = field.fill?.[this.#to];
    const isAlways = fill !== undefined || fact !== undefined;
    if (target.length > 1 || (given?.length ?? 0) > 1) return unclear;
    if (given === undefined && !isAlways) return undefined;
    // An id is created and the end of a stream is awaited only if the member is absent.
    if (given === undefined ? fact === "id" : fact === "last") return unclear;
    const value = given === undefined ? ({ kind: "same" } as const) : this.#value(conversion);
    const isNullAbsent = conversion.kind !== "same" || field.fill !== undefined;
    const from = given && (given[0] ?? whole);
    return { from, target: target[0] ?? whole, value, isNullAbsent, fill, fact };
  }

  #value(conversion: Conversion): DirectValue {
    switch (conversion.kind) {
      case "same":
      case "opposite":
        return { kind: conversion.kind };
      case "type": {
        const { name } = conversion;
        if (!Object.hasOwn(this.#types, name)) return { kind: "same" };
        return this.of(name) === undefined ? { kind: "refused" } : { kind: "type", name };
      }
      case "list": {
        const element = this.#value(conversion.element);
        return element.kind === "type" ? { ...element, kind: "list" } : { kind: "refused" };
      }
      default:
        return { kind: "refused" };
    }
  }

  /** Returns the keys of the given members from which a resource name is read or composed. */
  #keysOfName({ side, at, parts }: Name): string[] {
    const paths = side === this.#to ? parts.flatMap((part) => (part.at ? [part.at] : [])) : [at];
    return paths.map(([key = ""]) => key);
  }

  #wrapped({ at, flag }: Wrapped): DirectWrapped | undefined {
    const [key, ...rest] = this.#to === 0 ? at[1] : flag[0];
    if (key === undefined || rest.length !== this.#to) return undefined;
    return { key, flag: rest[0] };
  }
}

/** A member because of which an object has no form. */
const unclear = Symbol("unclear");

type Draft = Omit<DirectObject, "exclusive"> & { readonly exclusive: readonly DirectMember[] };

/** Returns whether each member of the result has one origin, which a variable can hold. */
function isUnambiguous({ constants, members, refused, exclusive, wrapped }: Draft): boolean {
  const targets = members.map(({ target }) => target);
  const keys = [...Object.keys(constants), ...targets];
  if (new Set(keys).size < keys.length || keys.includes("__proto__")) return false;
  const isAlone = keys.length === 1 && refused.length === 0 && wrapped === undefined;
  if (targets.includes(whole) && !(isAlone && isConverted(members[0]))) return false;
  const isOptional = ({ from, fill, fact }: DirectMember): boolean =>
    typeof from === "string" && fill === undefined && fact === undefined;
  if (exclusive.length > 3 || !exclusive.every(isOptional)) return false;
  const wholes = members.filter(({ from }) => from === whole);
  if (wholes.length > 1 || wholes.some(({ value }) => value.kind !== "type")) return false;
  const given = members.map(({ from }) => from).filter((key) => typeof key === "string");
  return [...given, ...refused, ...(wrapped ? [wrapped.key] : [])].every(isSimple);
}

function isConverted(member: DirectMember | undefined): boolean {
  if (member === undefined || member.fill !== undefined || member.fact !== undefined) return false;
  return member.value.kind === "type";
}

/** Returns whether a variable can be named after a key, and objects do not inherit the key. */
function isSimple(key: string): boolean {
  if (!/^[a-z]\w*$/.test(key) || keywords.has(key) || key in Object.prototype) return false;
  return !usedNames.has(key) && !/^(?:other|own)[A-Z]/.test(key);
}

/** Names in direct code. */
const usedNames: ReadonlySet<string> = new Set([
  "converted",
  "facts",
  "given",
  "isPlain",
  "result",
]);
