import { matchesName } from "../build/legacy.js";
import type { LegacyDef, LegacyKind, Protocol } from "../model/types.js";
import type { Path } from "./types.js";

/** The current path of an old property. */
export interface MovedProperty {
  /** The old type. */
  readonly owner: string;
  /** The keys in the old type. */
  readonly path: Path;
  /** The current type, and the keys in this type. */
  readonly type: string;
  readonly now: Path;
  readonly value?: LegacyDef["value"];
}

/** The information in the manifest of the later version about names of the earlier version. */
export class OldNames {
  /** The hints in the manifest that have been used. */
  readonly used = new Set<string>();
  readonly #protocol: Protocol;

  constructor(later: Protocol) {
    this.#protocol = later;
  }

  /** Returns the current paths of a type's old properties. `owners` are the names of the type. */
  properties(owners: ReadonlySet<string>): MovedProperty[] {
    return this.#of("properties").flatMap(({ old, type, now, value }) => {
      const [owner = "", ...path] = old.split(".");
      if (!owners.has(owner) && !(type !== undefined && owners.has(type))) return [];
      const [target = "", ...rest] = now.split(".");
      return [{ owner, path, type: target, now: rest, ...(value !== undefined && { value }) }];
    });
  }

  /** Returns the old properties that now belong to a type that has any of the names `targets`. */
  arriving(targets: ReadonlySet<string>): MovedProperty[] {
    const owners = this.#of("properties").map(({ old }) => old.slice(0, old.indexOf(".")));
    return this.properties(new Set(owners)).filter(({ type }) => targets.has(type));
  }

  /** Returns the current name of a type. */
  type(name: string): string | undefined {
    return this.#of("types").find(({ old }) => old === name)?.now;
  }

  /** Returns the current string of an enum value. */
  value(owners: readonly string[], text: string): string | undefined {
    const names = owners.map((owner) => `${owner}.${text}`);
    return afterDot(this.#of("values").find(({ old }) => names.includes(old))?.now);
  }

  /** Returns the manifest's entry for an old JSON-RPC method. */
  method(method: string): LegacyDef | undefined {
    return this.#of("methods").find(({ old }) => old === method);
  }

  /** Returns the current names of an old operation or error. */
  now(kind: "errors" | "methods", name: string): string[] {
    return this.#of(kind).flatMap(({ old, now }) => (old === name ? [now] : []));
  }

  /**
   * Returns whether the manifest lists an element with any of the given names as removed or lost,
   * and records that the entry is used.
   */
  acceptRemoval(kind: LegacyKind, names: readonly string[]): boolean {
    const { lost = [] } = this.#protocol.versions ?? {};
    const found = kind === "properties" ? names.find((name) => lost.includes(name)) : undefined;
    if (found !== undefined) this.used.add(`lost.${found}`);
    return found !== undefined || this.noteOf(kind, names) !== undefined;
  }

  /** Returns the reason why an element with any of the given names has been removed. */
  noteOf(kind: LegacyKind, names: readonly string[]): string | undefined {
    return this.#protocol.removed.find((entry) => {
      return entry.kind === kind && names.some((name) => matchesName(entry.old, name));
    })?.note;
  }

  #of(kind: LegacyKind): LegacyDef[] {
    return this.#protocol.legacy.filter((entry) => entry.kind === kind);
  }
}

function afterDot(name: string | undefined): string | undefined {
  return name?.slice(name.indexOf(".") + 1);
}
