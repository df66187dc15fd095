/**
 * Orders versions, earlier ones first, by their numbers one after the other: `1.9` is before `1.10`, and `1.1` before
 * `1.1-draft`. Returns a number as `sort` takes it.
 */
export function compareVersions(one: string, other: string): number {
  const [parts, others] = [partsOf(one), partsOf(other)];
  const at = parts.findIndex((part, index) => part !== others[index]);
  const [part, otherPart] = [parts[at], others[at]];
  if (part === undefined || otherPart === undefined) return parts.length - others.length;
  return Number(part) - Number(otherPart) || (part < otherPart ? -1 : 1);
}

/** The numbers of a version, and the words between them. */
function partsOf(version: string): readonly string[] {
  return version.match(/\d+|[^\d.]+/g) ?? [];
}
