import { commonSubject, subjectOf } from "../../protocol/build/subjects.js";
import { codecNames } from "../../protocol/names/output-names.js";
import type {
  Protocol,
  ValueType,
  WireDef,
  WireEnumDef,
  WireMessageDef,
} from "../../protocol/model/types.js";
import { withoutProto } from "../errors/errors.js";
import { articleOf } from "../../../support/names.js";
import type { Imports, Uses } from "../../emit/imports.js";
import { modelRef, validatorRef } from "../../emit/output-modules.js";
import { runtime, runtimeNamespaces } from "../../emit/runtime-modules.js";
import { Models } from "./model.js";
import { codecImports, CodecNames } from "./names.js";
import { defaultOf, headsOf, isInherited } from "./heads.js";
import { FieldReader } from "./read.js";
import { innermost } from "./wire-types.js";
import { FieldWriter } from "./write.js";
import { enclose, encloseObject, headedStatement, indent, keyOf, quote } from "../../emit/text.js";
import { planParts, type Part } from "../../emit/parts.js";
import { schemas } from "../validators/validators.js";
import { emptyPlan, type Target } from "../../emit/plan.js";

/** Target of the protobuf codec: converts between the JSON model and bytes in one step. */
export const protobuf: Target = {
  name: "protobuf",
  summary: "encodeX and decodeX for every message (protobuf.ts)",
  needs: ["models", "validators"],
  plan: (protocol, targets) => {
    const { wire } = protocol;
    if (wire === undefined) return withoutProto("protobuf", "the protobuf messages");
    const imports = codecImports("protobuf.ts", wire);
    imports.namespace(runtimeNamespaces.wire);
    const names = new CodecNames(imports);
    const file: CodecFile = { imports, names, models: new Models(protocol, wire, imports), wire };
    const used = usedEnums(wire);
    // The codec of an adapter only exports functions for messages that are requests or responses,
    // because users do not call it.
    const isExported =
      targets.has(schemas.name) && !holdsAny(wire) ? isCalledIn(protocol) : () => true;
    const messages = wire.messages.map((message) =>
      messagePart(message, protocol, { ...file, isExported: isExported(message) }),
    );
    const enums = wire.enums
      .filter(({ name }) => used.has(name))
      .map((type) => enumPart(type, protocol, file));
    const keeps = wire.messages.some((message) => keepsUnknown(message, file));
    const files = planParts<CodecView>({
      module: "protobuf",
      template: "protobuf/protobuf",
      parts: [...messages, ...enums, ...(holdsAny(wire) ? [registryPart(file)] : [])],
      compose: (views) => ({
        messages: views.filter((view) => "writes" in view),
        exported: views.filter((view) => "writes" in view && view.isExported),
        enums: views.filter((view) => "numbers" in view),
        registry: views.find((view) => "entries" in view && !("numbers" in view)) ?? false,
      }),
      reexports: [
        ...[runtime.DecodeError, runtime.EncodeError],
        ...(keeps ? [runtime.UnknownFields, runtime.unknownFields] : []),
      ],
    });
    return { ...emptyPlan, files };
  },
};

/**
 * View of one part of the file: a message, an enum, or the table of the messages that an Any can
 * contain.
 */
type CodecView = (
  | ReturnType<typeof enumView>
  | (ReturnType<typeof messageView> & { readonly isExported: boolean })
  | ReturnType<typeof registryView>
) &
  object;

/** Dependencies that the parts of the file share. */
interface CodecFile {
  readonly imports: Imports;
  readonly names: CodecNames;
  readonly models: Models;
  readonly wire: WireDef;
}

function usedEnums({ messages }: WireDef): ReadonlySet<string> {
  const types = messages.flatMap(({ fields }) => fields.map(({ type }) => innermost(type)));
  return new Set(types.flatMap((type) => (type.kind === "enum" ? [type.name] : [])));
}

function holdsAny({ messages }: WireDef): boolean {
  const isAny = (type: ValueType | undefined): boolean =>
    type?.kind === "wellKnown" && type.wellKnown === "Any";
  return messages.some(
    ({ fields, wellKnown }) =>
      isAny(wellKnown) || fields.some(({ type }) => isAny(innermost(type))),
  );
}

function registryPart(file: CodecFile): Part<CodecView> {
  const uses = startPart(file);
  const view = registryView(file);
  const withKeyword: Part<CodecView>["view"] = (isShared) => ({
    ...view,
    keyword: isShared(view.name) ? "export " : "",
  });
  return { subject: commonSubject, exports: [], declares: [view.name], uses, view: withKeyword };
}

