import type {
  AliasDef,
  EnumDef,
  Protocol,
  TypeDef,
  UnionDef,
  ValueType,
} from "../protocol/model/types.js";
import type { Side } from "./accepts.js";
import type { Renames } from "../protocol/versions/manifest-renames.js";
import { compareEnums } from "./compare-enums.js";
import { compareMessages, movedField, type Versions } from "./compare-fields.js";
import { compareValues } from "./compare-values.js";
import { describeType } from "./describe.js";
import { isUnrelated, movedPathsOf } from "./match-fields.js";
import type { Pair } from "../protocol/versions/pairing.js";
import type { TypeMatches } from "./match-types.js";
import { deprecation, noted, type Breaks, type Change } from "./types.js";

/** Compares the types of the model in TypeScript and JSON. */
export function compareTypes(
  to: Protocol,
  matches: TypeMatches<TypeDef>,
  versions: Versions,
): Change[] {
  const isKept = (name: string): boolean => to.types.some((type) => type.name === name);
  return [
    ...matches.pairs.flatMap((pair) => [
      ...compareNames(pair, versions.renames),
      ...comparePair(pair, versions),
    ]),
    ...matches.removed.flatMap((type) => removedType(type, isKept(type.name), versions)),
    ...matches.added.map(({ name }): Change => ({
      subject: "type",
      action: "added",
      name,
      breaks: {},
    })),
  ];
}

// Fields, unions and operations that use the type have also changed. Those changes are reported
// separately.
function removedType(type: TypeDef, isTaken: boolean, { renames, rename }: Versions): Change[] {
  const source = isTaken ? "the name stands for another type now" : "the name is removed";
  const fields = type.kind === "message" ? type.fields : [];
  const moved = fields.flatMap((field) =>
    type.kind === "message"
      ? movedPathsOf(type, field, renames, rename).map((to) =>
          movedField(`${type.name}.${field.name}`, to, renames),
        )
      : [],
  );
  return [{ subject: "type", action: "removed", name: type.name, breaks: { source } }, ...moved];
}

function compareNames({ from, to }: Pair<TypeDef>, renames: Renames): Change[] {
  const deprecated = deprecation({ subject: "type", name: from.name }, from, to);
  if (from.name === to.name) return deprecated;
  const breaks: Breaks = renames.isAliased("types", from.name)
    ? {}
    : { source: "the name is removed, and has no alias" };
  const about = { subject: "type", action: "renamed", name: from.name, to: to.name } as const;
  return [{ ...about, ...noted(renames.note("types", from.name)), breaks }, ...deprecated];
}

function comparePair({ from, to }: Pair<TypeDef>, versions: Versions): Change[] {
  if (from.kind === "message" && to.kind === "message") {
    const { renames, rename } = versions;
    if (isUnrelated(from, to, renames, rename)) return [changedShape(from, to)];
    return compareMessages(from, to, versions);
  }
  if (from.kind === "enum" && to.kind === "enum") return compareEnums(from, to, versions.renames);
  if (from.kind === "message" || to.kind === "message") return [changedShape(from, to)];
  const side = (
    type: UnionDef | AliasDef | EnumDef,
    resolve: Side["resolve"],
    rename: Side["rename"],
  ): Side => ({
    type: typeOf(type),
    resolve,
    rename,
  });
  const about = { subject: "type", name: from.name } as const;
  return compareValues(
    about,
    side(from, versions.from, versions.rename),
    side(to, versions.to, same),
  );
}

function same(name: string): string {
  return name;
}

function typeOf(type: UnionDef | AliasDef | EnumDef): ValueType {
  if (type.kind === "alias") return type.type;
  if (type.kind === "enum") return { kind: "literal", values: type.values.map(({ name }) => name) };
  return { kind: type.exclusive ? "oneOf" : "anyOf", members: type.members };
}

function changedShape(from: TypeDef, to: TypeDef): Change {
  const reason = "values of one shape are not valid in the other";
  const [before, now] = [from, to].map(shapeText);
  return {
    subject: "type",
    action: "changed",
    name: from.name,
    aspect: "shape",
    from: before ?? "",
    to: now ?? "",
    breaks: { source: reason, json: reason },
  };
}

function shapeText(type: TypeDef): string {
  if (type.kind !== "message") return describeType(typeOf(type));
  return `object of ${type.fields.map(({ name }) => name).join(", ") || "no fields"}`;
}
