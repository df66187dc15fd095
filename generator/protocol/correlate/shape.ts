import type { FieldDef, MessageDef, TypeDef, ValueType } from "../model/types.js";

/** A property of a message, or of several alternatives of a union. */
export interface Property {
  readonly type: ValueType;
  readonly presence: "required" | "optional" | "implicit";
}

/** Provides access to the types of a schema and their properties. */
export class Shapes {
  readonly #types: ReadonlyMap<string, TypeDef>;
  readonly #named = new Map<string, ReadonlyMap<string, Property> | undefined>();

  constructor(types: readonly TypeDef[]) {
    this.#types = new Map(types.map((type) => [type.name, type]));
  }

  /** Finds a type by its name in TypeScript. */
  find(name: string): TypeDef | undefined {
    return this.#types.get(name);
  }

  /** Returns a reference to a type by its name. */
  reference(name: string): ValueType {
    const kind = this.#types.get(name)?.kind ?? "message";
    return { kind, name };
  }

  /**
   * Returns the type that an alias or a chain of aliases refers to. Returns any other type
   * unchanged.
   */
  resolve(type: ValueType): ValueType {
    if (type.kind !== "alias") return type;
    const found = this.#types.get(type.name);
    return found?.kind === "alias" ? this.resolve(found.type) : type;
  }

  /**
   * Returns the message that a type refers to; `undefined` if the type does not refer to a message.
   */
  message(type: ValueType): MessageDef | undefined {
    const resolved = this.resolve(type);
    const found = resolved.kind === "message" ? this.#types.get(resolved.name) : undefined;
    return found?.kind === "message" ? found : undefined;
  }

  /**
   * Returns the alternatives of a named or unnamed union. For any other type, returns the type
   * itself.
   */
  alternatives(type: ValueType): readonly ValueType[] {
    const resolved = this.resolve(type);
    if (resolved.kind === "anyOf" || resolved.kind === "oneOf")
      return resolved.members.flatMap((member) => this.alternatives(member));
    const found = resolved.kind === "union" ? this.#types.get(resolved.name) : undefined;
    return found?.kind === "union"
      ? found.members.flatMap((member) => this.alternatives(member))
      : [resolved];
  }

  /** Returns the discriminator of a union. */
  discriminator(type: ValueType): string | undefined {
    const resolved = this.resolve(type);
    const found = resolved.kind === "union" ? this.#types.get(resolved.name) : undefined;
    if (found?.kind === "union") return found.discriminator;
    return undefined;
  }

  /**
   * Returns the properties of a message, or of all alternatives of a union; `undefined` for other
   * types.
   */
  properties(type: ValueType): ReadonlyMap<string, Property> | undefined {
    const resolved = this.resolve(type);
    if (!("name" in resolved)) return this.#propertiesOf(resolved);
    // Cache the properties, because a message with thousands of fields is queried for each field.
    if (!this.#named.has(resolved.name))
      this.#named.set(resolved.name, this.#propertiesOf(resolved));
    return this.#named.get(resolved.name);
  }

  #propertiesOf(type: ValueType): ReadonlyMap<string, Property> | undefined {
    const all = new Map<string, Property & { readonly count: number }>();
    const alternatives = this.alternatives(type);
    for (const member of alternatives) {
      const message = this.message(member);
      if (message === undefined) return undefined;
      for (const field of message.fields) {
        const earlier = all.get(field.name);
        all.set(field.name, { ...together(earlier, field), count: (earlier?.count ?? 0) + 1 });
      }
    }
    const isInAll = (count: number): boolean => count === alternatives.length;
    return new Map(
      [...all].map(([name, { count, type: found, presence }]) => [
        name,
        { type: found, presence: isInAll(count) ? presence : "optional" },
      ]),
    );
  }

  /** Finds a property by its path. */
  at(type: ValueType, [name, ...rest]: readonly string[]): Property | undefined {
    if (name === undefined) return { type, presence: "required" };
    const property = this.properties(type)?.get(name);
    if (property === undefined || rest.length === 0) return property;
    const inner = this.at(property.type, rest);
    return inner && (property.presence === "required" ? inner : { ...inner, presence: "optional" });
  }

  /**
   * Returns the string constant of a property; `undefined` if the property can have other values.
   */
  constant(type: ValueType): string | undefined {
    const resolved = this.resolve(type);
    const [value, ...others] = resolved.kind === "literal" ? resolved.values : [];
    return typeof value === "string" && others.length === 0 ? value : undefined;
  }
}

function together(earlier: Property | undefined, { type, presence }: FieldDef): Property {
  if (earlier === undefined) return { type, presence };
  const same = JSON.stringify(earlier.type) === JSON.stringify(type);
  return {
    type: same ? type : { kind: "anyOf", members: [earlier.type, type] },
    presence: earlier.presence === "required" && presence === "required" ? "required" : "optional",
  };
}
