import { isObject, type AnyObject, type JsonObject } from "../base/json.js";
import { isAny, isTypeUrl, ownMember } from "./predicates.js";
import type { ValidationContext, Type } from "./schema.js";
import * as t from "./types.js";

/** Types of the messages that a `google.protobuf.Any` may contain, by their full names. */
export type MessageTypes = Readonly<Record<string, Type<unknown>>>;

const prefix = "google.protobuf.";

/**
 * Types of `google.protobuf` whose JSON is not an object of fields. In an Any, the member `value`
 * contains their JSON.
 */
const valueTypes: Readonly<Record<string, Type<unknown>>> = {
  Timestamp: t.timestamp,
  Duration: t.duration,
  FieldMask: t.fieldMask,
  Struct: t.struct,
  ListValue: t.listValue,
  Value: t.value,
  Empty: t.empty,
  DoubleValue: t.double,
  FloatValue: t.float,
  Int64Value: t.int64,
  UInt64Value: t.uint64,
  Int32Value: t.int32,
  UInt32Value: t.uint32,
  BoolValue: t.boolean,
  StringValue: t.string,
  BytesValue: t.bytes,
};

/** Returns the name of the message at the end of a type URL. */
export function typeName(url: string): string {
  return url.slice(url.lastIndexOf("/") + 1);
}

/**
 * Returns the type of `google.protobuf.Any`: a JSON object with a type URL in `@type`. A lenient
 * check also covers the content: a message from `messages`, a well-known type in `value`, or base64
 * in `value` for any other type.
 */
export function anyMessage(messages: () => MessageTypes): Type<AnyObject> {
  const name = "object with @type";
  let known: MessageTypes | undefined;
  const any: Type<AnyObject> = {
    name,
    check(value, context) {
      if (!isAny(value, context.path.length)) {
        reportAny(name, value, context);
        return;
      }
      const { "@type": url, ...members } = value;
      if (!context.lenient || url === undefined) return value;
      const held = contentOf(typeName(url), members, {
        context,
        any,
        messages: (known ??= messages()),
      });
      return held && { ...held, "@type": url };
    },
  };
  return any;
}

function reportAny(name: string, value: unknown, context: ValidationContext): undefined {
  const url = isObject(value) ? value["@type"] : undefined;
  if (url === undefined || isTypeUrl(url)) {
    context.report(name, value);
    return undefined;
  }
  context.reportAt("@type", "type URL", url);
}

interface Context {
  readonly context: ValidationContext;
  readonly any: Type<AnyObject>;
  readonly messages: MessageTypes;
}

/**
 * Returns the canonical content of an Any without `@type`; `undefined` if the content is invalid.
 */
function contentOf(
  name: string,
  members: JsonObject,
  { context, any, messages }: Context,
): JsonObject | undefined {
  const message = ownMember(messages, name);
  if (message !== undefined) return message.check(members, context) as JsonObject | undefined;
  const wellKnown = name.startsWith(prefix) ? name.slice(prefix.length) : "";
  const type = wellKnown === "Any" ? any : (ownMember(valueTypes, wellKnown) ?? t.bytes);
  const value = context.at("value", type, members["value"]);
  return value === undefined ? undefined : { value: value as JsonObject };
}
