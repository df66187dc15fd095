import protobuf from "protobufjs";
import type { TypeHints } from "./hints.js";
import { fullNameOf, nameOf } from "./parsed-names.js";
import type { ProtoType } from "./resolve.js";

/**
 * Assigns a unique name to each message and enum in the protos. The name of a nested type is
 * appended to the name of the type that contains it: `B` in `A` is `AB`. If another type has this
 * name, an underscore joins the two names. A type in another package then also gets its package as
 * a prefix. Names in the manifest take precedence, followed by types in the main package. In a
 * package, types that are not nested come first.
 */
export class TypeNames {
  readonly #names = new Map<protobuf.ReflectionObject, string>();
  readonly #taken = new Set<string>();
  readonly #hints: TypeHints;

  constructor(types: readonly ProtoType[], mainPackage: string, hints: TypeHints) {
    this.#hints = hints;
    // Process types in the main package first. Outer types must precede nested types, whose names
    // contain the outer name.
    const rank = (type: ProtoType): number =>
      depthOf(type) + (packageOf(type) === mainPackage ? 0 : types.length);
    const given = types.filter((type) => this.#given(type) !== undefined);
    for (const type of given) this.#claim(type, [this.#given(type) ?? nameOf(type)]);
    const others = types
      .filter((type) => !this.#names.has(type))
      .map((type) => ({ type, at: rank(type) }));
    for (const { type } of others.sort((a, b) => a.at - b.at))
      this.#claim(type, this.#candidates(type));
  }

  /** Returns the name of a type that was passed to the constructor. */
  of(type: ProtoType): string {
    return this.#names.get(type) ?? nameOf(type);
  }

  #given(type: ProtoType): string | undefined {
    const fullName = fullNameOf(type);
    return Object.hasOwn(this.#hints.names, fullName) ? this.#hints.names[fullName] : undefined;
  }

  #candidates(type: ProtoType): string[] {
    const { parent } = type;
    const name = nameOf(type);
    if (parent instanceof protobuf.Type)
      return [this.of(parent) + name, `${this.of(parent)}_${name}`];
    const around = packageOf(type).replaceAll(".", "_");
    return around === "" ? [name] : [name, `${around}_${name}`];
  }

  #claim(type: ProtoType, candidates: readonly string[]): void {
    let name =
      candidates.find((candidate) => !this.#taken.has(candidate)) ??
      candidates.at(-1) ??
      nameOf(type);
    while (this.#taken.has(name)) name += "_";
    this.#taken.add(name);
    this.#names.set(type, name);
  }
}

/** Returns the number of messages that contain a type. */
function depthOf({ parent }: ProtoType): number {
  return parent instanceof protobuf.Type ? depthOf(parent) + 1 : 0;
}

/** Returns the package in which a type or a service is declared. */
export function packageOf({ parent }: protobuf.ReflectionObject): string {
  if (parent instanceof protobuf.Type) return packageOf(parent);
  return parent === null ? "" : fullNameOf(parent);
}
