import type { Conversion, Members, Side, Sides, Sign } from "../../../templates/runtime/versions/conversion.js";

export type {
  Conversion,
  FirstElement,
  Member,
  Name,
  Side,
  Sides,
  Sign,
  Wrapped,
} from "../../../templates/runtime/versions/conversion.js";

/** The keys that lead to a value; none for all of it. */
export type Path = readonly string[];

/** How values of two versions follow from each other, in both directions. */
export interface VersionMapping {
  /** The names of both versions, which tell apart those that are the same on the wire. */
  readonly names: Sides<string>;
  /** The versions on the wire. */
  readonly versions: Sides<string>;
  /** The types that differ, by the name that conversions give them. */
  readonly types: Readonly<Record<string, TypeMapping>>;
  readonly operations: readonly OperationMapping[];
  /** The names of the errors that both versions have. */
  readonly errors: readonly Sides<string>[];
  /** The agent card. */
  readonly card: Conversion;
  /** What an agent posts to a webhook, by version; absent where a version does not say. */
  readonly webhook: Sides<string | undefined>;
  readonly losses: readonly VersionLoss[];
  /** The hints of the later version's manifest that were of use: `fill.Message.messageId`. */
  readonly hints: readonly string[];
}

/** An operation that both versions have. */
export interface OperationMapping {
  readonly names: Sides<string>;
  readonly request: Conversion;
  readonly response: Conversion;
}

/** How the values of a type follow from each other. */
export type TypeMapping = EnumMapping | ObjectMapping | ChoiceMapping;

/** The values of an enum. */
export interface EnumMapping {
  readonly kind: "enum";
  readonly values: readonly Sides<string>[];
}

/** The members of an object. */
export type ObjectMapping = Members & Required<Pick<Members, "constants">> & { readonly kind: "object" };

/** One of several objects. */
export interface ChoiceMapping {
  readonly kind: "choice";
  readonly alternatives: readonly (ObjectMapping & { readonly when: Sides<Sign> })[];
}

/** What one version has and the other cannot carry. */
export interface VersionLoss {
  /** The version that has it. */
  readonly side: Side;
  /**
   * - `operation`, `error`, `field`, `alternative`, `value`: the other version has none.
   * - `form`: the other version has fewer values.
   * - `default`: what is absent arrives as a default.
   */
  readonly kind: "operation" | "error" | "field" | "alternative" | "value" | "form" | "default";
  /** Its name: `Task.history`, with the keys that lead to it. */
  readonly subject: string;
  /** What it is in the other version, if it is there. */
  readonly other?: string;
  readonly text: string;
}
