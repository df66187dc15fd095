import { ts } from "ts-morph";
import {
  clauseTypes,
  hasModifier,
  isOfOutput,
  nodesOf,
  unwrap,
  type Body,
  type Scope,
} from "./scope.js";
import type { ServicePlan } from "./types.js";

/**
 * Class or object literal that implements the service, and the names of the methods that it must
 * have.
 */
export interface Implementation {
  readonly body: Body;
  readonly required: ReadonlySet<string>;
}

/**
 * Finds the classes and object literals in a file that implement the service: by `implements`, or
 * because their value is used where the service is expected.
 */
export function findImplementations(scope: Scope, service: ServicePlan): Implementation[] {
  const found = new Map<Body, ReadonlySet<string>>();
  for (const node of nodesOf(scope.source)) {
    for (const { body, required } of implementationsAt(node, scope, service))
      found.set(body, new Set([...(found.get(body) ?? []), ...required]));
  }
  const implementations = [...found].map(([body, required]) => ({ body, required }));
  return implementations.sort((a, b) => a.body.pos - b.body.pos);
}

/** Returns the implementations that a class, a value or a call of the factory requires. */
function implementationsAt(node: ts.Node, scope: Scope, service: ServicePlan): Implementation[] {
  const required = methodsOf(expectedTypes(node, scope), service);
  if (required.size > 0) {
    const bodies = ts.isClassLike(node) ? [node] : bodiesOf(node, scope);
    return bodies.map((body) => ({ body, required }));
  }
  const { name, property } = service.factory;
  if (!ts.isCallExpression(node) || scope.originOf(node.expression) !== name) return [];
  const all = new Set(service.methods.map((method) => method.name));
  return propertyOf(node.arguments[0], property, scope).map((body) => ({ body, required: all }));
}

/** Returns the types that a class implements, or that a value must have. */
function expectedTypes(node: ts.Node, { checker }: Scope): readonly ts.Type[] {
  if (ts.isClassLike(node))
    return implementedTypes(node).map((type) => checker.getTypeAtLocation(type));
  const type = isValue(node) && !isSpread(node) ? checker.getContextualType(node) : undefined;
  if (type === undefined) return [];
  return type.isUnion() ? type.types : [type];
}

/** Returns the types that a class implements, unless it is only declared. */
function implementedTypes(node: ts.ClassLikeDeclaration): readonly ts.TypeNode[] {
  const isDeclared = (outer: ts.Node): boolean => hasModifier(outer, ts.SyntaxKind.DeclareKeyword);
  if (ts.findAncestor(node, isDeclared) !== undefined) return [];
  return clauseTypes(node, ts.SyntaxKind.ImplementsKeyword);
}

/** Returns the methods of the service that values of one of the types have. */
function methodsOf(types: readonly ts.Type[], { methods }: ServicePlan): ReadonlySet<string> {
  const has = (name: string): boolean =>
    types.some((type) => type.getProperty(name)?.declarations?.some(isOfOutput) === true);
  return new Set(methods.map(({ name }) => name).filter(has));
}

function isValue(node: ts.Node): node is ts.Expression {
  if (ts.isIdentifier(node))
    return ts.isExpression(node) && !ts.isPropertyAccessExpression(node.parent);
  return (
    ts.isObjectLiteralExpression(node) || ts.isNewExpression(node) || ts.isCallExpression(node)
  );
}

/** Returns whether an expression is spread into an object, which then has other members as well. */
function isSpread({ parent }: ts.Node): boolean {
  const isPassed = ts.isParenthesizedExpression(parent) || ts.isConditionalExpression(parent);
  return isPassed ? isSpread(parent) : ts.isSpreadAssignment(parent);
}

/** Returns the possible values of a property of an object. */
function propertyOf(expression: ts.Expression | undefined, name: string, scope: Scope): Body[] {
  const values = expression === undefined ? [] : bodiesOf(expression, scope);
  const members = values.flatMap((value) => scope.membersOf(value, name));
  return members.flatMap((member) => {
    if (ts.isPropertyAssignment(member)) return bodiesOf(member.initializer, scope);
    return ts.isShorthandPropertyAssignment(member) ? bodiesOf(member.name, scope) : [];
  });
}

/**
 * Returns the object literals of the file that can be the value of an expression, and the classes
 * that the value can be an instance of.
 */
export function bodiesOf(
  expression: ts.Node,
  scope: Scope,
  visited: ReadonlySet<ts.Node> = new Set(),
): Body[] {
  const node = unwrap(expression);
  if (visited.has(node)) return [];
  const follow = (next: ts.Expression | undefined): Body[] =>
    next === undefined ? [] : bodiesOf(next, scope, new Set([...visited, node]));
  if (ts.isObjectLiteralExpression(node)) return [node];
  if (ts.isConditionalExpression(node))
    return [...follow(node.whenTrue), ...follow(node.whenFalse)];
  if (ts.isNewExpression(node)) return classesOf(node.expression, scope);
  if (ts.isIdentifier(node))
    return declarationsIn(node, scope).flatMap((declaration) =>
      ts.isVariableDeclaration(declaration) ? follow(declaration.initializer) : [],
    );
  if (!ts.isCallExpression(node) || !ts.isIdentifier(node.expression)) return [];
  const functions = declarationsIn(node.expression, scope).map(valueOf);
  return functions.flatMap((made) => resultsOf(made, scope, new Set([...visited, node])));
}

/** Returns the classes of the file that an expression refers to by name. */
export function classesOf(expression: ts.Expression, scope: Scope): ts.ClassLikeDeclaration[] {
  const node = unwrap(expression);
  const named = ts.isIdentifier(node) ? declarationsIn(node, scope).map(valueOf) : [node];
  return named.filter(ts.isClassLike);
}

function declarationsIn(name: ts.Identifier, scope: Scope): ts.Declaration[] {
  return scope
    .declarationsOf(name)
    .filter((declaration) => declaration.getSourceFile() === scope.source);
}

/** Returns the function or class that a variable contains. Returns other declarations unchanged. */
function valueOf(node: ts.Node): ts.Node {
  return ts.isVariableDeclaration(node) && node.initializer !== undefined
    ? unwrap(node.initializer)
    : node;
}

/**
 * Returns the possible results of a function: from its `return` statements, or from its expression
 * body.
 */
function resultsOf(node: ts.Node, scope: Scope, visited: ReadonlySet<ts.Node>): Body[] {
  if (!ts.isFunctionLike(node) || !("body" in node) || node.body === undefined) return [];
  if (!ts.isBlock(node.body)) return bodiesOf(node.body, scope, visited);
  const returns = nodesOf(node.body).filter(ts.isReturnStatement);
  const own = returns.filter((inner) => ts.findAncestor(inner, ts.isFunctionLike) === node);
  return own.flatMap(({ expression }) =>
    expression === undefined ? [] : bodiesOf(expression, scope, visited),
  );
}
