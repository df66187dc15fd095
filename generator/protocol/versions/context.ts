import type { Shapes } from "../correlate/shape.js";
import type { Protocol, ValueType } from "../model/types.js";
import type { Accounts } from "./accounts.js";
import type { OldNames } from "./old-names.js";
import type { ResourceNames } from "./resource-names.js";
import type { Conversion, Member, Path, Side, Sides, TypeMapping } from "./types.js";

/** Path of a value, as a field of a type, in both versions. */
export type PropertyPaths = Sides<string>;

/** A property that the manifest names: its path in both versions. */
export interface Move {
  readonly at: Sides<Path>;
  readonly value?: "same" | "opposite" | "only";
}

/** The facts about two versions, and the functions that map the types inside the mapped types. */
export interface MappingContext {
  readonly shapes: Sides<Shapes>;
  readonly protocols: Sides<Protocol>;
  readonly resources: Sides<ResourceNames>;
  readonly names: OldNames;
  readonly accounts: Accounts;
  /** The types that differ, by their names in conversions. */
  readonly types: Readonly<Record<string, TypeMapping>>;
  /** Reports elements that the manifest of the later version does not account for. */
  readonly report: (message: string, hint: string) => void;
  /** Returns how the values of two types map to each other. `more` contains further facts about their properties. */
  readonly value: (one: ValueType, other: ValueType, paths: PropertyPaths, more?: readonly Move[]) => Conversion;
  /** Returns the value of a property that only one version has, and requires. */
  readonly filled: (side: Side, path: Path, type: ValueType, paths: readonly string[]) => Member;
  /** Returns the replacement for a value that is required in one version and may be absent in the other. */
  readonly zero: (side: Side, type: ValueType, path: string) => unknown;
}

/** Further facts about two objects. */
export interface ObjectFacts {
  /** The known moves of their properties. */
  readonly moves?: readonly Move[];
  /** Members of the later version that belong to other alternatives. */
  readonly foreign?: ReadonlySet<string>;
  /** Members of the later version that are present whenever the alternative is present. */
  readonly present?: ReadonlySet<string>;
}

/** Two objects, with their names. */
export interface Objects extends ObjectFacts {
  readonly types: Sides<ValueType>;
  readonly owners: Sides<readonly string[]>;
}
