import type { Renames } from "../protocol/versions/manifest-renames.js";
import { Pairing, type Pair } from "../protocol/versions/pairing.js";
import type { Shape } from "./shapes.js";

/**
 * Matches the types of two versions: by name, by a manifest, by their uses, and by similarity if
 * exactly one added type is similar.
 */
export class TypeMatches<T extends { readonly name: string }> {
  /** Types that exist in both versions. Several types may have the same counterpart. */
  readonly pairs: readonly Pair<T>[];
  readonly removed: readonly T[];
  readonly added: readonly T[];
  readonly #names: ReadonlyMap<string, string>;

  /** `isUsedAlike` returns whether the same rpcs or fields use two types. */
  constructor(
    from: readonly T[],
    to: readonly T[],
    renames: Renames,
    shapeOf: (type: T) => Shape,
    isUsedAlike: (from: string, to: string) => boolean = () => false,
  ) {
    const named = certainPairs(from, to, renames, shapeOf);
    const used = new Pairing(without(from, named, "from"), without(to, named, "to")).by(
      (type, other) => isUsedAlike(type.name, other.name),
    );
    const certain = [...named, ...used.pairs];
    const similar = pairsOfSameShape(used.removed, used.added, shapeOf);
    const order = new Map(from.map((type, index) => [type, index]));
    const orderOf = (pair: Pair<T>): number => order.get(pair.from) ?? 0;
    this.pairs = [...certain, ...similar].sort((a, b) => orderOf(a) - orderOf(b));
    this.removed = without(from, this.pairs, "from");
    this.added = without(to, this.pairs, "to");
    this.#names = new Map(this.pairs.map((pair) => [pair.from.name, pair.to.name]));
  }

  /** Returns the new name of a type, or the same name if it was not renamed. */
  readonly rename = (name: string): string => this.#names.get(name) ?? name;
}

/** Returns the pairs of types with the same name, and the pairs that the manifest names. */
function certainPairs<T extends { readonly name: string }>(
  from: readonly T[],
  to: readonly T[],
  renames: Renames,
  shapeOf: (type: T) => Shape,
): Pair<T>[] {
  const likeness = (pair: Pair<T>): number => shapeOf(pair.from).likeness(shapeOf(pair.to));
  const after = new Map(to.map((type) => [type.name, type]));
  const claimed = from.flatMap((type): Pair<T>[] => {
    const names = renames.targets("types", type.name);
    const pairs = names
      .flatMap((name) => after.get(name) ?? [])
      .map((target) => ({ from: type, to: target }));
    return pairs.sort((a, b) => likeness(b) - likeness(a)).slice(0, 1);
  });
  // The later version may use an old name for a different type. Two types with the same name
  // therefore do not match if they have no parts in common and the manifest provides a more
  // similar match.
  const hasBetter = (pair: Pair<T>): boolean =>
    claimed.some(
      (claim) => (claim.to === pair.to) !== (claim.from === pair.from) && likeness(claim) > 0,
    );
  const same = from.flatMap((type): Pair<T>[] => {
    const target = after.get(type.name);
    const pair = target && { from: type, to: target };
    return pair === undefined || (likeness(pair) === 0 && hasBetter(pair)) ? [] : [pair];
  });
  const kept = new Set(same.map((pair) => pair.from));
  return [...same, ...claimed.filter((claim) => !kept.has(claim.from))];
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
    const near = candidates.filter((candidate) => shapeOf(candidate).isLike(shape));
    // Prefer equal types. If several candidates remain, the match is ambiguous, so none of them
    // matches.
    const equal = near.filter((candidate) => shapeOf(candidate).likeness(shape) === 1);
    const [found, ...others] = equal.length > 0 ? equal : near;
    return others.length === 0 ? found : undefined;
  };
  return removed.flatMap((type): Pair<T>[] => {
    const found = only(type, added);
    return found !== undefined && only(found, removed) === type ? [{ from: type, to: found }] : [];
  });
}
