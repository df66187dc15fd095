import type { ts } from "ts-morph";
import type { Checked } from "./project.js";

/** A node that is a name or a text. */
export type NameNode = ts.Identifier | ts.StringLiteralLike;

/** Tells what names in the files of a user mean in the output. Members go by the name of their type: `AgentCard.url`. */
export class Symbols {
  readonly #ts: typeof ts;
  readonly #checker: ts.TypeChecker;
  readonly #isOutput: (fileName: string) => boolean;

  /** `isOutput` tells which files are those of the output. */
  constructor({ ts, checker }: Pick<Checked, "ts" | "checker">, isOutput: (fileName: string) => boolean) {
    this.#ts = ts;
    this.#checker = checker;
    this.#isOutput = isOutput;
  }

  /** The names that the output has for a symbol. */
  pathsOf(symbol: ts.Symbol | undefined): string[] {
    if (symbol === undefined) return [];
    const isAlias = (symbol.flags & this.#ts.SymbolFlags.Alias) !== 0;
    const target = isAlias ? this.#checker.getAliasedSymbol(symbol) : symbol;
    return [...new Set(this.#declarationsOf(target).flatMap((node) => this.#pathOf(node) ?? []))];
  }

  /** The names that the output has for what a name stands for in its place. */
  pathsAt(node: ts.Node): string[] {
    return this.pathsOf(this.#checker.getSymbolAtLocation(node));
  }

  /** The members of the output that a name can stand for, by its place: a key, a property, a method. */
  membersAt(node: NameNode): string[] {
    const compiler = this.#ts;
    const { parent } = node;
    const member = (type: ts.Type | undefined): string[] =>
      type === undefined ? [] : this.pathsOf(this.#checker.getPropertyOfType(type, node.text));
    if (compiler.isClassElement(parent) && parent.name === node && compiler.isClassLike(parent.parent))
      return (parent.parent.heritageClauses ?? []).flatMap(({ types }) =>
        types.flatMap((type) => member(this.#checker.getTypeAtLocation(type))),
      );
    if (compiler.isObjectLiteralElementLike(parent) && parent.name === node) {
      const type = compiler.isObjectLiteralExpression(parent.parent)
        ? this.#checker.getContextualType(parent.parent)
        : undefined;
      return (type?.isUnion() === true ? type.types : [type]).flatMap(member);
    }
    if (compiler.isBindingElement(parent) && (parent.propertyName ?? parent.name) === node)
      return member(this.#checker.getTypeAtLocation(parent.parent));
    if (compiler.isElementAccessExpression(parent) && parent.argumentExpression === node)
      return member(this.#checker.getTypeAtLocation(parent.expression));
    return compiler.isIdentifier(node) ? this.pathsAt(node) : [];
  }

  /** The types of the output that an expression has. */
  typesAt(node: ts.Node): string[] {
    const type = this.#checker.getTypeAtLocation(node);
    return [type.aliasSymbol, type.getSymbol()].flatMap((symbol) => this.pathsOf(symbol));
  }

  /** The enum of the output that a text has to be a value of, as far as its place tells. */
  enumAt(node: ts.StringLiteralLike): string | undefined {
    const compiler = this.#ts;
    const { parent } = node;
    if (compiler.isLiteralTypeNode(parent)) return undefined;
    if (compiler.isCaseClause(parent)) return this.#enumBehind(parent.parent.parent.expression);
    if (compiler.isBinaryExpression(parent)) {
      const found = this.#enumBehind(parent.left === node ? parent.right : parent.left);
      if (found !== undefined) return found;
    }
    if (compiler.isPropertyAssignment(parent) && parent.initializer === node && compiler.isIdentifier(parent.name)) {
      const type = this.#checker.getContextualType(parent.parent);
      const found = this.#enumDeclared(type && this.#checker.getPropertyOfType(type, parent.name.text));
      if (found !== undefined) return found;
    }
    return this.#enumOf(this.#checker.getContextualType(node), node);
  }

  #enumBehind(expression: ts.Expression): string | undefined {
    const type = this.#checker.getTypeAtLocation(expression);
    return this.#enumOf(type, expression) ?? this.#enumDeclared(this.#checker.getSymbolAtLocation(expression));
  }

  /** The type of the output that a type is an alias of, with `undefined` or without. */
  #enumOf(type: ts.Type | undefined, at: ts.Node): string | undefined {
    const [own] = this.pathsOf(type?.aliasSymbol);
    if (own !== undefined || type?.isUnion() !== true) return own;
    // A union has no alias any more once it has another member, but goes by it where it is shown.
    const [shown, ...others] = this.#checker
      .typeToString(type)
      .split(" | ")
      .filter((name) => name !== "undefined" && name !== "null");
    if (others.length > 0) return undefined;
    const symbols = this.#checker.getSymbolsInScope(at, this.#ts.SymbolFlags.Type | this.#ts.SymbolFlags.Alias);
    return this.pathsOf(symbols.find(({ name }) => name === shown))[0];
  }

  /** The type that a property of the output is declared with, by its name. */
  #enumDeclared(symbol: ts.Symbol | undefined): string | undefined {
    const [declaration] = symbol === undefined ? [] : this.#declarationsOf(symbol);
    if (declaration === undefined || !this.#ts.isPropertySignature(declaration)) return undefined;
    return declaration.type?.getText();
  }

  #declarationsOf({ declarations = [] }: ts.Symbol): ts.Declaration[] {
    return declarations.filter((node) => this.#isOutput(node.getSourceFile().fileName));
  }

  /** The name that a declaration goes by: its own, behind that of what it is a member of. */
  #pathOf(declaration: ts.Node): string | undefined {
    const names: string[] = [];
    for (let node = declaration; !this.#ts.isSourceFile(node); node = node.parent) {
      const name = this.#ts.getNameOfDeclaration(node as ts.Declaration);
      if (name !== undefined && (this.#ts.isIdentifier(name) || this.#ts.isStringLiteralLike(name)))
        names.push(name.text);
    }
    const [own] = names;
    const outer = names.at(-1);
    return own === undefined || outer === undefined ? undefined : names.length === 1 ? own : `${outer}.${own}`;
  }
}
