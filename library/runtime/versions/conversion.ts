import type { Forgiveness } from "../schema/schema.js";

/** A value for each of two versions: `[earlier, later]`. */
export type Sides<T> = readonly [earlier: T, later: T];

/** One of two versions: 0 for the earlier version, 1 for the later version. */
export type Side = 0 | 1;

/** Conversion of a value between two versions, in both directions. */
export type Conversion =
  | { readonly kind: "opposite" | "same" }
  /** Converted by the table of types. */
  | { readonly kind: "type"; readonly name: string }
  | { readonly kind: "list"; readonly element: Conversion }
  | { readonly kind: "map"; readonly value: Conversion }
  /** A number in one version, and its digits as a string in the other. */
  | { readonly kind: "digits"; readonly number: Side }
  /** A list in one version, and its first element in the other. An empty list becomes `none`. */
  | {
      readonly kind: "only";
      readonly list: Side;
      readonly element: Conversion;
      readonly none: unknown;
    }
  /** A value that exists in one version only. */
  | { readonly kind: "nothing"; readonly empty: Sides<"null" | "object" | undefined> };

/** Conversions of types, by their names in {@link Conversion}. */
export type TypeConversions = Readonly<Record<string, TypeConversion>>;

/** Conversion of the values of one type. */
export type TypeConversion =
  | { readonly kind: "enum"; readonly values: readonly Sides<string>[] }
  | ({ readonly kind: "object" } & Members)
  | {
      readonly kind: "choice";
      readonly alternatives: readonly (Members & { readonly when: Sides<Sign> })[];
    };

/**
 * Feature that identifies an alternative: the constant of a member, or the presence of at least one
 * of several members.
 */
export type Sign =
  { readonly key: string; readonly value: string } | { readonly members: readonly string[] };

/** Conversion of the members of an object. */
export interface Members {
  readonly fields: readonly Member[];
  /** Members with a constant value. */
  readonly constants?: Sides<Readonly<Record<string, string>>>;
  /** Members of which at most one may be set. */
  readonly exclusive?: Sides<readonly string[] | undefined>;
  /**
   * Path of a list in the object. If the list is empty, the object is absent in the other version.
   */
  readonly needs?: Sides<readonly string[] | undefined>;
  readonly first?: FirstElement;
  readonly wrapped?: Wrapped;
  readonly names?: readonly Name[];
}

/** A member and its path in both versions. */
export interface Member {
  /** The path of the member; `undefined` if the version does not have it. */
  readonly at: Sides<readonly string[] | undefined>;
  readonly value: Conversion;
  /** The value that is set if the member is absent in the other version. */
  readonly fill?: Sides<unknown>;
  /** The fact whose value is set if the member is absent in the other version. */
  readonly fact?: "id" | "last";
  /** Whether the member is only set if its parent object exists. */
  readonly inside?: boolean;
}

/**
 * A property that must be an object in the earlier version. Any other value is converted to an
 * object that contains the value in the member `as`.
 */
export interface Wrapped {
  readonly at: Sides<readonly string[]>;
  readonly as: string;
  /**
   * Path of the flag that marks such an object, in each version. The conversion to the later
   * version removes the flag.
   */
  readonly flag: Sides<readonly string[]>;
}

/**
 * A resource name in the version `side`, composed of constant strings and of values from the other
 * version.
 */
export interface Name {
  readonly side: Side;
  readonly at: readonly string[];
  /**
   * The segments between slashes. A segment contains a constant string, or the path of a value in
   * the other version, or neither if the other version does not have the value.
   */
  readonly parts: readonly { readonly text?: string; readonly at?: readonly string[] }[];
}

/** Additional facts for a conversion. */
export interface ConversionFacts {
  /** Whether the value is the last event of a stream. */
  readonly last?: boolean | undefined;
  /** Returns a unique id; by default a UUID. */
  readonly id?: () => string;
  /**
   * Returns the number for a string, if one version uses numbers and the other uses arbitrary
   * strings.
   */
  readonly number?: (text: string) => number;
  /** Whether values and alternatives that the other version does not have are kept unchanged. */
  readonly keepsUnknown?: boolean;
  /**
   * How to handle deviations from the version that the value has. Default: they are not forgiven.
   */
  readonly forgiveness?: Forgiveness | undefined;
}

/** A list whose first element is merged into the object in one of the versions. */
export interface FirstElement {
  /** The key of the list; `undefined` if the version only has the first element. */
  readonly lists: Sides<string | undefined>;
  readonly inObject: Side;
  readonly element: Conversion;
  /** Members of the object, and their paths in the first element. */
  readonly fields: readonly Member[];
  /** Members of the object that apply to every element. */
  readonly shared: readonly Member[];
}
