/**
 * Compares versions by their numbers, with drafts before their release: `1.9` is before `1.10`,
 * `1.1-draft` is before `1.1`, and `1.1` equals `1.1.0`. If the first version is earlier, returns a
 * number less than 0, as `sort` requires.
 */
export function compareVersions(one: string, other: string): number {
  const [numbers, suffix] = partsOf(one);
  const [otherNumbers, otherSuffix] = partsOf(other);
  for (let index = 0; index < Math.max(numbers.length, otherNumbers.length); index += 1) {
    const difference = (numbers[index] ?? 0) - (otherNumbers[index] ?? 0);
    if (difference !== 0) return difference;
  }
  if (suffix === otherSuffix) return 0;
  // A suffix marks a stage before the release.
  if (suffix === "" || otherSuffix === "") return suffix === "" ? 1 : -1;
  return suffix < otherSuffix ? -1 : 1;
}

/** Returns the numbers of a version, and the text after the first hyphen. */
function partsOf(version: string): readonly [numbers: readonly number[], suffix: string] {
  const [numbers = "", ...suffix] = version.split("-");
  return [numbers.split(".").map(Number), suffix.join("-")];
}

/** Returns the release of a draft, and any other version unchanged. */
export function releaseOf(version: string): string {
  return version.replace(/-.*/, "");
}
