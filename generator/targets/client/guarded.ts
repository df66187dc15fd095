import { referencesOf } from "../../protocol/build/references.js";
import { streamsResponses } from "../../protocol/model/streaming.js";
import type { Protocol, TypeDef } from "../../protocol/model/types.js";

/**
 * Returns the names of the types of responses that a client checks with their guards: the events of
 * streams, the types that they contain, and choices between such types. Clients receive most of
 * their responses in these types. The guards of other responses would make each client larger.
 */
export function guardedTypes({ operations, types }: Protocol): ReadonlySet<string> {
  const known = new Map(types.map((type) => [type.name, type]));
  const streamed = operations.flatMap((operation) =>
    streamsResponses(operation) && operation.response.kind === "named"
      ? [operation.response.name]
      : [],
  );
  const reached = new Set(streamed);
  // Iterating over a set includes the elements that are added during the iteration.
  for (const name of reached) {
    const type = known.get(name);
    if (type !== undefined) for (const inner of referencesOf(type)) reached.add(inner);
  }
  const choices = types.filter(
    (type) => isChoice(type) && [...referencesOf(type)].every((name) => reached.has(name)),
  );
  return new Set([...reached, ...choices.map(({ name }) => name)]);
}

/** Returns whether each value of a type is a value of one of several other types. */
function isChoice(type: TypeDef): boolean {
  if (type.kind !== "message") return type.kind === "union" || type.kind === "alias";
  const members = type.oneofs.flatMap((oneof) => oneof.members);
  return type.fields.length > 0 && type.fields.every(({ name }) => members.includes(name));
}
