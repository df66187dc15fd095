import type { Diagnostics, Location } from "../../../support/diagnostics.js";
import type { FieldDef, LossDef, MessageDef, ValueType } from "../model/types.js";
import type { CorrelationHints } from "./hints.js";
import type { Shapes } from "./shape.js";
import type { Side } from "./side.js";

/** The two sources of a correlation, and what its steps share. */
export interface Context {
  readonly proto: Side;
  readonly schema: Side;
  readonly shapes: Shapes;
  readonly hints: CorrelationHints;
  readonly diagnostics: Diagnostics;
  readonly losses: Losses;
  /**
   * Types that have no counterpart because of an error that is already reported. A second error
   * for them would only repeat the first.
   */
  readonly doubtful: Set<string>;
}

/** Losses without duplicates: several fields can represent the same type. */
export class Losses {
  readonly #found = new Map<string, LossDef>();

  add(...losses: readonly LossDef[]): void {
    for (const loss of losses)
      this.#found.set([loss.type, loss.field, loss.kind, loss.text].join(" "), loss);
  }

  get all(): readonly LossDef[] {
    return [...this.#found.values()];
  }
}

/** Returns the name of a field in the manifest and in messages. */
export function keyOf(message: MessageDef, field: FieldDef): string {
  return `${message.name}.${field.proto?.name}`;
}

/** Returns the location of a field in the proto. */
export function locationOf(
  { fullName }: MessageDef,
  field: FieldDef,
  { proto }: Context,
): Location | undefined {
  return proto.locationOf(`${fullName}.${field.proto?.name}`);
}

/**
 * Returns the name of a type, or the name of the element type of a list or map; empty if the type
 * has no name.
 */
export function namesIn(type: ValueType): string[] {
  if (type.kind === "list") return namesIn(type.element);
  if (type.kind === "map") return namesIn(type.value);
  return "name" in type ? [type.name] : [];
}
