import protobuf from "protobufjs";

/**
 * Words that are valid names for protoc, but not for protobufjs. protobufjs stores names as keys of
 * plain objects, in which `__proto__` would set the prototype. The other words are keywords of
 * later editions.
 */
const refused: ReadonlySet<string> = new Set(["__proto__", "export", "local"]);

const prefix = "stand_in_for_";

/** Returns a name or a path of names in which the words that protobufjs rejects are replaced. */
export function parserName(name: string): string {
  const parts = name.split(".");
  return parts
    .map((part) => (refused.has(part) || part.startsWith(prefix) ? prefix + part : part))
    .join(".");
}

/**
 * Returns a replacement for the name of a oneof. For each `optional` field, protobufjs adds a oneof
 * that is named after the field with a leading underscore, and fails if this name is in use.
 */
export function parserOneofName(name: string): string {
  return name.startsWith("_") ? prefix + name : parserName(name);
}

/** Returns the original name in the proto, or the path of names, for a replacement. */
export function originalName(name: string): string {
  return name
    .split(".")
    .map((part) => (part.startsWith(prefix) ? part.slice(prefix.length) : part))
    .join(".");
}

/** Returns the name of a parsed element in the spelling of the proto. */
export function nameOf(object: protobuf.ReflectionObject): string {
  const declared = object instanceof protobuf.Field ? object.protoName : undefined;
  return originalName(declared ?? object.name);
}

/** Returns the full name of a parsed element, without the leading dot. */
export function fullNameOf(object: protobuf.ReflectionObject): string {
  return originalName(object.fullName.replace(/^\./, ""));
}
