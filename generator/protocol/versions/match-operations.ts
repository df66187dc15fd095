import type { ErrorDef, OperationDef, Protocol } from "../model/types.js";
import { Pairing } from "./pairing.js";

/** Returns the names in another version that a manifest lists for a name. */
export type Renamed = (name: string) => readonly string[];

/**
 * Matches operations: according to the manifest, or by their JSON-RPC methods, their names, or
 * their TypeScript methods.
 */
export function matchOperations(
  from: Protocol,
  to: Protocol,
  renamed: Renamed,
): Pairing<OperationDef> {
  const namesOf = ({ jsonRpc }: OperationDef): readonly string[] =>
    jsonRpc === undefined ? [] : renamed(jsonRpc);
  return new Pairing(from.operations, to.operations)
    .by((one, other) => namesOf(one).some((name) => name === other.jsonRpc || name === other.name))
    .by((one, other) => one.jsonRpc !== undefined && one.jsonRpc === other.jsonRpc)
    .by((one, other) => one.name === other.name)
    .by((one, other) => one.method === other.method);
}

/** Matches errors: according to the manifest, or by their names. */
export function matchErrors(from: Protocol, to: Protocol, renamed: Renamed): Pairing<ErrorDef> {
  return new Pairing(from.binding?.errors ?? [], to.binding?.errors ?? [])
    .by((one, other) => renamed(one.name).includes(other.name))
    .by((one, other) => one.name === other.name);
}
