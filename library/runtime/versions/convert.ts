import { isObject } from "../base/json.js";
import { ValidationContext, ValidationError } from "../schema/schema.js";
import type {
  Conversion,
  ConversionFacts,
  FirstElement,
  Member,
  Members,
  Name,
  Side,
  Sides,
  Sign,
  TypeConversion,
  TypeConversions,
  Wrapped,
} from "./conversion.js";
import { keysOf, planOf, type Step } from "./plan.js";

/**
 * Converts a value of one version to the other version, `to`. Values of an unexpected form are not
 * converted, because later checks report them. Members that neither version defines are removed.
 * Throws a {@link ValidationError} for values and alternatives that the other version does not
 * have.
 */
export function convert(
  types: TypeConversions,
  conversion: Conversion,
  value: unknown,
  to: Side,
  facts: ConversionFacts = {},
): unknown {
  const { forgiveness } = facts;
  const context = new ValidationContext("json", forgiveness?.forgiver);
  const result = new Converter(types, to, context, facts).value(conversion, value);
  if (context.deviations.length > 0) forgiveness?.onDeviation(context.deviations);
  if (context.issues.length === 0) return result;
  throw new ValidationError(conversion.kind === "type" ? conversion.name : "value", context.issues);
}

type Given = Readonly<Record<string, unknown>>;
type Choice = TypeConversion & { readonly kind: "choice" };
type Alternative = Choice["alternatives"][number];

class Converter {
  readonly #types: TypeConversions;
  readonly #to: Side;
  readonly #from: Side;
  readonly #context: ValidationContext;
  readonly #facts: ConversionFacts;

  constructor(
    types: TypeConversions,
    to: Side,
    context: ValidationContext,
    facts: ConversionFacts,
  ) {
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
          Object.entries(value).map(([key, item]) => [
            key,
            this.#at([key], conversion.value, item),
          ]),
        );
      case "only":
        return this.#listOrElement(conversion, value);
      case "digits":
        if (conversion.number === this.#to) return this.#number(value);
        return typeof value === "number" ? String(value) : value;
      case "nothing":
        return conversion.empty[this.#to] === "null" ? null : {};
    }
  }

