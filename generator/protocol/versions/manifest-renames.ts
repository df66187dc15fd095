import { compareVersions } from "../../../support/versions.js";
import type { LegacyDef, Protocol } from "../model/types.js";

/**
 * The renames that the manifest of the later version lists, in the direction of the comparison:
 * from the earlier version to the later version, or in reverse.
 */
export class Renames {
  /** Whether both versions are states of one package, in which numbers keep their meaning. */
  readonly isSamePackage: boolean;
  readonly #targets = new Map<string, string[]>();
  readonly #sources = new Map<string, string[]>();
  readonly #entries: ReadonlyMap<string, LegacyDef>;

  constructor(from: Protocol, to: Protocol) {
    this.isSamePackage = from.wire !== undefined && from.wire.package === to.wire?.package;
    const isDowngrade = isLater(from, to);
    const known = namesOf(to);
    const add = (kind: LegacyDef["kind"], name: string, target: string): void => {
      if (kind === "properties" && !known.has(target)) return;
      push(this.#targets, keyOf(kind, name), target);
      push(this.#sources, keyOf(kind, target), name);
    };
    for (const { kind, old, now } of isDowngrade ? from.legacy : to.legacy) {
      if (isDowngrade) add(kind, now, old);
      else add(kind, old, now);
    }
    this.#entries = new Map(
      isDowngrade ? [] : to.legacy.map((entry) => [keyOf(entry.kind, entry.old), entry]),
    );
  }

  /**
   * Returns the names in the second version for a name of the first version. If the element was
   * split, returns several names.
   */
  targets(kind: LegacyDef["kind"], name: string): readonly string[] {
    return this.#targets.get(keyOf(kind, name)) ?? [];
  }

  /** Returns the names in the first version for a name of the second version. */
  sources(kind: LegacyDef["kind"], name: string): readonly string[] {
    return this.#sources.get(keyOf(kind, name)) ?? [];
  }

  /** Returns whether the second version has an alias for the old name. */
  isAliased(kind: LegacyDef["kind"], old: string): boolean {
    return this.#entries.has(keyOf(kind, old));
  }

  /** Returns the manifest's note about an old name, if any. */
  note(kind: LegacyDef["kind"], old: string): string | undefined {
    return this.#entries.get(keyOf(kind, old))?.note;
  }
}

function push(map: Map<string, string[]>, key: string, value: string): void {
  map.set(key, [...(map.get(key) ?? []), value]);
}

function keyOf(kind: LegacyDef["kind"], name: string): string {
  return `${kind} ${name}`;
}

/** Returns whether one version is later than the other; `false` if a version is unknown. */
function isLater(protocol: Protocol, other: Protocol): boolean {
  if (protocol.binding === undefined || other.binding === undefined) return false;
  return compareVersions(protocol.binding.version, other.binding.version) > 0;
}

/** Returns the full names of all fields of types and messages: `Task.id`. */
function namesOf({ types, wire }: Protocol): ReadonlySet<string> {
  const fields = types.flatMap((type) =>
    type.kind === "message" ? type.fields.map((field) => `${type.name}.${field.name}`) : [],
  );
  const messages = (wire?.messages ?? []).flatMap(({ name, fields: all }) =>
    all.map(({ jsonName }) => `${name}.${jsonName}`),
  );
  return new Set([...fields, ...messages]);
}
