import { codecNames, validatorNames } from "../../protocol/build/legacy.js";
import type { LegacyDef, Protocol } from "../../protocol/model/types.js";
import { Imports } from "../../emit/imports.js";
import { deprecation } from "../../emit/legacy-docs.js";
import { docOf, type DocView } from "../../emit/text.js";
import { emptyPlan, type Target } from "../../emit/plan.js";

/** Deprecated aliases: the names of earlier versions for types, their functions, and errors. */
export const legacy: Target = {
  name: "legacy",
  summary: "deprecated aliases for names of earlier versions (legacy.ts)",
  needs: ["models"],
  plan: (protocol, targets) => {
    const imports = new Imports();
    const types = protocol.legacy.filter(({ kind }) => kind === "types");
    const errors = targets.has("errors") ? protocol.legacy.filter(({ kind }) => kind === "errors") : [];
    if (types.length + errors.length === 0) return emptyPlan;
    if (types.length > 0) imports.typeNamespace("models", "models");
    const view = {
      types: types.map((name) => typeView(name, protocol, targets.has("validators"))),
      errors: errors.map((name) => aliasView(name, protocol)),
    };
    return { ...emptyPlan, files: [imports.plan("legacy.ts", "legacy/legacy", view)], exports: ["legacy"] };
  },
};

interface AliasView {
  readonly old: string;
  readonly now: string;
  readonly docs: DocView;
}

function aliasView(name: LegacyDef, protocol: Protocol): AliasView {
  const { old, now, note = "" } = name;
  return { old, now, docs: docOf(note, 0, [deprecation(name, protocol)]) };
}

/**
 * The old names of the codecs of types, for the end of the file that has the codecs: a type keeps them as far as one
 * message carries it. Names that the proto has itself are not old.
 */
export function codecAliases(protocol: Protocol): readonly AliasView[] {
  const { legacy: names, wire } = protocol;
  const messages = wire?.messages ?? [];
  return names.flatMap(({ kind, old, now, since, until }) => {
    const carriers = messages.filter(({ model }) => "name" in model && model.name === now);
    const carrier = carriers.find(({ name }) => name === now) ?? (carriers.length === 1 ? carriers[0] : undefined);
    if (kind !== "types" || carrier === undefined || messages.some(({ name }) => name === old)) return [];
    return codecNames.map(([before, behind]) =>
      aliasView({ kind, since, until, old: before + old + behind, now: before + carrier.name + behind }, protocol),
    );
  });
}

function typeView(name: LegacyDef, protocol: Protocol, hasFunctions: boolean) {
  const { types } = protocol;
  const { old, now, since, until } = name;
  const rest = { kind: name.kind, since, until };
  const helpers = hasFunctions ? validatorNames : [];
  return {
    ...aliasView(name, protocol),
    isEnum: types.some((type) => type.kind === "enum" && type.name === now),
    functions: helpers.map(([before, behind]) =>
      aliasView({ ...rest, old: before + old + behind, now: before + now + behind }, protocol),
    ),
  };
}
