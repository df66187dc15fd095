import { lineWidth } from "../../emit/layout.js";

/**
 * Formats JSON as lines, in the layout of the formatter: objects on several lines, and lists
 * without objects on one line if they fit.
 */
export function jsonLines(value: unknown): string[] {
  return linesOf(value, 0, "", "");
}

function linesOf(value: unknown, depth: number, head: string, tail: string): string[] {
  const pad = "  ".repeat(depth);
  if (typeof value !== "object" || value === null)
    return [`${pad}${head}${JSON.stringify(value)}${tail}`];
  if (Array.isArray(value)) {
    const flat = `${pad}${head}[${value.map((item) => JSON.stringify(item)).join(", ")}]${tail}`;
    const isFlat = value.every(
      (item: unknown) => typeof item !== "object" || item === null || isEmpty(item),
    );
    if (isFlat && flat.length <= lineWidth) return [flat];
    return enclosed(
      ["[", "]"],
      value.map((item: unknown): [string, unknown] => ["", item]),
      { depth, head, tail },
    );
  }
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  if (members.length === 0) return [`${pad}${head}{}${tail}`];
  const entries = members.map(([key, member]): [string, unknown] => [
    `${JSON.stringify(key)}: `,
    member,
  ]);
  return enclosed(["{", "}"], entries, { depth, head, tail });
}

interface Around {
  readonly depth: number;
  readonly head: string;
  readonly tail: string;
}

function enclosed(
  [open, close]: readonly [string, string],
  entries: readonly (readonly [string, unknown])[],
  { depth, head, tail }: Around,
): string[] {
  const pad = "  ".repeat(depth);
  const last = entries.length - 1;
  const inner = entries.flatMap(([name, value], index) =>
    linesOf(value, depth + 1, name, index === last ? "" : ","),
  );
  return [`${pad}${head}${open}`, ...inner, `${pad}${close}${tail}`];
}

function isEmpty(value: object): boolean {
  return Object.keys(value).length === 0;
}