  /** Converts an element to a list with this element, or a list to its first element. */
  #listOrElement(
    { list: sideWithList, element, none }: Conversion & { readonly kind: "only" },
    value: unknown,
  ): unknown {
    if (sideWithList === this.#to) return value === none ? [] : [this.value(element, value)];
    if (!Array.isArray(value)) return value;
    return value.length === 0 ? none : this.#at([0], element, value[0]);
  }

  /**
   * Returns the number that a string represents. For any other string, returns the result of
   * `facts.number`, or the index of the list element that contains the string.
   */
  #number(value: unknown): unknown {
    if (typeof value !== "string") return value;
    if (/^-?\d+$/.test(value) && String(Number(value)) === value) return Number(value);
    const innermostIndex = this.#context.path.filter((key) => typeof key === "number").at(-1);
    return this.#facts.number?.(value) ?? innermostIndex;
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
    const found =
      type.alternatives.find(({ when }) => matches(when[this.#from], value)) ??
      this.#fitting(type, value);
    if (found !== undefined) return this.#object(found, value);
    if (this.#facts.keepsUnknown !== true) {
      const signs = type.alternatives.map(({ when }) => nameOf(when[this.#from]));
      this.#context.report(`one of ${signs.join(", ")}`, value);
    }
    return value;
  }

  /** Returns the alternative for an object without a marker, if deviations are forgiven. */
  #fitting({ alternatives }: Choice, value: Given): Alternative | undefined {
    const { forgiver } = this.#context;
    const from = this.#from;
    const key = alternatives.map(({ when }) => when[from]).find((sign) => "key" in sign)?.key;
    if (forgiver === undefined || key === undefined) return undefined;
    const candidates = alternatives.map((alternative) => {
      const sign = alternative.when[from];
      const keys = keysOf(this.#types, alternative.fields, from);
      return {
        alternative,
        has: (name: string) => keys.includes(name),
        constant: "key" in sign ? sign.value : undefined,
      };
    });
    const found = forgiver.fitting(candidates, value, key);
    if (found !== undefined)
      this.#context.reportAt(key, JSON.stringify(found.constant), undefined, true);
    return found?.alternative;
  }

  #text(values: readonly Sides<string>[], value: unknown): unknown {
    if (typeof value !== "string") return value;
    const found = values.find((pair) => pair[this.#from] === value);
    if (found !== undefined) return found[this.#to];
    if (this.#facts.keepsUnknown !== true)
      this.#context.report(`one of ${values.map((pair) => pair[this.#from]).join(", ")}`, value);
    return value;
  }

  #object(members: Members, value: unknown): unknown {
    const { constants, exclusive, first, wrapped, names, needs } = members;
    const { readsWhole, steps } = planOf(members.fields, this.#to);
    if (!isObject(value) && !readsWhole) return value;
    // An empty list only marks the object as absent if the object is not the root, because a
    // request must stay an object.
    const isRoot = this.#context.path.length === 0;
    if (needs !== undefined && !isRoot && isEmptyAt(value, needs[this.#from])) return undefined;
    let result = this.#members(steps, value, constants?.[this.#to] ?? nothing);
    if (first !== undefined && isObject(value) && isObject(result))
      result = this.#withFirst(first, value, result);
    if (wrapped !== undefined && isObject(value) && isObject(result))
      result = this.#rewrap(wrapped, value, result);
    for (const name of names ?? []) result = this.#renamed(name, value, result);
    const oneof = exclusive?.[this.#to];
    if (oneof === undefined || !isObject(result)) return result;
    const object = result;
    // The other version may set several members of the oneof, but only one may be written, so keep
    // the first.
    const [, ...dropped] = oneof.filter((name) => Object.hasOwn(object, name));
    return dropped.length === 0 ? object : without(object, dropped);
  }

  /** Returns the members of a value, converted to the other version and added to `base`. */
  #members(steps: readonly Step[], value: unknown, base: Given): unknown {
    // Add the members one by one, because adding members to a spread copy takes ten times as long.
    const copy: Given = {};
    if (base !== nothing) for (const name of Object.keys(base)) setMember(copy, name, base[name]);
    let result: unknown = copy;
    for (const step of steps) {
      const { key, from, target, name, fill, fact, conversion, within } = step;
      if (within !== undefined && memberAt(result, within) === undefined) continue;
      const given = key === undefined ? from && memberAt(value, from) : memberOf(value, key);
      // `null` counts as absent. If the value is passed through unchanged, however, `null` is a
      // value.
      const isNullAbsent = given === null && (conversion.kind !== "same" || step.isFilled);
      const isAbsent = given === undefined || isNullAbsent;
      const member = isAbsent ? (this.#factFor(fact) ?? fill) : this.#converted(step, given);
      if (member === undefined) continue;
      // Only `copy`, which was created here, may be mutated.
      if (name !== undefined && isObject(result)) setMember(result, name, member);
      else result = target.length === 0 ? member : withMember(result, target, member);
    }
    return result;
  }

  #converted({ conversion, key, from = [] }: Step, given: unknown): unknown {
    if (conversion.kind === "same") return given;
    if (key === undefined) return this.#at(from, conversion, given);
    const { path } = this.#context;
    path.push(key);
    const result = this.value(conversion, given);
    path.pop();
    return result;
  }

  /** Adds a resource name to the result, or the values that a resource name contains. */
  #renamed({ side, at, parts }: Name, value: unknown, result: unknown): unknown {
    if (side === this.#to) return withName(result, at, parts, value);
    const name = memberAt(value, at);
    if (typeof name !== "string" || name === "") return result;
    const segments = name.split("/");
    const isMatch = parts.every(
      ({ text }, index) => text === undefined || text === segments[index],
    );
    if (segments.length !== parts.length || !isMatch) {
      const pattern = parts.map(({ text = "*" }) => text).join("/");
      this.#context.reportAt(at.join("."), `a name like ${pattern}`, name);
      return result;
    }
    return parts.reduce(
      (base, part, index) =>
        part.at === undefined ? base : withMember(base, part.at, segments[index]),
      result,
    );
  }

  #rewrap({ at, as, flag }: Wrapped, value: Given, result: Given): Given {
    const given = memberAt(value, at[this.#from]);
    if (this.#to === 0) {
      // The earlier version only allows objects, so any other value is wrapped in an object and
      // marked by the flag.
      if (given === undefined || isObject(given)) return result;
      return withMember(withMember(result, at[0], { [as]: given }), flag[0], true);
    }
    // Only unwrap an object if the flag is set, because a user's own object may also have a member
    // with this name.
    if (memberAt(value, flag[0]) !== true || !isObject(given) || !Object.hasOwn(given, as))
      return result;
    const around = flag[1].slice(0, -1);
    const others = without(memberAt(result, around) as Given, flag[1].slice(-1));
    const unwrapped = withMember(result, at[1], given[as]);
    return Object.keys(others).length === 0
      ? without(unwrapped, around)
      : withMember(unwrapped, around, others);
  }

  #factFor(fact: Member["fact"]): unknown {
    if (fact === "id") return this.#facts.id?.() ?? crypto.randomUUID();
    return fact && this.#facts[fact];
  }

  #withFirst(
    { lists, inObject, element, fields, shared }: FirstElement,
    value: Given,
    result: Given,
  ): Given {
    const key = lists[this.#from];
    const target = lists[this.#to];
    const list = key !== undefined && Object.hasOwn(value, key) ? value[key] : undefined;
    const elements: readonly unknown[] = Array.isArray(list) ? list : [];
    const steps = (members: readonly Member[]): readonly Step[] => planOf(members, this.#to).steps;
    const convertedAfter = (skipped: number): unknown[] =>
      elements
        .slice(skipped)
        .map((item, index) => this.#at([key ?? "", index + skipped], element, item));
    if (inObject === this.#to) {
      const objectSteps = [...steps(fields), ...steps(shared)];
      const members = this.#members(objectSteps, elements[0], result) as Given;
      if (target === undefined) return members;
      const others = convertedAfter(1);
      return others.length === 0 ? members : { ...members, [target]: others };
    }
    if (target === undefined) return result;
    const main = this.#members(steps(fields), value, nothing) as Given;
    // A card of the earlier version may repeat its main element in the list, so drop duplicates.
    const all = [main, ...convertedAfter(0).filter((item) => !isSameObject(item, main))];
    return {
      ...result,
      [target]: all.map((item) => this.#members(steps(shared), value, item as Given)),
    };
  }
}

const nothing: Given = {};

function matches(sign: Sign, value: Given): boolean {
  if ("key" in sign) return Object.hasOwn(value, sign.key) && value[sign.key] === sign.value;
  return sign.members.some((name) => Object.hasOwn(value, name) && value[name] !== undefined);
}

function nameOf(sign: Sign): string {
  return "key" in sign ? `${sign.key} "${sign.value}"` : sign.members.join(", ");
}

function memberAt(value: unknown, path: readonly string[]): unknown {
  return path.reduce(memberOf, value);
}

/** Returns a copy with a resource name, unless the value has none of the name's values. */
function withName(
  result: unknown,
  at: readonly string[],
  parts: Name["parts"],
  value: unknown,
): unknown {
  const values = parts.map((part) =>
    part.at === undefined ? part.text : memberAt(value, part.at),
  );
  const hasValue = parts.some(
    (part, index) => part.at !== undefined && values[index] !== undefined,
  );
  const segments = values.map((segment) => (typeof segment === "string" ? segment : ""));
  return hasValue ? withMember(result, at, segments.join("/")) : result;
}

/** Returns whether a value has exactly the members of an object. */
function isSameObject(value: unknown, object: Given): boolean {
  const names = Object.keys(object);
  if (!isObject(value) || Object.keys(value).length !== names.length) return false;
  return names.every((name) => value[name] === object[name]);
}

/** Returns whether the list at a path is absent or empty. */
function isEmptyAt(value: unknown, path: readonly string[] | undefined): boolean {
  if (path === undefined) return false;
  const list = memberAt(value, path) ?? [];
  return Array.isArray(list) && list.length === 0;
}

function memberOf(value: unknown, key: string): unknown {
  return isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

/**
 * Sets a member of an object. `__proto__` must be defined with `defineProperty`, because an
 * assignment would set the prototype.
 */
function setMember(object: Given, key: string, member: unknown): void {
  if (key === "__proto__")
    Object.defineProperty(object, key, {
      value: member,
      enumerable: true,
      configurable: true,
      writable: true,
    });
  else (object as Record<string, unknown>)[key] = member;
}

/** Returns a copy with the member at a path set. Creates absent objects on the path. */
function withMember(
  value: unknown,
  [key = "", ...rest]: readonly string[],
  member: unknown,
): Given {
  const base = isObject(value) ? value : {};
  const inner = rest.length === 0 ? member : withMember(memberAt(base, [key]), rest, member);
  return { ...base, [key]: inner };
}

function without(value: Given, names: readonly string[]): Given {
  return Object.fromEntries(Object.entries(value).filter(([name]) => !names.includes(name)));
}
