import type { FieldDef, MessageDef, ScalarName, ValueType, WellKnownName } from "../protocol/types.js";
import type { Imports } from "./imports.js";
import { membersOf, namesOf, numbersOf } from "./protobuf.js";
import { enclose, lineWidth, memberOf, quote } from "./text.js";

/** How far the statements of a `case` clause are indented. */
const caseIndent = 8;

const varint = 0;
const fixed64 = 1;
const delimited = 2;
const fixed32 = 5;

function wireTypeOf(scalar: ScalarName): number {
  if (scalar === "string" || scalar === "bytes") return delimited;
  if (scalar === "double" || scalar.endsWith("fixed64")) return fixed64;
  return scalar === "float" || scalar.endsWith("fixed32") ? fixed32 : varint;
}

function tagOf(number: number, wireType: number): number {
  return ((number << 3) | wireType) >>> 0;
}

function wireTypeOfValue(type: ValueType): number {
  if (type.kind === "scalar") return wireTypeOf(type.scalar);
  return type.kind === "enum" || isNull(type) ? varint : delimited;
}

function isNull(type: ValueType): boolean {
  return type.kind === "wellKnown" && type.wellKnown === "NullValue";
}

function isPackable(type: ValueType): boolean {
  return wireTypeOfValue(type) !== delimited;
}

/** The statements that write fields. */
export class FieldWriter {
  readonly #imports: Imports;

  constructor(imports: Imports) {
    this.#imports = imports;
  }

  /** The lines that write a field of `value` to `writer`, indented by two. */
  statements(field: FieldDef): string[] {
    const access = memberOf("value", field.name);
    const { type, number } = field;
    if (type.kind === "list") return this.#list(access, type.element, field);
    if (type.kind === "map") return this.#map(access, type, field);
    // Null is the default of its type, which is not written unless its presence says something.
    if (isNull(type) && field.presence !== "optional") return [];
    const write = this.#value(type, access, tagOf(number, wireTypeOfValue(type)));
    const present = this.#presence(type, access, field);
    return present === "" ? write.map(indent) : guard(present, write).map(indent);
  }

  /** The condition under which a field is written; empty where it always is. */
  #presence(type: ValueType, access: string, field: FieldDef): string {
    if (type.kind === "enum" && field.presence !== "optional") {
      const zero = `wire.enumNumber(${numbersOf(type.name)}, ${access}) !== 0`;
      return field.presence === "required" ? zero : `${access} !== undefined && ${zero}`;
    }
    if (type.kind !== "scalar" || field.presence === "optional") return `${access} !== undefined`;
    return type.scalar.endsWith("64") ? `${access} && ${access} !== "0"` : access;
  }

  /** The statements that write one value behind its tag. */
  #value(type: ValueType, access: string, tag: number): string[] {
    const tagged = `writer.uint32(${tag})`;
    switch (type.kind) {
      case "scalar":
        return [`${tagged}.${type.scalar}(${scalarArgument(type.scalar, access)});`];
      case "enum":
        return [`${tagged}.int32(wire.enumNumber(${numbersOf(type.name)}, ${access}));`];
      case "message":
        return [`write${type.name}(${access}, ${tagged}.fork()).ldelim();`];
      case "wrapper": {
        const inner = this.#value({ kind: "scalar", scalar: type.scalar }, access, tagOf(1, wireTypeOf(type.scalar)));
        const present = type.scalar.endsWith("64") ? `${access} !== "0"` : access;
        return [`${tagged}.fork();`, ...guard(present, inner), "writer.ldelim();"];
      }
      case "wellKnown":
        return this.#wellKnown(type.wellKnown, access, tagged);
      case "list":
      case "map":
        throw new Error("protobuf has no lists of lists");
    }
  }

  #wellKnown(name: WellKnownName, access: string, tagged: string): string[] {
    if (name === "NullValue") return [`${tagged}.int32(0);`];
    if (name === "Empty") return [`${tagged}.fork().ldelim();`];
    if (name === "Any") {
      const writeAny = this.#imports.value("runtime/any", "writeAny");
      return [`${writeAny}(${access}, ${tagged}.fork(), registry).ldelim();`];
    }
    return [`wire.write${name}(${access}, ${tagged}.fork()).ldelim();`];
  }

  #list(access: string, element: ValueType, field: FieldDef): string[] {
    const items = field.presence === "required" ? access : `${access} ?? wire.none`;
    if (isPackable(element) && field.packed) {
      const bare = packedItem(element);
      const loop = [
        `writer.uint32(${tagOf(field.number, delimited)}).fork();`,
        `for (const item of ${access}) ${bare}`,
        "writer.ldelim();",
      ];
      return block(`if (${field.presence === "required" ? access : `${access}?`}.length) {`, loop).map(indent);
    }
    const write = this.#value(element, "item", tagOf(field.number, wireTypeOfValue(element)));
    const head = `for (const item of ${items})`;
    return (write.length === 1 ? oneOrTwo(head, write[0] ?? "") : block(`${head} {`, write)).map(indent);
  }

  #map(access: string, type: ValueType & { kind: "map" }, field: FieldDef): string[] {
    const items = field.presence === "required" ? access : `${access} ?? {}`;
    const keyTag = tagOf(1, wireTypeOf(type.key));
    const key = keyArgument(type.key);
    const lines = [
      `writer.uint32(${tagOf(field.number, delimited)}).fork();`,
      `writer.uint32(${keyTag}).${type.key}(${key});`,
      ...this.#value(type.value, "item", tagOf(2, wireTypeOfValue(type.value))),
      "writer.ldelim();",
    ];
    return block(`for (const [key, item] of Object.entries(${items})) {`, lines).map(indent);
  }
}

