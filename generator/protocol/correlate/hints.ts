import type { Diagnostics, Location } from "../../../support/diagnostics.js";
import type { LoadedManifest, ManifestCorrelation } from "../model/manifest.js";

type Table = "fields" | "resources" | "enums" | "members";
type List = "onlyJson" | "onlyProtobuf" | "trueIfAbsent";

/** The hints in the manifest about a correlation, with a record of the used hints. */
export class CorrelationHints {
  readonly #given: ManifestCorrelation;
  readonly #locationOf: LoadedManifest["nearest"] | undefined;
  readonly #used = new Set<string>();

  constructor(loaded: LoadedManifest | undefined) {
    this.#given = loaded?.manifest.correlate ?? {};
    this.#locationOf = loaded?.nearest;
  }

  /**
   * Returns the path of the property that a field of the proto represents; empty for the whole
   * value.
   */
  path(field: string): readonly string[] | undefined {
    const path = this.#entry("fields", this.#given.fields, field);
    if (path === undefined) return undefined;
    return path === "." ? [] : path.split(".");
  }

  /** Returns the patterns of a resource name. */
  resource(field: string): readonly string[] | undefined {
    return this.#entry("resources", this.#given.resources, field);
  }

  /** Returns the name of the definition that a member of a oneof represents. */
  member(field: string): string | undefined {
    return this.#entry("members", this.#given.members, field);
  }

  /** Returns the proto names of an enum's values, by their JSON strings. */
  enum(name: string): Readonly<Record<string, string>> {
    return this.#entry("enums", this.#given.enums, name) ?? {};
  }

  /** Returns whether the manifest declares that a property has no counterpart in the proto. */
  isOnlyJson(property: string): boolean {
    return this.#listed("onlyJson", property);
  }

  /**
   * Returns whether the manifest declares that a field or enum value has no counterpart in the
   * schema.
   */
  isOnlyProtobuf(member: string): boolean {
    return this.#listed("onlyProtobuf", member);
  }

  /**
   * Returns whether the manifest declares that the property of a field means `true` if it is
   * absent.
   */
  isTrueIfAbsent(field: string): boolean {
    return this.#listed("trueIfAbsent", field);
  }

  /** Returns the location of the entry for a name in a table or list. */
  locationOf(table: Table | List, name: string): Location | undefined {
    if (table === "fields" || table === "resources" || table === "enums" || table === "members")
      return this.#locationOf?.("correlate", table, name);
    return this.#locationOf?.("correlate", table, String(this.#given[table]?.indexOf(name)));
  }

  /**
   * Reports unused entries. An entry is unused if the element that it names does not exist, or does
   * not require a hint.
   */
  reportUnused(diagnostics: Diagnostics): void {
    const report = (keys: readonly string[], name: string): void => {
      if (this.#used.has(keys.join(" "))) return;
      const message =
        `"${name}" under correlate.${keys[0]} is neither in the proto nor in the schema, or does ` +
        "not require a hint";
      diagnostics.add(
        this.#locationOf?.("correlate", ...keys),
        message,
        "Remove it, or correct the name",
      );
    };
    for (const table of ["fields", "resources", "enums", "members"] as const)
      for (const name of Object.keys(this.#given[table] ?? {})) report([table, name], name);
    for (const list of ["onlyJson", "onlyProtobuf", "trueIfAbsent"] as const)
      for (const [index, name] of (this.#given[list] ?? []).entries())
        report([list, String(index)], name);
  }

  #entry<T>(
    table: Table,
    entries: Readonly<Record<string, T>> | undefined,
    name: string,
  ): T | undefined {
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
