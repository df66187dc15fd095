import { InputError } from "../../support/diagnostics.js";
import { ts } from "ts-morph";
import {
  bodiesOf,
  classesOf,
  findImplementations,
  type Implementation,
} from "./implementations.js";
import { planImports } from "./imports.js";
import { insertMethods } from "./insert.js";
import {
  clauseTypes,
  isOfOutput,
  membersOf,
  nodesOf,
  Scope,
  type Body,
  type Member,
} from "./scope.js";
import { differences } from "./signatures.js";
import { styleOf } from "./style.js";
import { insertAll, locationOf, shifted } from "./text.js";
import type { Insertion, MergePlan, MergeResult, MethodLocation, ServiceMethod } from "./types.js";

export type * from "./types.js";

/** Methods that a merge adds, or could add, to an implementation. */
interface Addition {
  readonly body: Body;
  readonly methods: readonly ServiceMethod[];
  /** Reason why the methods cannot be added. */
  readonly obstacle: string | undefined;
}

/**
 * Updates the implementations of a service in a source file. Adds the methods that are new since
 * the last run, with their imports. No other byte of the text changes.
 *
 * @throws InputError with a location if the text has a syntax error, does not implement the
 *   service unless this is optional, or cannot be merged
 */
export function mergeService(text: string, plan: MergePlan): MergeResult {
  const scope = new Scope(text, plan);
  if (scope.error !== undefined) throw syntaxError(scope.error, plan);
  const implementations = findImplementations(scope, plan.service);
  const isImplemented = implementations.length > 0 || usesFactory(scope, plan);
  if (!isImplemented && plan.isOptional !== true) throw noImplementation(plan);
  const possible = planAdditions(implementations, scope, plan);
  const additions = possible.filter(({ obstacle }) => obstacle === undefined);
  const insertions = insertionsOf(additions, scope, plan);
  const merged = insertAll(text, insertions);
  const result = insertions.length === 0 ? scope : new Scope(merged, plan);
  const located = (node: Body | Member, method: string): MethodLocation =>
    plan.reportsOldLocations === true
      ? locationOf(scope.source, startOf(node), method)
      : locationOf(result.source, shifted(startOf(node), insertions), method);
  const removed = implementations.flatMap(({ body }) =>
    removedNames(plan).flatMap((name) =>
      scope.membersOf(body, name).map((member) => located(member, name)),
    ),
  );
  const differing = implementations.flatMap((body) => changedMethods(body, scope, plan));
  const missing = possible.flatMap(({ body, methods, obstacle: reason }) =>
    reason === undefined ? [] : methods.map(({ name }) => ({ ...located(body, name), reason })),
  );
  return {
    text: merged,
    insertions,
    isImplemented,
    added: addedMethods(additions, implementations, result, plan),
    removed,
    changed: differing.map(({ member, method, ...difference }) => ({
      ...located(member, method),
      ...difference,
    })),
    missing,
  };
}

/**
 * Returns whether the file creates an implementation with a function of the output. Such an
 * implementation always has every method.
 */
function usesFactory(scope: Scope, { service }: MergePlan): boolean {
  const calls = nodesOf(scope.source).filter(ts.isCallExpression);
  const functions = calls.map(({ expression }) => scope.originOf(expression) ?? "");
  return functions.some((name) => service.serviceFactories.includes(name));
}

/**
 * Returns the methods that are new since the last run, for each implementation in which they are
 * missing.
 */
function planAdditions(
  implementations: readonly Implementation[],
  scope: Scope,
  { service, known }: MergePlan,
): Addition[] {
  const fresh = service.methods.filter(({ name }) => known?.includes(name) !== true);
  const required = new Map(implementations.map(({ body, required }) => [body, required]));
  const has = (body: Body, name: string): boolean => {
    const declarations = scope.typeOf(body).getProperty(name)?.declarations ?? [];
    const isInherited = [...basesOf(body, scope)].some((base) => required.get(base)?.has(name));
    return isInherited || !declarations.every(isOfOutput);
  };
  return implementations.flatMap(({ body, required: names }): Addition[] => {
    const missing = fresh.filter(({ name }) => names.has(name) && !has(body, name));
    const isUnclear = missing.some(({ name }) => isPossible(body, name, scope));
    const omitted = known === undefined ? "it may have been omitted on purpose" : undefined;
    const obstacle = isUnclear ? "an object that is spread there may already have it" : omitted;
    return missing.length === 0 ? [] : [{ body, methods: missing, obstacle }];
  });
}

/** Returns the bodies of the file from which a body takes members, directly or through others. */
function basesOf(body: Body, scope: Scope, found = new Set<Body>()): ReadonlySet<Body> {
  for (const source of sourcesOf(body, scope).filter((base) => !found.has(base)))
    basesOf(source, scope, found.add(source));
  return found;
}

