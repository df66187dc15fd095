import type { FieldDef, TypeDef } from "../model/types.js";

/**
 * Doc comments for elements that have no comment in their source, by `Type.member`. `*.member`
 * applies to every member with that name that has no comment.
 */
export class DocOverlay {
  readonly #texts: ReadonlyMap<string, string>;

  constructor(texts: Iterable<readonly [string, string]>) {
    this.#texts = new Map(texts);
  }

  /**
   * Returns the types with doc comments from the overlay, which names types without their package.
   */
  types<T extends TypeDef>(types: readonly T[], protoPackage: string): T[] {
    return types.map((type) => this.#type(type, withoutPackage(type.fullName, protoPackage)));
  }

  /** Returns operations or errors with doc comments from the overlay. */
  documented<T extends { readonly name: string; readonly docs: string }>(items: readonly T[]): T[] {
    return items.map((item) => ({ ...item, docs: item.docs || this.text(item.name) }));
  }

  /**
   * Returns the overlay's doc comment for a type, operation, error or member; empty if it has none.
   */
  text(name: string, member?: string): string {
    if (member === undefined) return this.#texts.get(name) ?? "";
    return this.#texts.get(`${name}.${member}`) ?? this.#texts.get(`*.${member}`) ?? "";
  }

  #type<T extends TypeDef>(type: T, name: string): T {
    const docs = type.docs || this.text(name);
    if (type.kind === "message") {
      const field = (one: FieldDef): FieldDef => ({
        ...one,
        docs: one.docs || this.text(name, one.name),
      });
      const oneofs = type.oneofs.map((oneof) => ({
        ...oneof,
        docs: oneof.docs || this.text(name, oneof.name),
      }));
      return { ...type, docs, fields: type.fields.map(field), oneofs };
    }
    if (type.kind !== "enum") return { ...type, docs };
    // An enum without a definition is listed in the overlay under the name of its TypeScript type.
    const own = this.#texts.has(type.name) ? type.name : name;
    const values = type.values.map((value) => ({
      ...value,
      docs: value.docs || this.text(own, value.name),
    }));
    return { ...type, docs: type.docs || this.text(own), values };
  }
}

/** Returns the name of a type without the package of its proto. */
export function withoutPackage(fullName: string, protoPackage: string): string {
  return protoPackage !== "" && fullName.startsWith(`${protoPackage}.`)
    ? fullName.slice(protoPackage.length + 1)
    : fullName;
}
