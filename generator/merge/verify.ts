import type { Addition } from "./addition.js";
import { ts } from "ts-morph";
import { InputError } from "../../support/diagnostics.js";
import { memberName, membersOf, type Member } from "./members.js";
import { tryParse, walk, type Body } from "./parse.js";
import { Scope } from "./scope.js";
import { locationOf, shifted } from "./text.js";
import type { Insertion, MergePlan, MethodLocation } from "./types.js";

/** Inputs of the merge that created the text. */
export interface Edits {
  readonly additions: readonly Addition[];
  readonly insertions: readonly Insertion[];
  /** Original source. */
  readonly source: ts.SourceFile;
  readonly plan: MergePlan;
}

/**
 * Parses the merged text of a file, and checks that each implementation has exactly its previous members and the new
 * members. Returns the locations of the new members.
 *
 * @throws InputError with the name of the implementation if the check fails
 */
export function verify(
  text: string,
  { additions, insertions, source: before, plan }: Edits,
): { readonly source: ts.SourceFile; readonly added: readonly MethodLocation[] } {
  if (insertions.length === 0) return { source: before, added: [] };
  const { source, error } = tryParse(text, plan.file);
  const bodies = bodiesOf(source);
  const oldScope = new Scope(before, plan.modules);
  const scope = new Scope(source, plan.modules);
  const added = additions.flatMap(({ implementation: { body: old }, methods }) => {
    const body = bodies.get(shifted(old.getStart(before), insertions));
    const names = methods.map(({ name }) => name);
    const members = body === undefined ? [] : membersOf(body);
    const own = members.filter((member) => !names.includes(memberName(member, scope) ?? ""));
    const fresh = members.filter((member) => !own.includes(member)).filter(ts.isMethodDeclaration);
    const isSame = outline(own, scope) === outline(membersOf(old), oldScope);
    const isComplete = isSame && fresh.length === names.length;
    if (error !== undefined || !isComplete) throw cannotMerge(old, names, before, plan);
    return fresh.map((member) => {
      return locationOf(source, member.name.getStart(source), memberName(member, scope) ?? "");
    });
  });
  return { source, added };
}

/** Returns the kinds and names of the members of a body as one string. */
function outline(members: readonly Member[], scope: Scope): string {
  return members.map((member) => `${member.kind} ${memberName(member, scope) ?? ""}`).join("\n");
}

/** Returns the classes and object literals in a text by position. */
function bodiesOf(source: ts.SourceFile): Map<number, Body> {
  const bodies = new Map<number, Body>();
  walk(source, (node) => {
    if (ts.isClassLike(node) || ts.isObjectLiteralExpression(node)) bodies.set(node.getStart(source), node);
  });
  return bodies;
}

function cannotMerge(body: Body, names: readonly string[], source: ts.SourceFile, plan: MergePlan): InputError {
  const { line, column } = locationOf(source, body.getStart(source), "");
  return new InputError({
    location: { file: plan.file, line, column },
    message: `${names.join(", ")} cannot be added here`,
    hint: "Write the methods by hand, and run again; nothing was written",
  });
}
