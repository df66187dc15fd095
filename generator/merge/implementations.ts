import { ts } from "ts-morph";
import { hasModifier, unwrap, walk, type Body } from "./parse.js";
import type { Scope } from "./scope.js";
import { includes, ServiceTypes, type Part } from "./service-types.js";
import type { ServicePlan } from "./types.js";

/** Implementation of the interface, and the methods that it must implement. */
export interface Implementation {
  readonly body: Body;
  readonly part: Part;
}

/**
 * Finds the classes and object literals in a file that implement the interface. Recognizes them by `implements`, a type
 * annotation, `satisfies` or the return type of a function, or because they are passed to the function that creates
 * agents.
 */
export function findImplementations(scope: Scope, service: ServicePlan): Implementation[] {
  const found = new Map<Body, Part>();
  const add = (bodies: readonly Body[], part: Part | undefined): void => {
    if (part === undefined) return;
    for (const body of bodies) found.set(body, both(found.get(body), part));
  };
  const types = new ServiceTypes(scope, service.name);
  const values = new Values(scope);
  walk(scope.source, (node) => {
    if (ts.isClassLike(node) && !isAmbient(node)) add([node], types.partOfHeritage(node));
    if (ts.isVariableDeclaration(node) || ts.isPropertyDeclaration(node) || ts.isParameter(node)) {
      add(values.literals(node.initializer), types.partOf(node.type));
      if (node.type !== undefined && ts.isFunctionTypeNode(node.type))
        add(values.results(node.initializer), types.partOf(node.type.type));
    }
    if (ts.isSatisfiesExpression(node) || ts.isAsExpression(node) || ts.isTypeAssertionExpression(node))
      add(values.literals(node.expression), types.partOf(node.type));
    if (ts.isFunctionLike(node)) add(values.results(node), types.partOf(node.type));
    if (ts.isCallExpression(node) && scope.originOf(node.expression) === service.factory.name)
      add(values.property(node.arguments[0], service.factory.property), "all");
  });
  const bodies = [...found].map(([body, part]) => ({ body, part }));
  return bodies.sort((a, b) => a.body.pos - b.body.pos);
}

function both(one: Part | undefined, other: Part): Part {
  if (one === undefined) return other;
  return one === "all" || other === "all" ? "all" : (name) => includes(one, name) || includes(other, name);
}

function isAmbient(node: ts.Node): boolean {
  if (hasModifier(node, ts.SyntaxKind.DeclareKeyword)) return true;
  return ts.isSourceFile(node) ? node.isDeclarationFile : isAmbient(node.parent);
}

/** Finds the classes and object literals in the file that can be the value of an expression. */
export class Values {
  readonly #scope: Scope;
  readonly #visited = new Set<ts.Node>();

  constructor(scope: Scope) {
    this.#scope = scope;
  }

  /** Returns the object literals that can be the value of an expression. */
  literals(expression: ts.Expression | undefined): Body[] {
    return this.bodies(expression).filter(ts.isObjectLiteralExpression);
  }

