import type {
  FieldDef,
  MessageDef,
  OperationDef,
  Protocol,
  TypeDef,
  ValueType,
  WireDef,
} from "../../protocol/model/types.js";

type Path = readonly string[];

/**
 * Returns the paths of the fields that must not be empty in a request. These are the fields that
 * the manifest lists, and required strings and enums for which an empty or unspecified value is
 * equivalent to an absent value. The paths do not include fields inside lists.
 */
export function nonEmptyPaths(
  { request, nonEmpty = [] }: OperationDef,
  protocol: Protocol,
): readonly Path[] {
  if (request.kind === "empty") return nonEmpty;
  const types = new Map(protocol.types.map((type) => [type.name, type]));
  const required = requiredPaths(messagesOf(request.name, types), types, []);
  const own = new Set(nonEmpty.map((path) => path.join(".")));
  return [...required.filter((path) => !own.has(path.join("."))), ...nonEmpty];
}

/**
 * Returns the paths of fields in a request whose absence means `true`. Fields inside lists and
 * unions are not included.
 */
export function trueIfAbsent({ rpc }: OperationDef, { wire }: Protocol): readonly Path[] {
  return rpc?.request === undefined || wire === undefined ? [] : truePaths(rpc.request, wire, []);
}

function truePaths(name: string, wire: WireDef, seen: readonly string[]): Path[] {
  const message = seen.includes(name)
    ? undefined
    : wire.messages.find((candidate) => candidate.name === name);
  return (message?.fields ?? []).flatMap(({ mapping, type, trueIfAbsent: isTrue }) => {
    if (mapping.kind !== "path" || mapping.when !== undefined) return [];
    if (isTrue) return [mapping.path];
    const inner = type.kind === "message" ? truePaths(type.name, wire, [...seen, name]) : [];
    return inner.map((path) => [...mapping.path, ...path]);
  });
}

type Types = ReadonlyMap<string, TypeDef>;

/** Returns the messages that a name refers to. A union refers to several messages. */
function messagesOf(name: string, types: Types, seen: readonly string[] = []): MessageDef[] {
  const type = types.get(name);
  if (type === undefined || seen.includes(name)) return [];
  if (type.kind === "message") return [type];
  const members = type.kind === "union" ? type.members : type.kind === "alias" ? [type.type] : [];
  return members.flatMap((member) =>
    "name" in member ? messagesOf(member.name, types, [...seen, name]) : [],
  );
}

function requiredPaths(
  messages: readonly MessageDef[],
  types: Types,
  seen: readonly string[],
): Path[] {
  const [first, ...others] = messages;
  if (first === undefined || seen.includes(first.name)) return [];
  return first.fields.flatMap((field): Path[] => {
    const same = others.map(({ fields }) => fields.find(({ name }) => name === field.name));
    const isRequired = [field, ...same].every((member) => member?.presence === "required");
    if (isRequired && mayBeEmpty(field, types)) return [[field.name]];
    const inner =
      others.length === 0 && "name" in field.type ? messagesOf(field.type.name, types) : [];
    return requiredPaths(inner, types, [...seen, first.name]).map((path) => [field.name, ...path]);
  });
}

/** Returns whether a type has a value that is equivalent to an absent value. */
function mayBeEmpty({ type }: FieldDef, types: Types): boolean {
  const shown = resolved(type, types);
  if (shown.kind === "string") return true;
  if (shown.kind === "scalar") return shown.scalar === "string";
  const named = shown.kind === "enum" ? types.get(shown.name) : undefined;
  return (
    named?.kind === "enum" &&
    named.values.some(({ name, number }) => number === 0 && name.endsWith("UNSPECIFIED"))
  );
}

/** Returns the target of an alias, and any other type unchanged. */
function resolved(type: ValueType, types: Types): ValueType {
  const named = type.kind === "alias" ? types.get(type.name) : undefined;
  return named?.kind === "alias" ? resolved(named.type, types) : type;
}
