import protobuf from "protobufjs";
import type { Edited } from "./edits.js";

const families = [
  ["int32", "uint32", "int64", "uint64", "bool"],
  ["sint32", "sint64"],
  ["fixed32", "sfixed32"],
  ["fixed64", "sfixed64"],
];

type Text = Readonly<Record<string, string | number | boolean | undefined>>;

/**
 * Tells by the rules of the protobuf encoding whether bytes of one proto are misread with the other, or calls are not
 * understood: a small second opinion besides buf, which also runs where buf does not.
 */
export function bytesBreak(
  before: string,
  after: string,
  { from = "", to = "" }: Pick<Edited, "from" | "to">,
): boolean {
  const [old, now] = [before, after].map((text) => protobuf.parse(text, { keepCase: true }).root);
  if (old === undefined || now === undefined) return false;
  const rename = (name: string): string => (name === from && now.lookup(to) !== null && !has(now, from) ? to : name);
  return (
    typesOf(old).some((type) => {
      const other = typesOf(now).find(({ name }) => name === rename(type.name));
      return other !== undefined && isMessageBroken(type, other, rename);
    }) ||
    enumsOf(old).some((type) => {
      const other = enumsOf(now).find(({ name }) => name === rename(type.name));
      return other !== undefined && isEnumBroken(type.values, other.values);
    }) ||
    callsOf(old, rename).some((call) => !callsOf(now, (name) => name).includes(call))
  );
}

function allOf(root: protobuf.NamespaceBase): protobuf.ReflectionObject[] {
  return root.nestedArray.flatMap((one) => (one instanceof protobuf.Namespace ? [one, ...allOf(one)] : [one]));
}

function typesOf(root: protobuf.Root): protobuf.Type[] {
  return allOf(root).filter((one) => one instanceof protobuf.Type);
}

function enumsOf(root: protobuf.Root): protobuf.Enum[] {
  return allOf(root).filter((one) => one instanceof protobuf.Enum);
}

function has(root: protobuf.Root, name: string): boolean {
  return allOf(root).some((one) => one.name === name);
}

function isMessageBroken(before: protobuf.Type, after: protobuf.Type, rename: (name: string) => string): boolean {
  return before.fieldsArray.some((field) => {
    const found = after.fieldsArray.find(({ id }) => id === field.id);
    if (found === undefined) return true;
    // A name with another number is a field that is read as another.
    const isElsewhere = after.fieldsArray.some(({ name, id }) => name === field.name && id !== field.id);
    return isElsewhere || isFieldBroken(field, found, rename);
  });
}

function isFieldBroken(before: protobuf.Field, after: protobuf.Field, rename: (name: string) => string): boolean {
  const [old, now] = [before, after].map((field): Text => {
    const members = field.partOf?.oneof.length === 1 && isOptional(field) ? undefined : field.partOf?.name;
    return { isList: field.repeated, isMap: field.map, oneof: members };
  });
  if (old?.["isList"] !== now?.["isList"] || old?.["isMap"] !== now?.["isMap"]) return true;
  const isMoved = (old?.["oneof"] === undefined) !== (now?.["oneof"] === undefined);
  return isMoved || !isCompatible(rename(before.type), after.type);
}

function isOptional({ options }: protobuf.Field): boolean {
  return options?.["proto3_optional"] === true;
}

function isCompatible(from: string, to: string): boolean {
  const isText = from === "string" && to === "bytes";
  return from === to || isText || families.some((family) => family.includes(from) && family.includes(to));
}

function isEnumBroken(before: Readonly<Record<string, number>>, after: Readonly<Record<string, number>>): boolean {
  const kept = new Set(Object.values(after));
  return Object.entries(before).some(([name, number]) => !kept.has(number) || (after[name] ?? number) !== number);
}

/** How calls look on the wire: the path, and the messages with their streaming. */
function callsOf(root: protobuf.Root, rename: (name: string) => string): string[] {
  const services = allOf(root).filter((one) => one instanceof protobuf.Service);
  return services.flatMap((service) =>
    service.methodsArray.map(({ name, requestType, responseType, responseStream }) => {
      return `/${service.name}/${name} ${rename(requestType)} ${rename(responseType)} ${String(responseStream)}`;
    }),
  );
}
