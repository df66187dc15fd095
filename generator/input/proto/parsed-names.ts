import protobuf from "protobufjs";

/**
 * Words that protobufjs does not take as names where protoc does: it has tables by name, in which the first one would be
 * their prototype, and the others are keywords of later editions.
 */
const refused: ReadonlySet<string> = new Set(["__proto__", "export", "local"]);

const prefix = "stand_in_for_";

/** Returns a name, or the path to one, with other words in the place of those that protobufjs does not take. */
export function standInFor(name: string): string {
  const parts = name.split(".");
  return parts.map((part) => (refused.has(part) || part.startsWith(prefix) ? prefix + part : part)).join(".");
}

/**
 * Returns another name for a oneof. protobufjs calls the oneofs that it adds for `optional` fields like them, after an
 * underscore, and has no other names where these are taken.
 */
export function standInForOneof(name: string): string {
  return name.startsWith("_") ? prefix + name : standInFor(name);
}

/** Returns the name, or the path to it, that a name has in the proto. */
export function originalName(name: string): string {
  return name
    .split(".")
    .map((part) => (part.startsWith(prefix) ? part.slice(prefix.length) : part))
    .join(".");
}

/** Returns the name of something that was parsed, as the proto spells it. */
export function nameOf(object: protobuf.ReflectionObject): string {
  const declared = object instanceof protobuf.Field ? object.protoName : undefined;
  return originalName(declared ?? object.name);
}

/** Returns the full name of something that was parsed, without the leading dot. */
export function fullNameOf(object: protobuf.ReflectionObject): string {
  return originalName(object.fullName.replace(/^\./, ""));
}
