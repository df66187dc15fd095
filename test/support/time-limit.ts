/**
 * Minimum time to wait for an event, in milliseconds: for `vi.waitFor`, and for the contract of
 * stores whose database is a process of its own.
 */
export const patienceMs = 100_000;
