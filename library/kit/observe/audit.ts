import { notify } from "../../runtime/base/async.js";
import type { CallContext } from "../../runtime/server/context.js";

/** Actions that the option `audit` reports. */
export type AuditAction =
  | "task.create"
  | "task.message"
  | "task.cancel"
  | "task.delete"
  | "task.takeover"
  | "webhook.create"
  | "webhook.delete";

/** A change to a task, and the caller that made the change. Reported after the change is stored. */
export interface AuditEvent<User = unknown> {
  /** The action that changed the task. */
  readonly action: AuditAction;
  /** Tenant of the task. */
  readonly tenant: string;
  /** Owner of the task; absent if the tasks of all owners were deleted. */
  readonly owner: string | undefined;
  /** Absent if all tasks of an owner or a tenant were deleted. */
  readonly taskId: string | undefined;
  /**
   * The call that made the change; absent if a process claims a task, and for deletions by the
   * program.
   */
  readonly context: CallContext<User> | undefined;
  /** Id of the webhook, if it is known. */
  readonly webhookId?: string | undefined;
  /** Name of the process that claimed the task, as used in leases. */
  readonly holder?: string;
  /** Number of deleted tasks. */
  readonly count?: number;
}

/** Receives a change to a task. */
export type Audit = (event: AuditEvent) => unknown;

/**
 * Returns a function that passes events to `audit` and never throws; `undefined` if `audit` is
 * absent.
 */
export function auditOf(
  audit: Audit | undefined,
  report: (error: unknown) => void,
): ((event: AuditEvent) => void) | undefined {
  if (audit === undefined) return undefined;
  return (event) => {
    notify(() => audit(event), report);
  };
}
