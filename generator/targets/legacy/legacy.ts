import { codecNames, validatorNames } from "../../protocol/names/output-names.js";
import type { LegacyDef, Protocol } from "../../protocol/model/types.js";
import { Imports } from "../../emit/imports.js";
import { deprecation } from "../../emit/legacy-docs.js";
import { constantRef, outputNamespaces } from "../../emit/output-modules.js";
import { docOf, headedStatement, type DocView } from "../../emit/text.js";
import { emptyPlan, type FilePlan, type Target, type TargetPlan } from "../../emit/plan.js";

/**
 * Target of the deprecated aliases: the names of earlier versions for types, their functions, and
 * errors.
 */
export const legacy: Target = {
  name: "legacy",
  summary: "deprecated aliases for names of earlier versions (legacy.ts, legacy-protobuf.ts)",
  needs: ["models"],
  plan: (protocol, targets) => {
    const codecs = targets.has("protobuf") ? codecAliases(protocol) : [];
    const plan = aliasFile(protocol, targets);
    return {
      ...emptyPlan,
      ...plan,
      files: [...plan.files, ...(codecs.length === 0 ? [] : [codecFile(codecs)])],
    };
  },
};

/** Plans the aliases that the index exports. */
function aliasFile(
  protocol: Protocol,
  targets: ReadonlySet<string>,
): Pick<TargetPlan, "exports" | "files"> {
  const namesOf = (kind: LegacyDef["kind"]): LegacyDef[] =>
    protocol.legacy.filter((name) => name.kind === kind);
  const types = namesOf("types");
  const errors = targets.has("errors") ? namesOf("errors") : [];
  if (types.length + errors.length === 0) return emptyPlan;
  const functions = targets.has("validators") ? validatorNames : [];
  const declared = types.map(({ old }) => old);
  const imports = new Imports("legacy.ts", declared);
  const plan = imports.plan("legacy/legacy", {
    types: types.map((name) => typeView(name, protocol, imports)),
    functions: types.flatMap((name) => functions.map((affixes) => functionAlias(name, affixes))),
    errors: errors.map((name) => aliasView(name, name.now)),
  });
  const specifiers = { errors: "errors", validators: "validators" };
  return { files: [{ ...plan, specifiers }], exports: ["legacy"] };
}

/** Plans the aliases of the codec. The index exports neither the codec nor these aliases. */
function codecFile(aliases: readonly AliasView[]): FilePlan {
  const file = new Imports("legacy-protobuf.ts").plan("legacy/protobuf", { aliases });
  return { ...file, specifiers: { protobuf: "protobuf" } };
}

interface AliasView {
  readonly old: string;
  readonly now: string;
  readonly docs: DocView;
}

/** Returns the view of an alias. `present` is the current name in the file. */
function aliasView(name: LegacyDef, present: string): AliasView {
  return { old: name.old, now: present, docs: docOf("", 0, [deprecation(name)]) };
}

/**
 * Returns the old names of codec functions, for types that a single message represents. Omits an
 * old name if a message in the proto has this name.
 */
function codecAliases(protocol: Protocol): readonly AliasView[] {
  const { legacy: names, wire } = protocol;
  const messages = wire?.messages ?? [];
  const taken = new Set(messages.map(({ name }) => name));
  return names.flatMap((name) => {
    if (name.kind !== "types" || taken.has(name.old)) return [];
    const carriers = messages.filter(({ model }) => "name" in model && model.name === name.now);
    const [only, ...others] = carriers;
    const sameName = carriers.find((message) => message.name === name.now);
    const carrier = sameName ?? (others.length === 0 ? only : undefined);
    if (carrier === undefined) return [];
    const carried = { ...name, now: carrier.name };
    return codecNames.map((affixes) => functionAlias(carried, affixes));
  });
}

function typeView(name: LegacyDef, protocol: Protocol, imports: Imports) {
  const { now } = name;
  const isEnum = protocol.types.some((type) => type.kind === "enum" && type.name === now);
  const type = isEnum
    ? imports.value(constantRef(now))
    : `${imports.typeNamespace(outputNamespaces.models)}.${now}`;
  const lines = headedStatement(`export type ${name.old} =`, `${type};`, 0);
  return { ...aliasView(name, type), isEnum, lines };
}

/** Returns the alias of a function or schema that belongs to a type. */
function functionAlias(
  { kind, since, old, now }: LegacyDef,
  [prefix, suffix]: readonly [before: string, behind: string],
): AliasView {
  const present = prefix + now + suffix;
  // Without the note, which is about the type.
  return aliasView({ kind, since, old: prefix + old + suffix, now: present }, present);
}
