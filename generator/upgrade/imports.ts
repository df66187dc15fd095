import type { ts } from "ts-morph";
import { aliasModules } from "../protocol/names/output-names.js";
import type { Renaming } from "./types.js";

/** Changes to the imports of a file. */
export interface ImportChanges {
  readonly renamings: readonly Renaming[];
  /** Local names that are kept because the new name is already in use. */
  readonly kept: ReadonlySet<string>;
}

/** Named import of a file. */
interface Imported {
  readonly element: ts.ImportSpecifier;
  readonly statement: ts.ImportDeclaration;
  readonly isType: boolean;
}

/**
 * Renames the imports of a file. `namesOf` returns the new names of an import: no names if the
 * import keeps its name, or several names if its uses have different new names. If several imports
 * get the same name, only one import is kept. If the file already uses the new name, the old name
 * is kept as the local name.
 */
export function renameImports(
  file: ts.SourceFile,
  compiler: typeof ts,
  namesOf: (element: ts.ImportSpecifier) => readonly string[],
): ImportChanges {
  const nowOf = (element: ts.ImportSpecifier): string | undefined => namesOf(element)[0];
  const all = importsOf(file, compiler);
  const taken = declaredNames(file, compiler);
  const renamings: Renaming[] = [];
  const kept = new Set<string>();
  const removed = new Set<ts.ImportSpecifier>();
  const change = (node: ts.Node, text: string, from: string, to: string): void =>
    void renamings.push({ start: node.getStart(file), end: node.end, text, from, to });
  const groups = new Map<string, Imported[]>();
  for (const imported of all) {
    const { name, propertyName } = imported.element;
    const now = nowOf(imported.element);
    if (propertyName !== undefined) {
      if (now !== undefined) change(propertyName, now, propertyName.text, now);
    } else if (now !== undefined && taken.has(now)) {
      kept.add(name.text);
      change(name, `${now} as ${name.text}`, name.text, now);
    } else groups.set(now ?? name.text, [...(groups.get(now ?? name.text) ?? []), imported]);
  }
  const present = new Set([...taken, ...groups.keys()]);
  /** Returns the further new names of an import, to insert after the first new name. */
  const othersOf = ({ element }: Imported): string => {
    const others = namesOf(element)
      .slice(1)
      .filter((name) => !present.has(name));
    for (const name of others) present.add(name);
    return others.map((name) => `, ${element.isTypeOnly ? "type " : ""}${name}`).join("");
  };
  for (const [now, group] of groups) {
    const added = group.map(othersOf).join("");
    if (added === "" && group.every(({ element }) => element.name.text === now)) continue;
    // A value import also imports the type, so keep the value import rather than a type-only
    // import.
    const keeper = group.find(({ isType }) => !isType) ?? group[0];
    for (const imported of group) {
      const { name } = imported.element;
      if (imported !== keeper) removed.add(imported.element);
      else if (name.text !== now || added !== "") change(name, now + added, name.text, now + added);
    }
  }
  return { renamings: [...renamings, ...removals(all, removed, file, nowOf)], kept };
}

/** Imports from modules that only contain old names. */
export interface AliasImports {
  /** Edits that change module specifiers to the new module. */
  readonly moves: readonly Renaming[];
  /** Imports that remain unchanged, because a name in the same statement has no new name. */
  readonly stay: ReadonlySet<ts.ImportSpecifier>;
}

/**
 * Finds the imports from modules of old names. `isModule` returns whether a specifier names a
 * module of the output.
 */
