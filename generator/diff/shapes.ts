import type {
  TypeDef,
  WireEnumDef,
  WireFieldDef,
  WireMessageDef,
} from "../protocol/model/types.js";
import { jsonForm } from "./forms.js";

/** Minimum similarity of an added type and a removed type to count as a rename. */
const threshold = 0.75;

/** Structural fingerprint of a type, used to recognize the type after a rename. */
export class Shape {
  readonly #kind: string;
  readonly #views: readonly ReadonlySet<string>[];

  /**
   * Only types of the same `kind` are similar. Each of the `views` lists the parts of the type in a
   * different way.
   */
  constructor(kind: string, ...views: readonly (readonly string[])[]) {
    this.#kind = kind;
    this.#views = views.map((parts) => new Set(parts));
  }

  /**
   * Returns the similarity of two types, from 0 to 1, in the view in which they are most similar.
   */
  likeness(other: Shape): number {
    return this.#kind === other.#kind
      ? Math.max(0, ...this.#compare(other).map(([likeness]) => likeness))
      : 0;
  }

  /**
   * Returns whether two types may be the same: all of their parts are equal, or most parts if the
   * types have several parts.
   */
  isLike(other: Shape): boolean {
    if (this.#kind !== other.#kind) return false;
    return this.#compare(other).some(
      ([likeness, parts]) => likeness === 1 || (likeness >= threshold && parts > 1),
    );
  }

  /** Returns the similarity in each view, and the number of parts of the smaller type. */
  #compare(other: Shape): (readonly [number, number])[] {
    return this.#views.map((parts, index) => {
      const others = other.#views[index] ?? new Set();
      const common = [...parts].filter((part) => others.has(part)).length;
      const all = parts.size + others.size - common;
      return [all === 0 ? 0 : common / all, Math.min(parts.size, others.size)];
    });
  }
}

/**
 * Returns the shape of a type in JSON: the names and forms of its fields. The shape of an enum has
 * two views: the keys of its values, and their strings in JSON.
 */
export function typeShape(type: TypeDef): Shape {
  const rename = anonymousIn(type.name);
  if (type.kind === "message")
    return new Shape(
      type.kind,
      type.fields.map((field) => `${field.name}: ${jsonForm(field.type, rename)}`),
    );
  if (type.kind !== "enum") return new Shape(type.kind, []);
  return new Shape(
    type.kind,
    type.values.map(({ key }) => key),
    type.values.map(({ name }) => name),
  );
}

/** Returns the shape of a protobuf message or enum: names and numbers. */
export function wireShape(type: WireMessageDef | WireEnumDef): Shape {
  if ("values" in type)
    return new Shape(
      "enum",
      type.values.map(({ name, number }) => `${name} = ${number}`),
    );
  const rename = anonymousIn(type.name);
  const partOf = (field: WireFieldDef): string =>
    `${field.proto.name} = ${field.proto.number}: ${jsonForm(field.type, rename)}`;
  return new Shape("message", type.fields.map(partOf));
}

/** Hides the names of the types of fields, because these types may also be renamed. */
function anonymousIn(self: string): (name: string) => string {
  return (name) => (name === self ? "itself" : "a type");
}
