import { camelCase, constantFor, isIdentifier, pascalCase } from "../../../support/names.js";
import { codecNames, serviceNames, validatorNames } from "./output-names.js";
import type {
  LegacyDef,
  MessageDef,
  OneofDef,
  OperationDef,
  Protocol,
  ServiceDef,
  TypeDef,
} from "../model/types.js";
import { renameAll } from "./rename.js";
import {
  reservedJsonNames,
  reservedMethods,
  reservedNames,
  reservedServiceNames,
  reservedTypeNames,
} from "./reserved.js";

/**
 * Determines all TypeScript names of a protocol. If the language, its globals, the output or an
 * earlier element of the specification already uses a name, underscores are appended until the name
 * is unique. If the output contains no agents, its exports give way to types instead. The functions
 * and constants of a type are named after the type. Names are assigned to errors first, then to
 * types, then to the unions of oneofs. Names of earlier versions come last, and are omitted if they
 * are in use. Names in JSON and on the wire do not change.
 */
export function nameProtocol(protocol: Protocol): Protocol {
  const withoutAgents = isWithoutAgents(protocol);
  const exported = new Set(withoutAgents ? reservedServiceNames : reservedNames);
  const errors = claimAll(protocol.binding?.errors ?? [], exported, (name) => [name]);
  const errorNames = (protocol.binding?.errors ?? []).map(({ name }) => errors.get(name) ?? name);
  const taken = withoutAgents ? new Set([...reservedTypeNames, ...errorNames]) : exported;
  const types = claimAll(protocol.types, taken, exportsOf);
  const wire = protocol.wire?.isProtoJson === false ? wireNames(protocol.wire) : types;
  const isRenamed = [errors, types, wire].some((names) => names.size > 0);
  const renameBy = (names: ReadonlyMap<string, string>) => (name: string) =>
    names.get(name) ?? name;
  const renames = { types: renameBy(types), wire: renameBy(wire), errors: renameBy(errors) };
  const renamed = isRenamed ? renameAll(protocol, renames) : protocol;
  const unions = renamed.types.map((type) => withUnionNames(type, taken));
  const operations = withMethods(renamed.operations);
  const { services } = renamed;
  return {
    ...renamed,
    types: unions,
    ...(services === undefined
      ? { operations }
      : {
          services: withServiceNames(services, new Set([...exported, ...taken])),
          operations: withOwnMethods(operations),
        }),
    legacy: renamed.legacy.filter((entry) => claimAlias(entry, taken)),
  };
}

/** Returns whether the output of a protocol contains no agents, but at most plain services. */
function isWithoutAgents({ binding, services, sources }: Protocol): boolean {
  if (services !== undefined) return true;
  return binding === undefined && sources.every((source) => source === "proto");
}

/** Returns the names that an output exports for the types of a protocol. */
export function typeExports({ types }: Pick<Protocol, "types">): string[] {
  return types.flatMap((type) => [
    ...exportsOf(type.name),
    ...(type.kind === "message" ? type.oneofs.map((oneof) => unionNameOf(type, oneof)) : []),
  ]);
}

/**
 * Returns whether a message consists of a single choice, so that its type is the union of the
 * alternatives.
 */
export function isPureUnion(message: MessageDef): boolean {
  return message.oneofs.length === 1 && message.fields.every((field) => field.oneof !== undefined);
}

/**
 * Returns the name of the union of a oneof's alternatives: the name of the message if the message
 * has no other fields.
 */
export function unionNameOf(message: MessageDef, oneof: OneofDef): string {
  if (isPureUnion(message)) return message.name;
  return oneof.typeName ?? message.name + pascalCase(oneof.name);
}

/**
 * Reserves names in the given order. Returns the replacements of names that were already in use, by
 * original name.
 */
function claimAll(
  things: readonly { readonly name: string }[],
  taken: Set<string>,
  namesOf: (name: string) => readonly string[],
): Map<string, string> {
  const changed = new Map<string, string>();
  for (const { name } of things) {
    let free = name;
    while (namesOf(free).some((candidate) => taken.has(candidate))) free += "_";
    for (const each of namesOf(free)) taken.add(each);
    if (free !== name) changed.set(name, free);
  }
  return changed;
}

