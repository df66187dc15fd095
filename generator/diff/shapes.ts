import type { TypeDef, WireEnumDef, WireFieldDef, WireMessageDef } from "../protocol/types.js";
import { jsonForm } from "./forms.js";

/** The likeness from which on a new type is taken for one that is gone. */
const enough = 0.75;

/** What a type consists of, for finding it again under another name. */
export class Shape {
  readonly #kind: string;
  readonly #parts: ReadonlySet<string>;

  /** `kind` is what only types of the same kind have; `parts` are what can be common to two types. */
  constructor(kind: string, parts: readonly string[]) {
    this.#kind = kind;
    this.#parts = new Set(parts);
  }

  /** How much two types have in common, from 0 to 1. */
  likeness(other: Shape): number {
    if (this.#kind !== other.#kind) return 0;
    const common = [...this.#parts].filter((part) => other.#parts.has(part)).length;
    return common === 0 ? 0 : common / (this.#parts.size + other.#parts.size - common);
  }

  /** Whether two types may be the same under another name: they have everything in common, or most of several parts. */
  isLike(other: Shape): boolean {
    const likeness = this.likeness(other);
    return likeness === 1 || (likeness >= enough && Math.min(this.#parts.size, other.#parts.size) > 1);
  }
}

/** The shape of a type in JSON: fields count where name and form are the same, values of enums by their keys. */
export function typeShape(type: TypeDef): Shape {
  // The types that fields refer to may have other names themselves.
  const own = (name: string): string => (name === type.name ? "itself" : "a type");
  if (type.kind === "message")
    return new Shape(
      type.kind,
      type.fields.map((field) => `${field.name}: ${jsonForm(field.type, own)}`),
    );
  return new Shape(type.kind, type.kind === "enum" ? type.values.map(({ key }) => key) : []);
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
