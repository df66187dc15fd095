import {
  alternativesOf,
  plainSchema,
  schemaOf,
  valueSchema,
} from "../../protocol/json-schema/json-schema.js";
import { subjectOf } from "../../protocol/build/subjects.js";
import type { JsonSchema } from "../../protocol/json-schema/types.js";
import { isElsewhere } from "../../protocol/model/elsewhere.js";
import { isPureUnion, unionNameOf } from "../../protocol/names/names.js";
import type {
  EnumDef,
  MessageDef,
  OneofDef,
  Protocol,
  RestDef,
  TypeDef,
} from "../../protocol/model/types.js";
import { declarationOf, declareAll, type Declaration } from "./declare.js";
import { Imports, type Uses } from "../../emit/imports.js";
import { deprecation, withOldNames } from "../../emit/legacy-docs.js";
import { withoutLargeOneofs } from "./large-oneofs.js";
import { withLosses } from "./losses.js";
import { partedPlan, type Part } from "../../emit/parts.js";
import { docOf, keyOf, quote, type DocView } from "../../emit/text.js";
import { TypeWriter } from "./type-text.js";
import { emptyPlan, type Target } from "../../emit/plan.js";

/**
 * Target of the typed models: an interface for every message, a union and a const object for every
 * enum.
 */
export const models: Target = {
  name: "models",
  summary: "interfaces, unions and enum constants (models.ts)",
  needs: [],
  plan: async (protocol) => {
    const imports = new Imports("models.ts", protocol.types.flatMap(declaredNames));
    const planned = protocol.types.map((type) => plannedType(type, protocol, imports));
    // All declarations are formatted together, because a call of the library is slow.
    const texts = await declareAll(planned.flatMap(({ declarations }) => declarations));
    const parts = planned.map((type) => {
      const declarations = texts.splice(0, type.declarations.length);
      return partOf(type, declarations, protocol);
    });
    const file = partedPlan<TypeView>({
      module: "models",
      template: "models/models",
      parts,
      compose: (types) => ({ types }),
    });
    return { ...emptyPlan, parted: [file], exports: ["models"] };
  },
};

/** A type as the models declare it. */
interface PlannedType {
  readonly type: TypeDef;
  readonly uses: Uses;
  readonly declarations: readonly Declaration[];
}

function plannedType(original: TypeDef, protocol: Protocol, imports: Imports): PlannedType {
  const type = withOldNames(withLosses(withoutLargeOneofs(original), protocol), protocol);
  const uses = imports.startPart();
  const declarations = isElsewhere(protocol, type)
    ? []
    : declarationsOf(type, imports, protocol.wire?.package);
  return { type, uses, declarations };
}

function partOf(
  { type, uses }: PlannedType,
  declarations: readonly string[],
  protocol: Protocol,
): Part<TypeView> {
  const view = { declarations, constant: type.kind === "enum" && constantOf(type, protocol) };
  const typeOnly = type.kind !== "enum";
  return {
    subject: subjectOf(protocol, type.name),
    of: { type: type.fullName },
    exports: declaredNames(type).map((name) => ({ name, typeOnly })),
    declares: [],
    uses,
    view: () => view,
  };
}

/** Returns the names that the models declare for a type. */
function declaredNames(type: TypeDef): string[] {
  if (type.kind !== "message") return [type.name];
  return [type.name, ...type.oneofs.map((oneof) => unionNameOf(type, oneof))];
}

interface TypeView {
  readonly declarations: readonly string[];
  readonly constant: ConstantView | false;
}

interface ConstantView {
  readonly name: string;
  readonly values: readonly {
    readonly key: string;
    readonly text: string;
    readonly docs: DocView;
  }[];
}

/** Returns the declarations of a type. */
function declarationsOf(type: TypeDef, imports: Imports, home: string | undefined): Declaration[] {
  if (type.kind !== "message") {
    const schema = withTrace(schemaOf(type), type, home);
    return [declarationOf(type.name, schema, new TypeWriter(imports, "index"))];
  }
  const types = new TypeWriter(imports);
  const index = type.rest && indexOf(type, type.rest, types);
  return messageSchemas(type, home).map(({ name, schema }) =>
    declarationOf(name, schema, types, index),
  );
}

/**
 * Returns the type of a message's additional members; `undefined` if the message does not allow or
 * does not restrict them.
 */
function indexOf(
  message: MessageDef,
  { patterns, others }: RestDef,
  types: TypeWriter,
): string | undefined {
  const further = [...patterns.map(({ type }) => type), ...(others === undefined ? [] : [others])];
  if (further.every(({ kind }) => kind === "never")) return undefined;
  // Without a type for other members, members that do not match a pattern can have any value.
  if (others === undefined) return "unknown";
  const all = [...further, ...message.fields.map(({ type }) => type)];
  const isAnyOptional = message.fields.some(({ presence }) => presence !== "required");
  return types.writeAny(
    all.map((type) => valueSchema(type)),
    isAnyOptional,
  );
}

/**
 * Returns the schemas that declare a message: one for the message, and one for each of its unions.
 */
function messageSchemas(
  message: MessageDef,
  home: string | undefined,
): { name: string; schema: JsonSchema }[] {
  const { name, docs, deprecated, oneofs } = message;
  const about = withTrace({ description: docs, deprecated }, message, home);
  const [first] = oneofs;
  if (first === undefined) return [{ name, schema: { ...about, ...plainSchema(message) } }];
  if (isPureUnion(message))
    return [{ name, schema: { ...about, oneOf: alternativesOf(message, first) } }];
  const unions = oneofs.map((oneof) => ({
    name: unionNameOf(message, oneof),
    schema: { description: unionDocs(message, oneof), oneOf: alternativesOf(message, oneof) },
  }));
  const refs = unions.map((union): JsonSchema => ({ $ref: `#/definitions/${union.name}` }));
  return [{ name, schema: { ...about, allOf: [...refs, plainSchema(message)] } }, ...unions];
}

function unionDocs(message: MessageDef, oneof: OneofDef): string {
  const absence = oneof.required ? "" : "; all may be absent";
  const what = `The alternatives of \`${oneof.name}\` in {@link ${message.name}}${absence}.`;
  return oneof.docs === "" ? what : `${what}\n\n${oneof.docs}`;
}

/**
 * Adds the full name of a type to its doc comment, unless the full name is the name itself, or
 * consists of `home`, the package of the specification, and the name.
 */
function withTrace(
  schema: JsonSchema,
  { name, fullName }: TypeDef,
  home: string | undefined,
): JsonSchema {
  if (fullName === name || fullName === `${home ?? ""}.${name}`) return schema;
  const text = schema.description ?? "";
  return { ...schema, description: `${text}${text === "" ? "" : "\n\n"}@see ${fullName}` };
}

/** Returns the const object of an enum, with the deprecated keys at the end. */
function constantOf(type: EnumDef, protocol: Protocol): ConstantView {
  const values = type.values.map(({ key, name, docs, deprecated }) => ({
    key: keyOf(key),
    text: quote(name),
    docs: docOf(docs, 2, deprecated ? ["@deprecated"] : []),
  }));
  const old = protocol.legacy.flatMap((name) => {
    const value = type.values.find(
      ({ key }) => name.kind === "keys" && name.now === `${type.name}.${key}`,
    );
    if (value === undefined) return [];
    const docs = docOf("", 2, [deprecation(name)]);
    return [{ key: keyOf(name.old.slice(type.name.length + 1)), text: quote(value.name), docs }];
  });
  return { name: type.name, values: [...values, ...old] };
}
