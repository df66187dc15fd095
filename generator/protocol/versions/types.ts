import type {
  Conversion,
  Members,
  Side,
  Sides,
  Sign,
} from "../../../library/runtime/versions/conversion.js";

export type {
  Conversion,
  FirstElement,
  Member,
  Members,
  Name,
  Side,
  Sides,
  Sign,
  TypeConversion,
  TypeConversions,
  Wrapped,
} from "../../../library/runtime/versions/conversion.js";

/** The keys that lead to a value; empty for the whole value. */
export type Path = readonly string[];

/** The mapping between the values of two versions, in both directions. */
export interface VersionMapping {
  /** The names of both versions. They distinguish versions that are the same on the wire. */
  readonly names: Sides<string>;
  /** The versions on the wire. */
  readonly versions: Sides<string>;
  /** The mappings of types that differ, by their names in conversions. */
  readonly types: Readonly<Record<string, TypeMapping>>;
  readonly operations: readonly OperationMapping[];
  /** The names of the errors that both versions have. */
  readonly errors: readonly Sides<string>[];
  /** The agent card. */
  readonly card: Conversion;
  /**
   * The type of the body that an agent posts to a webhook, by version; absent if a version does not
   * define it.
   */
  readonly webhook: Sides<string | undefined>;
  readonly losses: readonly VersionLoss[];
  /** The used hints of the later version's manifest, such as `fill.Message.messageId`. */
  readonly hints: readonly string[];
}

/** An operation that both versions have. */
export interface OperationMapping {
  readonly names: Sides<string>;
  readonly request: Conversion;
  readonly response: Conversion;
}

/** Mapping between the values of a type in two versions. */
export type TypeMapping = EnumMapping | ObjectMapping | ChoiceMapping;

/** The mapping of the values of an enum. */
export interface EnumMapping {
  readonly kind: "enum";
  readonly values: readonly Sides<string>[];
}

/** The mapping of the members of an object. */
export type ObjectMapping = Members &
  Required<Pick<Members, "constants">> & { readonly kind: "object" };

/** The mapping of a union of objects. */
export interface ChoiceMapping {
  readonly kind: "choice";
  readonly alternatives: readonly (ObjectMapping & { readonly when: Sides<Sign> })[];
}

/** An element that one version has and the other version cannot represent. */
export interface VersionLoss {
  /** The version that has the element. */
  readonly side: Side;
  /**
   * - `operation`, `error`, `field`, `alternative`, `value`: the other version has no counterpart.
   * - `form`: the other version allows fewer values.
   * - `default`: the receiver gets a default in place of an absent value.
   */
  readonly kind: "operation" | "error" | "field" | "alternative" | "value" | "form" | "default";
  /** The name of the element: `Task.history`, with the keys that lead to it. */
  readonly subject: string;
  /** The name of the element in the other version, if the element exists in that version. */
  readonly other?: string;
  readonly text: string;
}