  /**
   * Returns the object literals that can be the value of an expression, and the classes that the value can be an
   * instance of.
   */
  bodies(expression: ts.Expression | undefined): Body[] {
    if (expression === undefined || this.#visited.has(expression)) return [];
    this.#visited.add(expression);
    const found = this.#follow(unwrap(expression));
    this.#visited.delete(expression);
    return found;
  }

  /** Returns the possible values of a property of an object. */
  property(expression: ts.Expression | undefined, name: string): Body[] {
    return this.literals(expression).flatMap((literal) => {
      if (!ts.isObjectLiteralExpression(literal)) return [];
      return literal.properties.flatMap((property): Body[] => {
        if (property.name?.getText() !== name) return [];
        if (ts.isPropertyAssignment(property)) return this.bodies(property.initializer);
        if (ts.isGetAccessor(property)) return this.results(property);
        return ts.isShorthandPropertyAssignment(property) ? this.bodies(property.name) : [];
      });
    });
  }

  /**
   * Returns whether every possible value of an expression is an object literal of the file, including the objects that
   * these literals spread.
   */
  isKnown(expression: ts.Expression): boolean {
    const inner = unwrap(expression);
    if (this.#visited.has(inner)) return true;
    this.#visited.add(inner);
    const known = this.#isKnown(inner);
    this.#visited.delete(inner);
    return known;
  }

  #isKnown(expression: ts.Expression): boolean {
    if (ts.isObjectLiteralExpression(expression)) return expression.properties.every((one) => this.isKnownMember(one));
    if (ts.isConditionalExpression(expression))
      return this.isKnown(expression.whenTrue) && this.isKnown(expression.whenFalse);
    if (ts.isIdentifier(expression)) {
      const declarations = this.#scope.declarationsOf(expression);
      const values = declarations.map((one) => (ts.isVariableDeclaration(one) ? one.initializer : undefined));
      return values.length > 0 && values.every((value) => value !== undefined && this.isKnown(value));
    }
    const given = ts.isCallExpression(expression) ? this.#called(expression) : [];
    return given.length > 0 && given.every((body) => ts.isObjectLiteralExpression(body) && this.isKnown(body));
  }

  /**
   * Returns whether the names that a member adds to an object literal are known. This is false if the member spreads a
   * value that {@link isKnown} rejects.
   */
  isKnownMember(member: ts.ObjectLiteralElementLike): boolean {
    return !ts.isSpreadAssignment(member) || this.isKnown(member.expression);
  }

  /** Returns the possible results of a function: from its `return` statements, or from its expression body. */
  results(node: ts.Node | undefined): Body[] {
    if (node === undefined || !ts.isFunctionLike(node) || !("body" in node)) return [];
    const { body } = node;
    if (body === undefined) return [];
    if (!ts.isBlock(body)) return this.literals(body);
    return returned(body).flatMap((expression) => this.literals(expression));
  }

  #follow(expression: ts.Expression): Body[] {
    if (ts.isObjectLiteralExpression(expression)) return [expression];
    if (ts.isIdentifier(expression)) {
      const variables = this.#scope.declarationsOf(expression).filter(ts.isVariableDeclaration);
      return variables.flatMap(({ initializer }) => this.bodies(initializer));
    }
    if (ts.isConditionalExpression(expression))
      return [...this.bodies(expression.whenTrue), ...this.bodies(expression.whenFalse)];
    if (ts.isNewExpression(expression)) return this.classes(expression.expression);
    return ts.isCallExpression(expression) ? this.#called(expression) : [];
  }

  /** Returns the classes in the file that an expression refers to by name. */
  classes(expression: ts.Expression): ts.ClassLikeDeclaration[] {
    const inner = unwrap(expression);
    if (ts.isClassExpression(inner)) return [inner];
    if (!ts.isIdentifier(inner)) return [];
    return this.#scope.declarationsOf(inner).flatMap((node): ts.ClassLikeDeclaration[] => {
      if (ts.isClassDeclaration(node)) return [node];
      const made = ts.isVariableDeclaration(node) && node.initializer !== undefined ? unwrap(node.initializer) : node;
      return ts.isClassExpression(made) ? [made] : [];
    });
  }

  #called({ expression, arguments: [first] }: ts.CallExpression): Body[] {
    if (ts.isPropertyAccessExpression(expression))
      return /^Object\.(freeze|seal|preventExtensions)$/.test(expression.getText()) ? this.bodies(first) : [];
    if (!ts.isIdentifier(expression)) return [];
    return this.#scope.declarationsOf(expression).flatMap((node) => {
      const made = ts.isVariableDeclaration(node) && node.initializer !== undefined ? unwrap(node.initializer) : node;
      if (this.#visited.has(made)) return [];
      this.#visited.add(made);
      const found = this.results(made);
      this.#visited.delete(made);
      return found;
    });
  }
}

/** Returns the expressions of the `return` statements in a function, without nested functions. */
function returned(body: ts.Node): ts.Expression[] {
  const found: ts.Expression[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isFunctionLike(node) || ts.isClassLike(node)) return;
    if (ts.isReturnStatement(node) && node.expression !== undefined) found.push(node.expression);
    ts.forEachChild(node, visit);
  };
  visit(body);
  return found;
}
