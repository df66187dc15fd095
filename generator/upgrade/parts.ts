import type { MessageDef, Protocol } from "../protocol/model/types.js";

/** Returns the messages of a version. */
export function messagesOf({ types }: Pick<Protocol, "types">): MessageDef[] {
  return types.filter((type) => type.kind === "message");
}

/** Returns the last name of a path: `blocking` for `Config.blocking`. */
export function lastOf(path: string): string {
  return path.slice(path.lastIndexOf(".") + 1);
}

/** Returns the first line of a text, with an ellipsis if the text has more lines. */
export function firstLine(text: string): string {
  const [line = ""] = text.split("\n");
  return line === text ? text : `${line} …`;
}

/** Returns the properties that the manifest of a version lists under their old names. */
export function propertiesOf({ legacy }: Protocol): Protocol["legacy"] {
  return legacy.filter(({ kind }) => kind === "properties");
}

/** Returns the message with a name, if any. */
export function messageOf(protocol: Protocol, name: string): MessageDef | undefined {
  return messagesOf(protocol).find((type) => type.name === name);
}
