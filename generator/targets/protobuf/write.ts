import { camelCase } from "../../../support/names.js";
import type {
  ProtoValueType,
  ScalarName,
  ValueType,
  WellKnownName,
  WireFieldDef,
  WireMessageDef,
  WireMapping,
} from "../../protocol/model/types.js";
import type { Imports } from "../../emit/imports.js";
import { runtime, runtimeNamespaces } from "../../emit/runtime-modules.js";
import { pathsIn } from "../../protocol/correlate/paths.js";
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
  zeroOf,
} from "./wire-types.js";
import { braced, bracketed, print, type Layout } from "../../emit/layout.js";
import {
  block,
  enclose,
  guard,
  indent,
  memberOf,
  headedStatement,
  quote,
} from "../../emit/text.js";

/** Field whose value is at a path in the model. */
type MappedField = WireFieldDef & { readonly mapping: WireMapping & { readonly kind: "path" } };

/** Prints the statements that write fields. */
export class FieldWriter {
  readonly #imports: Imports;
  readonly #names: CodecNames;
  readonly #message: WireMessageDef;
  readonly #models: Models;

  constructor(imports: Imports, names: CodecNames, message: WireMessageDef, models: Models) {
    this.#imports = imports;
    this.#names = names;
    this.#message = message;
    this.#models = models;
  }

  /** Returns the lines that precede the fields: checks, and variables for values inside a union. */
  preamble(): string[] {
    return [...this.#variables(), ...this.#refusals(), ...this.#constants()].map(indent);
  }

  #variables(): string[] {
    const { fields } = this.#message;
    if (this.#models.isProtoJson) return [];
    const paths = fields.flatMap(({ mapping }) => {
      if (mapping.kind === "resource") return pathsIn(mapping.patterns[0] ?? "");
      return mapping.kind === "path" && mapping.when === undefined ? [mapping.path] : [];
    });
    const containers = new Map(
      paths.map((path) => this.#containerOf(path)).filter((found) => found !== undefined),
    );
    return [...containers].map(
      ([key, access]) => `const ${key} = ${this.#place()}.merged(${access});`,
    );
  }

  /**
   * Returns the checks that at most one member of each oneof is set, because a reader would only
   * keep one of them.
   */
  #refusals(): string[] {
    const { name, oneofs, fields } = this.#message;
    return oneofs.flatMap((oneof) => {
      const members = fields.filter((field) => field.oneof === oneof.name);
      const [first] = members;
      if (
        first === undefined ||
        members.some(({ mapping }) => mapping.kind !== "path" || mapping.when !== undefined)
      )
        return [];
      const object = this.#container(first)?.[0] ?? "value";
      const values = members.flatMap(({ mapping }) =>
        mapping.kind === "path" ? [this.#access(mapping.path)] : [],
      );
      return enclose(
        "wire.atMostOne(",
        [object, this.#names.members(name, oneof.name), ...values],
        ");",
        {
          indent: 2,
        },
      );
    });
  }

  /** Returns the check that the discriminator of a union has one of its constants. */
  #constants(): string[] {
    const whens = this.#message.fields.flatMap(({ mapping }) =>
      mapping.kind === "path" ? (mapping.when ?? []) : [],
    );
    const [first] = whens;
    if (first === undefined) return [];
    const parameters = [memberOf("value", first.key), ...whens.map(({ value }) => quote(value))];
    return enclose("wire.constant(", parameters, ");", { indent: 2 });
  }

  /** Returns the lines that write a field of `value` to `writer`, indented by two spaces. */
  statements(field: WireFieldDef): string[] {
    const { mapping } = field;
    if (mapping.kind === "unmapped") return [];
    if (mapping.kind === "resource") return this.#resource(field, mapping.patterns[0] ?? "");
    const access =
      mapping.when === undefined
        ? this.#access(mapping.path)
        : this.#models.access(this.#message.model, "value", mapping.path);
    const write = this.#field({ ...field, mapping }, access);
    return write.map(indent);
  }

  #field(field: MappedField, access: string): string[] {
    const { type, proto, mapping } = field;
    if (type.kind === "list") return this.#list(access, type.element, field);
    if (type.kind === "map") return this.#map(access, type, field);
    // Null is the default of its type, so only write it if the presence of the field is
    // significant.
    if (isNull(type) && field.presence !== "optional")
      return guard(`${access} !== undefined`, [`wire.expectNull(${access});`]);
    const given = field.trueIfAbsent ? `${access} ?? true` : access;
    const write = this.#value(type, given, tagOf(proto.number, wireTypeOfValue(type)));
    if (mapping.when !== undefined)
      return guard(
        `${memberOf("value", mapping.when.key)} === ${quote(mapping.when.value)}`,
        write,
      );
    const present = mapping.path.length === 0 ? "" : this.#presence(type, access, field);
    return present === "" ? printed(write) : guard(present, write);
  }

