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
import { isOfOutput, membersOf, Scope, walk, type Body, type Member } from "./scope.js";
import { differences } from "./signatures.js";
import { styleOf } from "./style.js";
import { insertAll, locationOf, shifted } from "./text.js";
import type { Insertion, MergePlan, MergeResult, MethodLocation, ServiceMethod } from "./types.js";

export type * from "./types.js";
const byteOrderMark = "\uFEFF";

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
 *   service, or cannot be merged
 */
export function mergeService(text: string, plan: MergePlan): MergeResult {
  if (text.startsWith(byteOrderMark)) {
    const merged = mergeService(text.slice(1), plan);
    return { ...merged, text: byteOrderMark + merged.text };
  }
  const scope = new Scope(text, plan);
  const { source } = scope;
  if (scope.error !== undefined) throw syntaxError(scope.error, plan);
  const implementations = findImplementations(scope, plan.service);
  if (implementations.length === 0) {
    if (usesFactory(scope, plan)) return { ...nothingNew, text };
    throw noImplementation(plan);
  }
  const possible = planAdditions(implementations, scope, plan);
  const additions = possible.filter(({ obstacle }) => obstacle === undefined);
  const insertions = insertionsOf(additions, scope, plan);
  const merged = insertAll(text, insertions);
  const result = insertions.length === 0 ? scope : new Scope(merged, plan);
  const located = (at: number, method: string): MethodLocation =>
    plan.reportsOldLocations === true
      ? locationOf(source, at, method)
      : locationOf(result.source, shifted(at, insertions), method);
  const nameOf = (member: Member): number => (member.name ?? member).getStart(source);
  return {
    text: merged,
    insertions,
    added: addedMethods(additions, implementations, result, plan),
    removed: implementations.flatMap(({ body }) =>
      removedNames(plan).flatMap((name) =>
        scope.membersOf(body, name).map((one) => located(nameOf(one), name)),
      ),
    ),
    changed: implementations.flatMap((one) =>
      changedMethods(one, scope, plan).map(({ member, method, ...difference }) => ({
        ...located(nameOf(member), method),
        ...difference,
      })),
    ),
    missing: possible.flatMap(({ body, methods, obstacle: reason }) => {
      const at =
        ("name" in body ? body.name : undefined)?.getStart(source) ?? body.getStart(source);
      return reason === undefined
        ? []
        : methods.map(({ name }) => ({ ...located(at, name), reason }));
    }),
  };
}

/** Result for a file that does not change. */
const nothingNew = { insertions: [], added: [], removed: [], changed: [], missing: [] };

/**
 * Returns whether the file creates an implementation with a function of the output. Such an
 * implementation always has every method.
 */
function usesFactory(scope: Scope, { service }: MergePlan): boolean {
  let found = false;
  walk(scope.source, (node) => {
    const name = ts.isCallExpression(node) ? scope.originOf(node.expression) : undefined;
    if (name !== undefined && service.serviceFactories.includes(name)) found = true;
  });
  return found;
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
  const byBody = new Map(implementations.map((one) => [one.body, one]));
  /**
   * Returns whether an implementation has a method, or inherits it from an implementation that gets
   * it.
   */
  const has = ({ body }: Implementation, name: string, visited: ReadonlySet<Body>): boolean => {
    const declarations = scope.typeOf(body).getProperty(name)?.declarations ?? [];
    if (declarations.some((one) => !isOfOutput(one))) return true;
    return sourcesOf(body, scope).some((source) => {
      const above = byBody.get(source);
      if (above === undefined || visited.has(source)) return false;
      return above.required.has(name) || has(above, name, new Set([...visited, source]));
    });
  };
  return implementations.flatMap((one): Addition[] => {
    const { body, required } = one;
    const missing = fresh.filter(
      ({ name }) => required.has(name) && !has(one, name, new Set([body])),
    );
    const isUnclear = missing.some(({ name }) => isPossible(body, name, scope));
    const omitted = known === undefined ? "it may have been omitted on purpose" : undefined;
    const obstacle = isUnclear ? "an object that is spread there may already have it" : omitted;
    return missing.length === 0 ? [] : [{ body, methods: missing, obstacle }];
  });
}

/** Returns the bodies of the file from which a body takes members. */
function sourcesOf(body: Body, scope: Scope): Body[] {
  if (ts.isObjectLiteralExpression(body))
    return body.properties
      .filter(ts.isSpreadAssignment)
      .flatMap(({ expression }) => bodiesOf(expression, scope));
  const base = body.heritageClauses?.find(({ token }) => token === ts.SyntaxKind.ExtendsKeyword)
    ?.types[0];
  return base === undefined ? [] : classesOf(base.expression, scope);
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
  const bodies = additions.flatMap(({ body, methods }) => {
    const fresh = methods.map((method) => ({
      name: method.name,
      text: methodText(method, imports.local),
    }));
    return insertMethods(fresh, { body, scope, style, order });
  });
  return [...imports.insertions, ...bodies];
}

/** Returns the text of a method with the local names of its imports. */
function methodText({ text, needs }: ServiceMethod, local: (name: string) => string): string {
  return text
    .map((part) => (typeof part === "string" ? part : local(needs[part]?.name ?? "")))
    .join("");
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
    const body = after[implementations.findIndex((one) => one.body === old)]?.body;
    const found =
      body === undefined
        ? []
        : methods.flatMap(({ name }) =>
            merged
              .membersOf(body, name)
              .slice(0, 1)
              .map((member) => ({ name, member })),
          );
    const count = body === undefined ? 0 : membersOf(body).length - membersOf(old).length;
    if (merged.error !== undefined || found.length < methods.length || count !== methods.length) {
      const names = methods.map(({ name }) => name).join(", ");
      const source = old.getSourceFile();
      throw cannotMerge(locationOf(source, old.getStart(source), names), plan);
    }
    return found.map(({ name, member }) =>
      locationOf(merged.source, (member.name ?? member).getStart(merged.source), name),
    );
  });
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
    const all = scope
      .signaturesOf(body, method.name)
      .map((node) => differences(node, method, scope));
    // At least one overload must match.
    if (all.some((one) => one.length === 0)) return [];
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
  const message = `the file does not implement ${service.name}`;
  const hint =
    'Set the agent to the file of the implementation, or remove --agent and "agent" in the ' +
    "configuration";
  return new InputError({ location: { file }, message, hint });
}

function cannotMerge({ line, column, method }: MethodLocation, { file }: MergePlan): InputError {
  return new InputError({
    location: { file, line, column },
    message: `${method} cannot be added here`,
    hint: "Write the methods by hand, and run again; nothing was written",
  });
}
