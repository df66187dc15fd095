/** Deletes the oldest keys of a set or map that has more than `max` keys. Both keep the order of insertion. */
export function trim<Key>(kept: Set<Key> | Map<Key, unknown>, max: number): void {
  for (const oldest of kept.keys()) {
    if (kept.size <= max) return;
    kept.delete(oldest);
  }
}
