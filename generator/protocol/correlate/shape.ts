import type { FieldDef, MessageDef, TypeDef, ValueType } from "../model/types.js";

/** A property of a message, or of several alternatives of a union. */
export interface Property {
  readonly type: ValueType;
  readonly presence: "required" | "optional" | "implicit";
}

/** Looks into the types of a schema. */
export class Shapes {
  readonly #types: ReadonlyMap<string, TypeDef>;

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

  /** Returns the type behind aliases. */
  resolve(type: ValueType): ValueType {
    if (type.kind !== "alias") return type;
    const found = this.#types.get(type.name);
    return found?.kind === "alias" ? this.resolve(found.type) : type;
  }

  /** Returns the message that a type refers to, if it does. */
  message(type: ValueType): MessageDef | undefined {
    const resolved = this.resolve(type);
    const found = resolved.kind === "message" ? this.#types.get(resolved.name) : undefined;
    return found?.kind === "message" ? found : undefined;
  }

  /** Returns the alternatives of a union, named or not; for any other type, the type itself. */
  alternatives(type: ValueType): readonly ValueType[] {
    const resolved = this.resolve(type);
    if (resolved.kind === "anyOf" || resolved.kind === "oneOf")
      return resolved.members.flatMap((member) => this.alternatives(member));
    const found = resolved.kind === "union" ? this.#types.get(resolved.name) : undefined;
    return found?.kind === "union" ? found.members.flatMap((member) => this.alternatives(member)) : [resolved];
  }

  /** Returns the discriminator of a union. */
  discriminator(type: ValueType): string | undefined {
    const resolved = this.resolve(type);
    const found = resolved.kind === "union" ? this.#types.get(resolved.name) : undefined;
    if (found?.kind === "union") return found.discriminator;
    return undefined;
  }

  /** Returns the properties of a message, or of all alternatives of a union; `undefined` for other types. */
  properties(type: ValueType): ReadonlyMap<string, Property> | undefined {
    const messages = this.alternatives(type).map((member) => this.message(member));
    const all = new Map<string, Property>();
    for (const message of messages) {
      if (message === undefined) return undefined;
      for (const field of message.fields) all.set(field.name, together(all.get(field.name), field));
    }
    for (const [name, property] of all) {
      const everywhere = messages.every((message) => message?.fields.some((field) => field.name === name));
      if (!everywhere) all.set(name, { ...property, presence: "optional" });
    }
    return all;
  }

  /** Finds a property by its path. */
  at(type: ValueType, [name, ...rest]: readonly string[]): Property | undefined {
    if (name === undefined) return { type, presence: "required" };
    const property = this.properties(type)?.get(name);
    if (property === undefined || rest.length === 0) return property;
    const inner = this.at(property.type, rest);
    return inner && (property.presence === "required" ? inner : { ...inner, presence: "optional" });
  }

  /** Returns the string constant of a property; `undefined` if it can have other values. */
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
