import { snakeCase } from "../../../support/names.js";
import { scalarTypes, wellKnownTypes } from "../../emit/runtime-names.js";
import type {
  OperationDef,
  Protocol,
  ValueType,
  WireDef,
  WireFieldDef,
  WireMessageDef,
} from "../../protocol/model/types.js";
import {
  layout,
  literalMembers,
  literalOf,
  memberLayout,
  type Expression,
} from "../../emit/expressions.js";
import { Imports } from "../../emit/imports.js";
import { modelRef } from "../../emit/output-modules.js";
import { runtime, runtimeNamespaces } from "../../emit/runtime-modules.js";
import { reservedJsonNames } from "../../protocol/names/reserved.js";
import { Models } from "../protobuf/model.js";
import { CodecNames } from "../protobuf/names.js";
import { zeroText } from "../protobuf/heads.js";
import { resourceConstants } from "../protobuf/messages.js";
import { braced, choice, hardLine, indented, print, type Layout } from "../../emit/layout.js";
import { keyOf, quote } from "../../emit/text.js";
import type { FilePlan } from "../../emit/plan.js";

/**
 * Plans the conversions between the model and ProtoJSON, for versions whose JSON differs from
 * ProtoJSON.
 */
export function protoJsonFile(protocol: Protocol, wire: WireDef): FilePlan {
  return new ProtoJsonPlanner(protocol, wire).plan();
}

type PathMapping = Extract<WireFieldDef["mapping"], { readonly kind: "path" }>;

class ProtoJsonPlanner {
  readonly #imports: Imports;
  readonly #names: CodecNames;
  readonly #protocol: Protocol;
  readonly #wire: WireDef;
  readonly #models: Models;

  constructor(protocol: Protocol, wire: WireDef) {
    const exported = [...wire.messages, ...wire.enums].map(({ name }) => `${name}Json`);
    this.#imports = new Imports("protojson.ts", [...exported, ...reservedJsonNames]);
    this.#imports.namespace(runtimeNamespaces.mapping);
    this.#imports.namespace(runtimeNamespaces.types);
    this.#names = new CodecNames(this.#imports);
    this.#protocol = protocol;
    this.#wire = wire;
    this.#models = new Models(protocol, wire, this.#imports);
  }

  plan(): FilePlan {
    const imports = this.#imports;
    imports.reexport(runtime.fromProtoJson, runtime.toProtoJson);
    const view = {
      type: imports.type(runtime.RestJson),
      convert: imports.value(runtime.protoJson),
      messages: this.#wire.messages.map((message) => this.#message(message)),
      enums: this.#wire.enums.map(({ name, model, values }) => ({
        name,
        model: imports.type(modelRef(model)),
        entries: values.flatMap(({ json, name: text, number }) =>
          json === undefined ? [] : [`${keyOf(text)}: [${quote(json)}, ${number}],`],
        ),
      })),
      operations: this.#protocol.operations.flatMap((operation) => this.#operation(operation)),
    };
    return imports.plan("protojson/protojson", view);
  }

  #message(message: WireMessageDef) {
    const { name, fullName, model, constants, fields } = message;
    const whens = fields.flatMap(({ mapping }) =>
      mapping.kind === "path" ? (mapping.when ?? []) : [],
    );
    const hasConstants = Object.keys(constants).length > 0;
    const facts = literalMembers({
      name,
      constants: hasConstants && constants,
      key: whens[0]?.key,
    });
    const entries = fields.flatMap((field) => this.#field(message, field));
    const fieldsOf =
      entries.length === 0 ? "fields: () => ({})," : braced("fields: () => (", entries, "),");
    const head = `export const ${name}Json: m.MessageMapping<${this.#models.typeOf(model)}> =`;
    const parts = { imports: this.#imports, names: this.#names, models: this.#models };
    return {
      fullName,
      resources: resourceConstants(message, parts),
      lines: declare(head, "/* @__PURE__ */ m.message", [...facts, fieldsOf]),
    };
  }

  #field({ name: owner }: WireMessageDef, field: WireFieldDef): Layout[] {
    const { mapping, jsonName, proto } = field;
    if (mapping.kind === "unmapped") return [];
    const members: Record<string, Expression> =
      mapping.kind === "resource"
        ? { resource: this.#names.resource(owner, jsonName) }
        : this.#valueMembers(field, mapping);
    if (snakeCase(jsonName) !== proto.name) members["proto"] = quote(proto.name);
    return [memberLayout(jsonName, { object: members })];
  }

  /** Returns the members for a field whose value is at a path in the model. */
  #valueMembers(field: WireFieldDef, { path, when, presence }: PathMapping) {
    const { type, trueIfAbsent, oneof } = field;
    const isOptional = presence !== "required" || when !== undefined;
    const zero = isOptional ? undefined : jsonZero(type, this.#wire);
    return {
      path: literalOf(path),
      type: this.#type(type),
      ...(when !== undefined && { constant: quote(when.value) }),
      ...(trueIfAbsent && { absent: "true", zero: "false" }),
      ...(!trueIfAbsent && isOptional && { optional: "true" }),
      ...(!trueIfAbsent && zero !== undefined && { zero }),
      ...(oneof !== undefined && { oneof: quote(oneof) }),
    };
  }

  #type(type: ValueType): Expression {
    switch (type.kind) {
      case "scalar":
        if (["string", "bool", "double"].includes(type.scalar))
          return `t.${scalarTypes[type.scalar]}`;
        return { call: "m.checked", args: [`t.${scalarTypes[type.scalar]}`] };
      case "wellKnown": {
        if (type.wellKnown === "Timestamp") return { call: "m.checked", args: ["t.dateTime"] };
        return type.wellKnown === "Any" ? "t.value" : `t.${wellKnownTypes[type.wellKnown]}`;
      }
      case "list":
        return { call: "m.list", args: [this.#type(type.element)] };
      case "map":
        return { call: "m.map", args: [this.#type(type.value)] };
      case "message":
      case "enum":
        return `${type.name}Json`;
      default:
        return "t.value";
    }
  }

  #operation({ name, rpc, http }: OperationDef): { lines: readonly string[] }[] {
    if (rpc === undefined || http.length === 0) return [];
    const mapped = (message: string | undefined): string =>
      message === undefined ? "m.nothing" : `${message}Json`;
    const codec = { object: { request: mapped(rpc.request), response: mapped(rpc.response) } };
    return [{ lines: layout(`${keyOf(name)}: `, codec, ",", 2) }];
  }
}

/**
 * Returns the value of an absent required field in ProtoJSON, as a literal. Returns `undefined` for
 * strings, messages, and enums whose zero value has no string in JSON, because these fields must be
 * present.
 */
export function jsonZero(type: ValueType, wire: WireDef): string | undefined {
  if (type.kind === "scalar" && ["string", "bytes"].includes(type.scalar)) return undefined;
  if (type.kind !== "enum") return zeroText(type);
  const values = wire.enums.find(({ name }) => name === type.name)?.values;
  const zero = values?.find(({ number }) => number === 0)?.json;
  return zero === undefined ? undefined : quote(zero);
}

/**
 * Returns the declaration of a call with one object argument, in the layout that its length
 * requires.
 */
function declare(head: string, call: string, members: readonly Layout[]): string[] {
  const object = braced("", members);
  const start = `${head} ${call}(`;
  return print(
    choice(
      [start, object, ");"],
      [start, indented([hardLine, object, ","]), hardLine, ");"],
      [head, indented([hardLine, `${call}(`, object, ");"])],
    ),
  );
}
