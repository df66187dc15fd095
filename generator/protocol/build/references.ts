import type { Protocol, TypeDef, WireDef } from "../model/types.js";

/**
 * The kinds of references. A reference is an object with a kind and a name, at any depth in the
 * definition of a type.
 */
const referenceKinds: ReadonlySet<unknown> = new Set(["message", "enum", "union", "alias"]);

/** Returns the names of the types that a type refers to. */
export function referencesOf(type: TypeDef): ReadonlySet<string> {
  const found = namesIn(type);
  found.delete(type.name);
  return found;
}

/**
 * Returns a protocol with only the types that its operations, its card and the names in `further`
 * refer to, directly or through other types.
 */
export function onlyReachable(protocol: Protocol, further: Iterable<string>): Protocol {
  // An `Any` may contain any message, so every message is reachable.
  if (holdsAny(protocol)) return protocol;
  const wire = protocol.wire && onlyCalled(protocol.wire, protocol);
  const used = namesIn(
    wire?.messages.map(({ model, fields }) => [model, fields.map(({ mapping }) => mapping)]),
  );
  for (const { model } of wire?.enums ?? []) used.add(model);
  for (const ref of protocol.operations.flatMap(({ request, response }) => [request, response]))
    if (ref.kind === "named") used.add(ref.name);
  for (const name of further) used.add(name);
  const card = protocol.binding?.card;
  if (card !== undefined) used.add(card.type);
  const types = named(protocol.types, namesReachable(protocol.types, used));
  return { ...protocol, types, ...(wire && { wire }) };
}

/** Returns the messages and enums that the requests and responses of rpcs contain. */
function onlyCalled(wire: WireDef, { operations }: Protocol): WireDef {
  const called = operations.flatMap(({ rpc }) =>
    [rpc?.request, rpc?.response].filter((name) => name !== undefined),
  );
  const names = namesReachable(wire.messages, called, ({ fields }) =>
    namesIn(fields.map(({ type }) => type)),
  );
  return { ...wire, messages: named(wire.messages, names), enums: named(wire.enums, names) };
}

function named<Definition extends { readonly name: string }>(
  definitions: readonly Definition[],
  names: ReadonlySet<string>,
): Definition[] {
  return definitions.filter(({ name }) => names.has(name));
}

/** Returns the given names, and the names that the definitions with these names refer to. */
function namesReachable<Definition extends { readonly name: string }>(
  all: readonly Definition[],
  start: Iterable<string>,
  references: (definition: Definition) => Iterable<string> = namesIn,
): ReadonlySet<string> {
  const definitions = new Map(all.map((definition) => [definition.name, definition]));
  const names = new Set(start);
  // Iterating over a set includes the elements that are added during the iteration.
  for (const name of names) {
    const definition = definitions.get(name);
    if (definition !== undefined) for (const other of references(definition)) names.add(other);
  }
  return names;
}

function holdsAny({ types, wire }: Protocol): boolean {
  return JSON.stringify([types, wire]).includes('"wellKnown":"Any"');
}

function namesIn(value: unknown, found = new Set<string>()): Set<string> {
  if (typeof value !== "object" || value === null) return found;
  const { kind, name } = value as { readonly kind?: unknown; readonly name?: unknown };
  if (referenceKinds.has(kind) && typeof name === "string") found.add(name);
  for (const member of Object.values(value)) namesIn(member, found);
  return found;
}
