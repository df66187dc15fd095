import type {
  ProtoValueType,
  ScalarName,
  ValueType,
  WellKnownName,
  WireFieldDef,
  WireMessageDef,
} from "../../protocol/model/types.js";
import { pathsOf } from "../../protocol/correlate/paths.js";
import type { Imports } from "../../emit/imports.js";
import { runtime, runtimeNamespaces } from "../../emit/runtime-modules.js";
import type { Models } from "./model.js";
import type { CodecNames } from "./names.js";
import {
  delimited,
  hasOwnWireForm,
  isNull,
  isPackable,
  tagOf,
  wireTypeOf,
  wireTypeOfValue,
  zeroKeyOf,
  zeroOf,
} from "./wire-types.js";
import { flat, layout, type Expression } from "../../emit/expressions.js";
import { keyOf, memberOf, headedStatement, quote } from "../../emit/text.js";

/** Indentation of the statements in a `case` clause. */
const caseIndent = 8;

/** Prints the `case` clauses that read fields. */
export class FieldReader {
  readonly #imports: Imports;
  readonly #names: CodecNames;
  readonly #message: WireMessageDef;
  readonly #models: Models;
  /** Paths of nested values. */
  readonly #deeper: readonly (readonly string[])[];

  constructor(imports: Imports, names: CodecNames, message: WireMessageDef, models: Models) {
    this.#imports = imports;
    this.#names = names;
    this.#message = message;
    this.#models = models;
    const plain = message.fields.filter(
      ({ mapping }) => mapping.kind !== "path" || mapping.when === undefined,
    );
    this.#deeper = pathsOf(plain).filter(({ length }) => length > 1);
  }

