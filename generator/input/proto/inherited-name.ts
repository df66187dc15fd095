import protobuf from "protobufjs";
import type { Token } from "./scan.js";

/** The name that protobufjs cannot keep: it has tables by name, in which this one would be their prototype. */
const inherited = "__proto__";
const standIn = "stand_in_for_the_name_of_a_prototype";

/** Replaces `__proto__` in the names of a proto by a name that the parser takes; {@link nameOf} returns the name. */
export function hideInherited(text: string, tokens: readonly Token[]): string {
  const found = tokens.filter(({ text: word }) => /^[\w.]+$/.test(word) && word.split(".").includes(inherited));
  if (found.length === 0) return text;
  const lines = text.split("\n");
  for (const { line, column, text: name } of found.toReversed()) {
    const whole = lines[line - 1] ?? "";
    const parts = name.split(".").map((part) => (part === inherited ? standIn : part));
    lines[line - 1] = whole.slice(0, column - 1) + parts.join(".") + whole.slice(column - 1 + name.length);
  }
  return lines.join("\n");
}

/** The name that something has in the proto, or the path to it. */
export function originalName(name: string): string {
  return name.replaceAll(standIn, inherited);
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
