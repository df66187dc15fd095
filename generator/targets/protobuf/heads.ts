import { articleOf } from "../../../support/names.js";
import type {
  ProtoValueType,
  ValueType,
  WireDef,
  WireFieldDef,
  WireMessageDef,
} from "../../protocol/model/types.js";
import { enclose, encloseObject, indent, keyOf, quote, shownName } from "../../emit/text.js";
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
  const { name, model, wellKnown } = message;
  const write = names.write(name);
  const read = names.read(name);
  const isUsed = writes.length > 0 || wellKnown !== undefined;
  const written = writtenOf(models.writtenType(model), { keeps, isUsed });
  const fields = message.fields.toSorted((a, b) => a.proto.number - b.proto.number);
  const initial = initialOf({ ...message, fields }, wire, models);
  const what = `${articleOf(name)} \`${name}\``;
  const shown = quote(shownName(message));
  return (keywordOf: (name: string) => string) => {
    const writeHead = `${keywordOf(write)}function ${write}(`;
    const parameters = [written, "writer: wire.Writer"];
    return {
      encode: enclose(`export function encode${name}(`, [`value: ${type}`], "): Uint8Array {"),
      encoding: enclose("return wire.encode(", ["value", write, shown], ");", { indent: 2 }),
      decode: enclose(`export function decode${name}(`, ["bytes: Uint8Array"], `): ${type} {`),
      write: [
        ...docsFor(keywordOf(write), `Writes the fields of ${what}, without their total length.`),
        ...enclose(writeHead, parameters, "): wire.Writer {"),
      ],
      read: [
        ...docsFor(keywordOf(read), `Reads ${what} from the bytes before \`end\`.`),
        ...readHead(`${keywordOf(read)}function ${read}(`, type, initial),
      ],
    };
  };
}

/** Returns the doc comment of an exported function; functions of the file itself have none. */
function docsFor(keyword: string, text: string): string[] {
  return keyword === "" ? [] : [`/** ${text} */`];
}

/** Returns the parameter for the value to write. */
function writtenOf(
  type: string,
  { keeps, isUsed }: { readonly keeps: boolean; readonly isUsed: boolean },
): string {
  if (keeps) return `value: ${type} & wire.UnknownFields`;
  return `${isUsed ? "value" : "_value"}: ${type}`;
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
  const { wellKnown, whole } = initial;
  const position = ["reader: wire.Reader", "end: number"];
  const parameters = wellKnown === "wrapper" ? position : [...position, "depth: number"];
  const tail = `): ${type} {`;
  if (wellKnown !== undefined) return enclose(head, parameters, tail);
  if (whole !== undefined)
    return [...enclose(head, parameters, tail), `  const value: ${type} = ${whole};`];
  const isDraft = initial.isInherited === true && initial.members.length > 0;
  const open = isDraft ? `wire.draft<${type}>(` : "";
  const close = isDraft ? ")" : "";
  const value = encloseObject(`value: ${initial.type} = ${open}`, initial.members, close, 4);
  if (value.length === 1) return enclose(head, [...parameters, ...value], tail);
  const lines = [...parameters.map((text) => `${text},`), ...value.slice(0, -1), `}${close},`];
  return [head, ...lines.map(indent), tail];
}

/**
 * Returns the initial value of a message, which contains its constants and the defaults of its
 * required fields.
 */
function initialOf(message: WireMessageDef, wire: WireDef, models: Models): Initial {
  const { model, fields, constants, wellKnown } = message;
  const { kind } = models.shapes.resolve(model);
  const type = models.typeOf(model);
  if (wellKnown !== undefined) return { type, members: [], wellKnown: wellKnown.kind };
  if (kind === "list") return { type, members: [], whole: "[]" };
  if (kind === "map") return { type, members: [], whole: "{}" };
  if (fields.some(({ mapping }) => mapping.kind === "path" && mapping.when !== undefined))
    return { type: "object", members: [] };
  const texts = Object.entries(constants).map(([key, text]) => `${keyOf(key)}: ${quote(text)}`);
  const defaults = fields.flatMap((field) => defaultMember(field, wire, models));
  return {
    type: `wire.Draft<${type}>`,
    members: [...texts, ...defaults],
    isInherited: isInherited(message),
  };
}

/** Returns the member with the default of a field, if the field is in the object itself. */
function defaultMember(
  { mapping, type, trueIfAbsent }: WireFieldDef,
  wire: WireDef,
  models: Models,
): string[] {
  if (mapping.kind !== "path") return [];
  const [key, ...inner] = mapping.path;
  const isThere = mapping.presence === "required" || trueIfAbsent === true;
  if (!isThere || key === undefined || inner.length > 0) return [];
  const value = models.isNarrow(type, mapping.type) ? undefined : defaultOf(type, wire);
  return value === undefined ? [] : [`${keyOf(key)}: ${value}`];
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