export function aliasImports(
  file: ts.SourceFile,
  compiler: typeof ts,
  isModule: (specifier: ts.Expression) => boolean,
  nowOf: (element: ts.ImportSpecifier) => string | undefined,
): AliasImports {
  const moves: Renaming[] = [];
  const stay = new Set<ts.ImportSpecifier>();
  for (const statement of file.statements) {
    if (!compiler.isImportDeclaration(statement)) continue;
    const { moduleSpecifier } = statement;
    const from = moduleSpecifier.getText(file);
    const to = from.replace(
      /[\w-]+(?=(?:\.[jt]s)?["']$)/,
      (name) => aliasModules.get(name) ?? name,
    );
    if (to === from || !isModule(moduleSpecifier)) continue;
    const elements = namedImports(statement, compiler);
    if (elements.some((element) => nowOf(element) === undefined))
      for (const element of elements) stay.add(element);
    else
      moves.push({
        start: moduleSpecifier.getStart(file),
        end: moduleSpecifier.end,
        text: to,
        from,
        to,
      });
  }
  return { moves, stay };
}

function importsOf(file: ts.SourceFile, compiler: typeof ts): Imported[] {
  return file.statements.flatMap((statement): Imported[] => {
    if (!compiler.isImportDeclaration(statement)) return [];
    const isTyped = statement.importClause?.phaseModifier === compiler.SyntaxKind.TypeKeyword;
    return namedImports(statement, compiler).map((element) => {
      return { element, statement, isType: isTyped || element.isTypeOnly };
    });
  });
}

function namedImports(
  { importClause }: ts.ImportDeclaration,
  compiler: typeof ts,
): readonly ts.ImportSpecifier[] {
  const bindings = importClause?.namedBindings;
  return bindings !== undefined && compiler.isNamedImports(bindings) ? bindings.elements : [];
}

/** Returns the edits that remove imports, and statements that become empty. */
function removals(
  all: readonly Imported[],
  removed: ReadonlySet<ts.ImportSpecifier>,
  file: ts.SourceFile,
  nowOf: (element: ts.ImportSpecifier) => string | undefined,
): Renaming[] {
  const statements = new Set(
    all.filter(({ element }) => removed.has(element)).map(({ statement }) => statement),
  );
  return [...statements].flatMap((statement): Renaming[] => {
    const elements = all
      .filter((imported) => imported.statement === statement)
      .map(({ element }) => element);
    const removedHere = elements.filter((element) => removed.has(element));
    const naming = (element: ts.ImportSpecifier | undefined): Pick<Renaming, "from" | "to"> => {
      const from = element?.name.text ?? "";
      return { from, to: (element && nowOf(element)) ?? from };
    };
    if (removedHere.length === elements.length && statement.importClause?.name === undefined) {
      const rest = /^[ \t]*\r?\n?/.exec(file.text.slice(statement.end))?.[0] ?? "";
      return [
        {
          start: statement.getStart(file),
          end: statement.end + rest.length,
          text: "",
          ...naming(removedHere[0]),
        },
      ];
    }
    return removedHere.map((element) => {
      const index = elements.indexOf(element);
      const next = elements[index + 1];
      const kept = elements.slice(0, index).findLast((other) => !removed.has(other));
      const end = next === undefined ? element.end : next.getStart(file);
      const start = next === undefined && kept !== undefined ? kept.end : element.getStart(file);
      return { start, end, text: "", ...naming(element) };
    });
  });
}

/** Returns the names that a file declares at any depth, without named imports. */
function declaredNames(file: ts.SourceFile, compiler: typeof ts): ReadonlySet<string> {
  const found = new Set<string>();
  const visit = (node: ts.Node): void => {
    if (compiler.isNamedImports(node)) return;
    const isBinding =
      compiler.isVariableDeclaration(node) ||
      compiler.isParameter(node) ||
      compiler.isBindingElement(node) ||
      compiler.isFunctionDeclaration(node) ||
      compiler.isFunctionExpression(node) ||
      compiler.isClassLike(node) ||
      compiler.isInterfaceDeclaration(node) ||
      compiler.isTypeAliasDeclaration(node) ||
      compiler.isEnumDeclaration(node) ||
      compiler.isTypeParameterDeclaration(node) ||
      compiler.isImportClause(node);
    if (isBinding && node.name !== undefined && compiler.isIdentifier(node.name))
      found.add(node.name.text);
    node.forEachChild(visit);
  };
  visit(file);
  return found;
}
