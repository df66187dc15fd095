import type { Enum, Field, Message, Proto, Rpc } from "./protos.js";
import { scalars } from "./protos.js";

/** A possible edit of a proto: the proto after it, and the names that a report must contain. */
export interface Edited {
  readonly proto: Proto;
  readonly names: readonly string[];
  /** Data for the checkers: the types of a field, or a rename. */
  readonly from?: string;
  readonly to?: string;
}

/** Chooses an element by one of the random numbers of an edit. */
export type Pick = <T>(from: readonly T[], which?: number) => T | undefined;

/** Changes a proto, if possible, and returns the names that a report must contain. */
export type Edit = (proto: Proto, pick: Pick) => Omit<Edited, "proto"> | undefined;

/**
 * Edit of a field. `isMeant` selects fields; `change` edits a field and returns the names that a
 * report must contain.
 */
export function inMessage(
  isMeant: (field: Field, message: Message, proto: Proto) => boolean,
  change: (
    field: Field,
    message: Message,
    proto: Proto,
    pick: Pick,
  ) => Partial<Omit<Edited, "proto">> | string[],
): Edit {
  return (proto, pick) => {
    const found = proto.messages.flatMap((message) =>
      message.fields
        .filter((field) => isMeant(field, message, proto))
        .map((field) => [field, message] as const),
    );
    const [field, message] = pick(found) ?? [];
    if (field === undefined || message === undefined) return undefined;
    const names = [keyOf(field)];
    const more = change(field, message, proto, pick);
    return Array.isArray(more) ? { names: [...names, ...more] } : { names, ...more };
  };
}

/** An edit that gives a field other properties. */
export function set(
  isMeant: (field: Field, message: Message, proto: Proto) => boolean,
  properties: Partial<Field>,
): Edit {
  return inMessage(isMeant, (field) => {
    Object.assign(field, properties);
    return {};
  });
}

/** The key of a field in JSON. */
export function keyOf({ name, jsonName }: Field): string {
  return jsonName ?? name.replaceAll(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

/** Which fields an edit is for. */
export const always = (): boolean => true;
export const isPlain = ({ label, oneof, type }: Field): boolean =>
  label === "" && oneof === undefined && !type.startsWith("map");
export const isSingle = ({ label, type }: Field): boolean =>
  label !== "repeated" && !type.startsWith("map");
export const isValue = ({ type }: Field, { messages }: Proto): boolean =>
  !type.includes(".") && messages.every(({ name }) => name !== type);
/** The type name of a field: the type of a map's values, or the type itself. */
const namedBy = (type: string) => /^map<.*, (.*)>$/.exec(type)?.[1] ?? type;
const isUsed = (proto: Proto, name: string) =>
  proto.messages.some(({ fields }) => fields.some(({ type }) => namedBy(type) === name)) ||
  proto.rpcs.some(({ request, response }) => request === name || response === name);

/** An edit that adds a field to a message. */
export function added(required: boolean): Edit {
  return (proto, pick) => {
    const message = pick(proto.messages);
    const type = pick(scalars, 1) ?? "string";
    message?.fields.push({ name: "added_99x", number: 99, type, label: "", required });
    return message && { names: ["added99x"] };
  };
}

/** Edit of the values of an enum. `change` returns the names that a report must contain. */
export function inEnum(
  change: (values: Enum["values"], pick: Pick, type: Enum) => readonly string[] | undefined,
): Edit {
  return (proto, pick) => {
    const type = pick(proto.enums);
    const names = type && change(type.values, pick, type);
    return names && { names };
  };
}

/** Common prefix of all values of an enum. Keys in TypeScript omit it while all values have it. */
export function prefixOf([first, ...others]: Enum["values"]): string {
  const words = (first?.name ?? "").split("_");
  const isShared = (_: string, index: number) =>
    others.every(({ name }) => name.startsWith(`${words.slice(0, index + 1).join("_")}_`));
  return words
    .filter(isShared)
    .map((word) => `${word}_`)
    .join("");
}

/** The name of the method in TypeScript. */
export function methodOf({ name }: Rpc): string {
  return name.charAt(0).toLowerCase() + name.slice(1);
}

/**
 * Edit of an rpc. `change` returns the names that a report must contain in addition to its method.
 */
export function inRpc(
  change: (rpc: Rpc, proto: Proto, pick: Pick) => readonly string[] | undefined,
): Edit {
  return (proto, pick) => {
    const rpc = pick(proto.rpcs);
    const names = rpc && change(rpc, proto, pick);
    return names && { names: [methodOf(rpc), ...names] };
  };
}

/** Gives an rpc another message on one side. */
export function retargeted(side: "request" | "response"): Edit {
  return inRpc((rpc, { messages }, pick) => {
    const others = messages.filter(({ name }) => name !== rpc[side]);
    const other = pick(others, 1);
    rpc[side] = other?.name ?? "";
    return other && [other.name];
  });
}

/** Removes a type that nothing uses. */
export function removed(kind: "enums" | "messages"): Edit {
  return (proto, pick) => {
    const types: { readonly name: string }[] = proto[kind];
    const gone = pick(types.filter(({ name }) => !isUsed(proto, name)));
    if (gone !== undefined) types.splice(types.indexOf(gone), 1);
    return gone && { names: [gone.name] };
  };
}

/** Renames a type wherever it is used. */
export function renamed(kind: "enums" | "messages"): Edit {
  return (proto, pick) => {
    const types: { name: string }[] = proto[kind];
    const type = pick(types);
    if (type === undefined) return undefined;
    const [from, to] = [type.name, "Renamed"];
    replaceType(proto, from, to);
    type.name = to;
    return { names: [from, to], from, to };
  };
}

/** Gives a field another type, and returns both. */
export function retype(
  field: Field,
  _: Message,
  proto: Proto,
  pick: Pick,
): { from: string; to: string } {
  const types = [
    ...scalars,
    ...scalars,
    ...proto.messages,
    ...proto.enums,
    "map<string, bytes>" as const,
  ];
  const names = types.map((type) => (typeof type === "string" ? type : type.name));
  const from = field.type;
  const isMap = field.label === "" && field.oneof === undefined;
  const to =
    pick(
      names.filter((type) => type !== from && (isMap || !type.startsWith("map"))),
      1,
    ) ?? from;
  field.type = to;
  return { from, to };
}

function replaceType(proto: Proto, from: string, to: string) {
  for (const field of proto.messages.flatMap(({ fields }) => fields))
    if (field.type === from) field.type = to;
    else if (namedBy(field.type) === from)
      field.type = field.type.replace(`, ${from}>`, `, ${to}>`);
  for (const rpc of proto.rpcs) {
    if (rpc.request === from) rpc.request = to;
    if (rpc.response === from) rpc.response = to;
  }
}

/** Swaps two numbers. */
export function swap(one: { number: number }, other: { number: number }): void {
  [one.number, other.number] = [other.number, one.number];
}
