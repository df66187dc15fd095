import type { MessageDef, OneofDef } from "../protocol/model/types.js";
import type { FieldPair } from "./match-fields.js";
import { changed, type Change } from "./types.js";

/** Compares which fields go together. A oneof that has the same fields is the same, whatever its name. */
export function compareOneofs(from: MessageDef, to: MessageDef, pairs: readonly FieldPair[]): Change[] {
  const renamed = oneofNames(from.oneofs, pairs);
  const moves = pairs.flatMap(({ from: field, to: found }): Change[] => {
    const before = field.oneof === undefined ? undefined : (renamed.get(field.oneof) ?? field.oneof);
    if (before === found.oneof) return [];
    const reason =
      found.oneof === undefined
        ? "other fields can be set together with it"
        : `${before === undefined ? "" : "other "}fields cannot be set together with it any more`;
    const about = { subject: "field", name: `${from.name}.${field.name}` } as const;
    return changed(about, oneofText(field.oneof), oneofText(found.oneof), { source: reason, json: reason });
  });
  return [
    ...moves,
    ...from.oneofs.flatMap((oneof) => compareOneof(from, to, oneof, renamed.get(oneof.name) ?? oneof.name)),
  ];
}

/** A field, as far as it is about oneofs. */
interface Member {
  readonly oneof?: string;
}

/** What the oneofs of a message are called in another version: one that has the same members, or the same name. */
export function oneofNames(
  oneofs: readonly { readonly name: string }[],
  pairs: readonly { readonly from: Member; readonly to: Member }[],
): ReadonlyMap<string, string> {
  const names = oneofs.flatMap(({ name }): [string, string][] => {
    const kept = pairs.filter(({ from }) => from.oneof === name).map(({ to }) => to.oneof);
    const [first] = kept;
    if (first === undefined || kept.includes(name)) return [];
    const isSame = kept.every((other) => other === first) && oneofs.every((oneof) => oneof.name !== first);
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
  const need = ({ required }: OneofDef): string => (required ? "one of them needed" : "none of them needed");
  const reason = found.required ? "values without any of them are refused" : "all of them may be absent";
  // Where a message is nothing but a oneof, the union has the name of the message.
  const isNamed = message.oneofs.length > 1 || message.fields.some((field) => field.oneof === undefined);
  const breaks = isNamed ? { source: "the union that is named after it has another name" } : {};
  const renamed: Change = { ...about, action: "renamed", to: found.name, breaks };
  return [
    ...(found.name === oneof.name ? [] : [renamed]),
    ...changed(about, need(oneof), need(found), { source: reason, json: reason }),
  ];
}
