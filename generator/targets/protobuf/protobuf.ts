import type { Protocol, ValueType, WireDef, WireEnumDef, WireMessageDef } from "../../protocol/model/types.js";
import { withoutProto } from "../errors/errors.js";
import type { Imports } from "../../emit/imports.js";
import { modelRef, validatorRef } from "../../emit/output-modules.js";
import { runtime, runtimeNamespaces } from "../../emit/runtime-modules.js";
import { codecAliases } from "../legacy/legacy.js";
import { Models } from "./model.js";
import { codecImports, CodecNames } from "./names.js";
import { FieldReader } from "./read.js";
import { innermost, zeroOf } from "./wire-types.js";
import { FieldWriter } from "./write.js";
import { enclose, encloseObject, indent, keyOf, quote } from "../../emit/text.js";
import { emptyPlan, type Target } from "../../emit/plan.js";

/** The protobuf codec: from the JSON model to bytes and back, in one step. */
export const protobuf: Target = {
  name: "protobuf",
  summary: "encodeX and decodeX for every message (protobuf.ts)",
  needs: ["models", "validators"],
  plan: (protocol, targets) => {
    const { wire } = protocol;
    if (wire === undefined) return withoutProto("protobuf", "how bytes carry anything");
    const imports = codecImports("protobuf.ts", wire);
    imports.namespace(runtimeNamespaces.wire);
    const file: CodecFile = {
      imports,
      names: new CodecNames(imports),
      models: new Models(protocol, wire, imports),
      wire,
    };
    const used = usedEnums(wire);
    const messages = wire.messages.map((message) => messageView(message, file));
    imports.reexport(runtime.DecodeError, runtime.EncodeError);
    if (messages.some(({ keeps }) => keeps)) imports.reexport(runtime.UnknownFields, runtime.unknownFields);
    const view = {
      messages,
      enums: wire.enums.filter(({ name }) => used.has(name)).map((type) => enumView(type, protocol, file)),
      registry: holdsAny(wire) && registryView(file),
      aliases: targets.has("legacy") ? codecAliases(protocol) : [],
    };
    return { ...emptyPlan, files: [imports.plan("protobuf/protobuf", view)] };
  },
};

/** What the parts of the file share. */
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
  const isAny = (type: ValueType): boolean => type.kind === "wellKnown" && type.wellKnown === "Any";
  return messages.some(({ fields }) => fields.some(({ type }) => isAny(innermost(type))));
}

function registryView({ wire: { messages }, imports, names }: CodecFile) {
  const type = imports.type(runtime.Registry);
  const entries = messages.flatMap(({ fullName, name, model }) => {
    const members = [
      `encode: (value) => encode${name}(${"name" in model ? parsed(model.name, imports) : "value"})`,
      `decode: (bytes, depth) => wire.decode(bytes, ${names.read(name)}, depth)`,
    ];
    return encloseObject(`${quote(fullName)}: `, members, ",", 2);
  });
  return { type, entries };
}

/** The expression that checks what an Any holds: what bytes can hold, numbers of enum values without a name included. */
function parsed(name: string, imports: Imports): string {
  return `${imports.value(runtime.parse)}(${imports.value(validatorRef(`${name}Schema`))}, value, "open")`;
}

function enumView({ name, model, values }: WireEnumDef, { types }: Protocol, { imports, names }: CodecFile) {
  const local = imports.type(modelRef(model));
  const carried = values.filter(({ json }) => json !== undefined);
  const type = types.find((one) => one.name === model);
  const all = type?.kind === "enum" && type.values.every((value) => carried.some(({ json }) => json === value.name));
  return {
    type: `{ readonly [K in ${local}]${all ? "" : "?"}: number }`,
    numbers: names.numbers(name),
    names: names.names(name),
    entries: carried.map(({ json = "", number }) => `${keyOf(json)}: ${number},`),
  };
}

