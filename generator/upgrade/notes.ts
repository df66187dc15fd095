import { lineOf } from "../diff/report.js";
import type { Change } from "../diff/types.js";
import { matchesName } from "../protocol/build/legacy.js";
import { operationOwners } from "./found-renames.js";
import type { LegacyKind, Protocol } from "../protocol/model/types.js";

/** Maximum number of members in a description. */
const mostMembers = 16;

/** Returns whether the output exports names of a kind. */
export function isExport(kind: LegacyKind): boolean {
  return kind === "types" || kind === "errors";
}

/** Returns whether a type is new or has different members than before. */
export function isDifferent(name: string, before: Protocol, after: Protocol): boolean {
  return shapeOf(name, after) !== shapeOf(name, before);
}

/**
 * Returns a description of the members of a message or an enum:
 * `SendMessageResponse has one of task, message`.
 */
export function shapeOf(name: string, protocol: Protocol): string | undefined {
  const listOf = (names: readonly string[]): string => {
    const shown = names.slice(0, mostMembers);
    return [...shown, ...(shown.length < names.length ? ["…"] : [])].join(", ");
  };
  const type = protocol.types.find((found) => found.name === name);
  if (type?.kind === "enum")
    return `${name} has the keys ${listOf(type.values.map(({ key }) => key))}`;
  if (type?.kind !== "message") return undefined;
  const parts = [
    ...type.oneofs.map((oneof) => {
      const members = type.fields
        .filter((field) => field.oneof === oneof.name)
        .map((field) => field.name);
      return `one of ${listOf(members)}`;
    }),
    listOf(type.fields.filter(({ oneof }) => oneof === undefined).map((field) => field.name)),
  ];
  return `${name} has ${parts.filter((part) => part !== "").join("; ")}`;
}

/**
 * Explains names of the earlier version that were removed or changed, based on the manifest and the
 * comparison.
 */
export class Notes {
  readonly #after: Protocol;
  readonly #changes: readonly Change[];
  readonly #types: ReadonlyMap<string, string>;

  constructor(after: Protocol, changes: readonly Change[], types: ReadonlyMap<string, string>) {
    this.#after = after;
    this.#changes = changes;
    this.#types = types;
  }

  /** Returns the explanations of a name; an empty list if no explanation exists. */
  of(name: string): string[] {
    const [type = "", ...rest] = name.split(".");
    const [member] = rest;
    if (operationOwners(this.#after).includes(type))
      return member === undefined ? [] : this.#ofOperation(member);
    const names = [name, [this.#types.get(type) ?? type, ...rest].join(".")];
    const isMeant = ({ old }: { readonly old: string }): boolean =>
      names.some((own) => matchesName(old, own));
    const moved = this.#after.legacy.filter(
      (entry) => isMeant(entry) && (!isExport(entry.kind) || entry.note),
    );
    const removed = this.#after.removed.filter((entry) => isMeant(entry) || entry.old === type);
    const notes = [
      ...moved.map(
        ({ old, now, note }) => `${old} is now ${now}${note === undefined ? "" : `: ${note}`}`,
      ),
      ...removed.map(
        ({ old, note }) => `${old.replace(/.*\*.*/, member ?? name)} is removed: ${note}`,
      ),
    ];
    return notes.length > 0 ? notes : this.#ofChanges(names);
  }

  #ofOperation(method: string): string[] {
    const operation = this.#after.operations.find(
      (found) => (found.ownMethod ?? found.method) === method,
    );
    const named = [operation?.request, operation?.response].map((ref) =>
      ref?.kind === "named" ? ref.name : undefined,
    );
    const [request, response] = named;
    const parts = [request && `takes ${request}`, response && `returns ${response}`].filter(
      Boolean,
    );
    return parts.length === 0 ? [] : [`${method} now ${parts.join(" and ")}`];
  }

  #ofChanges(names: readonly string[]): string[] {
    return this.#changes.flatMap((change) =>
      names.includes(change.name) && change.breaks.source !== undefined
        ? [`${lineOf(change)} (${change.breaks.source})`]
        : [],
    );
  }
}
