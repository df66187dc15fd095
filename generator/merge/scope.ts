import { ts } from "ts-morph";
import { tryParse } from "./parse.js";
import type { Modules } from "./types.js";

/** Name that a file imports. */
export interface ImportedName {
  readonly declaration: ts.ImportDeclaration;
  readonly specifier: string;
  /** Exported name in the module; `*` for a namespace. */
  readonly imported: string;
  readonly typeOnly: boolean;
}

/** Declaration of a name in a file. */
export type Declaration =
  | ts.ClassDeclaration
  | ts.InterfaceDeclaration
  | ts.TypeAliasDeclaration
  | ts.FunctionDeclaration
  | ts.VariableDeclaration
  | ts.ParameterDeclaration
  | ts.EnumDeclaration
  | ts.TypeParameterDeclaration;

/** Maximum number of the user's files through which an import is followed. */
const depth = 8;

/**
 * Resolver of the names in a file: finds their declarations in the file, and their exported names in the output folder.
 */
export class Scope {
  readonly source: ts.SourceFile;
  readonly modules: Modules;
  readonly imports: ReadonlyMap<string, ImportedName>;

  constructor(source: ts.SourceFile, modules: Modules) {
    this.source = source;
    this.modules = modules;
    this.imports = importsOf(source);
  }

  /**
   * Returns the name under which the output folder exports the declaration of a node; `undefined` if the declaration is
   * not in the output folder.
   */
  originOf(name: ts.Node): string | undefined {
    if (ts.isIdentifier(name)) {
      const found = this.declarationsOf(name).length === 0 ? this.imports.get(name.text) : undefined;
      return found === undefined ? undefined : origin(found.specifier, found.imported, this.modules);
    }
    const [left, right] = ts.isQualifiedName(name)
      ? [name.left, name.right]
      : ts.isPropertyAccessExpression(name)
        ? [name.expression, name.name]
        : [];
    if (left === undefined || right === undefined || !ts.isIdentifier(left)) return undefined;
    const found = this.imports.get(left.text);
    if (found === undefined || this.declarationsOf(left).length > 0) return undefined;
    return found.imported === "*" ? origin(found.specifier, right.text, this.modules) : undefined;
  }

  /** Returns the name under which the output folder exports the type in an inline import. */
  originOfImportType({ argument, qualifier }: ts.ImportTypeNode): string | undefined {
    if (!ts.isLiteralTypeNode(argument) || !ts.isStringLiteral(argument.literal)) return undefined;
    return qualifier !== undefined && ts.isIdentifier(qualifier)
      ? origin(argument.literal.text, qualifier.text, this.modules)
      : undefined;
  }

  /** Returns the declarations that a name refers to in its scope; none for imported and global names. */
  declarationsOf(name: ts.Identifier): readonly Declaration[] {
    return declaredAround(name.parent, name.text);
  }

  /** Returns the class that an imported name refers to in another user file, with the scope of that file. */
  importedClass(name: ts.Identifier): { readonly node: ts.ClassLikeDeclaration; readonly scope: Scope } | undefined {
    const found = this.imports.get(name.text);
    return found === undefined ? undefined : exportedClass(found.specifier, found.imported, this.modules);
  }
}

function declaredAround(node: ts.Node, name: string): readonly Declaration[] {
  const found = declaredIn(node).filter((one) => one.name?.getText() === name);
  return found.length > 0 || ts.isSourceFile(node) ? found : declaredAround(node.parent, name);
}

function importsOf(source: ts.SourceFile): Map<string, ImportedName> {
  const names = new Map<string, ImportedName>();
  for (const declaration of source.statements.filter(ts.isImportDeclaration)) {
    const { importClause: clause, moduleSpecifier } = declaration;
    if (clause === undefined || !ts.isStringLiteral(moduleSpecifier)) continue;
    const isType = clause.phaseModifier === ts.SyntaxKind.TypeKeyword;
    const add = (local: ts.Identifier, imported: string, typeOnly: boolean): void => {
      names.set(local.text, { declaration, specifier: moduleSpecifier.text, imported, typeOnly: isType || typeOnly });
    };
    if (clause.name !== undefined) add(clause.name, "default", false);
    const bindings = clause.namedBindings;
    if (bindings === undefined) continue;
    if (ts.isNamespaceImport(bindings)) add(bindings.name, "*", false);
    else for (const one of bindings.elements) add(one.name, (one.propertyName ?? one.name).text, one.isTypeOnly);
  }
  return names;
}

