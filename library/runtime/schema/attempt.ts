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
  const issuesBefore = issues.length;
  const deviationsBefore = deviations.length;
  context.forgiver = undefined;
  const strict = check();
  context.forgiver = forgiver;
  if (issues.length === issuesBefore) return strict;
  const strictIssues = issues.splice(issuesBefore);
  deviations.length = deviationsBefore;
  const forgiven = check();
  if (issues.length === issuesBefore) return forgiven;
  issues.length = issuesBefore;
  for (const issue of strictIssues) issues.push(issue);
  deviations.length = deviationsBefore;
  return undefined;
}
