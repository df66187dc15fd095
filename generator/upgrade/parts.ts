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
