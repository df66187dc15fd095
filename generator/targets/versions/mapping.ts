import type { Protocol } from "../../protocol/model/types.js";
import { mapVersions } from "../../protocol/versions/map-versions.js";
import { earlier, later, opposite } from "../../protocol/versions/sides.js";
import { lastEventOf, type LastEvent } from "../client/last-event.js";
import type {
  Conversion,
  Members,
  ObjectMapping,
  Side,
  TypeConversion,
  TypeConversions,
  TypeMapping,
  VersionLoss,
  VersionMapping,
} from "../../protocol/versions/types.js";

/**
 * Mapping from the point of view of an application's version. The keys of every table are names of
 * that version.
 */
export interface AdapterTables {
  readonly own: Side;
  readonly types: TypeConversions;
  readonly operations: Readonly<Record<string, AdapterOperation>>;
  readonly errors: Readonly<Record<string, string>>;
  readonly card: Conversion;
  readonly webhook?: { readonly type: string; readonly body: Conversion };
  /** Data that only one of the two versions can represent. */
  readonly losses: readonly VersionLoss[];
  /** Types that both versions have: their names, and the name of their conversion. */
  readonly pairs: readonly TypePair[];
}

interface AdapterOperation {
  readonly name: string;
  readonly jsonRpc?: string;
  readonly request: Conversion;
  readonly response: Conversion;
  /** Members of the event that ends a stream. */
  readonly last?: LastEvent;
}

/** Type that exists in both versions. */
export interface TypePair {
  readonly own: string;
  readonly other: string;
  readonly conversion: string;
}

/** Returns the conversions between an application's version and another version. */
export function adapterTables(own: Protocol, other: Protocol): AdapterTables {
  const mapping = mapVersions(own, other);
  const side = mapping.names[earlier] === own.binding?.version ? earlier : later;
  const otherSide = opposite(side);
  const pairs = pairsOf(mapping, { own, other }, side);
  const webhook = webhookOf(mapping.webhook[otherSide], pairs);
  return {
    own: side,
    types: mapValues(mapping.types, briefly),
    operations: Object.fromEntries(
      mapping.operations.map((pair) => [
        pair.names[side],
        adapterOperation(pair, otherSide, other),
      ]),
    ),
    errors: Object.fromEntries(mapping.errors.map((names) => [names[side], names[otherSide]])),
    card: mapping.card,
    ...(webhook && { webhook }),
    losses: mapping.losses,
    pairs,
  };
}

function adapterOperation(
  { names, request, response }: VersionMapping["operations"][number],
  otherSide: Side,
  other: Protocol,
): AdapterOperation {
  const name = names[otherSide];
  const operation = other.operations.find((candidate) => candidate.name === name);
  const jsonRpc = operation?.jsonRpc;
  const last = operation && lastEventOf(operation, other);
  return {
    name,
    ...(jsonRpc !== undefined && { jsonRpc }),
    request,
    response,
    ...(last && { last }),
  };
}

function mapValues<T, R>(
  values: Readonly<Record<string, T>>,
  map: (value: T) => R,
): Record<string, R> {
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, map(value)]));
}

/** Returns the conversion of a type without empty constants. */
function briefly(type: TypeMapping): TypeConversion {
  if (type.kind === "enum") return type;
  if (type.kind === "object") return { kind: type.kind, ...membersOf(type) };
  const alternatives = type.alternatives.map(({ when, ...members }) => ({
    when,
    ...membersOf(members),
  }));
  return { kind: type.kind, alternatives };
}

function membersOf({ kind: _, constants, ...members }: ObjectMapping): Members {
  const isEmpty = constants.every((members) => Object.keys(members).length === 0);
  return { ...members, ...(!isEmpty && { constants }) };
}

/**
 * Returns the types that both protocols declare. If a type has several counterparts, it is paired
 * with the first counterpart.
 */
function pairsOf(
  { types }: VersionMapping,
  { own, other }: { readonly own: Protocol; readonly other: Protocol },
  side: Side,
): TypePair[] {
  const ownNames = new Set(own.types.map(({ name }) => name));
  const otherNames = new Set(other.types.map(({ name }) => name));
  const found = new Map<string, TypePair>();
  for (const conversion of Object.keys(types)) {
    // A conversion has both names of its type if the later version renamed the type.
    const [old = "", now = old] = conversion.split("~");
    const names = side === earlier ? { own: old, other: now } : { own: now, other: old };
    const isDeclared = ownNames.has(names.own) && otherNames.has(names.other);
    if (isDeclared && !found.has(names.own)) found.set(names.own, { ...names, conversion });
  }
  return [...found.values()];
}

function webhookOf(
  posted: string | undefined,
  pairs: readonly TypePair[],
): AdapterTables["webhook"] {
  const pair = pairs.find(({ other }) => other === posted);
  return pair && { type: pair.own, body: { kind: "type", name: pair.conversion } };
}
