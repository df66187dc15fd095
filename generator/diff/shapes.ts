import type { TypeDef, WireEnumDef, WireFieldDef, WireMessageDef } from "../protocol/model/types.js";
import { jsonForm } from "./forms.js";

/** The likeness from which on a new type is taken for one that is gone. */
const enough = 0.75;

/** What a type consists of, for finding it again under another name. */
export class Shape {
  readonly #kind: string;
  readonly #views: readonly ReadonlySet<string>[];

  /**
   * `kind` is what only types of the same kind have; `views` are what can be common to two types, told in one way or
   * another.
   */
  constructor(kind: string, ...views: readonly (readonly string[])[]) {
    this.#kind = kind;
    this.#views = views.map((parts) => new Set(parts));
  }

  /** How much two types have in common, from 0 to 1, in the view in which it is most. */
  likeness(other: Shape): number {
    return this.#kind === other.#kind ? Math.max(0, ...this.#compare(other).map(([likeness]) => likeness)) : 0;
  }

  /** Whether two types may be the same under another name: they have everything in common, or most of several parts. */
  isLike(other: Shape): boolean {
    if (this.#kind !== other.#kind) return false;
    return this.#compare(other).some(([likeness, parts]) => likeness === 1 || (likeness >= enough && parts > 1));
  }

  /** How much is common in each view, and how many parts the one with fewer of them has. */
  #compare(other: Shape): (readonly [number, number])[] {
    return this.#views.map((parts, index) => {
      const others = other.#views[index] ?? new Set();
      const common = [...parts].filter((part) => others.has(part)).length;
      const all = parts.size + others.size - common;
      return [all === 0 ? 0 : common / all, Math.min(parts.size, others.size)];
    });
  }
}

/** The shape of a type in JSON: fields count where name and form are the same, values of enums by their keys or texts. */
export function typeShape(type: TypeDef): Shape {
  // The types that fields refer to may have other names themselves.
  const own = (name: string): string => (name === type.name ? "itself" : "a type");
  if (type.kind === "message")
    return new Shape(
      type.kind,
      type.fields.map((field) => `${field.name}: ${jsonForm(field.type, own)}`),
    );
  if (type.kind !== "enum") return new Shape(type.kind, []);
  return new Shape(
    type.kind,
    type.values.map(({ key }) => key),
    type.values.map(({ name }) => name),
  );
}

/** The shape of a message or an enum of protobuf: names and numbers. */
export function wireShape(type: WireMessageDef | WireEnumDef): Shape {
  if ("values" in type)
    return new Shape(
      "enum",
      type.values.map(({ name, number }) => `${name} = ${number}`),
    );
  const own = (name: string): string => (name === type.name ? "itself" : "a type");
  const partOf = (field: WireFieldDef): string =>
    `${field.proto.name} = ${field.proto.number}: ${jsonForm(field.type, own)}`;
  return new Shape("message", type.fields.map(partOf));
}