/**
 * Begins a part of the file, and imports the runtime, because every part calls functions of the
 * runtime.
 */
function startPart({ imports }: CodecFile): Uses {
  const uses = imports.startPart();
  imports.namespace(runtimeNamespaces.wire);
  return uses;
}

function registryView({ wire: { messages }, imports, names }: CodecFile) {
  const type = imports.type(runtime.Registry);
  const entries = messages.flatMap(({ fullName, name, model, wellKnown }) => {
    // The runtime already supports the well-known messages in an Any.
    if (wellKnown !== undefined) return [];
    const value = "name" in model ? parsed(model.name, imports) : "value";
    const members = [
      `encode: (value) => ${imports.own(`encode${name}`)}(${value})`,
      `decode: (bytes, depth) => wire.decode(bytes, ${names.read(name)}, depth)`,
    ];
    return [
      "[",
      `  ${quote(fullName)},`,
      ...encloseObject("", members, ",", 4).map((line) => `  ${line}`),
      "],",
    ];
  });
  return { type, name: names.registry(), entries };
}

/**
 * Returns the expression that checks the value in an Any. `open` accepts all values that bytes can
 * contain, including enum numbers without a name.
 */
function parsed(name: string, imports: Imports): string {
  return (
    `${imports.value(runtime.parse)}(${imports.value(validatorRef(`${name}Schema`))}, value, ` +
    '"open")'
  );
}

function enumPart(type: WireEnumDef, protocol: Protocol, file: CodecFile): Part<CodecView> {
  const uses = startPart(file);
  const view = enumView(type, protocol, file);
  const { numbers, names } = view;
  const declared = `const ${names}: ReadonlyMap<number, ${view.name}> =`;
  const built = `/* @__PURE__ */ wire.enumNames(${numbers});`;
  const withInverse = (isShared: (name: string) => boolean) => {
    const keyword = isShared(numbers) || isShared(names) ? "export " : "";
    return { ...view, keyword, inverse: headedStatement(keyword + declared, built, 0) };
  };
  return {
    subject: subjectOf(protocol, type.model),
    exports: [],
    declares: [numbers, names],
    uses,
    view: withInverse,
  };
}

function enumView(
  { name, model, values }: WireEnumDef,
  { types }: Protocol,
  { imports, names }: CodecFile,
) {
  const local = imports.type(modelRef(model));
  const carried = values.filter(({ json }) => json !== undefined);
  const type = types.find((one) => one.name === model);
  const all =
    type?.kind === "enum" &&
    type.values.every((value) => carried.some(({ json }) => json === value.name));
  return {
    type: `{ readonly [K in ${local}]${all ? "" : "?"}: number }`,
    name: local,
    numbers: names.numbers(name),
    names: names.names(name),
    entries: carried.map(({ json = "", number }) => `${keyOf(json)}: ${number},`),
  };
}

/** Returns a predicate that accepts messages that are the request or the response of an rpc. */
function isCalledIn({ operations }: Protocol): (message: WireMessageDef) => boolean {
  const called = new Set(operations.flatMap(({ rpc }) => [rpc?.request, rpc?.response]));
  return ({ name }) => called.has(name);
}

function messagePart(
  message: WireMessageDef,
  protocol: Protocol,
  file: CodecFile & { readonly isExported: boolean },
): Part<CodecView> {
  const { isExported } = file;
  const { name } = message;
  const uses = startPart(file);
  const view = { ...messageView(message, file), isExported };
  const headsWith = headsOf(message, view, file);
  const [write, read] = [file.names.write(name), file.names.read(name)];
  const model = innermost(message.model);
  return {
    subject: subjectOf(protocol, ...("name" in model ? [model.name] : []), name),
    exports: isExported
      ? codecNames.map(([prefix, suffix]) => ({ name: prefix + name + suffix, typeOnly: false }))
      : [],
    declares: [write, read],
    uses,
    view: (isShared) => ({
      ...view,
      heads: headsWith((each) => (isShared(each) ? "export " : "")),
    }),
  };
}

/** Returns whether a message keeps its unknown fields on the object that represents it. */
function keepsUnknown(message: WireMessageDef, { models }: CodecFile): boolean {
  return (
    message.wellKnown === undefined && isOwnObject(message) && !models.isListOrMap(message.name)
  );
}