function declaredIn(node: ts.Node): Declaration[] {
  if (ts.isSourceFile(node) || ts.isBlock(node) || ts.isModuleBlock(node) || ts.isCaseOrDefaultClause(node))
    return node.statements.flatMap((statement): Declaration[] => {
      if (ts.isVariableStatement(statement)) return [...statement.declarationList.declarations];
      const isNamed =
        ts.isClassDeclaration(statement) ||
        ts.isInterfaceDeclaration(statement) ||
        ts.isTypeAliasDeclaration(statement) ||
        ts.isFunctionDeclaration(statement) ||
        ts.isEnumDeclaration(statement);
      return isNamed ? [statement] : [];
    });
  const parameters = ts.isFunctionLike(node) ? [...node.parameters] : [];
  const generic = ts.isFunctionLike(node) || ts.isClassLike(node) || ts.isInterfaceDeclaration(node);
  return [...parameters, ...(generic ? (node.typeParameters ?? []) : [])];
}

/** Follows a name through the user's files into the output folder. */
function origin(specifier: string, name: string, modules: Modules, left = depth): string | undefined {
  if (modules.moduleOf(specifier) !== undefined) return name;
  const file = left === 0 ? undefined : modules.read(specifier);
  if (file === undefined) return undefined;
  const { source } = tryParse(file.text, file.file);
  for (const { from, imported } of reexports(source, name)) {
    const found = origin(from, imported, file.modules, left - 1);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Returns the class that a user's file exports under a name, directly or from another file. */
function exportedClass(
  specifier: string,
  name: string,
  modules: Modules,
  left = depth,
): { readonly node: ts.ClassLikeDeclaration; readonly scope: Scope } | undefined {
  const file = left === 0 || modules.moduleOf(specifier) !== undefined ? undefined : modules.read(specifier);
  if (file === undefined) return undefined;
  const { source } = tryParse(file.text, file.file);
  const own = localName(source, name);
  const isMeant = (node: ts.Statement): node is ts.ClassDeclaration =>
    ts.isClassDeclaration(node) && (node.name?.text === own || (name === "default" && isDefault(node)));
  const node = source.statements.find(isMeant);
  if (node !== undefined) return { node, scope: new Scope(source, file.modules) };
  for (const { from, imported } of reexports(source, name)) {
    const found = exportedClass(from, imported, file.modules, left - 1);
    if (found !== undefined) return found;
  }
  return undefined;
}

function isDefault(node: ts.ClassDeclaration): boolean {
  return node.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.DefaultKeyword) === true;
}

/** Returns the local name of an export. */
function localName(source: ts.SourceFile, name: string): string {
  for (const statement of source.statements) {
    if (ts.isExportAssignment(statement) && name === "default" && ts.isIdentifier(statement.expression))
      return statement.expression.text;
    if (!ts.isExportDeclaration(statement) || statement.moduleSpecifier !== undefined) continue;
    const { exportClause: clause } = statement;
    const found =
      clause !== undefined && ts.isNamedExports(clause)
        ? clause.elements.find((one) => one.name.text === name)
        : undefined;
    if (found !== undefined) return (found.propertyName ?? found.name).text;
  }
  return name;
}

/** Returns the modules from which a file may re-export a name. */
function reexports(source: ts.SourceFile, name: string): { readonly from: string; readonly imported: string }[] {
  const own = importsOf(source).get(localName(source, name));
  const fromImport = own === undefined ? [] : [{ from: own.specifier, imported: own.imported }];
  const direct = source.statements.filter(ts.isExportDeclaration).flatMap(({ exportClause, moduleSpecifier }) => {
    if (moduleSpecifier === undefined || !ts.isStringLiteral(moduleSpecifier)) return [];
    const from = moduleSpecifier.text;
    if (exportClause === undefined) return name === "default" ? [] : [{ from, imported: name }];
    if (!ts.isNamedExports(exportClause)) return [];
    const one = exportClause.elements.find((element) => element.name.text === name);
    return one === undefined ? [] : [{ from, imported: (one.propertyName ?? one.name).text }];
  });
  return [...fromImport, ...direct];
}
