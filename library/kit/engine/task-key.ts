import type { Scope } from "../store.js";

/**
 * Returns a key of a task that is different for each pair of scope and id. A store of several
 * databases may contain the same id in several scopes.
 */
export function taskKey({ tenant, owner }: Scope, id: string): string {
  // The lengths prevent that another tenant, owner and id result in the same text.
  return `${String(tenant.length)} ${String(owner.length)} ${tenant}${owner}${id}`;
}
