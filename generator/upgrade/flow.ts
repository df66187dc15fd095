import type { ts } from "ts-morph";
import type { Checked } from "./project.js";

/**
 * Finds the types that positions in the user's files require. If a function or a constant has no
 * annotation, the type comes from the positions where its value is used.
 */
export class Flow {
  static readonly #known = new WeakMap<ts.TypeChecker, Flow>();
  readonly #ts: typeof ts;
  readonly #checker: ts.TypeChecker;
  readonly #files: readonly ts.SourceFile[];
  #uses: Map<ts.Symbol, ts.Identifier[]> | undefined;

  /** Returns the instance for a project. */
  static of(project: Checked): Flow {
    const flow = Flow.#known.get(project.checker) ?? new Flow(project);
    Flow.#known.set(project.checker, flow);
    return flow;
  }

  private constructor({ ts, checker, files }: Checked) {
    this.#ts = ts;
    this.#checker = checker;
    this.#files = files;
  }

  /**
   * Returns the type that the position of an expression requires; `undefined` if no type or several
   * are required.
   */
  expectedAt(node: ts.Expression, known: ReadonlySet<ts.Node> = new Set()): ts.Type | undefined {
    const found = this.#checker.getContextualType(node);
    if (found !== undefined && !this.#isOpen(found) && !isTypeOf(node, found)) return found;
    if (known.has(node)) return found;
    return this.#inherited(node, new Set([...known, node])) ?? found;
  }

  #present(type: ts.Type | undefined): ts.Type | undefined {
    return type && this.#checker.getNonNullableType(type);
  }