function messageView(message: WireMessageDef, file: CodecFile) {
  const { imports, names, models, wire } = file;
  const { name, fullName, model, fields } = message;
  const type = models.typeOf(model);
  const sorted = fields.toSorted((a, b) => a.proto.number - b.proto.number);
  const writer = new FieldWriter(imports, names, message, models);
  const reader = new FieldReader(imports, names, message, models);
  const writes = [...writer.preamble(), ...sorted.flatMap((field) => writer.statements(field))];
  const cases = sorted.flatMap((field) => reader.cases(field));
  const keeps = isOwnObject(message) && !models.isWhole(name);
  return {
    fullName,
    what: type,
    reads: names.read(name),
    check: "name" in model ? `\`validate${model.name}\`` : "its validator",
    empty: cases.length === 0,
    expected: isObject(message) && quote(type),
    inherited: isInherited(message),
    keeps,
    pass: keeps ? "wire.keep(value, reader, tag, end, depth);" : "wire.skip(reader, tag, end, depth);",
    constants: [...oneofTables(message, names), ...resourceConstants(message, file)],
    writes,
    heads: headsOf(
      message,
      type,
      writtenOf(models.writtenType(model), keeps, writes),
      initialOf({ ...message, fields: sorted }, wire, models),
      names,
    ),
    cases,
    fills: cases.length === 0 ? [] : fillsOf(message, file),
  };
}

/** Tells whether a message is an object in JSON, and not nothing, nor what its only field is. */
function isObject({ model, fields }: WireMessageDef): boolean {
  if (!("name" in model) && model.kind === "never") return false;
  return fields.every(({ place }) => place.kind !== "path" || place.path.length > 0 || place.when !== undefined);
}

/** Tells whether a message has an object to itself: one that is nothing has none, nor one whose field is all of it. */
function isOwnObject({ model, fields }: WireMessageDef): boolean {
  if (!("name" in model) && model.kind === "never") return false;
  return fields.every(({ place }) => place.kind !== "path" || (place.path.length > 0 && place.when === undefined));
}

/** The lines that set the defaults of required fields that are inside of other objects. */
function fillsOf({ fields }: WireMessageDef, { wire, models, imports }: CodecFile): string[] {
  return fields.flatMap(({ place, type, oneof }) => {
    if (place.kind !== "path" || place.path.length < 2 || place.when !== undefined || oneof !== undefined) return [];
    const isNarrow = models.isNarrow(type, place.type);
    const zero = place.presence === "required" && !isNarrow ? defaultOf(type, wire) : undefined;
    if (zero === undefined) return [];
    const call = `${imports.namespace(runtimeNamespaces.place)}.fill(`;
    return enclose(call, ["value", `[${place.path.map(quote).join(", ")}]`, zero], ");").map(indent);
  });
}

/** The tables with the members of each oneof, as far as they share one object. */
function oneofTables(
  { name, oneofs, fields }: WireMessageDef,
  names: CodecNames,
): { readonly lines: readonly string[] }[] {
  return oneofs.flatMap((oneof) => {
    const members = fields.filter((field) => field.oneof === oneof.name);
    if (members.some(({ place }) => place.kind !== "path" || place.when !== undefined)) return [];
    const keys = members.flatMap(({ place }) => (place.kind === "path" ? (place.path.at(-1) ?? []) : []));
    return [{ lines: enclose(`const ${names.members(name, oneof.name)} = [`, keys.map(quote), "] as const;") }];
  });
}

/** The resource names that fields of a message hold. */
export function resourceConstants(
  { name, model, fields }: WireMessageDef,
  { imports, names, models }: Pick<CodecFile, "imports" | "models" | "names">,
): { readonly lines: readonly string[] }[] {
  return fields.flatMap(({ place, jsonName }) => {
    if (place.kind !== "resource") return [];
    const make = imports.value(runtime.resourceName);
    const patterns = place.patterns.map((pattern) => quote(models.markOptional(model, pattern)));
    return [{ lines: enclose(`const ${names.resource(name, jsonName)} = /* @__PURE__ */ ${make}(`, patterns, ");") }];
  });
}

/** The parameter that takes what is written. */
function writtenOf(type: string, keeps: boolean, writes: readonly string[]): string {
  if (keeps) return `value: ${type} & wire.UnknownFields`;
  return `${writes.length > 0 ? "value" : "_value"}: ${type}`;
}

