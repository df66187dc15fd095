import { isObject } from "../base/json.js";
import type { FieldRequirement, Operation, Requirement } from "./operation.js";

/**
 * Returns the fields that a request for an operation must not contain, because the agent card does
 * not declare their capabilities. If the card does not declare a capability that the operation
 * itself requires, throws the error for the capability.
 */
export function checkRequirements(
  operation: Operation,
  card: unknown,
): readonly FieldRequirement[] {
  const { requires, fieldRequires = [] } = operation;
  if (requires !== undefined && memberAt(card, requires.capability) !== true) {
    throw new requires.error(undeclared(operation.name, requires), {
      metadata: { operation: operation.name },
    });
  }
  return fieldRequires.filter(({ capability }) => memberAt(card, capability) !== true);
}

/**
 * Throws an error if a request contains a field whose capability the agent card does not declare.
 * The error is for the first such field.
 */
export function checkUndeclaredFields(
  undeclaredFields: readonly FieldRequirement[],
  request: unknown,
): void {
  for (const requirement of undeclaredFields) {
    if (memberAt(request, requirement.path) === undefined) continue;
    const field = requirement.path.join(".");
    throw new requirement.error(undeclared(field, requirement), { metadata: { field } });
  }
}

/**
 * Returns the error message if the agent card does not declare the capability of an operation or a
 * field.
 */
function undeclared(subject: string, { capability }: Requirement): string {
  return `${subject} requires ${capability.join(".")}, which the agent card does not declare`;
}

/**
 * Returns the member at the end of a path; `undefined` if an object on the path is absent. `depth`
 * limits the number of keys.
 */
export function memberAt(
  value: unknown,
  keys: readonly string[],
  depth: number = keys.length,
): unknown {
  let member = value;
  for (let at = 0; at < depth; at += 1)
    member = isObject(member) ? member[keys[at] ?? ""] : undefined;
  return member;
}

/** Returns a value with a member at the end of a path. Objects on the path are copied. */
export function withMember(value: unknown, path: readonly string[], member: unknown): unknown {
  const key = path.at(0);
  if (key === undefined) return member;
  const held: Readonly<Record<string, unknown>> = isObject(value) ? value : {};
  return { ...held, [key]: withMember(held[key], path.slice(1), member) };
}
