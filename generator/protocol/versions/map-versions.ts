import { Diagnostics } from "../../../support/diagnostics.js";
import { compareVersions } from "../../../support/versions.js";
import { streamsResponses } from "../model/streaming.js";
import type { OperationDef, Protocol, TypeRef, ValueType } from "../model/types.js";
import type { Move } from "./context.js";
import { Mapper } from "./mapper.js";
import { matchErrors, matchOperations } from "./match-operations.js";
import { both, bothSides, earlier, later, opposite } from "./sides.js";
import type { Conversion, OperationMapping, Sides, VersionMapping } from "./types.js";

/**
 * Returns the mapping between two versions, which may be passed in any order. It contains the
 * requests and responses of their operations, and the agent card. The mapping is derived from the
 * types, and from the old names that the later version lists.
 *
 * @throws InputError if a difference between the versions requires an entry that the later
 *   version's manifest does not have
 */
export function mapVersions(protocol: Protocol, other: Protocol): VersionMapping {
  const versions = [versionOf(protocol), versionOf(other)] as const;
  const protocols =
    compareVersions(...versions) > 0 ? ([other, protocol] as const) : ([protocol, other] as const);
  const diagnostics = new Diagnostics();
  const mapper = new Mapper(protocols, diagnostics);
  const operations = mapOperations(mapper);
  const errors = mapErrors(mapper);
  const card = cardOf(mapper);
  // Only after all mappings is it known which elements have no counterpart.
  const losses = mapper.accounts.reportMissing();
  diagnostics.throwIfAny();
  const bindings = both((side) => protocols[side].binding);
  return {
    names: both((side) => bindings[side]?.version ?? ""),
    versions: both((side) => bindings[side]?.wireVersion ?? ""),
    types: mapper.types,
    operations,
    errors,
    card,
    webhook: both((side) => bindings[side]?.webhook),
    losses,
    hints: [...mapper.names.used].sort(),
  };
}

function versionOf({ binding }: Protocol): string {
  return binding?.version ?? "";
}

interface Pair {
  readonly operations: Sides<OperationDef>;
  /** The params of the operation that were renamed, according to the manifest. */
  readonly moves: readonly Move[];
}

function mapOperations(mapper: Mapper): OperationMapping[] {
  const { protocols, names, accounts } = mapper;
  const matches = matchOperations(...protocols, (method) => names.now("methods", method));
  const pairs = matches.pairs.map(({ from, to }): Pair => {
    const { params = {} } =
      (from.jsonRpc === undefined ? undefined : names.method(from.jsonRpc)) ?? {};
    const moves = Object.entries(params).map(([old, now]): Move => ({ at: [[old], [now]] }));
    return { operations: [from, to], moves };
  });
  for (const { name, jsonRpc = name } of matches.removed)
    accounts.only(earlier, "methods", [jsonRpc, name]);
  for (const { name } of matches.added) accounts.only(later, "methods", [name]);
  for (const pair of pairs) learn(mapper, pair);
  return pairs.map(({ operations, moves }) => mapOperation(mapper, operations, moves));
}

/**
 * If the params and the response of an operation have the same type, records the moves of its
 * properties for every use of the type.
 */
function learn(mapper: Mapper, { operations: [from, to], moves }: Pair): void {
  const [own, its] = [nameOf(from.request), nameOf(to.request)];
  if (
    own === "" ||
    own !== nameOf(from.response) ||
    its !== nameOf(to.response) ||
    moves.length === 0
  )
    return;
  mapper.know([mapper.shapes[earlier].reference(own), mapper.shapes[later].reference(its)], moves);
}

function mapOperation(
  mapper: Mapper,
  [from, to]: Sides<OperationDef>,
  moves: readonly Move[],
): OperationMapping {
  const names = [from.name, to.name] as const;
  if (streamsResponses(from) !== streamsResponses(to)) {
    const hint = "Specify its counterpart under legacy.methods of the later version";
    mapper.report(`of ${from.name} and ${to.name}, only one streams`, hint);
  }
  const request = mapRef(mapper, [from.request, to.request], names, moves);
  return { names, request, response: mapRef(mapper, [from.response, to.response], names) };
}

function mapRef(
  mapper: Mapper,
  refs: Sides<TypeRef>,
  names: Sides<string>,
  moves?: readonly Move[],
): Conversion {
  const [from, to] = refs;
  if (from.kind === "named" && to.kind === "named") {
    const types = [
      mapper.shapes[earlier].reference(from.name),
      mapper.shapes[later].reference(to.name),
    ] as const;
    return mapper.value(...types, [from.name, to.name], moves);
  }
  for (const side of bothSides) {
    const ref = refs[side];
    const type: ValueType | undefined =
      ref.kind === "named" ? mapper.shapes[side].reference(ref.name) : undefined;
    for (const [name, { presence }] of (type && mapper.shapes[side].properties(type)) ?? []) {
      mapper.accounts.only(side, "properties", [`${nameOf(ref)}.${name}`]);
      const hint = "Specify its counterpart under legacy.properties of the later version";
      const message =
        `${nameOf(ref)}.${name} is required, but ${names[opposite(side)]} has ` + "no value for it";
      if (presence === "required") mapper.report(message, hint);
    }
  }
  return { kind: "nothing", empty: both((side) => emptyOf(refs[side])) };
}

function emptyOf(ref: TypeRef): "object" | "null" | undefined {
  return ref.kind === "empty" ? ref.json : undefined;
}

function nameOf(ref: TypeRef): string {
  return ref.kind === "named" ? ref.name : "";
}

function mapErrors({ protocols, names, accounts }: Mapper): Sides<string>[] {
  const matches = matchErrors(...protocols, (name) => names.now("errors", name));
  for (const { name } of matches.removed) accounts.only(earlier, "errors", [name]);
  for (const { name } of matches.added) accounts.only(later, "errors", [name]);
  return matches.pairs.map(({ from, to }) => [from.name, to.name]);
}

function cardOf(mapper: Mapper): Conversion {
  const [from, to] = mapper.protocols.map(({ binding }) => binding?.card?.type);
  if (from === undefined || to === undefined) return { kind: "same" };
  return mapper.value(mapper.shapes[earlier].reference(from), mapper.shapes[later].reference(to), [
    from,
    to,
  ]);
}
