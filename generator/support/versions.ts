/**
 * Compares versions by their numbers, and drafts with what they are drafts of: `1.9` is before `1.10`, `1.1-draft` is
 * before `1.1`, and `1.1` equals `1.1.0`. Returns less than 0 if the first version is earlier, as `sort` takes it.
 */
export function compareVersions(one: string, other: string): number {
  const [numbers, suffix] = partsOf(one);
  const [otherNumbers, otherSuffix] = partsOf(other);
  for (let index = 0; index < Math.max(numbers.length, otherNumbers.length); index += 1) {
    const difference = (numbers[index] ?? 0) - (otherNumbers[index] ?? 0);
    if (difference !== 0) return difference;
  }
  if (suffix === otherSuffix) return 0;
  // A suffix names a stage before the version itself.
  if (suffix === "" || otherSuffix === "") return suffix === "" ? 1 : -1;
  return suffix < otherSuffix ? -1 : 1;
}

/** Returns the numbers of a version, and what follows the first hyphen. */
function partsOf(version: string): readonly [numbers: readonly number[], suffix: string] {
  const [numbers = "", ...suffix] = version.split("-");
  return [numbers.split(".").map(Number), suffix.join("-")];
}

/** Returns the version that a draft is a draft of, and any other version as it is. */
export function releaseOf(version: string): string {
  return version.replace(/-.*/, "");
}
