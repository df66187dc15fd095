import type { FieldDef, MessageDef, OneofDef } from "../protocol/model/types.js";
import type { Pair } from "../protocol/versions/pairing.js";
import { changed, type Change } from "./types.js";

/**
 * Compares the groups of fields that exclude each other. Oneofs with the same fields are equal,
 * even if their names differ.
 */
export function compareOneofs(
  from: MessageDef,
  to: MessageDef,
  pairs: readonly Pair<FieldDef>[],
): Change[] {
  const renamed = oneofNames(from.oneofs, pairs);
  const moves = pairs.flatMap(({ from: field, to: found }): Change[] => {
    const before =
      field.oneof === undefined ? undefined : (renamed.get(field.oneof) ?? field.oneof);
    if (before === found.oneof) return [];
    const reason =
      found.oneof === undefined
        ? "other fields can be set together with it"
        : `${before === undefined ? "" : "other "}fields can no longer be set together with it`;
    const about = { subject: "field", name: `${from.name}.${field.name}` } as const;
    return changed(about, oneofText(field.oneof), oneofText(found.oneof), {
      source: reason,
      json: reason,
    });
  });
  return [
    ...moves,
    ...from.oneofs.flatMap((oneof) =>
      compareOneof(from, to, oneof, renamed.get(oneof.name) ?? oneof.name),
    ),
  ];
}

/** The parts of a field that the comparison of oneofs reads. */
interface Member {
  readonly oneof?: string;
}

/**
 * Returns the new names of the renamed oneofs of a message: oneofs with the same members in both
 * versions.
 */
export function oneofNames(
  oneofs: readonly { readonly name: string }[],
  pairs: readonly { readonly from: Member; readonly to: Member }[],
): ReadonlyMap<string, string> {
  const names = oneofs.flatMap(({ name }): [string, string][] => {
    const kept = pairs.filter(({ from }) => from.oneof === name).map(({ to }) => to.oneof);
    const [first] = kept;
    if (first === undefined || kept.includes(name)) return [];
    const isSame =
      kept.every((other) => other === first) && oneofs.every((oneof) => oneof.name !== first);
    return isSame ? [[name, first]] : [];
  });
  return new Map(names);
}

function oneofText(oneof: string | undefined): string {
  return oneof === undefined ? "in no oneof" : `in the oneof ${oneof}`;
}

function compareOneof(message: MessageDef, to: MessageDef, oneof: OneofDef, now: string): Change[] {
  const found = to.oneofs.find(({ name }) => name === now);
  if (found === undefined) return [];
  const about = { subject: "oneof", name: `${message.name}.${oneof.name}` } as const;
  const requirement = ({ required }: OneofDef): string =>
    required ? "one of them required" : "none of them required";
  const reason = found.required
    ? "values without any of them are refused"
    : "all of them may be absent";
  // If all fields of a message belong to the oneof, the union has the name of the message.
  const isNamed =
    message.oneofs.length > 1 || message.fields.some((field) => field.oneof === undefined);
  const breaks = isNamed ? { source: "the union type that is named after it is renamed" } : {};
  const renamed: Change = { ...about, action: "renamed", to: found.name, breaks };
  return [
    ...(found.name === oneof.name ? [] : [renamed]),
    ...changed(about, requirement(oneof), requirement(found), { source: reason, json: reason }),
  ];
}
