/**
 * Deletes the oldest keys of a set or map until it has at most `max` keys. Sets and maps keep the
 * order of insertion.
 */
export function trim<Key>(kept: Set<Key> | Map<Key, unknown>, max: number): void {
  for (const oldest of kept.keys()) {
    if (kept.size <= max) return;
    kept.delete(oldest);
  }
}