function messageView(message: WireMessageDef, file: CodecFile) {
  const { imports, names, models } = file;
  const { name, model, fields } = message;
  const type = models.typeOf(model);
  const sorted = fields.toSorted((a, b) => a.proto.number - b.proto.number);
  const writer = new FieldWriter(imports, names, message, models);
  const reader = new FieldReader(imports, names, message, models);
  const wellKnown = message.wellKnown && {
    write: writer.message(message.wellKnown),
    read: reader.message(message.wellKnown),
  };
  const writes = [...writer.preamble(), ...sorted.flatMap((field) => writer.statements(field))];
  const cases = sorted.flatMap((field) => reader.cases(field));
  const keeps = keepsUnknown(message, file);
  return {
    what: type,
    name,
    article: articleOf(name),
    reads: names.read(name),
    empty: cases.length === 0,
    expected: wellKnown === undefined && isObject(message) && quote(type),
    inherited: isInherited(message),
    keeps,
    wellKnown: wellKnown ?? false,
    pass: keeps
      ? "wire.keep(value, reader, tag, end, depth);"
      : "wire.skip(reader, tag, end, depth);",
    constants: [...oneofTables(message, names), ...resourceConstants(message, file)],
    writes,
    cases,
    fills: cases.length === 0 ? [] : fillsOf(message, file),
  };
}

/**
 * Returns whether a message is an object with members in JSON. This excludes a message that is
 * represented by the value of its only field.
 */
function isObject({ model, fields }: WireMessageDef): boolean {
  if (!("name" in model) && model.kind === "never") return false;
  return fields.every(
    ({ mapping }) =>
      mapping.kind !== "path" || mapping.path.length > 0 || mapping.when !== undefined,
  );
}

/**
 * Returns whether the model has an object for the message alone. This is not the case for an empty
 * message, for a message that is represented by the value of a field, and for an alternative of a
 * union.
 */
function isOwnObject({ model, fields }: WireMessageDef): boolean {
  if (!("name" in model) && model.kind === "never") return false;
  return fields.every(
    ({ mapping }) =>
      mapping.kind !== "path" || (mapping.path.length > 0 && mapping.when === undefined),
  );
}

/** Returns the lines that set the defaults of required fields inside other objects. */
function fillsOf({ fields }: WireMessageDef, { wire, models, imports }: CodecFile): string[] {
  return fields.flatMap(({ mapping, type, oneof }) => {
    if (
      mapping.kind !== "path" ||
      mapping.path.length < 2 ||
      mapping.when !== undefined ||
      oneof !== undefined
    )
      return [];
    const isNarrow = models.isNarrow(type, mapping.type);
    const zero = mapping.presence === "required" && !isNarrow ? defaultOf(type, wire) : undefined;
    if (zero === undefined) return [];
    const call = `${imports.namespace(runtimeNamespaces.place)}.fill(`;
    return enclose(call, ["value", `[${mapping.path.map(quote).join(", ")}]`, zero], ");").map(
      indent,
    );
  });
}

/** Returns the tables that list the members of each oneof, unless the members belong to a union. */
function oneofTables(
  { name, oneofs, fields }: WireMessageDef,
  names: CodecNames,
): { readonly lines: readonly string[] }[] {
  return oneofs.flatMap((oneof) => {
    const members = fields.filter((field) => field.oneof === oneof.name);
    if (members.some(({ mapping }) => mapping.kind !== "path" || mapping.when !== undefined))
      return [];
    const keys = members.flatMap(({ mapping }) =>
      mapping.kind === "path" ? (mapping.path.at(-1) ?? []) : [],
    );
    return [
      {
        lines: enclose(
          `const ${names.members(name, oneof.name)} = [`,
          keys.map(quote),
          "] as const;",
        ),
      },
    ];
  });
}

/** Returns the constants for the resource names in the fields of a message. */
export function resourceConstants(
  { name, model, fields }: WireMessageDef,
  { imports, names, models }: Pick<CodecFile, "imports" | "models" | "names">,
): { readonly lines: readonly string[] }[] {
  return fields.flatMap(({ mapping, jsonName }) => {
    if (mapping.kind !== "resource") return [];
    const make = imports.value(runtime.resourceName);
    const patterns = mapping.patterns.map((pattern) => quote(models.markOptional(model, pattern)));
    return [
      {
        lines: enclose(
          `const ${names.resource(name, jsonName)} = /* @__PURE__ */ ${make}(`,
          patterns,
          ");",
        ),
      },
    ];
  });
}
