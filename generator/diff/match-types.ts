import type { Renames } from "../protocol/versions/manifest-renames.js";
import type { Pair } from "../protocol/versions/pairing.js";
import type { Shape } from "./shapes.js";

/**
 * Matches the types of two versions: by name, by a manifest, and by similarity if exactly one added
 * type is similar.
 */
export class TypeMatches<T extends { readonly name: string }> {
  /** Types that exist in both versions. Several types may have the same counterpart. */
  readonly pairs: readonly Pair<T>[];
  readonly removed: readonly T[];
  readonly added: readonly T[];
  readonly #names: ReadonlyMap<string, string>;

  constructor(from: readonly T[], to: readonly T[], renames: Renames, shapeOf: (type: T) => Shape) {
    const likeness = (a: T, b: T): number => shapeOf(a).likeness(shapeOf(b));
    const after = new Map(to.map((type) => [type.name, type]));
    const claimed = from.flatMap((type): Pair<T>[] => {
      const known = renames.targets("types", type.name).flatMap((name) => after.get(name) ?? []);
      const [best] = known.sort((a, b) => likeness(type, b) - likeness(type, a));
      return best === undefined ? [] : [{ from: type, to: best }];
    });
    const same = from.flatMap((type): Pair<T>[] => {
      const found = after.get(type.name);
      if (found === undefined) return [];
      // The later version may use an old name for a different type. Two types with the same name
      // therefore do not match if they have no parts in common and the manifest provides a more
      // similar match.
      const isTaken = claimed.some(
        (pair) =>
          pair.to === found &&
          pair.from !== type &&
          likeness(pair.from, found) > likeness(type, found),
      );
      const isElsewhere = claimed.some(
        (pair) => pair.from === type && likeness(type, pair.to) > likeness(type, found),
      );
      return (isTaken || isElsewhere) && likeness(type, found) === 0
        ? []
        : [{ from: type, to: found }];
    });
    const certain = [
      ...same,
      ...claimed.filter((pair) => !same.some(({ from: kept }) => kept === pair.from)),
    ];
    const pairs = [
      ...certain,
      ...pairsOfSameShape(without(from, certain, "from"), without(to, certain, "to"), shapeOf),
    ];
    const order = new Map(from.map((type, index) => [type, index]));
    this.pairs = pairs.sort((a, b) => (order.get(a.from) ?? 0) - (order.get(b.from) ?? 0));
    this.removed = without(from, pairs, "from");
    this.added = without(to, pairs, "to");
    this.#names = new Map(pairs.map((pair) => [pair.from.name, pair.to.name]));
  }

  /** Returns the new name of a type, or the same name if it was not renamed. */
  readonly rename = (name: string): string => this.#names.get(name) ?? name;
}

function without<T>(types: readonly T[], pairs: readonly Pair<T>[], side: "from" | "to"): T[] {
  const met = new Set(pairs.map((pair) => pair[side]));
  return types.filter((type) => !met.has(type));
}

function pairsOfSameShape<T>(
  removed: readonly T[],
  added: readonly T[],
  shapeOf: (type: T) => Shape,
): Pair<T>[] {
  const only = (type: T, candidates: readonly T[]): T | undefined => {
    const shape = shapeOf(type);
    const near = candidates.filter((one) => shapeOf(one).isLike(shape));
    // Prefer equal types. If several candidates remain, the match is ambiguous, so none of them
    // matches.
    const equal = near.filter((one) => shapeOf(one).likeness(shape) === 1);
    const [found, ...others] = equal.length > 0 ? equal : near;
    return others.length === 0 ? found : undefined;
  };
  return removed.flatMap((type): Pair<T>[] => {
    const found = only(type, added);
    return found !== undefined && only(found, removed) === type ? [{ from: type, to: found }] : [];
  });
}