  /**
   * Returns the lines of the clauses that read a field into `value`, indented by six spaces. Fields
   * that the model cannot represent are treated as unknown fields.
   */
  cases({ mapping, type, proto: { number }, jsonName, oneof }: WireFieldDef): string[] {
    if (mapping.kind === "unmapped") return [];
    const tag = tagOf(number, wireTypeOfValue(type));
    if (mapping.kind === "resource") {
      const resource = this.#names.resource(this.#message.name, jsonName);
      return clause(tag, [`${resource}.read(reader.string(), value, ${quote(jsonName)});`]);
    }
    const { path, when } = mapping;
    if (when !== undefined) return clause(tag, this.#member(type, path, when));
    const access = this.#access(path);
    if (type.kind === "list") return this.#list(access, type.element, number);
    if (type.kind === "map") return clause(tagOf(number, delimited), this.#map(access, type));
    if (this.#models.isNarrow(type, mapping.type))
      return clause(tag, assigned(this.#open(path), this.#expression(type)));
    const clear = oneof === undefined ? [] : [this.#clear(oneof, path)];
    const value = this.#expression(type, this.#earlier(type, access, path));
    return clause(tag, [...clear, ...assigned(access, value)]);
  }

  /** Returns the statement that removes the other members of a oneof: the last member counts. */
  #clear(oneof: string, path: readonly string[]): string {
    const object = this.#object(path.slice(0, -1));
    const members = this.#names.members(this.#message.name, oneof);
    return `wire.only(${object}, ${members}, ${quote(path.at(-1) ?? "")});`;
  }

  /**
   * Returns the lines that read a oneof member that is an alternative of a union. The alternative
   * becomes the whole value.
   */
  #member(
    type: ValueType,
    [name]: readonly string[],
    { key, value }: { key: string; value: string },
  ): string[] {
    const constant = `${keyOf(key)}: ${quote(value)}`;
    if (type.kind !== "message" || name !== undefined) {
      const member = `${keyOf(name ?? "value")}: ${flat(this.#expression(type))}`;
      return [`value = { ${constant}, ${member} };`];
    }
    const earlier = `${this.#place()}.same(value, ${quote(key)}, ${quote(value)})`;
    return assigned("value", this.#expression(type, earlier));
  }

  /** Returns the expression for the value at a path. */
  #access(path: readonly string[]): string {
    const key = path.at(-1);
    if (key === undefined) return "value";
    return path.length === 1
      ? memberOf("value", key)
      : `${this.#object(path.slice(0, -1))}[${quote(key)}]`;
  }

  /**
   * Returns the expression for an object inside the value. The expression creates the object if it
   * is absent.
   */
  #object(path: readonly string[]): string {
    return path.reduce(
      (object, key) => `${this.#place()}.inner(${object}, ${quote(key)})`,
      "value",
    );
  }

  /**
   * Returns an assignable expression without the model's type, for a path whose type accepts fewer
   * values than the bytes can contain.
   */
  #open(path: readonly string[]): string {
    const object =
      path.length === 1 ? `${this.#place()}.open(value)` : this.#object(path.slice(0, -1));
    return `${object}[${quote(path.at(-1) ?? "")}]`;
  }

  #place(): string {
    return this.#imports.namespace(runtimeNamespaces.place);
  }

  /**
   * Returns whether other fields contain parts of the value at a path. These fields may precede the
   * field in the bytes.
   */
  #isBegun(path: readonly string[]): boolean {
    return this.#deeper.some(
      (inner) => inner.length > path.length && path.every((key, index) => inner[index] === key),
    );
  }

  /**
   * Returns the expression for the value of an earlier occurrence, which the next occurrence is
   * merged into; `undefined` if the next occurrence replaces it.
   */
  #earlier(type: ValueType, access: string, path: readonly string[]): string | undefined {
    if (type.kind === "wellKnown")
      return ["Struct", "ListValue"].includes(type.wellKnown) ? access : undefined;
    if (type.kind !== "message" || this.#models.isListOrMap(type.name)) return undefined;
    if (!this.#isBegun(path)) return access;
    return `${this.#place()}.begun(${access}, ${this.#names.read(type.name)})`;
  }

  /**
   * Returns the expression that reads one value. `into` is the value of an earlier occurrence,
   * which the new value is merged into.
   */
  #expression(type: ValueType, into?: string): Expression {
    const entered = ["reader", "wire.enter(reader, end, depth)"];
    switch (type.kind) {
      case "scalar":
        return scalarResult(type.scalar);
      case "enum":
        return `wire.enumName(${this.#names.names(type.name)}, reader.int32())`;
      case "message": {
        const args = [...entered, "depth + 1", ...(into === undefined ? [] : [into])];
        return { call: this.#names.read(type.name), args };
      }
      case "wrapper":
        return this.#messageCall(type, entered);
      case "wellKnown":
        if (isNull(type)) return "wire.readNull(reader)";
        return this.#messageCall(type, [...entered, "depth + 1"], into);
      default:
        throw new Error(`protobuf has no ${type.kind} as one value`);
    }
  }

  /** Returns the expression that reads a well-known message up to its end. */
  message(type: ProtoValueType): string {
    return flat(this.#messageCall(type, ["reader", "end", "depth"]));
  }

  #messageCall(type: ProtoValueType, position: readonly string[], into?: string): Expression {
    if (type.kind !== "wellKnown") {
      const [reader = "", end = ""] = position;
      const { scalar } = type;
      const tag = String(tagOf(1, wireTypeOf(scalar)));
      const args = [reader, end, tag, zeroOf(scalar), `() => ${scalarResult(scalar)}`];
      return { call: this.#imports.value(runtime.readWrapper), args };
    }
    const { wellKnown: name } = type;
    if (name === "Any") {
      const args = [...position, this.#names.registry()];
      return { call: this.#imports.value(runtime.readAny), args };
    }
    const args = [...position, ...(into === undefined ? [] : [into])];
    return { call: readerOf(name, this.#imports), args };
  }

  #list(access: string, element: ValueType, number: number): string[] {
    const item = this.#expression(element);
    const isWhole = access === "value";
    const target = isWhole ? access : `(${access} ??= [])`;
    const push = layout("", { call: `${target}.push`, args: [item] }, ";", caseIndent);
    const single = clause(tagOf(number, wireTypeOfValue(element)), push);
    if (!isPackable(element)) return single;
    // Readers accept both forms of a list, however the field is declared.
    const packed = [
      "const stop = wire.enter(reader, end, depth);",
      ...(isWhole ? [] : [`${access} ??= [];`]),
      ...headedStatement("while (reader.pos < stop)", `${access}.push(${flat(item)});`, caseIndent),
      "wire.leave(reader, stop);",
    ];
    return [...single, ...scopedClause(tagOf(number, delimited), packed)];
  }

  #map(access: string, { key, value }: ValueType & { kind: "map" }): string[] {
    const read = this.#imports.value(runtime.readEntry);
    const target = access === "value" ? access : `(${access} ??= {})`;
    const readKey = key === "string" ? "reader.string()" : `String(reader.${key}())`;
    const readValue = flat(this.#expression(value));
    return [
      `${read}(reader, wire.enter(reader, end, depth), ${target}, {`,
      `  keyTag: ${tagOf(1, wireTypeOf(key))},`,
      `  key: () => ${readKey},`,
      `  zeroKey: ${quote(zeroKeyOf(key))},`,
      `  valueTag: ${tagOf(2, wireTypeOfValue(value))},`,
      `  value: (${hasLength(value) ? "end" : ""}) => ${readValue},`,
      `  zero: () => ${this.#zero(value)},`,
      `});`,
    ];
  }

  /** Returns the default of a map entry's value. */
  #zero(type: ValueType): string {
    switch (type.kind) {
      case "message":
        return `wire.decode(new Uint8Array(), ${this.#names.read(type.name)})`;
      case "enum":
        return `wire.enumName(${this.#names.names(type.name)}, 0)`;
      case "scalar":
      case "wrapper":
        return zeroOf(type.scalar);
      case "wellKnown":
        return wellKnownZero[type.wellKnown];
      default:
        throw new Error(`protobuf has no ${type.kind} as one value`);
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
  Any: "({})",
};

function readerOf(name: WellKnownName, imports: Imports): string {
  return hasOwnWireForm(name) ? imports.value(runtime[`read${name}`]) : `wire.read${name}`;
}

/** Returns whether the expression that reads a value requires the end of the value. */
function hasLength(type: ValueType): boolean {
  return type.kind !== "scalar" && type.kind !== "enum" && !isNull(type);
}

function scalarResult(scalar: ScalarName): string {
  if (scalar === "bytes") return "wire.readBase64(reader)";
  if (scalar === "string") return "reader.string()";
  if (scalar.endsWith("64")) return `wire.text64(reader.${scalar}())`;
  if (scalar === "double") return "wire.jsonNumber(reader.double())";
  return scalar === "float" ? "wire.jsonFloat(reader.float())" : `reader.${scalar}()`;
}

function assigned(target: string, value: Expression): string[] {
  return layout(`${target} = `, value, ";", caseIndent);
}

function clause(tag: number, lines: readonly string[]): string[] {
  return [`      case ${tag}:`, ...caseBody(lines)];
}

/** Returns a clause in a block, so that it can contain declarations. */
function scopedClause(tag: number, lines: readonly string[]): string[] {
  return [`      case ${tag}: {`, ...caseBody(lines), "      }"];
}

function caseBody(lines: readonly string[]): string[] {
  return [...lines, "break;"].map((line) => " ".repeat(caseIndent) + line);
}
