import type { LossDef } from "../../../generator/protocol/model/types.js";

/** A binding that a loss can name. */
export type Binding = LossDef["bindings"][number];

/** Path of a value, starting at a type that contains it, as reports name fields. */
export interface Anchor {
  readonly type: string;
  readonly path: readonly string[];
}

/** The anchors of a field of `type`, which is itself at `anchors`. */
export function anchorsOf(anchors: readonly Anchor[], type: string, field: string): Anchor[] {
  return [
    ...anchors.map((anchor) => ({ ...anchor, path: [...anchor.path, field] })),
    { type, path: [field] },
  ];
}

/** Entry of the report about a value. */
export function lossesAt(losses: readonly LossDef[], anchors: readonly Anchor[]): LossDef[] {
  return losses.filter(({ type, field }) =>
    anchors.some((anchor) => anchor.type === type && anchor.path.join(".") === field),
  );
}

/** The groups of fields of a type of which a report says that only one is carried. */
export function choicesOf(losses: readonly LossDef[], type: string): (readonly string[])[] {
  const lists = losses.flatMap((loss) =>
    loss.type === type && loss.kind === "form"
      ? (/only carry one of (.+)\.$/.exec(loss.text)?.[1] ?? [])
      : [],
  );
  return [...new Set(lists)].map((list) => list.split(", "));
}

/** Tells whether a value is the default that a loss is about. */
export function isLostDefault({ kind, text }: LossDef, value: unknown): boolean {
  if (kind !== "default") return false;
  const zero = /, (.+) arrives as if it were absent\.$/.exec(text)?.[1] ?? "";
  switch (zero) {
    case "an empty string":
      return value === "";
    case "an empty list":
      return Array.isArray(value) && value.length === 0;
    case "an empty object":
      return JSON.stringify(value) === "{}";
    default:
      return String(value) === zero.replaceAll("`", "");
  }
}
