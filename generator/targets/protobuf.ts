import { camelCase } from "../protocol/names.js";
import type { EnumDef, FieldDef, MessageDef, Protocol, ValueType } from "../protocol/types.js";
import { FieldWriter, FieldReader } from "./protobuf-fields.js";
import { Imports } from "./imports.js";
import { enclose, encloseObject, keyOf, quote } from "./text.js";
import type { Target } from "./types.js";

/** The protobuf codec: from the JSON model to bytes and back, in one step. */
export const protobuf: Target = {
  name: "protobuf",
  summary: "encodeX and decodeX for every message (protobuf.ts; imports protobufjs)",
  needs: ["models", "validators"],
  plan: (protocol) => {
    const imports = new Imports();
    const w = imports.namespace("runtime/wire", "wire");
    const used = usedEnums(protocol);
    const usesAny = protocol.types.some(
      (type) => type.kind === "message" && type.fields.some(({ type: field }) => holdsAny(field)),
    );
    const messages = protocol.types.filter((type) => type.kind === "message");
    const view = {
      messages: messages.map((message) => messageView(message, imports)),
      enums: protocol.types
        .filter((type) => type.kind === "enum" && used.has(type.name))
        .map((type) => enumView(type, imports)),
      registry: usesAny && {
        type: imports.type("runtime/any", "Registry"),
        entries: messages.flatMap(({ fullName, name }) => registryEntry(fullName, name, imports)),
      },
      wire: w,
    };
    const file = imports.plan("protobuf.ts", "protobuf/protobuf", view);
    return { files: [file], exports: [], omissions: [] };
  },
};

/** The name of the table with the numbers of an enum. */
export function numbersOf(name: string): string {
  return `${camelCase(name)}Numbers`;
}

/** The name of the table with the names of an enum. */
export function namesOf(name: string): string {
  return `${camelCase(name)}Names`;
}

/** The name of the table with the members of a oneof. */
export function membersOf(message: string, oneof: string): string {
  return `${camelCase(message)}${oneof.charAt(0).toUpperCase()}${oneof.slice(1)}`;
}

/** The names that the codec declares besides its functions, and what for. */
export function codecLocals({ types }: Protocol): { readonly name: string; readonly fullName: string }[] {
  return types.flatMap((type) => {
    const names =
      type.kind === "enum"
        ? [numbersOf(type.name), namesOf(type.name)]
        : type.oneofs.map((oneof) => membersOf(type.name, oneof.name));
    return names.map((name) => ({ name, fullName: type.fullName }));
  });
}

function usedEnums(protocol: Protocol): ReadonlySet<string> {
  const names = (type: ValueType): string[] => {
    if (type.kind === "list") return names(type.element);
    if (type.kind === "map") return names(type.value);
    return type.kind === "enum" ? [type.name] : [];
  };
  const fields = protocol.types.flatMap((type) => (type.kind === "message" ? type.fields : []));
  return new Set(fields.flatMap((field) => names(field.type)));
}

function holdsAny(type: ValueType): boolean {
  if (type.kind === "list") return holdsAny(type.element);
  if (type.kind === "map") return holdsAny(type.value);
  return type.kind === "wellKnown" && type.wellKnown === "Any";
}

function registryEntry(fullName: string, name: string, imports: Imports): string[] {
  const parse = imports.value("validators", `parse${name}`);
  const members = [
    `encode: (value) => encode${name}(${parse}(value))`,
    `decode: (bytes, depth) => wire.decode(bytes, read${name}, depth)`,
  ];
  return encloseObject(`${quote(fullName)}: `, members, ",", 2);
}

function enumView(type: EnumDef | MessageDef, imports: Imports) {
  imports.type("models", type.name);
  const values = type.kind === "enum" ? type.values : [];
  return {
    name: type.name,
    numbers: numbersOf(type.name),
    names: namesOf(type.name),
    entries: values.map(({ name, number }) => `${keyOf(name)}: ${number},`),
  };
}

function messageView(message: MessageDef, imports: Imports) {
  imports.type("models", message.name);
  const fields = message.fields.toSorted((a, b) => a.number - b.number);
  const writer = new FieldWriter(imports);
  const reader = new FieldReader(imports);
  return {
    name: message.name,
    fullName: message.fullName,
    empty: fields.length === 0,
    inherited: fields.some(({ name }) => name in Object.prototype),
    oneofs: message.oneofs.map(({ name, members }) => ({
      table: membersOf(message.name, name),
      members: enclose(`const ${membersOf(message.name, name)} = [`, members.map(quote), "] as const;"),
    })),
    writes: fields.flatMap((field) => writer.statements(field)),
    heads: headsOf(message, fields),
    cases: fields.flatMap((field) => reader.cases(message, field)),
  };
}

/** The lines that open each function. */
function headsOf({ name }: MessageDef, fields: readonly FieldDef[]) {
  const value = fields.length === 0 ? "_value" : "value";
  return {
    encode: enclose(`export function encode${name}(`, [`value: ${name}`], "): Uint8Array {"),
    decode: enclose(`export function decode${name}(`, ["bytes: Uint8Array"], `): ${name} {`),
    write: enclose(`function write${name}(`, [`${value}: ${name}`, "writer: wire.Writer"], "): wire.Writer {"),
    read: readHead(name, initialOf(fields)),
  };
}

function readHead(name: string, initial: readonly string[]): string[] {
  const parameters = ["reader: wire.Reader", "end: number", "depth: number"];
  const value = encloseObject(`value: wire.Draft<${name}> = `, initial, "", 4);
  const [head, tail] = [`function read${name}(`, `): ${name} {`];
  if (value.length === 1) return enclose(head, [...parameters, ...value], tail);
  return [
    head,
    ...[...parameters.map((text) => `${text},`), ...value.slice(0, -1), "},"].map((line) => `  ${line}`),
    tail,
  ];
}

/** What a message holds before its bytes are read: the defaults of required fields, which protobuf leaves out. */
function initialOf(fields: readonly FieldDef[]): string[] {
  return fields.flatMap((field) => {
    const value = field.presence === "required" ? defaultOf(field.type) : undefined;
    return value === undefined ? [] : [`${keyOf(field.name)}: ${value}`];
  });
}

function defaultOf(type: ValueType): string | undefined {
  switch (type.kind) {
    case "list":
      return "[]";
    case "map":
      return "{}";
    case "enum":
      return `wire.enumName(${namesOf(type.name)}, 0)`;
    case "scalar":
      if (type.scalar === "string" || type.scalar === "bytes") return '""';
      if (type.scalar === "bool") return "false";
      return type.scalar.endsWith("64") ? '"0"' : "0";
    default:
      return undefined;
  }
}
