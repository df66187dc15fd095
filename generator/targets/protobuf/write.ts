import { camelCase } from "../../../support/names.js";
import type {
  ScalarName,
  ValueType,
  WireFieldDef,
  WireMapping,
  WireMessageDef,
} from "../../protocol/model/types.js";
import type { Imports } from "../../emit/imports.js";
import { pathsIn } from "../../protocol/correlate/paths.js";
import type { Models } from "./model.js";
import type { CodecNames } from "./names.js";
import {
  delimited,
  isNull,
  isPackable,
  memberPaths,
  tagOf,
  wireTypeOf,
  wireTypeOfValue,
} from "./wire-types.js";
import { braced, print, type Layout } from "../../emit/layout.js";
import {
  block,
  enclose,
  guard,
  indent,
  memberOf,
  headedStatement,
  quote,
} from "../../emit/text.js";
import { printed, ValueWriter } from "./write-values.js";

/** Field whose value is at a path in the model. */
type MappedField = WireFieldDef & { readonly mapping: WireMapping & { readonly kind: "path" } };

/** The object of a union type that contains a value. */
interface Container {
  /** The variable for the object, with the members of all alternatives. */
  readonly variable: string;
  /** The expression that reads the object. */
  readonly access: string;
}

/** Prints the statements that write the fields of a message. */
export class FieldWriter {
  readonly #names: CodecNames;
  readonly #message: WireMessageDef;
  readonly #models: Models;
  readonly #values: ValueWriter;

  constructor(imports: Imports, names: CodecNames, message: WireMessageDef, models: Models) {
    this.#names = names;
    this.#message = message;
    this.#models = models;
    this.#values = new ValueWriter(imports, names, models);
  }

  /** Returns the lines that precede the fields: checks, and variables for values inside a union. */
  preamble(): string[] {
    return [...this.#variables(), ...this.#oneofChecks(), ...this.#constantCheck()].map(indent);
  }

  /** Returns the statements that write the whole message, if it is a well-known message. */
  wellKnown(): string[] | undefined {
    const { wellKnown } = this.#message;
    return wellKnown && this.#values.message(wellKnown);
  }

  #variables(): string[] {
    const { fields } = this.#message;
    const paths = fields.flatMap(({ mapping }) => {
      if (mapping.kind === "resource") return pathsIn(mapping.patterns[0] ?? "");
      return mapping.kind === "path" && mapping.when === undefined ? [mapping.path] : [];
    });
    const containers = paths.flatMap((path) => this.#containerOf(path) ?? []);
    // Several fields may be in the same object.
    const accesses = new Map(containers.map(({ variable, access }) => [variable, access]));
    return [...accesses].map(
      ([variable, access]) => `const ${variable} = ${this.#values.place()}.merged(${access});`,
    );
  }

  /**
   * Returns the checks that at most one member of each oneof is set, because a reader would only
   * keep one of them.
   */
  #oneofChecks(): string[] {
    const { name, oneofs, fields } = this.#message;
    return oneofs.flatMap((oneof) => {
      const paths = memberPaths(fields, oneof.name);
      const [first] = paths ?? [];
      if (paths === undefined || first === undefined) return [];
      const object = this.#containerOf(first)?.variable ?? "value";
      const values = paths.map((path) => this.#access(path));
      const parameters = [object, this.#names.members(name, oneof.name), ...values];
      return enclose("wire.atMostOne(", parameters, ");", { indent: 2 });
    });
  }

  /** Returns the check that the discriminator of a union has one of its constants. */
  #constantCheck(): string[] {
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
    const { type, proto } = field;
    if (type.kind === "list") return this.#list(access, type.element, field);
    if (type.kind === "map") return this.#map(access, type, field);
    // Null is the default of its type, so only write it if the presence of the field is
    // significant.
    if (isNull(type) && field.presence !== "optional")
      return guard(`${access} !== undefined`, [`wire.expectNull(${access});`]);
    const given = field.trueIfAbsent ? `${access} ?? true` : access;
    const write = this.#values.value(type, given, tagOf(proto.number, wireTypeOfValue(type)));
    const condition = this.#condition(type, access, field);
    return condition === undefined ? printed(write) : guard(condition, write);
  }

  /** Returns the condition under which a field is written; `undefined` if it is always written. */
  #condition(type: ValueType, access: string, field: MappedField): string | undefined {
    const { when, path } = field.mapping;
    if (when !== undefined) return `${memberOf("value", when.key)} === ${quote(when.value)}`;
    return path.length === 0 ? undefined : this.#presence(type, access, field);
  }