  /**
   * Returns the variable and the expression of the object that contains a value, if the object is
   * of a union type.
   */
  #container({ mapping }: WireFieldDef): readonly [string, string] | undefined {
    return mapping.kind === "path" && mapping.when === undefined
      ? this.#containerOf(mapping.path)
      : undefined;
  }

  #containerOf(whole: readonly string[]): readonly [string, string] | undefined {
    const { model } = this.#message;
    const path = whole.slice(0, -1);
    const object = this.#models.shapes.at(model, path);
    if (
      whole.length === 0 ||
      object === undefined ||
      this.#models.shapes.alternatives(object.type).length < 2
    )
      return undefined;
    const name = path.length === 0 ? "merged" : camelCase(path.join(" "));
    return [this.#names.variable(name), this.#models.access(model, "value", path)];
  }

  #access(path: readonly string[]): string {
    const container = this.#models.isProtoJson ? undefined : this.#containerOf(path);
    if (container === undefined) return this.#models.access(this.#message.model, "value", path);
    return memberOf(container[0], path.at(-1) ?? "");
  }

  #resource({ proto, jsonName }: WireFieldDef, pattern: string): string[] {
    const ids = pathsIn(pattern).map((path) => this.#access(path));
    const tagged = `writer.uint32(${tagOf(proto.number, delimited)})`;
    const parameters = [
      tagged,
      "value",
      this.#names.resource(this.#message.name, jsonName),
      ...ids,
    ];
    return enclose(`${this.#place()}.writeName(`, parameters, ");", { indent: 2 }).map(indent);
  }

  /** Returns the condition under which a field is written; empty if it is always written. */
  #presence(
    type: ValueType,
    access: string,
    { presence, mapping, trueIfAbsent }: MappedField,
  ): string {
    if (trueIfAbsent) return `${access} !== false`;
    // The type guarantees that a required value is present, but a caller may ignore the type.
    const isPresent =
      mapping.presence === "required" ? `wire.isGiven(${access})` : `${access} !== undefined`;
    const isWritten = presence === "optional" ? undefined : this.#differenceFromZero(type, access);
    if (isWritten === undefined) return isPresent;
    // TypeScript rejects the comparison of a literal type with a value that is not in the type.
    if (this.#models.isNarrow(type, mapping.type))
      return mapping.presence === "required" ? isPresent : access;
    return mapping.presence === "required" ? isWritten : `${isPresent} && ${isWritten}`;
  }

  /** Returns the statements of a function that writes a well-known message. */
  message(type: ProtoValueType): string[] {
    if (type.kind === "wrapper")
      return printed([...this.#wrapped(type.scalar, "value"), "return writer;"]);
    if (type.kind !== "wellKnown" || type.wellKnown === "NullValue" || type.wellKnown === "Empty")
      throw new Error(`${type.kind} is not a message with its own wire form`);
    return print(["return ", this.#wellKnownMessage(type.wellKnown, "value", "writer"), ";"], 2);
  }

  /** Returns the statements that write the field of a wrapper. */
  #wrapped(scalar: ScalarName, access: string): Layout[] {
    const type = { kind: "scalar", scalar } as const;
    const write = this.#value(type, access, tagOf(1, wireTypeOf(scalar)));
    return guard(this.#differenceFromZero(type, access) ?? "", write);
  }

  /** Returns the statements that write one value after its tag. */
  #value(type: ValueType, access: string, tag: number): Layout[] {
    const tagged = `writer.uint32(${tag})`;
    switch (type.kind) {
      case "scalar":
        return [`${tagged}.${this.#scalar(type.scalar, access)};`];
      case "enum":
        return [`${tagged}.int32(wire.enumNumber(${this.#names.numbers(type.name)}, ${access}));`];
      case "message":
        return [[called(this.#names.write(type.name), access, `${tagged}.fork()`), ".ldelim();"]];
      case "wrapper":
        return [`${tagged}.fork();`, ...this.#wrapped(type.scalar, access), "writer.ldelim();"];
      case "wellKnown":
        return this.#wellKnown(type.wellKnown, access, tagged);
      default:
        throw new Error(`protobuf has no ${type.kind} as one value`);
    }
  }

  #wellKnown(name: WellKnownName, access: string, tagged: string): Layout[] {
    if (name === "NullValue") return [`wire.expectNull(${access});`, `${tagged}.int32(0);`];
    if (name === "Empty")
      return [`wire.expectObject(${access}, "empty object");`, `${tagged}.fork().ldelim();`];
    return [[this.#wellKnownMessage(name, access, `${tagged}.fork()`), ".ldelim();"]];
  }

  /** Returns the call that writes the fields of a well-known message and returns the writer. */
  #wellKnownMessage(
    name: Exclude<WellKnownName, "Empty" | "NullValue">,
    access: string,
    writer: string,
  ): Layout {
    if (name === "Any")
      return called(this.#imports.value(runtime.writeAny), access, writer, this.#names.registry());
    const write = hasOwnWireForm(name)
      ? this.#imports.value(runtime[`write${name}`])
      : `wire.write${name}`;
    return called(write, access, writer);
  }

  #list(access: string, element: ValueType, field: MappedField): string[] {
    const items = `wire.expectList(${access})`;
    if (isPackable(element) && field.proto.packed) {
      const loop = [
        `writer.uint32(${tagOf(field.proto.number, delimited)}).fork();`,
        ...loopOver(items, this.#packed(element)),
        "writer.ldelim();",
      ];
      return block(`if (${items}.length > 0) {`, loop);
    }
    return loopOver(
      items,
      this.#value(element, "item", tagOf(field.proto.number, wireTypeOfValue(element))),
    );
  }

  #map(access: string, type: ValueType & { kind: "map" }, field: MappedField): string[] {
    const keyTag = tagOf(1, wireTypeOf(type.key));
    const lines = [
      `writer.uint32(${tagOf(field.proto.number, delimited)}).fork();`,
      `writer.uint32(${keyTag}).${type.key}(${keyArgument(type.key)});`,
      ...this.#value(type.value, "item", tagOf(2, wireTypeOfValue(type.value))),
      "writer.ldelim();",
    ];
    return print(braced(`for (const [key, item] of wire.entries(${access})) `, lines), 2);
  }

  /** Returns the statements that write an item of a packed list. */
  #packed(element: ValueType): string[] {
    if (element.kind === "enum")
      return [`writer.int32(wire.enumNumber(${this.#names.numbers(element.name)}, item));`];
    if (element.kind !== "scalar") return ["wire.expectNull(item);", "writer.int32(0);"];
    return [`writer.${this.#scalar(element.scalar, "item")};`];
  }

  #place(): string {
    return this.#imports.namespace(runtimeNamespaces.place);
  }

  /**
   * Returns the condition that a value differs from the default of its type; `undefined` for types
   * without a default.
   */
  #differenceFromZero(type: ValueType, access: string): string | undefined {
    if (type.kind === "scalar" && type.scalar === "bool") return `wire.isTrue(${access})`;
    if (type.kind === "scalar") return `${access} !== ${zeroOf(type.scalar)}`;
    return type.kind === "enum"
      ? `wire.enumNumber(${this.#names.numbers(type.name)}, ${access}) !== 0`
      : undefined;
  }

  /** Returns the call that writes a scalar. */
  #scalar(scalar: ScalarName, access: string): string {
    if (scalar === "bytes") return `base64(${access})`;
    // If JSON Schema describes the model, non-finite numbers are not part of its types.
    const isOpen = !this.#models.isProtoJson && (scalar === "double" || scalar === "float");
    return `${scalar}(${isOpen ? `${this.#place()}.finite(${access})` : access})`;
  }
}

/** Returns the lines of statements, for code that is indented by one step. */
function printed(statements: readonly Layout[]): string[] {
  return statements.flatMap((statement) => print(statement, 2));
}

/** Returns the layout of a call. */
function called(name: string, ...args: readonly string[]): Layout {
  return bracketed(`${name}(`, args, ")");
}

function loopOver(items: string, statements: readonly Layout[]): string[] {
  const head = `for (const item of ${items})`;
  return statements.length === 1
    ? headedStatement(head, statements[0] ?? "")
    : print(braced(`${head} `, statements), 2);
}

/** Returns the expression that converts the key of a map entry, which is a string in JSON. */
function keyArgument(key: ScalarName): string {
  if (key === "bool") return "wire.booleanKey(key)";
  return key === "string" || key.endsWith("64") ? "key" : "wire.numberKey(key)";
}
