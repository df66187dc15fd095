import type { Side, Sides } from "./types.js";

/** The earlier of two versions. */
export const earlier = 0;

/** The later of two versions. */
export const later = 1;

/** Both versions. */
export const bothSides = [earlier, later] as const;

/** Returns the other version. */
export function opposite(side: Side): Side {
  return side === earlier ? later : earlier;
}

/** Returns a value for each version. */
export function both<T>(of: (side: Side) => T): Sides<T> {
  return [of(earlier), of(later)];
}

/** Returns a value for one version, and `undefined` for the other. */
export function onlyAt<T>(side: Side, value: T): Sides<T | undefined> {
  return side === earlier ? [value, undefined] : [undefined, value];
}