  /** Returns whether a type says nothing about its values. */
  #isOpen({ flags }: ts.Type): boolean {
    const { Any, Unknown, TypeParameter } = this.#ts.TypeFlags;
    return (flags & (Any | Unknown | TypeParameter)) !== 0;
  }

  #inherited(node: ts.Expression, known: ReadonlySet<ts.Node>): ts.Type | undefined {
    const compiler = this.#ts;
    const { parent } = node;
    if (compiler.isParenthesizedExpression(parent) || this.#isConst(parent))
      return this.expectedAt(parent, known);
    if (compiler.isConditionalExpression(parent) && parent.condition !== node)
      return this.expectedAt(parent, known);
    if (compiler.isPropertyAssignment(parent) && parent.initializer === node) {
      const holder = this.#present(this.expectedAt(parent.parent, known));
      const { name } = parent;
      const key =
        compiler.isIdentifier(name) || compiler.isStringLiteralLike(name) ? name.text : undefined;
      const property =
        key === undefined ? undefined : holder && this.#checker.getPropertyOfType(holder, key);
      return property && this.#checker.getTypeOfSymbol(property);
    }
    if (compiler.isArrayLiteralExpression(parent)) {
      const list = this.#present(this.expectedAt(parent, known));
      return list && this.#checker.getIndexTypeOfType(list, compiler.IndexKind.Number);
    }
    if (compiler.isCallExpression(parent) && parent.expression.getText() === "Promise.resolve") {
      const promised = this.expectedAt(parent, known);
      return promised && this.#checker.getAwaitedType(promised);
    }
    if (!this.#isObject(node)) return undefined;
    if (
      compiler.isVariableDeclaration(parent) &&
      parent.initializer === node &&
      parent.type === undefined
    )
      return (parent.parent.flags & compiler.NodeFlags.Const) === 0
        ? undefined
        : this.#agreed(parent.name, false, known);
    const maker = this.#makerOf(node);
    return maker && this.#agreed(maker, true, known);
  }

  /**
   * Returns whether a value has members. A string could also be used in other positions, in which
   * its text matters.
   */
  #isObject(node: ts.Expression): boolean {
    const compiler = this.#ts;
    if (compiler.isParenthesizedExpression(node)) return this.#isObject(node.expression);
    if (compiler.isConditionalExpression(node))
      return this.#isObject(node.whenTrue) || this.#isObject(node.whenFalse);
    return compiler.isObjectLiteralExpression(node) || compiler.isCallExpression(node);
  }

  /** Returns whether a node is `value as const`. */
  #isConst(node: ts.Node): node is ts.AsExpression {
    return this.#ts.isAsExpression(node) && this.#ts.isConstTypeReference(node.type);
  }

  /** Returns the name of the function without a declared result that returns an expression. */
  #makerOf(node: ts.Expression): ts.Node | undefined {
    const compiler = this.#ts;
    const { parent } = node;
    if (compiler.isArrowFunction(parent) && parent.body === node) return this.#nameOf(parent);
    if (!compiler.isReturnStatement(parent)) return undefined;
    let outer: ts.Node = parent;
    while (!compiler.isFunctionLike(outer) && !compiler.isSourceFile(outer)) outer = outer.parent;
    return compiler.isFunctionLike(outer) ? this.#nameOf(outer) : undefined;
  }

  #nameOf(node: ts.SignatureDeclaration): ts.Node | undefined {
    const compiler = this.#ts;
    const isPlain = compiler.isArrowFunction(node) || compiler.isFunctionExpression(node);
    if (!isPlain && !compiler.isFunctionDeclaration(node)) return undefined;
    const isAsync =
      node.modifiers?.some(({ kind }) => kind === compiler.SyntaxKind.AsyncKeyword) === true;
    if (node.type !== undefined || isAsync || node.asteriskToken !== undefined) return undefined;
    if (compiler.isFunctionDeclaration(node)) return node.name;
    const { parent } = node;
    return compiler.isVariableDeclaration(parent) && parent.type === undefined
      ? parent.name
      : undefined;
  }

  /** Returns the type that all uses of a name require, or that all of its calls require. */
  #agreed(name: ts.Node, isCalled: boolean, known: ReadonlySet<ts.Node>): ts.Type | undefined {
    const symbol = this.#checker.getSymbolAtLocation(name);
    const uses = (symbol && this.#usesOf(symbol))?.filter((use) => use !== name) ?? [];
    const types = new Set<ts.Type>();
    for (const use of uses) {
      const { parent } = use;
      if (isCalled && !(this.#ts.isCallExpression(parent) && parent.expression === use))
        return undefined;
      const type = this.expectedAt(isCalled ? (parent as ts.CallExpression) : use, known);
      if (type !== undefined && !this.#isOpen(type))
        types.add(this.#checker.getNonNullableType(type));
    }
    const [first, ...others] = types;
    // A value of a union must be wrapped at the position that uses it.
    return others.length === 0 && first?.isUnion() !== true ? first : undefined;
  }

  #usesOf(symbol: ts.Symbol): readonly ts.Identifier[] {
    this.#uses ??= this.#findUses();
    return this.#uses.get(symbol) ?? [];
  }

  /** Returns the symbol of the value that an identifier uses, at its declaration. */
  #valueSymbolOf(node: ts.Identifier): ts.Symbol | undefined {
    // At `a` in `{ a }`, the compiler finds the symbol of the property.
    const symbol = this.#ts.isShorthandPropertyAssignment(node.parent)
      ? this.#checker.getShorthandAssignmentValueSymbol(node.parent)
      : this.#checker.getSymbolAtLocation(node);
    const isAlias = symbol !== undefined && (symbol.flags & this.#ts.SymbolFlags.Alias) !== 0;
    return isAlias ? this.#checker.getAliasedSymbol(symbol) : symbol;
  }

  #findUses(): Map<ts.Symbol, ts.Identifier[]> {
    const compiler = this.#ts;
    const found = new Map<ts.Symbol, ts.Identifier[]>();
    const visit = (node: ts.Node): void => {
      // Imports, exports and types do not use values.
      if (
        compiler.isImportDeclaration(node) ||
        compiler.isExportDeclaration(node) ||
        compiler.isTypeNode(node)
      )
        return;
      if (compiler.isIdentifier(node)) {
        const symbol = this.#valueSymbolOf(node);
        const uses = symbol && found.get(symbol);
        if (uses !== undefined) uses.push(node);
        else if (symbol !== undefined) found.set(symbol, [node]);
      }
      node.forEachChild(visit);
    };
    for (const file of this.#files) visit(file);
    return found;
  }
}

/** Returns whether a type is the type of an object literal, so that the literal determines it. */
function isTypeOf(node: ts.Expression, type: ts.Type): boolean {
  const declarations: readonly ts.Node[] = type.getSymbol()?.declarations ?? [];
  return declarations.includes(node);
}
