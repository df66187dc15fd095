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
  const [owner = "", property] = versions?.last?.split(".") ?? [];
  const { response } = operation;
  if (!streamsResponses(operation) || response.kind === "empty" || property === undefined)
    return undefined;
  const typeOf = (name: string): TypeDef | undefined => types.find((type) => type.name === name);
  const message = typeOf(owner);
  if (message?.kind !== "message") return undefined;
  return markIn(typeOf(response.name), message, { [property]: true });
}

/** Returns the members of an event with a message that has the mark, which is all or part of it. */
function markIn(
  event: TypeDef | undefined,
  message: MessageDef,
  mark: LastEvent,
): LastEvent | undefined {
  const isMessage = (type: ValueType): boolean => "name" in type && type.name === message.name;
  if (event === message) return mark;
  if (event?.kind === "union" && event.members.some(isMessage))
    return { ...constantOf(message, event.discriminator), ...mark };
  if (event?.kind !== "message") return undefined;
  const holder = event.fields.find(({ type }) => isMessage(type));
  return holder && { [holder.name]: mark };
}

/** Returns the constant that identifies a member of a union. */
function constantOf({ fields }: MessageDef, discriminator: string | undefined): LastEvent {
  const type = fields.find(({ name }) => name === discriminator)?.type;
  const constant = type?.kind === "literal" ? type.values[0] : undefined;
  return discriminator !== undefined && typeof constant === "string"
    ? { [discriminator]: constant }
    : {};
}
