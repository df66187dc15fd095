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
  if (protocol.binding !== undefined) used.add(protocol.binding.card.type);
  return { ...protocol, types: reachable(protocol.types, used), ...(wire && { wire }) };
}

/** Returns the messages and enums that the requests and responses of rpcs contain. */
function onlyCalled(wire: WireDef, { operations }: Protocol): WireDef {
  const called = operations.flatMap(({ rpc }) =>
    [rpc?.request, rpc?.response].filter((name) => name !== undefined),
  );
  const used = new Set(called);
  const messages = reachable(wire.messages, used, ({ fields }) =>
    namesIn(fields.map(({ type }) => type)),
  );
  return { ...wire, messages, enums: wire.enums.filter(({ name }) => used.has(name)) };
}

/**
 * Returns the definitions with the given names and all definitions that they refer to. Adds the
 * names of these definitions to `names`.
 */
function reachable<Definition extends { readonly name: string }>(
  all: readonly Definition[],
  names: Set<string>,
  references: (definition: Definition) => Iterable<string> = namesIn,
): Definition[] {
  const definitions = new Map(all.map((definition) => [definition.name, definition]));
  // Iterating over a set includes the elements that are added during the iteration.
  for (const name of names) {
    const definition = definitions.get(name);
    if (definition !== undefined) for (const other of references(definition)) names.add(other);
  }
  return all.filter(({ name }) => names.has(name));
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
