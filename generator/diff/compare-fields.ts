import type { FieldDef, MessageDef } from "../protocol/model/types.js";
import type { Resolve } from "./accepts.js";
import type { Renames } from "../protocol/versions/manifest-renames.js";
import { compareOneofs } from "./compare-oneofs.js";
import { compareValues } from "./compare-values.js";
import { describeType } from "./describe.js";
import type { Rename } from "./forms.js";
import { matchFields, movedPathsOf } from "./match-fields.js";
import { changed, deprecation, noted, type Change } from "./types.js";

/** Context in which types are compared: renames, and the types of both versions. */
export interface Versions {
  readonly renames: Renames;
  /** Returns the name in the second version for a type of the first version. */
  readonly rename: Rename;
  readonly from: Resolve;
  readonly to: Resolve;
}

/** Compares the fields and oneofs of two versions of a message. */
export function compareMessages(from: MessageDef, to: MessageDef, versions: Versions): Change[] {
  const matches = matchFields(from, to, versions.renames, versions.rename);
  return [
    ...matches.pairs.flatMap((pair) => compareField(from, pair.from, pair.to, versions)),
    ...matches.removed.flatMap((field) => removedField(from, field, versions)),
    ...matches.added.map((field) => addedField(`${from.name}.${field.name}`, field)),
    ...compareOneofs(from, to, matches.pairs),
    ...compareRest(from, to),
  ];
}

/** Returns the change of a field that was moved to another type. */
export function movedField(name: string, to: string, renames: Renames): Change {
  const breaks = {
    source: "code reads it from the old type",
    json: "peers read it from the new type",
  };
  return {
    subject: "field",
    action: "moved",
    name,
    to,
    ...noted(renames.note("properties", name)),
    breaks,
  };
}

function removedField(
  message: MessageDef,
  field: FieldDef,
  { renames, rename }: Versions,
): Change[] {
  const name = `${message.name}.${field.name}`;
  const paths = movedPathsOf(message, field, renames, rename);
  if (paths.length > 0) return paths.map((to) => movedField(name, to, renames));
  const breaks = { source: "code that uses it does not compile", json: "its value is lost" };
  return [{ subject: "field", action: "removed", name, breaks }];
}

function addedField(name: string, field: FieldDef): Change {
  const isRequired = field.presence === "required";
  const breaks = isRequired
    ? { source: "objects without it do not compile", json: "values without it are refused" }
    : {};
  const to = `${isRequired ? "required" : "optional"} ${describeType(field.type)}`;
  return { subject: "field", action: "added", name, to, breaks };
}

function compareField(
  message: MessageDef,
  from: FieldDef,
  to: FieldDef,
  versions: Versions,
): Change[] {
  const name = `${message.name}.${from.name}`;
  const about = { subject: "field", name } as const;
  const [before, now] = [
    { type: from.type, resolve: versions.from, rename: versions.rename },
    { type: to.type, resolve: versions.to, rename: (type: string) => type },
  ];
  const emptiness = to.nonEmpty ? { json: "an empty list is refused" } : {};
  return [
    ...(from.name === to.name ? [] : [renamedField(message, from, to, versions)]),
    ...compareValues(about, before, now),
    ...changed(about, presenceOf(from), presenceOf(to), presenceBreaks(to)),
    ...changed(about, elementsOf(from), elementsOf(to), emptiness),
    ...deprecation(about, from, to),
  ];
}

function renamedField(
  message: MessageDef,
  from: FieldDef,
  to: FieldDef,
  { renames, rename }: Versions,
): Change {
  const name = `${message.name}.${from.name}`;
  const note =
    renames.note("properties", name) ??
    renames.note("properties", `${rename(message.name)}.${from.name}`);
  const breaks = { source: "code uses the old name", json: "the old key is no longer accepted" };
  const about = { subject: "field", action: "renamed", name, to: to.name } as const;
  return { ...about, ...noted(note), breaks };
}

function presenceOf({ presence }: FieldDef): string {
  return presence === "required" ? "required" : "optional";
}

function presenceBreaks(to: FieldDef): Change["breaks"] {
  return to.presence === "required"
    ? { source: "objects without it do not compile", json: "values without it are refused" }
    : {
        source: "code that reads it has to allow for its absence",
        json: "peers that require it may not receive it",
      };
}

function elementsOf({ nonEmpty }: FieldDef): string {
  return nonEmpty ? "at least one element" : "any number of elements";
}

/** Compares the additional members that a message may have. */
function compareRest({ name, rest: from }: MessageDef, { rest: to }: MessageDef): Change[] {
  const describeRest = (rest: MessageDef["rest"]): string => {
    if (rest === undefined) return "any";
    if (rest.others?.kind === "never" && rest.patterns.length === 0) return "none";
    return rest.others === undefined ? JSON.stringify(rest) : describeType(rest.others);
  };
  const [before, now] = [from, to].map(describeRest);
  const reason = "members that were accepted are refused";
  const breaks = now === "any" ? {} : { source: reason, json: reason };
  return changed({ subject: "type", name, aspect: "other members" }, before, now, breaks);
}
