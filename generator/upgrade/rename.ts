import type { ts } from "ts-morph";
import { aliasImports, renameImports } from "./imports.js";
import { membersReadAround } from "./loosened.js";
import type { NameMap } from "./names.js";
import type { Checked } from "./project.js";
import { operationTypesIn, type OperationTypes } from "./operation-types.js";
import { rewrite } from "./rewrite.js";
import { Symbols, type NameNode } from "./symbols.js";
import type { Notice, Renaming } from "./types.js";

/** Names of the output in a file of the user. */
export interface FileNames {
  readonly renamings: readonly Renaming[];
  readonly notices: readonly Notice[];
  /**
   * Returns the names of the output at a position: `AgentCard.url`, `AgentCard`. With `withKeys`,
   * includes the other keys of an object.
   */
  readonly namesAt: (position: number, withKeys: boolean) => readonly string[];
  /** Returns the members of the output that the code around a position reads. */
  readonly membersReadAt: (position: number) => readonly string[];
}

/** Finds the old names in a file. `isOutput` returns whether a file belongs to the output. */
export function findNames(
  file: ts.SourceFile,
  project: Checked,
  names: NameMap,
  isOutput: (fileName: string) => boolean,
): FileNames {
  const symbols = new Symbols(project, isOutput);
  const finder = new Finder(file, project, names, symbols);
  const rewritten = rewrite(file, project, names, symbols, finder.renamings);
  const isSettled = ({ start }: Notice): boolean =>
    rewritten.edits.some((edit) => edit.start <= start && start < edit.end);
  const notices = [...finder.notices.filter((notice) => !isSettled(notice)), ...rewritten.notices];
  return {
    renamings: rewritten.edits,
    notices,
    namesAt: (position, withKeys) => finder.namesAt(position, withKeys),
    membersReadAt: (position) =>
      membersReadAround(finder.nodeAt(position), { ...project, symbols }),
  };
}

class Finder {
  readonly renamings: Renaming[] = [];
  readonly notices: Notice[] = [];
  readonly #file: ts.SourceFile;
  readonly #ts: typeof ts;
  readonly #checker: ts.TypeChecker;
  readonly #names: NameMap;
  readonly #symbols: Symbols;
  readonly #kept: ReadonlySet<string>;
  readonly #operationTypes: OperationTypes;
  /** Whether the file imports the output. */
  readonly #importsOutput: boolean;

