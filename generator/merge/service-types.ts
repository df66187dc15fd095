import { ts } from "ts-morph";
import type { Scope } from "./scope.js";

/** Methods of the interface that a type has: all methods, or the methods whose name a function accepts. */
export type Part = "all" | ((name: string) => boolean);

/** Global types that have the same methods as their first type argument. */
const wrappers = ["Partial", "Required", "Readonly", "NonNullable", "Promise", "PromiseLike", "Awaited"];

/** Finds the types that represent the interface of the output folder. */
export class ServiceTypes {
  readonly #scope: Scope;
  readonly #name: string;
  readonly #visited = new Set<ts.Node>();

  constructor(scope: Scope, name: string) {
    this.#scope = scope;
    this.#name = name;
  }

  /** Returns the methods of the interface that a type has; `undefined` for unrelated types. */
  partOf(type: ts.TypeNode | undefined): Part | undefined {
    if (type === undefined) return undefined;
    if (ts.isParenthesizedTypeNode(type) || ts.isTypeOperatorNode(type)) return this.partOf(type.type);
    if (ts.isIntersectionTypeNode(type) || ts.isUnionTypeNode(type)) return this.#first(type.types);
    if (ts.isTypeReferenceNode(type)) return this.#named(type.typeName, type.typeArguments);
    if (ts.isExpressionWithTypeArguments(type)) return this.#named(type.expression, type.typeArguments);
    if (ts.isImportTypeNode(type)) return this.#scope.originOfImportType(type) === this.#name ? "all" : undefined;
    return undefined;
  }

  /**
   * Returns the methods of the service interface that the `implements` and `extends` clauses of a class or interface
   * require.
   */
  partOfHeritage(node: ts.ClassLikeDeclaration | ts.InterfaceDeclaration): Part | undefined {
    const isMeant = (clause: ts.HeritageClause): boolean =>
      ts.isInterfaceDeclaration(node) || clause.token === ts.SyntaxKind.ImplementsKeyword;
    const own = this.#first((node.heritageClauses ?? []).filter(isMeant).flatMap(({ types }) => [...types]));
    if (own !== undefined || !ts.isClassDeclaration(node) || node.name === undefined) return own;
    const merged = this.#scope.declarationsOf(node.name).filter(ts.isInterfaceDeclaration);
    return first(merged, (one) => this.partOfHeritage(one));
  }

  #first(types: readonly ts.TypeNode[]): Part | undefined {
    return first(types, (type) => this.partOf(type));
  }

  #named(name: ts.Node, args: readonly ts.TypeNode[] = []): Part | undefined {
    if (this.#scope.originOf(name) === this.#name) return "all";
    if (!ts.isIdentifier(name)) return undefined;
    const declarations = this.#scope.declarationsOf(name);
    if (declarations.length > 0) return this.#declared(declarations);
    if (this.#scope.imports.has(name.text)) return undefined;
    const part = wrappers.includes(name.text) || isChoice(name.text) ? this.partOf(args[0]) : undefined;
    return part !== undefined && isChoice(name.text) ? chosen(part, name.text, args[1]) : part;
  }

  #declared(declarations: readonly ts.Node[]): Part | undefined {
    return first(declarations, (node) => {
      if (this.#visited.has(node)) return undefined;
      this.#visited.add(node);
      try {
        if (ts.isTypeAliasDeclaration(node)) return this.partOf(node.type);
        return ts.isInterfaceDeclaration(node) ? this.partOfHeritage(node) : undefined;
      } finally {
        this.#visited.delete(node);
      }
    });
  }
}

/** Returns whether an implementation must have a method. */
export function includes(part: Part, name: string): boolean {
  return part === "all" || part(name);
}

function first<T>(items: readonly T[], find: (item: T) => Part | undefined): Part | undefined {
  for (const item of items) {
    const found = find(item);
    if (found !== undefined) return found;
  }
  return undefined;
}

function isChoice(name: string): boolean {
  return name === "Pick" || name === "Omit";
}

/**
 * Returns the methods that remain after `Pick` or `Omit`. If the names are not literals, returns no methods, so that no
 * unwanted method is added.
 */
function chosen(part: Part, kind: string, names: ts.TypeNode | undefined): Part {
  const types = names === undefined ? [] : ts.isUnionTypeNode(names) ? names.types : [names];
  const spelled = types.flatMap((type) =>
    ts.isLiteralTypeNode(type) && ts.isStringLiteral(type.literal) ? [type.literal.text] : [],
  );
  if (spelled.length < types.length) return () => false;
  return (name) => includes(part, name) && spelled.includes(name) === (kind === "Pick");
}
