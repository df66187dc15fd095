import type { LegacyDef, Protocol, TypeDef } from "../protocol/types.js";

/** Finds what names of one version are called in another. */
export class Renames {
  readonly #legacy: ReadonlyMap<string, LegacyDef>;
  readonly #types = new Map<string, string>();
  readonly #kept: ReadonlySet<string>;

  constructor(from: Protocol, to: Protocol) {
    this.#legacy = new Map(to.legacy.map((name) => [`${name.kind} ${name.old}`, name]));
    const kept = new Set(to.types.map(({ name }) => name));
    this.#kept = kept;
    const before = new Set(from.types.map(({ name }) => name));
    const gone = from.types.filter(({ name }) => !kept.has(name) && this.known("types", name) === undefined);
    const fresh = to.types.filter(({ name }) => !before.has(name));
    for (const type of gone) {
      const alike = fresh.filter((other) => likeness(type, other) >= 0.75);
      const [only, ...others] = alike;
      if (only !== undefined && others.length === 0) this.#types.set(type.name, only.name);
    }
  }

  /** The present name of a type; the same one where it has kept it. */
  readonly rename = (name: string): string => (this.#kept.has(name) ? name : (this.type(name) ?? name));

  /** What a manifest says that a name is called now. */
  known(kind: LegacyDef["kind"], old: string): string | undefined {
    return this.#legacy.get(`${kind} ${old}`)?.now;
  }

  /** What a type is called now: what the manifest says, or the one new type that looks like it. */
  type(name: string): string | undefined {
    return this.known("types", name) ?? this.#types.get(name);
  }
}

/** How much two types have in common, from 0 to 1. */
function likeness(a: TypeDef, b: TypeDef): number {
  const [first, second] = [membersOf(a), membersOf(b)];
  if (a.kind !== b.kind || first.size < 2 || second.size < 2) return 0;
  const common = [...first].filter((name) => second.has(name)).length;
  return common / (first.size + second.size - common);
}

function membersOf(type: TypeDef): ReadonlySet<string> {
  if (type.kind === "message") return new Set(type.fields.map(({ name }) => name));
  return new Set(type.kind === "enum" ? type.values.map(({ key }) => key) : []);
}
