import type { Protocol } from "./types.js";

/** Returns whether another output of the same run declares a type. */
export function isElsewhere(
  { elsewhere }: Pick<Protocol, "elsewhere">,
  { fullName }: { readonly fullName: string },
): boolean {
  return elsewhere?.has(fullName) === true;
}
