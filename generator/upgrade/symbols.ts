import type { ts } from "ts-morph";
import { Flow } from "./flow.js";
import type { Checked } from "./project.js";

/** Node that contains a name: an identifier or a string. */
export type NameNode = ts.Identifier | ts.StringLiteralLike;

/**
 * Resolves names in the user's files to names of the output. The name of a member begins with its
 * type: `AgentCard.url`.
 */
export class Symbols {
  readonly #ts: typeof ts;
  readonly #checker: ts.TypeChecker;
  readonly #flow: Flow;
  readonly #isOutput: (fileName: string) => boolean;

  /** `isOutput` returns whether a file belongs to the output. */
  constructor(project: Checked, isOutput: (fileName: string) => boolean) {
    this.#ts = project.ts;
    this.#checker = project.checker;
    this.#flow = Flow.of(project);
    this.#isOutput = isOutput;
  }

  /**
   * Returns the names of a symbol in the output: the name of its declaration, and the name under
   * which the file imports it.
   */
  pathsOf(symbol: ts.Symbol | undefined): string[] {
    if (symbol === undefined) return [];
    const isAlias = (symbol.flags & this.#ts.SymbolFlags.Alias) !== 0;
    const target = isAlias ? this.#checker.getAliasedSymbol(symbol) : symbol;
    const declarations = [...this.#declarationsOf(target), ...this.#declarationsOf(symbol)];
    const names = declarations.flatMap((node) => this.#pathOf(node) ?? []);
    return [...new Set([...names, ...this.#importedNames(symbol)])];
  }

  /** Returns the exported names of a symbol that is imported from the output. */
  #importedNames({ declarations = [] }: ts.Symbol): string[] {
    return declarations.flatMap((found) => {
      if (!this.#ts.isImportSpecifier(found)) return [];
      const module = this.#checker.getSymbolAtLocation(found.parent.parent.parent.moduleSpecifier);
      if (module === undefined || this.#declarationsOf(module).length === 0) return [];
      const { text } = found.propertyName ?? found.name;
      return this.#checker.getExportsOfModule(module).some(({ name }) => name === text)
        ? [text]
        : [];
    });
  }

  /** Returns whether a module specifier names a module of the output. */
  isModule(specifier: ts.Node): boolean {
    const declarations = this.#checker.getSymbolAtLocation(specifier)?.declarations ?? [];
    return declarations.some((found) => this.#isOutput(found.getSourceFile().fileName));
  }

  /** Returns the names in the output of the symbol at a node. */
  pathsAt(node: ts.Node): string[] {
    return this.pathsOf(this.#checker.getSymbolAtLocation(node));
  }

  /** Returns the members of the output that a key, a property or a method can refer to. */
  membersAt(node: NameNode): string[] {
    const { parent } = node;
    // The type before the dot may be a union, and only some of its members may have the property.
    const isProperty = this.#ts.isPropertyAccessExpression(parent) && parent.name === node;
    const holders = isProperty ? undefined : this.#holdersAt(node);
    if (holders !== undefined) return holders.flatMap((type) => this.#memberOf(type, node.text));
    return this.#ts.isIdentifier(node) ? this.pathsAt(node) : [];
  }

  /**
   * Returns whether the new name `now` would collide with another member: a user's member, or a
   * member that is not renamed.
   */
  hasOther(node: NameNode, now: string, renamed: ReadonlyMap<string, string>): boolean {
    return (this.#holdersAt(node) ?? []).some((type) => {
      const other = this.#checker.getPropertyOfType(this.#checker.getApparentType(type), now);
      return other !== undefined && !this.pathsOf(other).some((path) => renamed.has(path));
    });
  }

  /**
   * Returns the members of the output that a key of an object literal overrides, from objects that
   * are spread before it.
   */
  overriddenAt(node: NameNode): string[] {
    const literal = node.parent.parent;
    if (
      !this.#ts.isPropertyAssignment(node.parent) &&
      !this.#ts.isShorthandPropertyAssignment(node.parent)
    )
      return [];
    if (!this.#ts.isObjectLiteralExpression(literal)) return [];
    return literal.properties
      .slice(0, literal.properties.indexOf(node.parent))
      .filter((property) => this.#ts.isSpreadAssignment(property))
      .flatMap(({ expression }) => typesOf(this.#checker.getTypeAtLocation(expression)))
      .flatMap((type) => this.#memberOf(type, node.text));
  }

  /**
   * Returns the types that declare the member named by `node`, or `undefined` if `node` does not
   * name a member.
   */
  #holdersAt(node: NameNode): readonly ts.Type[] | undefined {
    const compiler = this.#ts;
    const { parent } = node;
    const typesAt = (holder: ts.Node): readonly ts.Type[] =>
      typesOf(this.#checker.getTypeAtLocation(holder));
    if (
      compiler.isClassElement(parent) &&
      parent.name === node &&
      compiler.isClassLike(parent.parent)
    )
      return (parent.parent.heritageClauses ?? []).flatMap(({ types }) => types.flatMap(typesAt));
    if (compiler.isObjectLiteralElementLike(parent) && parent.name === node) {
      const type = compiler.isObjectLiteralExpression(parent.parent)
        ? this.#flow.expectedAt(parent.parent)
        : undefined;
      return type === undefined ? [] : typesOf(type);
    }
    if (compiler.isBindingElement(parent) && (parent.propertyName ?? parent.name) === node)
      return typesAt(parent.parent);
    if (compiler.isElementAccessExpression(parent) && parent.argumentExpression === node)
      return typesAt(parent.expression);
    if (compiler.isPropertyAccessExpression(parent) && parent.name === node)
      return typesAt(parent.expression);
    if (compiler.isBinaryExpression(parent) && parent.left === node)
      return parent.operatorToken.kind === compiler.SyntaxKind.InKeyword
        ? typesAt(parent.right)
        : undefined;
    if (compiler.isLiteralTypeNode(parent) && compiler.isIndexedAccessTypeNode(parent.parent))
      return typesAt(parent.parent.objectType);
    return undefined;
  }

  #memberOf(type: ts.Type, name: string): string[] {
    return this.pathsOf(this.#checker.getPropertyOfType(type, name));
  }

  /**
   * Returns whether a name is imported from another of the user's files, which exports the symbol
   * under this name.
   */
  isExportedByUser(symbol: ts.Symbol | undefined, node: ts.Node): boolean {
    const compiler = this.#ts;
    const isOwnExport = (found: ts.Declaration): boolean =>
      compiler.isExportSpecifier(found) &&
      found !== node.parent &&
      !this.#isOutput(found.getSourceFile().fileName);
    return (symbol?.declarations ?? []).some((found) => {
      if (!compiler.isImportSpecifier(found)) return isOwnExport(found);
      const { moduleSpecifier } = found.parent.parent.parent;
      const module = this.#checker.getSymbolAtLocation(moduleSpecifier);
      const name = (found.propertyName ?? found.name).text;
      const exported =
        module && this.#checker.getExportsOfModule(module).find((other) => other.name === name);
      return (exported?.declarations ?? []).some(isOwnExport);
    });
  }

  /** Returns the types of an expression that the output declares. */
  typesAt(node: ts.Node): string[] {
    const type = this.#checker.getTypeAtLocation(node);
    return [type.aliasSymbol, type.getSymbol()].flatMap((symbol) => this.pathsOf(symbol));
  }

  /**
   * Returns the enum of the output that a string must belong to; `undefined` if its position does
   * not require one.
   */
  enumAt(node: ts.StringLiteralLike): string | undefined {
    const compiler = this.#ts;
    const { parent } = node;
    if (compiler.isLiteralTypeNode(parent)) return undefined;
    if (compiler.isCaseClause(parent)) return this.#enumBehind(parent.parent.parent.expression);
    if (compiler.isBinaryExpression(parent)) {
      const found = this.#enumBehind(parent.left === node ? parent.right : parent.left);
      if (found !== undefined) return found;
    }
    if (compiler.isAsExpression(parent) && compiler.isConstTypeReference(parent.type))
      return this.#enumGiven(parent);
    return this.#enumGiven(node);
  }

  /** Returns the enum that the position of a value requires. */
  #enumGiven(node: ts.Expression): string | undefined {
    const compiler = this.#ts;
    const { parent } = node;
    if (
      compiler.isPropertyAssignment(parent) &&
      parent.initializer === node &&
      compiler.isIdentifier(parent.name)
    ) {
      const type = this.#flow.expectedAt(parent.parent);
      const found = this.#enumDeclared(
        type && this.#checker.getPropertyOfType(type, parent.name.text),
      );
      if (found !== undefined) return found;
    }
    return this.#enumOf(this.#flow.expectedAt(node), node);
  }

  #enumBehind(expression: ts.Expression): string | undefined {
    const type = this.#checker.getTypeAtLocation(expression);
    const symbol = this.#checker.getSymbolAtLocation(expression);
    // An earlier comparison in the chain has narrowed the type, but the declared type still
    // identifies the enum.
    const declared = symbol && this.#checker.getTypeOfSymbol(symbol);
    return (
      this.#enumOf(type, expression) ??
      this.#enumOf(declared, expression) ??
      this.#enumDeclared(symbol)
    );
  }

  /** Returns the name of the output's type that a type is an alias of, ignoring `undefined`. */
  #enumOf(type: ts.Type | undefined, at: ts.Node): string | undefined {
    const [own] = this.pathsOf(type?.aliasSymbol);
    if (own !== undefined || type?.isUnion() !== true) return own;
    // The compiler drops the alias of a union with an additional member, but still prints the name
    // of the alias.
    const [shown, ...others] = this.#checker
      .typeToString(type)
      .split(" | ")
      .filter((name) => name !== "undefined" && name !== "null");
    if (others.length > 0) return undefined;
    const symbols = this.#checker.getSymbolsInScope(
      at,
      this.#ts.SymbolFlags.Type | this.#ts.SymbolFlags.Alias,
    );
    return this.pathsOf(symbols.find(({ name }) => name === shown))[0];
  }

  /** Returns the name of the type that the output declares for a property. */
  #enumDeclared(symbol: ts.Symbol | undefined): string | undefined {
    const [declaration] = symbol === undefined ? [] : this.#declarationsOf(symbol);
    if (declaration === undefined || !this.#ts.isPropertySignature(declaration)) return undefined;
    return declaration.type?.getText();
  }

  #declarationsOf({ declarations = [] }: ts.Symbol): ts.Declaration[] {
    return declarations.filter((node) => this.#isOutput(node.getSourceFile().fileName));
  }

  /**
   * Returns the name of a declaration, prefixed with the name of the declaration that contains it.
   */
  #pathOf(declaration: ts.Node): string | undefined {
    const names: string[] = [];
    for (let node = declaration; !this.#ts.isSourceFile(node); node = node.parent) {
      const name = this.#ts.getNameOfDeclaration(node as ts.Declaration);
      if (name !== undefined && (this.#ts.isIdentifier(name) || this.#ts.isStringLiteralLike(name)))
        names.push(name.text);
    }
    const [own] = names;
    const outer = names.at(-1);
    return own === undefined || outer === undefined
      ? undefined
      : names.length === 1
        ? own
        : `${outer}.${own}`;
  }
}

/** Returns the members of a union, or the type itself. */
function typesOf(type: ts.Type): readonly ts.Type[] {
  return type.isUnion() ? type.types : [type];
}
