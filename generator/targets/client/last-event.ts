import { streamsResponses } from "../../protocol/model/streaming.js";
import type {
  MessageDef,
  OperationDef,
  Protocol,
  TypeDef,
  ValueType,
} from "../../protocol/model/types.js";

/** Members of the event that ends a stream, possibly in nested objects. */
export interface LastEvent {
  readonly [key: string]: LastEvent | string | true;
}

/**
 * Returns the members of the event that ends the stream of an operation: the property that the
 * manifest lists, and the constant that identifies the type of the event. Returns `undefined` if
 * the events of the operation have no such mark.
 */
export function lastEventOf(
  operation: OperationDef,
  { types, versions }: Protocol,
): LastEvent | undefined {
  const [owner, property] = versions?.last?.split(".") ?? [];
  if (!streamsResponses(operation) || operation.response.kind === "empty" || property === undefined)
    return undefined;
  const typeOf = (name: string): TypeDef | undefined => types.find((type) => type.name === name);
  const message = typeOf(owner ?? "");
  const isOwner = (type: ValueType): boolean => "name" in type && type.name === owner;
  const response = typeOf(operation.response.name);
  if (message?.kind !== "message") return undefined;
  if (response === message) return { [property]: true };
  if (response?.kind === "union" && response.members.some(isOwner))
    return { ...constantOf(message, response.discriminator), [property]: true };
  const holder =
    response?.kind === "message" ? response.fields.find(({ type }) => isOwner(type)) : undefined;
  return holder && { [holder.name]: { [property]: true } };
}

/** Returns the constant that identifies a member of a union. */
function constantOf({ fields }: MessageDef, discriminator: string | undefined): LastEvent {
  const type = fields.find(({ name }) => name === discriminator)?.type;
  const constant = type?.kind === "literal" ? type.values[0] : undefined;
  return discriminator !== undefined && typeof constant === "string"
    ? { [discriminator]: constant }
    : {};
}
