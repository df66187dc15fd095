import { ts } from "ts-morph";
import { hasModifier, isOfOutput, unwrap, walk, type Body, type Scope } from "./scope.js";
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
  const add = (bodies: readonly Body[], names: ReadonlySet<string>): void => {
    if (names.size === 0) return;
    for (const body of bodies) found.set(body, new Set([...(found.get(body) ?? []), ...names]));
  };
  const { checker } = scope;
  walk(scope.source, (node) => {
    if (ts.isClassLike(node) && !isAmbient(node)) {
      const types = declaredTypes(node, scope);
      add(
        [node],
        new Set(types.flatMap((type) => [...methodsOf(checker.getTypeAtLocation(type), service)])),
      );
    } else if (isValue(node) && !isSpread(node)) {
      const type = checker.getContextualType(node);
      if (type !== undefined) add(bodiesOf(node, scope), methodsOf(type, service));
    }
    if (ts.isCallExpression(node) && scope.originOf(node.expression) === service.factory.name)
      add(
        propertyOf(node.arguments[0], service.factory.property, scope),
        new Set(service.methods.map(({ name }) => name)),
      );
  });
  const bodies = [...found].map(([body, required]) => ({ body, required }));
  return bodies.sort((a, b) => a.body.pos - b.body.pos);
}

function isAmbient(node: ts.Node): boolean {
  if (hasModifier(node, ts.SyntaxKind.DeclareKeyword)) return true;
  return ts.isSourceFile(node) ? node.isDeclarationFile : isAmbient(node.parent);
}

/** Returns the types that a class implements, also by an interface of the same name. */
function declaredTypes(node: ts.ClassLikeDeclaration, scope: Scope): readonly ts.TypeNode[] {
  const merged =
    node.name === undefined
      ? []
      : scope.declarationsOf(node.name).filter(ts.isInterfaceDeclaration);
  const own = (node.heritageClauses ?? []).filter(
    ({ token }) => token === ts.SyntaxKind.ImplementsKeyword,
  );
  return [...own, ...merged.flatMap(({ heritageClauses = [] }) => [...heritageClauses])].flatMap(
    ({ types }) => [...types],
  );
}

/** Returns the methods of the service that values of a type have. */
function methodsOf(type: ts.Type, { methods }: ServicePlan): ReadonlySet<string> {
  const types = type.isUnion() ? type.types : [type];
  const has = (name: string): boolean =>
    types.some((part) => part.getProperty(name)?.declarations?.some(isOfOutput) === true);
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
  if (ts.isSpreadAssignment(parent)) return true;
  return (
    (ts.isParenthesizedExpression(parent) || ts.isConditionalExpression(parent)) && isSpread(parent)
  );
}

/** Returns the possible values of a property of an object. */
function propertyOf(expression: ts.Expression | undefined, name: string, scope: Scope): Body[] {
  const objects =
    expression === undefined
      ? []
      : bodiesOf(expression, scope).filter(ts.isObjectLiteralExpression);
  const properties = objects.flatMap((literal) =>
    literal.properties.filter((one) => one.name?.getText() === name),
  );
  return properties.flatMap((property) => {
    if (ts.isPropertyAssignment(property)) return bodiesOf(property.initializer, scope);
    if (ts.isShorthandPropertyAssignment(property)) return bodiesOf(property.name, scope);
    return ts.isGetAccessor(property) ? resultsOf(property, scope, new Set()) : [];
  });
}

/**
 * Returns the object literals of the file that can be the value of an expression, and the classes
 * that the value can be an instance of.
 */
export function bodiesOf(
  expression: ts.Expression,
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
    return declarationsIn(node, scope).flatMap((one) =>
      ts.isVariableDeclaration(one) ? follow(one.initializer) : [],
    );
  if (!ts.isCallExpression(node)) return [];
  if (/^Object\.(freeze|seal|preventExtensions)$/.test(node.expression.getText()))
    return follow(node.arguments[0]);
  if (!ts.isIdentifier(node.expression)) return [];
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
  return scope.declarationsOf(name).filter((one) => one.getSourceFile() === scope.source);
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
  const found: ts.Expression[] = [];
  const visit = (inner: ts.Node): void => {
    if (ts.isFunctionLike(inner) || ts.isClassLike(inner)) return;
    if (ts.isReturnStatement(inner) && inner.expression !== undefined) found.push(inner.expression);
    ts.forEachChild(inner, visit);
  };
  visit(node.body);
  return found.flatMap((expression) => bodiesOf(expression, scope, visited));
}
