import { isObject } from "../base/json.js";
import type { FieldRequirement, Operation, Requirement } from "./operation.js";

/**
 * Returns the fields that a request for an operation may not have, by what the agent card declares. Throws the error
 * where the operation itself may not be used.
 */
export function checkRequirements(operation: Operation, card: unknown): readonly FieldRequirement[] {
  const { requires, fieldRequires = [] } = operation;
  if (requires !== undefined && memberAt(card, requires.capability) !== true) {
    throw new requires.error(undeclared(operation.name, requires), { metadata: { operation: operation.name } });
  }
  return fieldRequires.filter(({ capability }) => memberAt(card, capability) !== true);
}

/** Throws the error for the first field of a request that needs a capability which the agent card does not declare. */
export function checkFields(missing: readonly FieldRequirement[], request: unknown): void {
  for (const requirement of missing) {
    if (memberAt(request, requirement.path) === undefined) continue;
    const field = requirement.path.join(".");
    throw new requirement.error(undeclared(field, requirement), { metadata: { field } });
  }
}

/** Returns the message for an operation or a field that needs a capability which the agent card does not declare. */
function undeclared(what: string, { capability }: Requirement): string {
  return `${what} needs ${capability.join(".")}, which the agent card does not declare`;
}

/** Returns the member that keys lead to; `undefined` where one of the objects on the way is not there. */
export function memberAt(value: unknown, keys: readonly string[]): unknown {
  let member = value;
  for (const key of keys) member = isObject(member) ? member[key] : undefined;
  return member;
}
