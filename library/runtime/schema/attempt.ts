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
  if (!context.forgives) return check();
  const { issues, deviations } = context;
  const [before, reported] = [issues.length, deviations.length];
  context.forgives = false;
  const result = check();
  context.forgives = true;
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