/** The `case` clauses that read fields. */
export class FieldReader {
  readonly #imports: Imports;

  constructor(imports: Imports) {
    this.#imports = imports;
  }

  /** The lines of the clauses that read a field into `value`, indented by six. */
  cases(message: MessageDef, field: FieldDef): string[] {
    const access = memberOf("value", field.name);
    const { type, number } = field;
    if (type.kind === "list") return this.#list(access, type.element, number);
    if (type.kind === "map") return clause(tagOf(number, delimited), this.#map(access, type));
    const clear =
      field.oneof === undefined
        ? []
        : [`wire.only(value, ${membersOf(message.name, field.oneof)}, ${quote(field.name)});`];
    return clause(tagOf(number, wireTypeOfValue(type)), [...clear, ...this.#assign(type, access)]);
  }

  #assign(type: ValueType, access: string): string[] {
    const merges = type.kind === "wellKnown" && ["Struct", "ListValue"].includes(type.wellKnown);
    if (type.kind !== "message") return [`${access} = ${this.#expression(type, merges ? access : undefined)};`];
    const parameters = ["reader", "wire.enter(reader, end, depth)", "depth + 1", access];
    return enclose(`${access} = read${type.name}(`, parameters, ");", { indent: caseIndent });
  }

  /** The expression that reads one value; `into` is what an earlier occurrence left. */
  #expression(type: ValueType, into: string | undefined): string {
    const rest = into === undefined ? "" : `, ${into}`;
    switch (type.kind) {
      case "scalar":
        return scalarResult(type.scalar);
      case "enum":
        return `wire.enumName(${namesOf(type.name)}, reader.int32())`;
      case "message":
        return `read${type.name}(reader, wire.enter(reader, end, depth), depth + 1${rest})`;
      case "wrapper": {
        const read = this.#imports.value("runtime/wrapper", "readWrapper");
        const zero =
          type.scalar === "bool" ? "false" : type.scalar.endsWith("64") ? '"0"' : isText(type.scalar) ? '""' : "0";
        const tag = tagOf(1, wireTypeOf(type.scalar));
        return `${read}(reader, wire.enter(reader, end, depth), ${tag}, ${zero}, () => ${scalarResult(type.scalar)})`;
      }
      case "wellKnown":
        return this.#wellKnown(type.wellKnown, rest);
      case "list":
      case "map":
        throw new Error("protobuf has no lists of lists");
    }
  }

  #wellKnown(name: WellKnownName, rest: string): string {
    if (name === "NullValue") return "wire.readNull(reader)";
    if (name === "Empty") return "wire.readEmpty(reader, wire.enter(reader, end, depth), depth + 1)";
    if (name === "Any") {
      return `${this.#imports.value("runtime/any", "readAny")}(reader, wire.enter(reader, end, depth), depth + 1, registry)`;
    }
    return `wire.read${name}(reader, wire.enter(reader, end, depth), depth + 1${rest})`;
  }

