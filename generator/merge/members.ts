import { ts } from "ts-morph";
import { Values, type Implementation } from "./implementations.js";
import { hasModifier, unwrap, type Body } from "./parse.js";
import type { Scope } from "./scope.js";

/** Member of a class or object literal, whose name may be unknown. */
export type Member = ts.ClassElement | ts.ObjectLiteralElementLike;

/** Returns the members of a body, in the order of the text. */
export function membersOf(body: Body): readonly Member[] {
  return ts.isObjectLiteralExpression(body) ? body.properties : body.members;
}

/**
 * Returns the name of a member on an instance; `undefined` if the member does not exist on instances, or if its name is
 * unknown.
 */
export function memberName(member: Member, scope: Scope): string | undefined {
  if (hasModifier(member, ts.SyntaxKind.StaticKeyword)) return undefined;
  const { name } = member;
  if (name === undefined || ts.isPrivateIdentifier(name)) return undefined;
  if (!ts.isComputedPropertyName(name)) return ts.isBigIntLiteral(name) ? name.getText() : name.text;
  const key = constant(unwrap(name.expression), scope);
  return key !== undefined && ts.isStringLiteralLike(key) ? key.text : undefined;
}

/** Returns the value of a constant of the file. */
function constant(expression: ts.Expression, scope: Scope): ts.Expression | undefined {
  if (!ts.isIdentifier(expression)) return expression;
  const [found] = scope.declarationsOf(expression);
  const isConstant =
    found !== undefined &&
    ts.isVariableDeclaration(found) &&
    (ts.getCombinedNodeFlags(found) & ts.NodeFlags.Const) !== 0;
  return isConstant && found.initializer !== undefined ? unwrap(found.initializer) : undefined;
}

/** Names of the members of implementations: their own names, inherited names, and names from spread objects. */
export class MemberNames {
  readonly #scope: Scope;
  readonly #values: Values;
  /** Names that the merge adds to each implementation. */
  readonly #granted = new Map<Body, ReadonlySet<string>>();

  constructor(scope: Scope) {
    this.#scope = scope;
    this.#values = new Values(scope);
  }

  /**
   * Records that the merge adds methods to a body, so that subclasses, and objects that spread the body, also have
   * these methods.
   */
  grant(body: Body, names: readonly string[]): void {
    this.#granted.set(body, new Set(names));
  }

  /** Returns every member name of a body. */
  of(body: Body, scope = this.#scope, visited = new Set<ts.Node>()): Set<string> {
    // Stop at bodies that were visited before, because bodies may extend or spread each other in a cycle.
    if (visited.has(body)) return new Set();
    visited.add(body);
    const own = membersOf(body).flatMap((member) => memberName(member, scope) ?? []);
    const fromParameters = ts.isClassLike(body) ? parameterProperties(body) : [];
    const inherited = this.#above(body, scope).flatMap((one) => [...this.of(one.body, one.scope, visited)]);
    return new Set([...own, ...fromParameters, ...inherited, ...(this.#granted.get(body) ?? [])]);
  }

  /** Returns the bodies of the file from which a body takes members. */
  sourcesOf(body: Body): Body[] {
    return this.#above(body, this.#scope).map((one) => one.body);
  }

  /** Returns whether a body spreads a value with unknown names, which may contain any method. */
  isOpaque(body: Body): boolean {
    return ts.isObjectLiteralExpression(body) && !this.#values.isKnown(body);
  }

  #above(body: Body, scope: Scope): { readonly body: Body; readonly scope: Scope }[] {
    const isSameScope = scope === this.#scope;
    const values = isSameScope ? this.#values : new Values(scope);
    if (ts.isObjectLiteralExpression(body)) {
      const spread = body.properties.filter(ts.isSpreadAssignment);
      return spread.flatMap(({ expression }) => values.literals(expression).map((one) => ({ body: one, scope })));
    }
    const base = body.heritageClauses?.find(({ token }) => token === ts.SyntaxKind.ExtendsKeyword)?.types[0];
    if (base === undefined) return [];
    const local = values.classes(base.expression);
    if (local.length > 0 || !ts.isIdentifier(base.expression)) return local.map((one) => ({ body: one, scope }));
    const foreign = scope.importedClass(base.expression);
    return foreign === undefined ? [] : [{ body: foreign.node, scope: foreign.scope }];
  }
}

function parameterProperties(node: ts.ClassLikeDeclaration): string[] {
  const constructors = node.members.filter(ts.isConstructorDeclaration);
  const parameters = constructors.flatMap((one) => [...one.parameters]);
  return parameters.flatMap((one) =>
    ts.isParameterPropertyDeclaration(one, one.parent) && ts.isIdentifier(one.name) ? [one.name.text] : [],
  );
}

/** Sorts implementations so that each implementation comes after the implementations that it extends or spreads. */
export function inOrderOfUse(implementations: readonly Implementation[], names: MemberNames): Implementation[] {
  const done = new Set<Implementation>();
  const byBody = new Map(implementations.map((one) => [one.body, one]));
  const visit = (one: Implementation, path: ReadonlySet<Body>): void => {
    for (const source of names.sourcesOf(one.body)) {
      const above = byBody.get(source);
      if (above !== undefined && !path.has(source)) visit(above, new Set([...path, source]));
    }
    done.add(one);
  };
  for (const one of implementations) visit(one, new Set([one.body]));
  return [...done];
}
