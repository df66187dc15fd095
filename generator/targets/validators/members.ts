import { isIdentifier, keywords } from "../../../support/names.js";
import type { MessageDef, OneofDef } from "../../protocol/model/types.js";
import { freeName } from "../../emit/imports.js";
import type { GuardWriter } from "./guards.js";
import { destructured, indent, memberOf, quote } from "../../emit/text.js";

/**
 * Returns declarations of variables that read each field once, because reading a property is slow
 * if objects have many different shapes.
 */
export function locals({ fields }: MessageDef): string[] {
  const names = fields.map(({ name }) => name).filter(isLocal);
  return destructured("value", names, 2).map(indent);
}

/** Returns the expression that reads a field of `value`, after {@link locals}. */
export function read(name: string, guards: GuardWriter): string {
  return isLocal(name) ? name : access(name, guards);
}

/**
 * Returns the expression that reads a member of `value`. If every object inherits a member with
 * this name, only an own property is read.
 */
export function access(name: string, guards: GuardWriter): string {
  return name in Object.prototype
    ? `${guards.is("ownMember")}(value, ${quote(name)})`
    : memberOf("value", name);
}

/**
 * Returns whether a variable can be named after a field: the name must not be reserved, or already
 * in use in the function.
 */
export function isLocal(name: string): boolean {
  if (!/^[a-z][A-Za-z0-9]*$/.test(name) || name in Object.prototype || keywords.has(name))
    return false;
  return (
    !["value", "depth", "is", "t", "s", "undefined"].includes(name) &&
    !/^(?:is|accepts|pattern)|Schema$/.test(name)
  );
}

/**
 * Returns the lines that count the present members of a oneof, and the condition that the number is
 * invalid.
 */
export function countMembers(
  { name, members, required }: OneofDef,
  { fields }: MessageDef,
  guards: GuardWriter,
): { readonly lines: readonly string[]; readonly isWrong: string } {
  const taken = new Set(fields.map((field) => field.name));
  const isFree = isLocal(name) && !taken.has(name);
  const variable = isFree
    ? name
    : freeName(isIdentifier(name) ? `${name}Members` : `members${name}`, taken);
  const lines = members.map(
    (member) => `  if (${read(member, guards)} !== undefined) ${variable} += 1;`,
  );
  return {
    lines: [`  let ${variable} = 0;`, ...lines],
    isWrong: `${variable} ${required ? "!== 1" : "> 1"}`,
  };
}
