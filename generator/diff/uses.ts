import type { OperationDef, Protocol, ValueType } from "../protocol/model/types.js";
import type { Renames } from "../protocol/versions/manifest-renames.js";
import { wireForm } from "./wire-forms.js";
import { hasSameRoutes } from "./compare-routes.js";

/** Field of a message, with its number. */
interface NumberedField {
  readonly number: number | undefined;
  readonly type: ValueType;
}

/** Messages of one version by their names, and the messages of each rpc. */
interface Side {
  readonly fields: ReadonlyMap<string, readonly NumberedField[]>;
  readonly refs: (operation: OperationDef) => readonly (string | undefined)[];
}

/** Returns whether the same rpcs or fields use a type and its counterpart, by their names. */
export type UsedAlike = (from: string, to: string) => boolean;

/** Returns the model's types that are used alike in two states of a package. */
export function typesUsedAlike(from: Protocol, to: Protocol, renames: Renames): UsedAlike {
  const sideOf = ({ types }: Protocol): Side => ({
    fields: new Map(
      types.flatMap((type) => {
        if (type.kind !== "message") return [];
        const fields = type.fields.map(({ proto, type: value }) => {
          return { number: proto?.number, type: value };
        });
        return [[type.name, fields] as const];
      }),
    ),
    refs: ({ request, response }) =>
      [request, response].map((ref) => (ref.kind === "named" ? ref.name : undefined)),
  });
  return usedAlike(from, to, renames, sideOf);
}

/** Returns the messages of protobuf that are used alike in two states of a package. */
export function messagesUsedAlike(from: Protocol, to: Protocol, renames: Renames): UsedAlike {
  const sideOf = ({ wire }: Protocol): Side => ({
    fields: new Map(
      (wire?.messages ?? []).map(({ name, fields }) => [
        name,
        fields.map(({ proto, type }) => ({ number: proto.number, type })),
      ]),
    ),
    refs: ({ rpc }) => [rpc?.request, rpc?.response],
  });
  return usedAlike(from, to, renames, sideOf);
}

function usedAlike(
  from: Protocol,
  to: Protocol,
  renames: Renames,
  sideOf: (protocol: Protocol) => Side,
): UsedAlike {
  if (!renames.isSamePackage) return () => false;
  const [before, now] = [sideOf(from), sideOf(to)];
  const counterparts = new Map<string, Set<string>>();
  const note = (name: string | undefined, other: string | undefined): void => {
    if (name === undefined || other === undefined) return;
    counterparts.set(name, (counterparts.get(name) ?? new Set()).add(other));
  };
  for (const operation of from.operations) {
    const same = to.operations.find((other) => isSameRpc(operation, other));
    if (same === undefined) continue;
    const [request, response] = before.refs(operation);
    const [requestNow, responseNow] = now.refs(same);
    note(request, requestNow);
    note(response, responseNow);
  }
  for (const [name, fields] of before.fields)
    for (const { number, type } of fields) {
      const same = now.fields.get(name)?.find((field) => field.number === number);
      if (number !== undefined && same !== undefined) note(namedIn(type), namedIn(same.type));
    }
  return (name, other) => {
    const [only, ...others] = counterparts.get(name) ?? [];
    return (
      only === other &&
      others.length === 0 &&
      haveSameNumbers(before.fields.get(name), now.fields.get(other))
    );
  };
}

function isSameRpc(operation: OperationDef, other: OperationDef): boolean {
  const { rpc } = operation;
  if (rpc === undefined) return false;
  const isSame = rpc.service === other.rpc?.service && rpc.method === other.rpc.method;
  return isSame || hasSameRoutes(operation, other);
}

/** Returns the name of the type that a value, or each element of a value, has. */
function namedIn(type: ValueType): string | undefined {
  if ("name" in type) return type.name;
  if (type.kind === "list") return namedIn(type.element);
  return type.kind === "map" ? namedIn(type.value) : undefined;
}

/**
 * Returns whether the fields with the same number have the same type, and one message has at most
 * the numbers of the other one. Types of two enums, which have no fields, are not compared.
 */
function haveSameNumbers(
  from: readonly NumberedField[] | undefined,
  to: readonly NumberedField[] | undefined,
): boolean {
  if (from === undefined || to === undefined) return from === to;
  const forms = new Map(to.map(({ number, type }) => [number, formOf(type)]));
  const kept = from.filter(({ number, type }) => forms.get(number) === formOf(type)).length;
  return kept === Math.min(from.length, to.length);
}

/** Returns the form of a type, whatever the names in it are. */
function formOf(type: ValueType): string {
  return wireForm(type, () => "a type");
}
