/** Something of the earlier version, and of the later one. */
export type Sides<T> = readonly [earlier: T, later: T];

/** One of the two versions: 0 for the earlier one. */
export type Side = 0 | 1;

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

/** How the values of one type follow from each other. */
export type Conversion =
  /** The value is the same. */
  | { readonly kind: "same" }
  /** As {@link VersionMapping.types} says. */
  | { readonly kind: "type"; readonly name: string }
  | { readonly kind: "list"; readonly element: Conversion }
  | { readonly kind: "map"; readonly value: Conversion }
  /** Booleans, one of which is the opposite of the other. */
  | { readonly kind: "opposite" }
  /** One version has a number, and the other its digits. */
  | { readonly kind: "digits"; readonly number: Side }
  /** One version has a list, and the other its first element, or `none` for an empty one. */
  | { readonly kind: "only"; readonly list: Side; readonly element: Conversion; readonly none: unknown }
  /** One version has nothing in its place: an empty object, or `null`. */
  | { readonly kind: "nothing"; readonly empty: Sides<"object" | "null" | undefined> };

/** How the values of a type follow from each other. */
export type TypeMapping = EnumMapping | ObjectMapping | ChoiceMapping;

/** The values of an enum. */
export interface EnumMapping {
  readonly kind: "enum";
  readonly values: readonly Sides<string>[];
}

/** The members of an object. */
export interface ObjectMapping {
  readonly kind: "object";
  readonly fields: readonly FieldMapping[];
  /** Members that are always the same, by version. */
  readonly constants: Sides<Readonly<Record<string, string>>>;
  /** Members of which an object of the version has at most one. */
  readonly exclusive?: Sides<readonly string[] | undefined>;
  /** A list, by version, without whose first element the other version has no such object. */
  readonly needs?: Sides<Path | undefined>;
  readonly first?: FirstMapping;
  readonly wrapped?: WrappedMapping;
  readonly names?: readonly NameMapping[];
}

/** One of several objects. */
export interface ChoiceMapping {
  readonly kind: "choice";
  readonly alternatives: readonly (ObjectMapping & { readonly when: Sides<Sign> })[];
}

/** What tells an alternative from others: the constant of a member, or the presence of one of some members. */
export type Sign = { readonly key: string; readonly value: string } | { readonly members: readonly string[] };

/** Where a value is in both versions. */
export interface FieldMapping {
  /** Absent in a version that does not have it. */
  readonly at: Sides<Path | undefined>;
  readonly value: Conversion;
  /** What stands there, by version, where the other has nothing. */
  readonly fill?: Sides<unknown>;
  /** What else says what stands there: whether it is the last event of a stream, or a new id. */
  readonly fact?: "id" | "last";
  /** Whether it stands there only if something else of the object around it is there. */
  readonly inside?: boolean;
}

/** A property that is an object in the earlier version, which has any other value as a member of one. */
export interface WrappedMapping {
  readonly at: Sides<Path>;
  readonly as: string;
  /** Where a flag says so in the earlier version, and what would be left of it in the later one. */
  readonly flag: Sides<Path>;
}

/** A name that one version has, made of texts and of values that the other has apart: `tasks/1/configs/2`. */
export interface NameMapping {
  /** The version that has the name. */
  readonly side: Side;
  readonly at: Path;
  /** What is between the slashes: a text, or where the other version has the value; neither if it has none. */
  readonly parts: readonly { readonly text?: string; readonly at?: Path }[];
}

/** A list, whose first element one of the versions has in the object itself. */
export interface FirstMapping {
  /** The key of the list; absent where the version has the first element alone. */
  readonly lists: Sides<string | undefined>;
  /** The version that has the first element in the object. */
  readonly inObject: Side;
  readonly element: Conversion;
  /** The members of the object on the one hand, and of the first element on the other. */
  readonly fields: readonly FieldMapping[];
  /** Those of the object that stand for every element on the other hand. */
  readonly shared: readonly FieldMapping[];
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