/**
 * Returns the names that the index of the output exports for a type: the type, and the functions
 * and the schema that check it.
 */
function exportsOf(name: string): string[] {
  return [name, ...validatorNames.map(([prefix, suffix]) => prefix + name + suffix)];
}

/**
 * Returns replacements for the names of messages and enums whose exports would collide. Only
 * required for a proto whose ProtoJSON is not the model.
 */
function wireNames({ messages, enums }: NonNullable<Protocol["wire"]>): Map<string, string> {
  const exported = (name: string): string[] => [
    ...codecNames.map(([prefix, suffix]) => prefix + name + suffix),
    `${name}Json`,
  ];
  return claimAll([...messages, ...enums], new Set(reservedJsonNames), exported);
}

function withUnionNames(type: TypeDef, taken: Set<string>): TypeDef {
  if (type.kind !== "message" || type.oneofs.length === 0 || isPureUnion(type)) return type;
  const oneofs = type.oneofs.map((oneof): OneofDef => {
    const preferred = { name: unionNameOf(type, oneof) };
    const name = claimAll([preferred], taken, (each) => [each]).get(preferred.name);
    return name === undefined ? oneof : { ...oneof, typeName: name };
  });
  return { ...type, oneofs };
}

/**
 * Assigns each operation a unique method name that clients and services can use, and whose constant
 * is also unique.
 */
function withMethods(operations: Protocol["operations"]): Protocol["operations"] {
  const taken = new Set(reservedMethods);
  return operations.map((operation) => {
    const preferred = { name: operation.method };
    const method = claimAll([preferred], taken, (each) => [
      ...new Set([each, constantFor(each)]),
    ]).get(preferred.name);
    return method === undefined ? operation : { ...operation, method };
  });
}

/**
 * Assigns each service a unique name, so that the names of its client and its server are unique,
 * too. If several services of different packages have the same name, the name also contains the
 * package.
 */
function withServiceNames(services: readonly ServiceDef[], taken: Set<string>): ServiceDef[] {
  return services.map((service) => {
    const own = /^[A-Z][A-Za-z0-9]*$/.test(service.name) ? service.name : pascalCase(service.name);
    const bare = own.replace(/(?<=.)Service$/, "");
    const preferred = [bare, own, pascalCase(service.fullName)];
    const isFree = (name: string): boolean =>
      serviceExports(name).every((candidate) => !taken.has(candidate));
    let name = preferred.find(isFree) ?? own;
    while (!isFree(name)) name += "_";
    for (const each of serviceExports(name)) taken.add(each);
    return { ...service, name };
  });
}

/** Returns the names that the index of the output exports for a service. */
function serviceExports(name: string): string[] {
  return serviceNames.map(([prefix, suffix]) => prefix + name + suffix);
}

/** Assigns each operation a method name that is unique in its service. */
function withOwnMethods(operations: readonly OperationDef[]): OperationDef[] {
  const takenBy = new Map<string, Set<string>>();
  return operations.map((operation) => {
    const { rpc, name, method } = operation;
    if (rpc === undefined) return operation;
    const taken = takenBy.get(rpc.service) ?? new Set(reservedMethods);
    takenBy.set(rpc.service, taken);
    const own = camelCase(rpc.method);
    // A manifest may have renamed the method.
    const preferred = name === rpc.method ? method : isIdentifier(own) ? own : rpc.method;
    const ownMethod = claimAll([{ name: preferred }], taken, (each) => [each]).get(preferred);
    return { ...operation, ownMethod: ownMethod ?? preferred };
  });
}

/**
 * Reserves the exported names of an alias of a type or an error. Returns `false` if one of these
 * names is already in use.
 */
function claimAlias({ kind, old }: LegacyDef, taken: Set<string>): boolean {
  if (kind !== "types" && kind !== "errors") return true;
  const names = kind === "types" ? exportsOf(old) : [old];
  if (names.some((name) => taken.has(name))) return false;
  for (const name of names) taken.add(name);
  return true;
}