  #list(access: string, element: ValueType, number: number): string[] {
    const item = this.#expression(element, undefined);
    const push = enclose(`(${access} ??= []).push(`, [item], ");", { indent: caseIndent });
    const single = clause(tagOf(number, wireTypeOfValue(element)), push);
    if (!isPackable(element)) return single;
    const lines = [
      "const stop = wire.enter(reader, end, depth);",
      `${access} ??= [];`,
      ...oneOrTwo("while (reader.pos < stop)", `${access}.push(${item});`, caseIndent),
      "wire.leave(reader, stop);",
    ];
    return [...single, ...scopedClause(tagOf(number, delimited), lines)];
  }

  #map(access: string, type: ValueType & { kind: "map" }): string[] {
    const value = this.#expression(type.value, undefined);
    const keyRead = type.key === "string" ? "reader.stringVerify()" : `String(reader.${type.key}())`;
    const read = this.#imports.value("runtime/entry", "readEntry");
    return [
      `${read}(reader, wire.enter(reader, end, depth), (${access} ??= {}), {`,
      `  keyTag: ${tagOf(1, wireTypeOf(type.key))},`,
      `  key: () => ${keyRead},`,
      `  zeroKey: ${quote(type.key === "bool" ? "false" : type.key === "string" ? "" : "0")},`,
      `  valueTag: ${tagOf(2, wireTypeOfValue(type.value))},`,
      `  value: (${value.includes("end") ? "end" : ""}) => ${value},`,
      `  zero: () => ${this.#zero(type.value)},`,
      `});`,
    ];
  }

  /** The value of a map entry that has none. */
  #zero(type: ValueType): string {
    switch (type.kind) {
      case "message":
        return `wire.decode(new Uint8Array(), read${type.name})`;
      case "enum":
        return `wire.enumName(${namesOf(type.name)}, 0)`;
      case "scalar":
      case "wrapper":
        return type.scalar === "bool" ? "false" : type.scalar.endsWith("64") ? '"0"' : isText(type.scalar) ? '""' : "0";
      case "wellKnown":
        return wellKnownZero[type.wellKnown];
      case "list":
      case "map":
        throw new Error("protobuf has no lists of lists");
    }
  }
}

const wellKnownZero: Readonly<Record<WellKnownName, string>> = {
  Timestamp: '"1970-01-01T00:00:00Z"',
  Duration: '"0s"',
  FieldMask: '""',
  Struct: "({})",
  ListValue: "[]",
  Value: "null",
  NullValue: "null",
  Empty: "({})",
  Any: '({ "@type": "" })',
};

function isText(scalar: ScalarName): boolean {
  return scalar === "string" || scalar === "bytes";
}

/** The key of a map entry, which JSON has as text. */
function keyArgument(key: ScalarName): string {
  if (key === "bool") return 'key === "true"';
  if (key === "string") return "wire.text(key)";
  return key.endsWith("64") ? "key" : "Number(key)";
}

function scalarArgument(scalar: ScalarName, access: string): string {
  if (scalar === "string") return `wire.text(${access})`;
  return scalar === "double" || scalar === "float" ? `Number(${access})` : access;
}

function scalarResult(scalar: ScalarName): string {
  if (scalar === "bytes") return "wire.readBase64(reader)";
  if (scalar === "string") return "reader.stringVerify()";
  if (scalar.endsWith("64")) return `wire.text64(reader.${scalar}())`;
  if (scalar === "double") return "wire.jsonNumber(reader.double())";
  return scalar === "float" ? "wire.jsonFloat(reader.float())" : `reader.${scalar}()`;
}

function packedItem(element: ValueType): string {
  if (element.kind === "enum") return `writer.int32(wire.enumNumber(${numbersOf(element.name)}, item));`;
  if (element.kind !== "scalar") return "writer.int32(0);";
  return `writer.${element.scalar}(${scalarArgument(element.scalar, "item")});`;
}

const indent = (line: string): string => `  ${line}`;

function block(head: string, lines: readonly string[]): string[] {
  return [head, ...lines.map(indent), "}"];
}

function guard(condition: string, lines: readonly string[]): string[] {
  return lines.length === 1 ? oneOrTwo(`if (${condition})`, lines[0] ?? "") : block(`if (${condition}) {`, lines);
}

/** A statement behind its head, on a line of its own where both do not fit one. */
function oneOrTwo(head: string, statement: string, indentation = 2): string[] {
  return indentation + head.length + statement.length + 1 <= lineWidth
    ? [`${head} ${statement}`]
    : [head, indent(statement)];
}

function clause(tag: number, lines: readonly string[]): string[] {
  return [`      case ${tag}:`, ...[...lines, "break;"].map((line) => `        ${line}`)];
}

/** A clause with declarations of its own. */
function scopedClause(tag: number, lines: readonly string[]): string[] {
  return [`      case ${tag}: {`, ...[...lines, "break;"].map((line) => `        ${line}`), "      }"];
}