/** The lines that open each function. */
function headsOf(
  { name }: WireMessageDef,
  type: string,
  written: string,
  initial: Initial,
  names: Pick<CodecNames, "read" | "write">,
) {
  return {
    encode: enclose(`export function encode${name}(`, [`value: ${type}`], "): Uint8Array {"),
    encoding: enclose("return wire.encode(", ["value", names.write(name), quote(name)], ");", { indent: 2 }),
    decode: enclose(`export function decode${name}(`, ["bytes: Uint8Array"], `): ${type} {`),
    write: enclose(`function ${names.write(name)}(`, [written, "writer: wire.Writer"], "): wire.Writer {"),
    read: readHead(names.read(name), type, initial),
  };
}

/** What a message is before its bytes are read: its type, and what it holds. */
interface Initial {
  readonly type: string;
  readonly members: readonly string[];
  /** Whether a literal without all of its members would have others of their names, which every object inherits. */
  readonly isInherited?: boolean;
  /** Set for lists and maps, which no earlier occurrence extends: what they are before their bytes are read. */
  readonly whole?: string;
}

function readHead(name: string, type: string, initial: Initial): string[] {
  const parameters = ["reader: wire.Reader", "end: number", "depth: number"];
  const [head, tail] = [`function ${name}(`, `): ${type} {`];
  if (initial.whole !== undefined)
    return [...enclose(head, parameters, tail), `  const value: ${type} = ${initial.whole};`];
  const [open, close] = initial.isInherited && initial.members.length > 0 ? [`wire.draft<${type}>(`, ")"] : ["", ""];
  const value = encloseObject(`value: ${initial.type} = ${open}`, initial.members, close, 4);
  if (value.length === 1) return enclose(head, [...parameters, ...value], tail);
  return [
    head,
    ...[...parameters.map((text) => `${text},`), ...value.slice(0, -1), `}${close},`].map((line) => `  ${line}`),
    tail,
  ];
}

/** Before its bytes are read a message holds its constants, and the defaults of required fields. */
function initialOf(message: WireMessageDef, wire: WireDef, models: Models): Initial {
  const { model, fields, constants } = message;
  const resolved = models.shapes.resolve(model);
  const type = models.typeOf(model);
  if (resolved.kind === "list") return { type, members: [], whole: "[]" };
  if (resolved.kind === "map") return { type, members: [], whole: "{}" };
  if (fields.some(({ place }) => place.kind === "path" && place.when !== undefined))
    return { type: "object", members: [] };
  const texts = Object.entries(constants).map(([key, text]) => `${keyOf(key)}: ${quote(text)}`);
  const defaults = fields.flatMap(({ place, type: proto, trueIfAbsent }) => {
    const isThere = place.kind === "path" && (place.presence === "required" || trueIfAbsent === true);
    const [key, ...inner] = isThere ? place.path : [];
    const isNarrow = place.kind === "path" && models.isNarrow(proto, place.type);
    const value = key === undefined || inner.length > 0 || isNarrow ? undefined : defaultOf(proto, wire);
    return value === undefined ? [] : [`${keyOf(key ?? "")}: ${value}`];
  });
  return { type: `wire.Draft<${type}>`, members: [...texts, ...defaults], isInherited: isInherited(message) };
}

/** Tells whether a message has a field of a name that every object has. */
function isInherited({ fields }: WireMessageDef): boolean {
  return fields.some(({ place }) => place.kind === "path" && place.path.some((key) => key in Object.prototype));
}

/** What a required field is that the bytes leave out. */
function defaultOf(type: ValueType, { enums }: WireDef): string | undefined {
  if (type.kind !== "enum") return zeroText(type);
  const values = enums.find(({ name }) => name === type.name)?.values;
  const zero = values?.find(({ json, number }) => number === 0 && json !== undefined);
  return zero?.json === undefined ? undefined : quote(zero.json);
}

/** The default of a scalar, list or map, as a literal. */
export function zeroText(type: ValueType): string | undefined {
  if (type.kind === "list") return "[]";
  if (type.kind === "map") return "{}";
  return type.kind === "scalar" ? zeroOf(type.scalar) : undefined;
}
