import type { LegacyDef, Protocol } from "../protocol/model/types.js";

/**
 * What the manifest of the later version says that names of the earlier one are called there, from the point of view of
 * whoever goes from one to the other: up or down.
 */
export class Claims {
  readonly #targets = new Map<string, string[]>();
  readonly #sources = new Map<string, string[]>();
  readonly #entries: ReadonlyMap<string, LegacyDef>;

  constructor(from: Protocol, to: Protocol) {
    const isDown = isLater(from, to);
    const known = namesOf(to);
    const say = (kind: LegacyDef["kind"], name: string, target: string): void => {
      if (kind === "properties" && !known.has(target)) return;
      add(this.#targets, keyOf(kind, name), target);
      add(this.#sources, keyOf(kind, target), name);
    };
    for (const { kind, old, now } of isDown ? from.legacy : to.legacy) {
      if (isDown) say(kind, now, old);
      else say(kind, old, now);
    }
    this.#entries = new Map(isDown ? [] : to.legacy.map((entry) => [keyOf(entry.kind, entry.old), entry]));
  }

  /** The names that something is said to have in the second version; several where one name replaced them. */
  targets(kind: LegacyDef["kind"], name: string): readonly string[] {
    return this.#targets.get(keyOf(kind, name)) ?? [];
  }

  /** The names that something of the second version is said to have had in the first. */
  sources(kind: LegacyDef["kind"], name: string): readonly string[] {
    return this.#sources.get(keyOf(kind, name)) ?? [];
  }

  /** Tells whether the second version keeps the old name as an alias. */
  isAliased(kind: LegacyDef["kind"], old: string): boolean {
    return this.#entries.has(keyOf(kind, old));
  }

  /** What the manifest says besides, where it has such a note about the old name. */
  note(kind: LegacyDef["kind"], old: string): string | undefined {
    return this.#entries.get(keyOf(kind, old))?.note;
  }
}

function add(map: Map<string, string[]>, key: string, value: string): void {
  map.set(key, [...(map.get(key) ?? []), value]);
}

function keyOf(kind: LegacyDef["kind"], name: string): string {
  return `${kind} ${name}`;
}

/** Whether a version is later than another, as far as both are known. */
function isLater(one: Protocol, other: Protocol): boolean {
  if (one.binding === undefined || other.binding === undefined) return false;
  return one.binding.version.localeCompare(other.binding.version, "en", { numeric: true }) > 0;
}

/** The fields of the types and of the messages, with the names of what they belong to. */
function namesOf({ types, wire }: Protocol): ReadonlySet<string> {
  const fields = types.flatMap((type) =>
    type.kind === "message" ? type.fields.map((field) => `${type.name}.${field.name}`) : [],
  );
  const messages = (wire?.messages ?? []).flatMap(({ name, fields: all }) =>
    all.map(({ jsonName }) => `${name}.${jsonName}`),
  );
  return new Set([...fields, ...messages]);
}
