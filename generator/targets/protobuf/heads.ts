import { articleOf } from "../../../support/names.js";
import type {
  ProtoValueType,
  ValueType,
  WireDef,
  WireMessageDef,
} from "../../protocol/model/types.js";
import { enclose, encloseObject, keyOf, quote } from "../../emit/text.js";
import type { Models } from "./model.js";
import type { CodecNames } from "./names.js";
import { isNull, zeroOf } from "./wire-types.js";

/** Names and types of a codec. */
interface Sources {
  readonly names: CodecNames;
  readonly models: Models;
  readonly wire: WireDef;
}

/** A message in the model, and parts of the code of its functions. */
interface Message {
  /** Type in the model. */
  readonly what: string;
  readonly keeps: boolean;
  readonly writes: readonly string[];
}

/**
 * Returns a function that creates the first lines of each codec function. Its argument maps the
 * name of a codec function to `export ` or an empty string.
 */
export function headsOf(
  message: WireMessageDef,
  { what: type, keeps, writes }: Message,
  { names, models, wire }: Sources,
) {
  const { name, model } = message;
  const [write, read] = [names.write(name), names.read(name)];
  const isRead = writes.length > 0 || message.wellKnown !== undefined;
  const written = writtenOf(models.writtenType(model), keeps, isRead);
  const fields = message.fields.toSorted((a, b) => a.proto.number - b.proto.number);
  const initial = initialOf({ ...message, fields }, wire, models);
  const documented = (comment: string, keyword: string): readonly string[] =>
    keyword === "" ? [] : [comment];
  return (keywordOf: (name: string) => string) => ({
    encode: enclose(`export function encode${name}(`, [`value: ${type}`], "): Uint8Array {"),
    encoding: enclose("return wire.encode(", ["value", write, quote(name)], ");", { indent: 2 }),
    decode: enclose(`export function decode${name}(`, ["bytes: Uint8Array"], `): ${type} {`),
    write: [
      ...documented(
        `/** Writes the fields of ${articleOf(name)} \`${name}\`, without their total length. */`,
        keywordOf(write),
      ),
      ...enclose(
        `${keywordOf(write)}function ${write}(`,
        [written, "writer: wire.Writer"],
        "): wire.Writer {",
      ),
    ],
    read: [
      ...documented(
        `/** Reads ${articleOf(name)} \`${name}\` from the bytes before \`end\`. */`,
        keywordOf(read),
      ),
      ...readHead(`${keywordOf(read)}function ${read}(`, type, initial),
    ],
  });
}

/** Returns the parameter for the value to write. */
function writtenOf(type: string, keeps: boolean, isRead: boolean): string {
  if (keeps) return `value: ${type} & wire.UnknownFields`;
  return `${isRead ? "value" : "_value"}: ${type}`;
}

/** Initial value of a message before its bytes are read: its type and its members. */
interface Initial {
  readonly type: string;
  readonly members: readonly string[];
  /**
   * Whether the message has fields with names that every object inherits. Reading such a field from
   * an ordinary object would return the inherited member.
   */
  readonly isInherited?: boolean;
  /**
   * Initial value of a list or map. Only set for messages whose model is a list or map, because
   * such a message replaces an earlier occurrence instead of extending it.
   */
  readonly whole?: string;
  /**
   * Set for well-known messages, which the runtime reads. Functions that read wrappers do not have
   * a parameter for the depth.
   */
  readonly wellKnown?: ProtoValueType["kind"];
}

function readHead(head: string, type: string, initial: Initial): string[] {
  const parameters = ["reader: wire.Reader", "end: number", "depth: number"];
  const tail = `): ${type} {`;
  if (initial.wellKnown !== undefined)
    return enclose(
      head,
      initial.wellKnown === "wrapper" ? parameters.slice(0, 2) : parameters,
      tail,
    );
  if (initial.whole !== undefined)
    return [...enclose(head, parameters, tail), `  const value: ${type} = ${initial.whole};`];
  const [open, close] =
    initial.isInherited && initial.members.length > 0 ? [`wire.draft<${type}>(`, ")"] : ["", ""];
  const value = encloseObject(`value: ${initial.type} = ${open}`, initial.members, close, 4);
  if (value.length === 1) return enclose(head, [...parameters, ...value], tail);
  return [
    head,
    ...[...parameters.map((text) => `${text},`), ...value.slice(0, -1), `}${close},`].map(
      (line) => `  ${line}`,
    ),
    tail,
  ];
}

/**
 * Returns the initial value of a message, which contains its constants and the defaults of its
 * required fields.
 */
function initialOf(message: WireMessageDef, wire: WireDef, models: Models): Initial {
  const { model, fields, constants } = message;
  const resolved = models.shapes.resolve(model);
  const type = models.typeOf(model);
  if (message.wellKnown !== undefined)
    return { type, members: [], wellKnown: message.wellKnown.kind };
  if (resolved.kind === "list") return { type, members: [], whole: "[]" };
  if (resolved.kind === "map") return { type, members: [], whole: "{}" };
  if (fields.some(({ mapping }) => mapping.kind === "path" && mapping.when !== undefined))
    return { type: "object", members: [] };
  const texts = Object.entries(constants).map(([key, text]) => `${keyOf(key)}: ${quote(text)}`);
  const defaults = fields.flatMap(({ mapping, type: proto, trueIfAbsent }) => {
    const isThere =
      mapping.kind === "path" && (mapping.presence === "required" || trueIfAbsent === true);
    const [key, ...inner] = isThere ? mapping.path : [];
    const isNarrow = mapping.kind === "path" && models.isNarrow(proto, mapping.type);
    const value =
      key === undefined || inner.length > 0 || isNarrow ? undefined : defaultOf(proto, wire);
    return value === undefined ? [] : [`${keyOf(key ?? "")}: ${value}`];
  });
  return {
    type: `wire.Draft<${type}>`,
    members: [...texts, ...defaults],
    isInherited: isInherited(message),
  };
}

/** Returns whether a message has a field with a name that every object inherits. */
export function isInherited({ fields }: WireMessageDef): boolean {
  return fields.some(
    ({ mapping }) => mapping.kind === "path" && mapping.path.some((key) => key in Object.prototype),
  );
}

/** Returns the value of a required field if the bytes omit the field. */
export function defaultOf(type: ValueType, { enums }: WireDef): string | undefined {
  if (type.kind !== "enum") return zeroText(type);
  const values = enums.find(({ name }) => name === type.name)?.values;
  const zero = values?.find(({ json, number }) => number === 0 && json !== undefined);
  return zero?.json === undefined ? undefined : quote(zero.json);
}

/** Returns the default of a scalar, list, map or null as a literal. */
export function zeroText(type: ValueType): string | undefined {
  if (isNull(type)) return "null";
  if (type.kind === "list") return "[]";
  if (type.kind === "map") return "{}";
  return type.kind === "scalar" ? zeroOf(type.scalar) : undefined;
}
