import type { ts } from "ts-morph";
import type { Renaming } from "./types.js";

/**
 * Returns the edits that remove the imports of functions whose calls were all rewritten. `replaced` contains the names
 * of functions in rewritten code. `isModule` returns whether a specifier names a module of the output.
 */
export function unusedImports(
  file: ts.SourceFile,
  compiler: typeof ts,
  replaced: ReadonlySet<ts.Node>,
  isModule: (specifier: ts.Expression) => boolean,
): Renaming[] {
  if (replaced.size === 0) return [];
  const [gone, used] = [namesIn(replaced), usedNames(file, compiler, replaced)];
  return file.statements.flatMap((statement) => {
    if (!compiler.isImportDeclaration(statement) || !isModule(statement.moduleSpecifier)) return [];
    const bindings = statement.importClause?.namedBindings;
    if (bindings === undefined || !compiler.isNamedImports(bindings)) return [];
    const isUnused = ({ name: { text } }: ts.ImportSpecifier): boolean => gone.has(text) && !used.has(text);
    return removalsOf(file, statement, bindings.elements, isUnused);
  });
}

function removalsOf(
  file: ts.SourceFile,
  statement: ts.ImportDeclaration,
  elements: readonly ts.ImportSpecifier[],
  isUnused: (element: ts.ImportSpecifier) => boolean,
): Renaming[] {
  const removal = (start: number, end: number, from: string): Renaming => ({ start, end, text: "", from, to: "" });
  if (elements.every(isUnused) && statement.importClause?.name === undefined) {
    const rest = /^[ \t]*\r?\n?/.exec(file.text.slice(statement.end))?.[0] ?? "";
    return [removal(statement.getStart(file), statement.end + rest.length, statement.getText(file))];
  }
  // Remove an import together with the comma before it. If it precedes the first remaining import, remove the comma
  // after it instead.
  const first = elements.findIndex((element) => !isUnused(element));
  return elements.flatMap((element, index) => {
    if (!isUnused(element)) return [];
    const [before, after] = [elements[index - 1], elements[index + 1]];
    if (index > first && before !== undefined) return [removal(before.end, element.end, element.name.text)];
    return [removal(element.getStart(file), after?.getStart(file) ?? element.end, element.name.text)];
  });
}

function namesIn(nodes: ReadonlySet<ts.Node>): Set<string> {
  return new Set([...nodes].map((node) => node.getText()));
}

/** Returns the names that a file uses outside its imports and outside rewritten code. */
function usedNames(file: ts.SourceFile, compiler: typeof ts, replaced: ReadonlySet<ts.Node>): Set<string> {
  const used = new Set<string>();
  const visit = (node: ts.Node): void => {
    if (compiler.isImportDeclaration(node) || replaced.has(node)) return;
    if (compiler.isIdentifier(node)) used.add(node.text);
    node.forEachChild(visit);
  };
  visit(file);
  return used;
}
