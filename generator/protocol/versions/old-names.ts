import { matchesName } from "../build/legacy.js";
import type { LegacyDef, LegacyKind, Protocol } from "../model/types.js";
import type { Path } from "./types.js";

/** Where an old property is now. */
export interface MovedProperty {
  /** The old type. */
  readonly owner: string;
  /** The keys in the old type. */
  readonly path: Path;
  /** The present type, and the keys in it. */
  readonly type: string;
  readonly now: Path;
  readonly value?: LegacyDef["value"];
}

/** What the manifest of the later of two versions says about the names of the earlier one. */
export class OldNames {
  /** The hints of the manifest that were of use. */
  readonly used = new Set<string>();
  readonly #protocol: Protocol;

  constructor(later: Protocol) {
    this.#protocol = later;
  }

  /** Returns where the properties of a type are now that goes by any of some names. */
  properties(owners: ReadonlySet<string>): MovedProperty[] {
    return this.#of("properties").flatMap(({ old, type, now, value }) => {
      const [owner = "", ...path] = old.split(".");
      if (!owners.has(owner) && !(type !== undefined && owners.has(type))) return [];
      const [target = "", ...rest] = now.split(".");
      return [{ owner, path, type: target, now: rest, ...(value !== undefined && { value }) }];
    });
  }

  /** Returns the properties that are now those of a type that goes by any of some names. */
  arriving(targets: ReadonlySet<string>): MovedProperty[] {
    const owners = this.#of("properties").map(({ old }) => old.slice(0, old.indexOf(".")));
    return this.properties(new Set(owners)).filter(({ type }) => targets.has(type));
  }

  /** Returns the present name of a type. */
  type(name: string): string | undefined {
    return this.#of("types").find(({ old }) => old === name)?.now;
  }

  /** Returns the present text of an enum value. */
  value(owners: readonly string[], text: string): string | undefined {
    const names = owners.map((owner) => `${owner}.${text}`);
    return afterDot(this.#of("values").find(({ old }) => names.includes(old))?.now);
  }

  /** Returns the present operation of a method of JSON-RPC. */
  method(method: string): LegacyDef | undefined {
    return this.#of("methods").find(({ old }) => old === method);
  }

  /** Returns the present names of an operation or an error. */
  now(kind: "errors" | "methods", name: string): string[] {
    return this.#of(kind).flatMap(({ old, now }) => (old === name ? [now] : []));
  }

  /** Returns whether something by one of some names has been removed. */
  isRemoved(kind: LegacyKind, names: readonly string[]): boolean {
    const { lost = [] } = this.#protocol.versions ?? {};
    const found = kind === "properties" ? names.find((name) => lost.includes(name)) : undefined;
    if (found !== undefined) this.used.add(`lost.${found}`);
    return found !== undefined || this.noteOf(kind, names) !== undefined;
  }

  /** Returns why something by one of some names has been removed. */
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
