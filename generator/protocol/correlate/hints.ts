import type { Diagnostics, Place } from "../../support/diagnostics.js";
import type { LoadedManifest, ManifestCorrelation } from "../model/manifest.js";

type Table = "fields" | "resources" | "enums" | "members";
type List = "onlyJson" | "onlyProtobuf" | "trueIfAbsent";

/** What the manifest says about a correlation, and which of it has been of use. */
export class CorrelationHints {
  readonly #given: ManifestCorrelation;
  readonly #placeOf: LoadedManifest["nearest"] | undefined;
  readonly #used = new Set<string>();

  constructor(loaded: LoadedManifest | undefined) {
    this.#given = loaded?.manifest.correlate ?? {};
    this.#placeOf = loaded?.nearest;
  }

  /** The path of a property that a field of the proto stands for; empty for the whole value. */
  path(field: string): readonly string[] | undefined {
    const path = this.#entry("fields", this.#given.fields, field);
    if (path === undefined) return undefined;
    return path === "." ? [] : path.split(".");
  }

  /** The patterns of a resource name. */
  resource(field: string): readonly string[] | undefined {
    return this.#entry("resources", this.#given.resources, field);
  }

  /** The definition that a member of a oneof stands for. */
  member(field: string): string | undefined {
    return this.#entry("members", this.#given.members, field);
  }

  /** The names in the proto of the values of an enum, by their text. */
  enum(name: string): Readonly<Record<string, string>> {
    return this.#entry("enums", this.#given.enums, name) ?? {};
  }

  /** Whether the proto is known to have no place for a property. */
  isOnlyJson(property: string): boolean {
    return this.#listed("onlyJson", property);
  }

  /** Whether the schema is known to have no place for a field, or value of an enum. */
  isOnlyProtobuf(member: string): boolean {
    return this.#listed("onlyProtobuf", member);
  }

  /** Whether the property of a field means `true` where it is absent. */
  isTrueIfAbsent(field: string): boolean {
    return this.#listed("trueIfAbsent", field);
  }

  /** Where a table has the entry for a name, or a list has it. */
  placeOf(table: Table | List, name: string): Place | undefined {
    if (table === "fields" || table === "resources" || table === "enums" || table === "members")
      return this.#placeOf?.("correlate", table, name);
    return this.#placeOf?.("correlate", table, String(this.#given[table]?.indexOf(name)));
  }

  /** Reports entries that nothing has asked for: what they name is not there, or needs no word. */
  reportUnused(diagnostics: Diagnostics): void {
    const report = (keys: readonly string[], name: string): void => {
      if (this.#used.has(keys.join(" "))) return;
      const problem = `"${name}" under correlate.${keys[0]} is neither in the proto nor in the schema, or needs no word`;
      diagnostics.add(this.#placeOf?.("correlate", ...keys), problem, "Remove it, or correct the name");
    };
    for (const table of ["fields", "resources", "enums", "members"] as const)
      for (const name of Object.keys(this.#given[table] ?? {})) report([table, name], name);
    for (const list of ["onlyJson", "onlyProtobuf", "trueIfAbsent"] as const)
      for (const [index, name] of (this.#given[list] ?? []).entries()) report([list, String(index)], name);
  }

  #entry<T>(table: Table, entries: Readonly<Record<string, T>> | undefined, name: string): T | undefined {
    if (entries === undefined || !Object.hasOwn(entries, name)) return undefined;
    this.#used.add(`${table} ${name}`);
    return entries[name];
  }

  #listed(list: List, name: string): boolean {
    const index = this.#given[list]?.indexOf(name) ?? -1;
    if (index >= 0) this.#used.add(`${list} ${index}`);
    return index >= 0;
  }
}