  #presence(
    type: ValueType,
    access: string,
    { presence, mapping, trueIfAbsent }: MappedField,
  ): string {
    if (trueIfAbsent) return `${access} !== false`;
    const isRequired = mapping.presence === "required";
    // The type guarantees that a required value is present, but a caller may ignore the type.
    const isPresent = isRequired ? `wire.isGiven(${access})` : `${access} !== undefined`;
    if (presence === "optional") return isPresent;
    const isWritten = this.#values.differenceFromZero(type, access);
    if (isWritten === undefined) return isPresent;
    // TypeScript rejects the comparison of a literal type with a value that is not in the type.
    if (this.#models.isNarrow(type, mapping.type)) return isRequired ? isPresent : access;
    return isRequired ? isWritten : `${isPresent} && ${isWritten}`;
  }

  /** Returns the object that contains the value at a path, if the object is of a union type. */
  #containerOf(path: readonly string[]): Container | undefined {
    const { model } = this.#message;
    const { isProtoJson, shapes } = this.#models;
    const outer = path.slice(0, -1);
    const object = shapes.at(model, outer);
    if (isProtoJson || path.length === 0 || object === undefined) return undefined;
    if (shapes.alternatives(object.type).length < 2) return undefined;
    const name = outer.length === 0 ? "merged" : camelCase(outer.join(" "));
    const access = this.#models.access(model, "value", outer);
    return { variable: this.#names.variable(name), access };
  }

  #access(path: readonly string[]): string {
    const container = this.#containerOf(path);
    return container === undefined
      ? this.#models.access(this.#message.model, "value", path)
      : memberOf(container.variable, path.at(-1) ?? "");
  }

  #resource({ proto, jsonName }: WireFieldDef, pattern: string): string[] {
    const ids = pathsIn(pattern).map((path) => this.#access(path));
    const tagged = `writer.uint32(${tagOf(proto.number, delimited)})`;
    const name = this.#names.resource(this.#message.name, jsonName);
    const call = `${this.#values.place()}.writeName(`;
    return enclose(call, [tagged, "value", name, ...ids], ");", { indent: 2 }).map(indent);
  }

  #list(access: string, element: ValueType, { proto }: MappedField): string[] {
    const items = `wire.expectList(${access})`;
    if (!proto.packed || !isPackable(element)) {
      const tag = tagOf(proto.number, wireTypeOfValue(element));
      return loopOver(items, this.#values.value(element, "item", tag));
    }
    const loop = [
      `writer.uint32(${tagOf(proto.number, delimited)}).fork();`,
      ...loopOver(items, this.#values.packed(element)),
      "writer.ldelim();",
    ];
    return block(`if (${items}.length > 0) {`, loop);
  }

  #map(access: string, type: ValueType & { kind: "map" }, field: MappedField): string[] {
    const keyTag = tagOf(1, wireTypeOf(type.key));
    const lines = [
      `writer.uint32(${tagOf(field.proto.number, delimited)}).fork();`,
      `writer.uint32(${keyTag}).${type.key}(${keyArgument(type.key)});`,
      ...this.#values.value(type.value, "item", tagOf(2, wireTypeOfValue(type.value))),
      "writer.ldelim();",
    ];
    return print(braced(`for (const [key, item] of wire.entries(${access})) `, lines), 2);
  }
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
