import type { ValidationContext } from "./schema.js";

/**
 * Calls `check` without forgiveness first, and with forgiveness only if `check` has reported
 * issues. Forgiveness then never changes how a valid value is read. If both calls report issues,
 * the issues of the first call remain.
 */
export function strictFirst<T>(
  context: ValidationContext,
  check: () => T | undefined,
): T | undefined {
  const { forgiver, issues, deviations } = context;
  if (forgiver === undefined) return check();
  const [before, reported] = [issues.length, deviations.length];
  context.forgiver = undefined;
  const result = check();
  context.forgiver = forgiver;
  if (issues.length === before) return result;
  const found = issues.splice(before);
  deviations.length = reported;
  const read = check();
  if (issues.length === before) return read;
  issues.length = before;
  for (const issue of found) issues.push(issue);
  deviations.length = reported;
  return undefined;
}
