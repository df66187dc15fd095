import type { Addition } from "./addition.js";
import type { ts } from "ts-morph";
import type { Implementation } from "./implementations.js";
import { memberName, membersOf, type Member } from "./members.js";
import type { Scope } from "./scope.js";
import { includes } from "./service-types.js";
import { differences, type Difference } from "./signatures.js";
import type { MergePlan } from "./types.js";

/** Method with its position in the original text. */
export interface MethodAt {
  readonly method: string;
  readonly at: number;
}

/** Method whose signature differs from the interface. */
export interface ChangedMethodAt extends MethodAt {
  readonly difference: Difference;
}

/** Returns the implemented methods of an earlier specification that the current specification does not have. */
export function removedMethods(implementations: readonly Implementation[], scope: Scope, plan: MergePlan): MethodAt[] {
  const current = new Set(plan.service.methods.map(({ name }) => name));
  const former = new Set([...(plan.known ?? []), ...(plan.removed ?? [])]);
  return implementations
    .flatMap(({ body }) => membersOf(body))
    .flatMap((member) => {
      const name = memberName(member, scope);
      return name === undefined || current.has(name) || !former.has(name) ? [] : [methodAt(member, name, scope)];
    });
}

/** Returns the implemented methods whose signatures do not match the interface. */
export function changedMethods(
  implementations: readonly Implementation[],
  scope: Scope,
  { service }: MergePlan,
): ChangedMethodAt[] {
  return implementations.flatMap(({ body, part }) =>
    service.methods.flatMap((method) => {
      const members = membersOf(body).filter((member) => memberName(member, scope) === method.name);
      const [first] = members;
      if (first === undefined || !includes(part, method.name)) return [];
      const all = members.map((member) => differences(member, method, scope));
      // At least one overload must match.
      if (all.some((one) => one.length === 0)) return [];
      return (all[0] ?? []).map((difference) => ({ ...methodAt(first, method.name, scope), difference }));
    }),
  );
}

/** Method that is not added to an implementation. */
export interface MissingMethodAt extends MethodAt {
  readonly reason: string;
}

/** Returns the methods that cannot be added, with the reason and the position of the implementation. */
export function missingMethods(
  { implementation: { body }, methods, obstacle: reason }: Addition,
  source: ts.SourceFile,
): MissingMethodAt[] {
  if (reason === undefined) return [];
  const at = ("name" in body ? body.name : undefined)?.getStart(source) ?? body.getStart(source);
  return methods.map(({ name }) => ({ method: name, at, reason }));
}

function methodAt(member: Member, method: string, { source }: Scope): MethodAt {
  return { method, at: (member.name ?? member).getStart(source) };
}
