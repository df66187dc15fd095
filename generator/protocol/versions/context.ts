import type { Shapes } from "../correlate/shape.js";
import type { Protocol, ValueType } from "../model/types.js";
import type { Accounts } from "./accounts.js";
import type { OldNames } from "./old-names.js";
import type { ResourceNames } from "./resource-names.js";
import type { Conversion, Member, Path, Side, Sides, TypeMapping } from "./types.js";

/** Path of a property in each version, beginning with the name of a type: `Task.status`. */
export type PropertyPaths = Sides<string>;

/** A property that the manifest names, with its path in each version. */
export interface Move {
  readonly at: Sides<Path>;
  readonly value?: "same" | "opposite" | "only";
}

/** The facts about two versions, and functions for mapping nested types. */
export interface MappingContext {
  readonly shapes: Sides<Shapes>;
  readonly protocols: Sides<Protocol>;
  readonly resources: Sides<ResourceNames>;
  readonly names: OldNames;
  readonly accounts: Accounts;
  /** The mappings of types that differ, by their names in conversions. */
  readonly types: Readonly<Record<string, TypeMapping>>;
  /** Reports elements that are missing from the later version and its manifest. */
  readonly report: (message: string, hint: string) => void;
  /**
   * Returns the conversion between the values of two types. `more` lists properties that have
   * moved, according to the manifest.
   */
  readonly value: (
    from: ValueType,
    to: ValueType,
    paths: PropertyPaths,
    more?: readonly Move[],
  ) => Conversion;
  /**
   * Returns the mapping that adds a property that one version requires and the other version does
   * not have.
   */
  readonly filled: (side: Side, path: Path, type: ValueType, paths: readonly string[]) => Member;
  /**
   * Returns the replacement for a value that is required in one version and may be absent in the
   * other.
   */
  readonly zero: (side: Side, type: ValueType, path: string) => unknown;
}

/** Additional facts about two objects to map. */
export interface ObjectFacts {
  /** The properties that have moved, according to the manifest. */
  readonly moves?: readonly Move[];
  /** Members of the later version that belong to other alternatives. */
  readonly foreign?: ReadonlySet<string>;
  /** Members of the later version that are present whenever the alternative is present. */
  readonly present?: ReadonlySet<string>;
}

/** Two objects to map, with all names of their types. */
export interface Objects extends ObjectFacts {
  readonly types: Sides<ValueType>;
  readonly owners: Sides<readonly string[]>;
}
