import type { ErrorDef, OperationDef, Protocol } from "../model/types.js";
import { Pairing } from "./pairing.js";

/** Returns the names in another version that a manifest lists for a name. */
export type Renamed = (name: string) => readonly string[];

/**
 * Matches operations: according to the manifest, or by their rpcs, their JSON-RPC methods, their
 * names, or their TypeScript methods.
 */
export function matchOperations(
  from: Protocol,
  to: Protocol,
  renamed: Renamed,
): Pairing<OperationDef> {
  const namesOf = ({ jsonRpc }: OperationDef): readonly string[] =>
    jsonRpc === undefined ? [] : renamed(jsonRpc);
  return new Pairing(from.operations, to.operations)
    .by((element, counterpart) =>
      namesOf(element).some((name) => name === counterpart.jsonRpc || name === counterpart.name),
    )
    .by(
      ({ rpc }, counterpart) =>
        rpc !== undefined &&
        rpc.service === counterpart.rpc?.service &&
        rpc.method === counterpart.rpc.method,
    )
    .by(
      (element, counterpart) =>
        element.jsonRpc !== undefined && element.jsonRpc === counterpart.jsonRpc,
    )
    .by((element, counterpart) => element.name === counterpart.name)
    .by((element, counterpart) => element.method === counterpart.method);
}

/** Matches errors: according to the manifest, or by their names. */
export function matchErrors(from: Protocol, to: Protocol, renamed: Renamed): Pairing<ErrorDef> {
  return new Pairing(from.binding?.errors ?? [], to.binding?.errors ?? [])
    .by((element, counterpart) => renamed(element.name).includes(counterpart.name))
    .by((element, counterpart) => element.name === counterpart.name);
}
