import type {
  FieldDef,
  MessageDef,
  Protocol,
  ScalarName,
  TypeDef,
  ValueType,
  WellKnownName,
} from "../protocol/types.js";
import * as is from "../../templates/runtime/predicates.js";
import {
  atMostOne,
  exactlyOne,
  implicit,
  message,
  named,
  optional,
  required,
  type Field,
} from "../../templates/runtime/message.js";
import type { Type } from "../../templates/runtime/schema.js";
import * as t from "../../templates/runtime/types.js";

/** The types of a specification as the emitted validators see them, by name, for checking documents without emitting. */
export function documentTypes(protocol: Protocol): ReadonlyMap<string, Type<unknown>> {
  const types = new Map<string, Type<unknown>>();
  const find = (name: string): Type<unknown> => t.lazy(name, () => types.get(name) ?? t.value);
  for (const type of protocol.types) types.set(type.name, documentType(type, find));
  return types;
}

type Find = (name: string) => Type<unknown>;

function documentType(type: TypeDef, find: Find): Type<unknown> {
  if (type.kind === "enum")
    return t.enumType(type.name, Object.fromEntries(type.values.map(({ name, number }) => [name, number])));
  return message<Record<string, unknown>>(type.name, () =>
    Object.fromEntries(type.fields.map((field) => [field.name, named(field.protoName, fieldOf(type, field, find))])),
  );
}

function fieldOf(owner: MessageDef, field: FieldDef, find: Find): Field {
  const type = typeOf(field.type, find, field.nonEmpty);
  const oneof = owner.oneofs.find(({ name }) => name === field.oneof);
  if (oneof !== undefined) return oneof.required ? exactlyOne(oneof.name, type) : atMostOne(oneof.name, type);
  return { required, optional, implicit }[field.presence](type);
}

function typeOf(type: ValueType, find: Find, nonEmpty = false): Type<unknown> {
  switch (type.kind) {
    case "scalar":
    case "wrapper":
      return scalarTypes[type.scalar];
    case "wellKnown":
      return wellKnownTypes[type.wellKnown];
    case "message":
    case "enum":
      return find(type.name);
    case "list":
      return t.list(typeOf(type.element, find), { nonEmpty });
    case "map":
      return t.map(typeOf(type.value, find), keyOf(type.key));
  }
}

function keyOf(key: ScalarName): (key: string) => boolean {
  if (key === "string") return is.string;
  if (key === "bool") return is.booleanText;
  if (key.endsWith("64")) return key === "uint64" || key === "fixed64" ? is.uint64 : is.int64;
  return key === "uint32" || key === "fixed32" ? is.uint32Text : is.int32Text;
}

const scalarTypes: Readonly<Record<ScalarName, Type<unknown>>> = {
  double: t.double,
  float: t.float,
  int32: t.int32,
  sint32: t.int32,
  sfixed32: t.int32,
  uint32: t.uint32,
  fixed32: t.uint32,
  int64: t.int64,
  sint64: t.int64,
  sfixed64: t.int64,
  uint64: t.uint64,
  fixed64: t.uint64,
  bool: t.boolean,
  string: t.string,
  bytes: t.bytes,
};

const wellKnownTypes: Readonly<Record<WellKnownName, Type<unknown>>> = {
  Timestamp: t.timestamp,
  Duration: t.duration,
  FieldMask: t.fieldMask,
  Struct: t.struct,
  ListValue: t.listValue,
  Value: t.value,
  NullValue: t.nullValue,
  Empty: t.empty,
  Any: t.any,
};
