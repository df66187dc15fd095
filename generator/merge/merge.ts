import { ts } from "ts-morph";
import type { Addition } from "./addition.js";
import { InputError } from "../../support/diagnostics.js";
import { findImplementations, type Implementation } from "./implementations.js";
import { planImports } from "./imports.js";
import { insertMethods } from "./insert.js";
import { inOrderOfUse, memberName, MemberNames } from "./members.js";
import { parse, walk } from "./parse.js";
import { changedMethods, removedMethods, missingMethods, type MethodAt } from "./report.js";
import { Scope } from "./scope.js";
import { includes } from "./service-types.js";
import { restyle, styleOf } from "./style.js";
import { insertAll, locationOf, shifted } from "./text.js";
import type { Insertion, MergePlan, MergeResult, MethodLocation, ServiceMethod, ServicePlan } from "./types.js";
import { verify } from "./verify.js";

export type * from "./types.js";
const byteOrderMark = "\uFEFF";

/**
 * Updates the implementations of a service in a source file. Adds the methods that are new since the last run, with
 * their imports. No other byte of the text changes.
 *
 * @throws InputError with a location if the text has a syntax error, does not implement the service, or cannot be
 * merged
 */
export function mergeService(text: string, plan: MergePlan): MergeResult {
  if (text.startsWith(byteOrderMark)) {
    const merged = mergeService(text.slice(1), plan);
    return { ...merged, text: byteOrderMark + merged.text };
  }
  const source = parse(text, plan.file);
  const scope = new Scope(source, plan.modules);
  const implementations = findImplementations(scope, plan.service);
  if (implementations.length === 0) {
    if (usesFactory(scope, plan.service)) return { ...nothingNew, text };
    throw noImplementation(plan);
  }
  const names = new MemberNames(scope);
  const possible = planAdditions(implementations, names, plan);
  const additions = possible.filter(({ obstacle }) => obstacle === undefined);
  const insertions = insertionsOf(additions, scope, plan);
  const merged = insertAll(text, insertions);
  const { source: result, added } = verify(merged, { additions, insertions, source, plan });
  const located = ({ at, method }: MethodAt): MethodLocation =>
    plan.reportsOldLocations === true
      ? locationOf(source, at, method)
      : locationOf(result, shifted(at, insertions), method);
  const skipped = possible.flatMap((addition) => missingMethods(addition, source));
  return {
    text: merged,
    insertions,
    added,
    removed: removedMethods(implementations, scope, plan).map(located),
    changed: changedMethods(implementations, scope, plan).map((one) => ({ ...located(one), ...one.difference })),
    missing: skipped.map((one) => ({ ...located(one), reason: one.reason })),
  };
}

/** Result for a file that does not change. */
const nothingNew = { insertions: [], added: [], removed: [], changed: [], missing: [] };

/**
 * Returns whether the file creates an implementation with a function of the output. Such an implementation always has
 * every method.
 */
function usesFactory(scope: Scope, { serviceFactories }: ServicePlan): boolean {
  let found = false;
  walk(scope.source, (node) => {
    if (ts.isCallExpression(node) && serviceFactories.includes(scope.originOf(node.expression) ?? "")) found = true;
  });
  return found;
}

function noImplementation({ file, service }: MergePlan): InputError {
  const message = `the file does not implement ${service.name}`;
  const hint = `Set the agent to the file of the implementation, or remove --agent and "agent" in the configuration`;
  return new InputError({ location: { file }, message, hint });
}

/** Returns the methods that are new since the last run, for each implementation in which they are missing. */
function planAdditions(
  implementations: readonly Implementation[],
  names: MemberNames,
  { service, known }: MergePlan,
): Addition[] {
  const fresh = service.methods.filter(({ name }) => known?.includes(name) !== true);
  // Process base implementations first, because other implementations inherit the methods that are added to them.
  const additions = inOrderOfUse(implementations, names).map((implementation) => {
    const there = names.of(implementation.body);
    const methods = fresh.filter(({ name }) => includes(implementation.part, name) && !there.has(name));
    const obstacle = obstacleOf(implementation, names, known);
    const added = methods.map(({ name }) => name);
    names.grant(implementation.body, added);
    return { implementation, methods, ...(obstacle !== undefined && { obstacle }) };
  });
  return additions
    .filter(({ methods }) => methods.length > 0)
    .sort((a, b) => a.implementation.body.pos - b.implementation.body.pos);
}

/**
 * Returns the reason why methods that seem to be missing cannot be added to an implementation; `undefined` if they can
 * be added.
 */
function obstacleOf({ body }: Implementation, names: MemberNames, known: MergePlan["known"]): string | undefined {
  if (names.isOpaque(body)) return "an object that is spread there may already have it";
  return known === undefined ? "it may have been omitted on purpose" : undefined;
}

function insertionsOf(additions: readonly Addition[], scope: Scope, plan: MergePlan): readonly Insertion[] {
  if (additions.length === 0) return [];
  const { source } = scope;
  const style = styleOf(source);
  const needs = additions.flatMap(({ methods }) => methods.flatMap((method) => method.needs));
  const imports = planImports(needs, scope, style, plan);
  const order = plan.service.methods.map(({ name }) => name);
  const around = {
    source,
    style,
    order,
    nameOf: (member: Parameters<typeof memberName>[0]) => memberName(member, scope),
  };
  const bodies = additions.flatMap(({ implementation, methods }) => {
    const fresh = methods.map((method) => {
      const text = methodText(method, imports.local);
      return { name: method.name, write: (indentation: string) => restyle(text, style, indentation) };
    });
    return insertMethods(implementation.body, fresh, around);
  });
  return [...imports.insertions, ...bodies];
}

/** Returns the text of a method with the local names of its imports. */
function methodText({ text, needs }: ServiceMethod, local: (name: string) => string): string {
  return text.map((part) => (typeof part === "string" ? part : local(needs[part]?.name ?? ""))).join("");
}