/** Returns the bodies of the file from which a body takes members. */
function sourcesOf(body: Body, scope: Scope): Body[] {
  if (ts.isObjectLiteralExpression(body))
    return body.properties
      .filter(ts.isSpreadAssignment)
      .flatMap(({ expression }) => bodiesOf(expression, scope));
  const extended = clauseTypes(body, ts.SyntaxKind.ExtendsKeyword);
  return extended.flatMap(({ expression }) => classesOf(expression, scope));
}

/**
 * Returns whether an object spreads a value that may have a method: an implementation of the
 * service, or any value.
 */
function isPossible(body: Body, name: string, scope: Scope): boolean {
  if (!ts.isObjectLiteralExpression(body)) return false;
  const type = scope.typeOf(body);
  return (type.flags & ts.TypeFlags.Any) !== 0 || type.getProperty(name) !== undefined;
}

function insertionsOf(
  additions: readonly Addition[],
  scope: Scope,
  plan: MergePlan,
): readonly Insertion[] {
  if (additions.length === 0) return [];
  const style = styleOf(scope.source);
  const needs = additions.flatMap(({ methods }) => methods.flatMap((method) => method.needs));
  const imports = planImports(needs, scope, style, plan);
  const order = plan.service.methods.map(({ name }) => name);
  const { local } = imports;
  const bodies = additions.flatMap(({ body, methods }) =>
    insertMethods(methods, { body, scope, style, order, local }),
  );
  return [...imports.insertions, ...bodies];
}

/**
 * Returns the locations of the methods that were added.
 *
 * @throws InputError if the merged text has a syntax error, or if an implementation does not have
 *   exactly its old members and the new methods
 */
function addedMethods(
  additions: readonly Addition[],
  implementations: readonly Implementation[],
  merged: Scope,
  plan: MergePlan,
): MethodLocation[] {
  const after = additions.length === 0 ? [] : findImplementations(merged, plan.service);
  return additions.flatMap(({ body: old, methods }) => {
    const body = after[implementations.findIndex(({ body }) => body === old)]?.body;
    const added = methods.flatMap(({ name }) => {
      const member = body && merged.membersOf(body, name)[0];
      return member === undefined ? [] : [locationOf(merged.source, startOf(member), name)];
    });
    const count = body === undefined ? 0 : membersOf(body).length - membersOf(old).length;
    if (merged.error === undefined && added.length === count && count === methods.length)
      return added;
    const names = methods.map(({ name }) => name).join(", ");
    const { line, column } = locationOf(old.getSourceFile(), old.getStart(), names);
    throw new InputError({
      location: { file: plan.file, line, column },
      message: `${names} cannot be added here`,
      hint: "Write the methods by hand, and run again; nothing was written",
    });
  });
}

/** Returns the position of the name of a declaration, or of the declaration without a name. */
function startOf(node: Body | Member): number {
  return (("name" in node ? node.name : undefined) ?? node).getStart();
}

/**
 * Returns the names of methods of earlier specifications that the current specification does not
 * have.
 */
function removedNames({ service, known = [], removed = [] }: MergePlan): string[] {
  const current = new Set(service.methods.map(({ name }) => name));
  return [...new Set([...known, ...removed])].filter((name) => !current.has(name));
}

/** Returns the implemented methods whose signatures do not match the interface. */
function changedMethods({ body, required }: Implementation, scope: Scope, { service }: MergePlan) {
  return service.methods.flatMap((method) => {
    const [member] = scope.membersOf(body, method.name);
    if (member === undefined || !required.has(method.name)) return [];
    const signatures = scope.signaturesOf(body, method.name);
    const all = signatures.map((signature) => differences(signature, method, scope));
    // At least one overload must match.
    if (all.some((found) => found.length === 0)) return [];
    return (all[0] ?? []).map((difference) => ({ member, method: method.name, ...difference }));
  });
}

function syntaxError(error: ts.DiagnosticWithLocation, { file }: MergePlan): InputError {
  const { line, column } = locationOf(error.file, error.start, "");
  const message = ts.flattenDiagnosticMessageText(error.messageText, " ").replace(/\.$/, "");
  return new InputError({
    location: { file, line, column },
    message: `the file cannot be merged because it has a syntax error: ${message}`,
    hint: "Correct it and run again; nothing was written",
  });
}

function noImplementation({ file, service }: MergePlan): InputError {
  const hasKit = service.serviceFactories.length > 0;
  const kit = hasKit ? "" : ", add the target tasks if the file uses the task kit";
  return new InputError({
    location: { file },
    message: `the file does not implement ${service.name}`,
    hint:
      `Set the agent to the file of the implementation${kit}, or remove --agent and "agent" in ` +
      "the configuration",
  });
}