  constructor(file: ts.SourceFile, project: Checked, names: NameMap, symbols: Symbols) {
    const { ts, checker } = project;
    this.#file = file;
    this.#ts = ts;
    this.#checker = checker;
    this.#names = names;
    this.#symbols = symbols;
    this.#operationTypes = operationTypesIn(file, project, symbols, names);
    this.#kept = this.#renameImports();
    this.#importsOutput = file.statements.some(
      (statement) =>
        (ts.isImportDeclaration(statement) || ts.isExportDeclaration(statement)) &&
        statement.moduleSpecifier !== undefined &&
        symbols.isModule(statement.moduleSpecifier),
    );
    this.#visit(file);
    this.renamings.sort((a, b) => a.start - b.start);
  }

  /** Renames the imports of the file, and returns the local names that stay. */
  #renameImports(): ReadonlySet<string> {
    const isModule = (specifier: ts.Expression): boolean => this.#symbols.isModule(specifier);
    const { moves, stay } = aliasImports(this.#file, this.#ts, isModule, (element) => {
      return this.#importedNames(element)[0];
    });
    const { renamings, kept } = renameImports(this.#file, this.#ts, (element) =>
      stay.has(element) ? [] : this.#importedNames(element),
    );
    const isRemoved = ({ start }: Renaming): boolean =>
      renamings.some((other) => other.text === "" && other.start <= start && start < other.end);
    this.renamings.push(...renamings, ...moves.filter((move) => !isRemoved(move)));
    return new Set([...kept, ...[...stay].map(({ name }) => name.text)]);
  }

  /** Returns the new names of an import from the output. */
  #importedNames({ name, propertyName }: ts.ImportSpecifier): readonly string[] {
    const symbol = this.#checker.getSymbolAtLocation(name);
    const imported = (propertyName ?? name).text;
    const isImported = this.#symbols.pathsOf(symbol).includes(imported);
    if (!isImported || this.#symbols.isExportedByUser(symbol, name)) return [];
    const now = this.#names.exports.get(imported);
    const usual = now === undefined ? [] : [now];
    // An import with a local name keeps this name, whatever it refers to.
    return propertyName === undefined ? (this.#operationTypes.importsOf(imported) ?? usual) : usual;
  }

  /** Returns the innermost node at a position. */
  nodeAt(position: number): ts.Node {
    return this.#innermost(this.#file, position);
  }

  /** Returns the names of the output at a position. */
  namesAt(position: number, withKeys: boolean): readonly string[] {
    const node = this.#innermost(this.#file, position);
    if (!this.#ts.isIdentifier(node) && !this.#ts.isStringLiteralLike(node)) return [];
    const types = this.#ts.isIdentifier(node) ? this.#symbols.typesAt(node) : [];
    const keys = (withKeys ? this.#keysBeside(node) : []).flatMap((key) =>
      this.#symbols.membersAt(key),
    );
    return [
      ...new Set([
        ...this.#symbols.membersAt(node),
        ...this.#symbols.pathsAt(node),
        ...types,
        ...keys,
      ]),
    ];
  }

  #keysBeside({ parent }: NameNode): NameNode[] {
    if (
      !this.#ts.isObjectLiteralElementLike(parent) ||
      !this.#ts.isObjectLiteralExpression(parent.parent)
    )
      return [];
    return parent.parent.properties.flatMap(({ name }) =>
      name !== undefined && (this.#ts.isIdentifier(name) || this.#ts.isStringLiteralLike(name))
        ? [name]
        : [],
    );
  }

  #innermost(node: ts.Node, position: number): ts.Node {
    const inner = node
      .getChildren(this.#file)
      .find((child) => child.getStart(this.#file) <= position && position < child.getEnd());
    return inner === undefined ? node : this.#innermost(inner, position);
  }

  #visit(node: ts.Node): void {
    if (this.#ts.isIdentifier(node)) this.#identifier(node);
    else if (this.#ts.isStringLiteralLike(node)) this.#literal(node);
    else if (this.#ts.isImportDeclaration(node)) this.#reused(node);
    else node.forEachChild((child) => this.#visit(child));
  }

  /** Reports imports of names that now belong to a different type. */
  #reused({ importClause }: ts.ImportDeclaration): void {
    const bindings = importClause?.namedBindings;
    if (bindings === undefined || !this.#ts.isNamedImports(bindings)) return;
    for (const { name, propertyName = name } of bindings.elements)
      if (
        this.#names.reused.has(propertyName.text) &&
        this.#symbols.pathsAt(name).includes(propertyName.text)
      )
        this.#notice(propertyName, `"${propertyName.text}" is now the name of another type`);
  }

  #identifier(node: ts.Identifier): void {
    const { parent } = node;
    if (this.#ts.isShorthandPropertyAssignment(parent)) return this.#shorthand(node, parent);
    const member = this.#memberNow(node);
    const now = member ?? this.#exportNow(node, this.#checker.getSymbolAtLocation(node));
    if (now === undefined) return this.#override(node);
    const isBound = this.#ts.isBindingElement(parent) && parent.propertyName === undefined;
    const isExported = this.#ts.isExportSpecifier(parent) && parent.propertyName === undefined;
    // Keep the local or exported name, because other code uses it.
    this.#replace(
      node,
      isBound ? `${now}: ${node.text}` : isExported ? `${now} as ${node.text}` : now,
      now,
    );
  }

  /** Renames `{ name }`, where the name is both a key and a value. */
  #shorthand(node: ts.Identifier, parent: ts.ShorthandPropertyAssignment): void {
    const key = this.#memberNow(node);
    const value = this.#exportNow(node, this.#checker.getShorthandAssignmentValueSymbol(parent));
    const now = key ?? value;
    if (key === undefined) this.#override(node);
    if (now !== undefined) this.#replace(node, `${key ?? node.text}: ${value ?? node.text}`, now);
  }

  #literal(node: ts.StringLiteralLike): void {
    const enumeration = this.#symbols.enumAt(node);
    const now =
      this.#memberNow(node) ?? (enumeration && this.#names.values.get(enumeration)?.get(node.text));
    const quote = node.getText(this.#file).charAt(0);
    if (now !== undefined) return this.#replace(node, quote + now + quote, now);
    const old =
      this.#names.strings.get(node.text) ??
      (this.#importsOutput ? this.#names.words.get(node.text) : undefined);
    if (old !== undefined) this.#notice(node, `"${node.text}" is now "${old}"`);
    else this.#override(node);
  }

  /**
   * Reports a key that no longer overrides a member of a spread object, because the member was
   * renamed.
   */
  #override(node: NameNode): void {
    const path = this.#symbols.overriddenAt(node).find((name) => this.#names.members.has(name));
    if (path === undefined) return;
    this.#notice(
      node,
      `"${node.text}" no longer overrides the spread property, which is now ` +
        `"${this.#names.members.get(path) ?? ""}"`,
    );
  }

  #notice(node: ts.Node, message: string): void {
    this.notices.push({ start: node.getStart(this.#file), message });
  }

  /** Returns the new name of the property, key or method that a node refers to. */
  #memberNow(node: NameNode): string | undefined {
    const path = this.#symbols
      .membersAt(node)
      .find((name) => name.endsWith(`.${node.text}`) && this.#names.members.has(name));
    const now = path === undefined ? undefined : this.#names.members.get(path);
    return now !== undefined && this.#symbols.hasOther(node, now, this.#names.members)
      ? undefined
      : now;
  }

  #exportNow(node: ts.Identifier, symbol: ts.Symbol | undefined): string | undefined {
    if (this.#kept.has(node.text) || !this.#symbols.pathsOf(symbol).includes(node.text))
      return undefined;
    if (this.#symbols.isExportedByUser(symbol, node)) return undefined;
    return this.#operationTypes.at.get(node) ?? this.#names.exports.get(node.text);
  }

  #replace(node: NameNode, text: string, to: string): void {
    this.renamings.push({
      start: node.getStart(this.#file),
      end: node.end,
      text,
      from: node.text,
      to,
    });
  }
}
