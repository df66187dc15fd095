import type { Shapes } from "../correlate/shape.js";
import type { Protocol, ValueType } from "../model/types.js";
import type { Accounts } from "./accounts.js";
import type { OldNames } from "./old-names.js";
import type { ResourceNames } from "./resource-names.js";
import type { Conversion, Member, Path, Side, Sides, TypeMapping } from "./types.js";

/** Where a value is: the field of a type, in both versions. */
export type Place = Sides<string>;

/** A property that the manifest names: where it is in both versions. */
export interface Move {
  readonly at: Sides<Path>;
  readonly value?: "same" | "opposite" | "only";
}

/** What is known of two versions, and what maps the types in those that are mapped. */
export interface MappingContext {
  readonly shapes: Sides<Shapes>;
  readonly protocols: Sides<Protocol>;
  readonly resources: Sides<ResourceNames>;
  readonly names: OldNames;
  readonly accounts: Accounts;
  /** The types that differ, by the names that conversions give them. */
  readonly types: Readonly<Record<string, TypeMapping>>;
  /** Reports what the manifest of the later version does not account for. */
  readonly report: (message: string, hint: string) => void;
  /** Returns how values of two types follow from each other. `more` is what is known of their properties besides. */
  readonly value: (one: ValueType, other: ValueType, place: Place, more?: readonly Move[]) => Conversion;
  /** Returns what stands for a property that only one version has, and requires. */
  readonly filled: (side: Side, path: Path, type: ValueType, places: readonly string[]) => Member;
  /** Returns what stands for a value that one version requires and the other may leave out. */
  readonly zero: (side: Side, type: ValueType, place: string) => unknown;
}

/** What else is known of two objects. */
export interface ObjectFacts {
  /** What is known of their properties. */
  readonly moves?: readonly Move[];
  /** Members of the later version that belong to other alternatives. */
  readonly foreign?: ReadonlySet<string>;
  /** Members of the later version that are there wherever the alternative is. */
  readonly present?: ReadonlySet<string>;
}

/** Both objects, and what they are called. */
export interface Objects extends ObjectFacts {
  readonly types: Sides<ValueType>;
  readonly owners: Sides<readonly string[]>;
}
