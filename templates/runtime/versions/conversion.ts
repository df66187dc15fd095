/** Something of the earlier of two versions, and of the later one. */
export type Sides<T> = readonly [earlier: T, later: T];

/** One of two versions: 0 for the earlier one. */
export type Side = 0 | 1;

/** How a value of one version follows from that of the other. */
export type Conversion =
  | { readonly kind: "opposite" | "same" }
  /** As the table of types says. */
  | { readonly kind: "type"; readonly name: string }
  | { readonly kind: "list"; readonly element: Conversion }
  | { readonly kind: "map"; readonly value: Conversion }
  /** One version has a number, and the other its digits. */
  | { readonly kind: "digits"; readonly number: Side }
  /** One version has a list, and the other its first element, or `none` for an empty one. */
  | { readonly kind: "only"; readonly list: Side; readonly element: Conversion; readonly none: unknown }
  /** One version has nothing in its place. */
  | { readonly kind: "nothing"; readonly empty: Sides<"null" | "object" | undefined> };

/** How values of types follow from each other, by the names that conversions give them. */
export type TypeConversions = Readonly<Record<string, TypeConversion>>;

/** How the values of one type follow from each other. */
export type TypeConversion =
  | { readonly kind: "enum"; readonly values: readonly Sides<string>[] }
  | ({ readonly kind: "object" } & Members)
  | { readonly kind: "choice"; readonly alternatives: readonly (Members & { readonly when: Sides<Sign> })[] };

/** What tells an alternative from others: the constant of a member, or the presence of one of some members. */
export type Sign = { readonly key: string; readonly value: string } | { readonly members: readonly string[] };

/** The members of an object. */
export interface Members {
  readonly fields: readonly Member[];
  /** Members that are always the same. */
  readonly constants?: Sides<Readonly<Record<string, string>>>;
  /** Members of which an object has at most one. */
  readonly exclusive?: Sides<readonly string[] | undefined>;
  /** The keys that lead to a list; an object in which the list is empty is absent in the other version. */
  readonly needs?: Sides<readonly string[] | undefined>;
  readonly first?: FirstElement;
  readonly wrapped?: Wrapped;
  readonly names?: readonly Name[];
}

/** Where a member is in both versions. */
export interface Member {
  /** The keys that lead to it, where the version has it. */
  readonly at: Sides<readonly string[] | undefined>;
  readonly value: Conversion;
  /** What stands there where the other version has nothing. */
  readonly fill?: Sides<unknown>;
  /** The fact that stands there. */
  readonly fact?: "id" | "last";
  /** Whether it stands there only if the object around it is there. */
  readonly inside?: boolean;
}

/** A property that is an object in the earlier version, which has any other value as the member `as` of one. */
export interface Wrapped {
  readonly at: Sides<readonly string[]>;
  readonly as: string;
  /** Where a flag says so in the earlier version, and where it would be in the later one. */
  readonly flag: Sides<readonly string[]>;
}

/** A name that one version, `side`, has, made of texts and of values that the other has apart. */
export interface Name {
  readonly side: Side;
  readonly at: readonly string[];
  /** What is between the slashes: a text, or where the other version has the value; neither if it has none. */
  readonly parts: readonly { readonly text?: string; readonly at?: readonly string[] }[];
}

/** What is known of a value besides. */
export interface ConversionFacts {
  /** Whether it is the last event of a stream. */
  readonly last?: boolean | undefined;
  /** Makes an id that nothing else has; by default a UUID. */
  readonly id?: () => string;
  /** Returns the number of what a text names, where one version has numbers and the other any text. */
  readonly number?: (text: string) => number;
  /** Whether values and alternatives stay as they came that the other version does not have. */
  readonly keepsUnknown?: boolean;
}

/** A list whose first element one of the versions has in the object itself. */
export interface FirstElement {
  /** Absent where the version has the first element alone. */
  readonly lists: Sides<string | undefined>;
  readonly inObject: Side;
  readonly element: Conversion;
  /** The members of the object, and those of the first element. */
  readonly fields: readonly Member[];
  /** The members of the object that stand for every element. */
  readonly shared: readonly Member[];
}
