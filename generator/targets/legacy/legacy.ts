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
  const types = protocol.legacy.filter(({ kind }) => kind === "types");
  const errors = targets.has("errors")
    ? protocol.legacy.filter(({ kind }) => kind === "errors")
    : [];
  if (types.length + errors.length === 0) return emptyPlan;
  const functions = targets.has("validators") ? validatorNames : [];
  const imports = new Imports(
    "legacy.ts",
    types.map((name) => name.old),
  );
  const view = {
    types: types.map((name) => typeView(name, protocol, imports)),
    functions: types.flatMap((name) => functions.map((around) => functionAlias(name, around))),
    errors: errors.map((name) => aliasView(name, name.now)),
  };
  const specifiers = { errors: "errors", validators: "validators" };
  const file: FilePlan = { ...imports.plan("legacy/legacy", view), specifiers };
  return { files: [file], exports: ["legacy"] };
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
  return names.flatMap(({ kind, old, now, since }) => {
    const carriers = messages.filter(({ model }) => "name" in model && model.name === now);
    const carrier =
      carriers.find(({ name }) => name === now) ??
      (carriers.length === 1 ? carriers[0] : undefined);
    if (kind !== "types" || carrier === undefined || messages.some(({ name }) => name === old))
      return [];
    return codecNames.map(([prefix, suffix]) => {
      const [alias, present] = [prefix + old + suffix, prefix + carrier.name + suffix];
      return aliasView({ kind, since, old: alias, now: present }, present);
    });
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
  { old, now, ...rest }: LegacyDef,
  [prefix, suffix]: readonly [before: string, behind: string],
): AliasView {
  const [alias, present] = [prefix + old + suffix, prefix + now + suffix];
  const { kind, since } = rest;
  return aliasView({ kind, since, old: alias, now: present }, present);
}
