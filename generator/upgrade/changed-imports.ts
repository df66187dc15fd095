import type { ts } from "ts-morph";
import type { Renaming } from "./types.js";

/** Changes to the names that a file uses. */
export interface ChangedNames {
  /** Names in rewritten code that the new code does not contain. */
  readonly replaced: ReadonlySet<ts.Node>;
  /** Types that the new code contains, by the import that they join. */
  readonly added: ReadonlyMap<ts.ImportDeclaration, ReadonlySet<string>>;
}

/**
 * Returns the edits that remove the imports of names whose uses were all rewritten, and that add
 * the imports of new names. `isModule` returns whether a specifier names a module of the output.
 */
export function changedImports(
  file: ts.SourceFile,
  compiler: typeof ts,
  { replaced, added }: ChangedNames,
  isModule: (specifier: ts.Expression) => boolean,
): Renaming[] {
  if (replaced.size === 0) return [];
  const [gone, used] = [namesIn(replaced), usedNames(file, compiler, replaced)];
  return file.statements.flatMap((statement) => {
    if (!compiler.isImportDeclaration(statement) || !isModule(statement.moduleSpecifier)) return [];
    const bindings = statement.importClause?.namedBindings;
    if (bindings === undefined || !compiler.isNamedImports(bindings)) return [];
    const isUnused = ({ name: { text } }: ts.ImportSpecifier): boolean =>
      gone.has(text) && !used.has(text);
    const isTyped = statement.importClause?.phaseModifier === compiler.SyntaxKind.TypeKeyword;
    const names = [...(added.get(statement) ?? [])].map((name) =>
      isTyped ? name : `type ${name}`,
    );
    return changesOf(file, statement, bindings.elements, isUnused, names.join(", "));
  });
}

function changesOf(
  file: ts.SourceFile,
  statement: ts.ImportDeclaration,
  elements: readonly ts.ImportSpecifier[],
  isUnused: (element: ts.ImportSpecifier) => boolean,
  added: string,
): Renaming[] {
  const removal = (start: number, end: number, from: string): Renaming => ({
    start,
    end,
    text: "",
    from,
    to: "removed",
  });
  const [head, tail] = [elements[0], elements.at(-1)];
  if (head === undefined || tail === undefined) return [];
  if (elements.every(isUnused) && (statement.importClause?.name === undefined || added !== "")) {
    const [start, end] = [head.getStart(file), tail.end];
    if (added !== "")
      return [{ start, end, text: added, from: file.text.slice(start, end), to: added }];
    const rest = /^[ \t]*\r?\n?/.exec(file.text.slice(statement.end))?.[0] ?? "";
    return [
      removal(statement.getStart(file), statement.end + rest.length, statement.getText(file)),
    ];
  }
  // Remove an import together with the comma before it. If it precedes the first remaining import,
  // remove the comma after it instead.
  const first = elements.findIndex((element) => !isUnused(element));
  const removals = elements.flatMap((element, index) => {
    if (!isUnused(element)) return [];
    const [before, after] = [elements[index - 1], elements[index + 1]];
    if (index > first && before !== undefined)
      return [removal(before.end, element.end, element.name.text)];
    return [
      removal(element.getStart(file), after?.getStart(file) ?? element.end, element.name.text),
    ];
  });
  const insertion = {
    start: tail.end,
    end: tail.end,
    text: `, ${added}`,
    from: "import",
    to: added,
  };
  return added === "" ? removals : [...removals, insertion];
}

function namesIn(nodes: ReadonlySet<ts.Node>): Set<string> {
  return new Set([...nodes].map((node) => node.getText()));
}

/** Returns the names that a file uses outside its imports and outside rewritten code. */
function usedNames(
  file: ts.SourceFile,
  compiler: typeof ts,
  replaced: ReadonlySet<ts.Node>,
): Set<string> {
  const used = new Set<string>();
  const visit = (node: ts.Node): void => {
    if (compiler.isImportDeclaration(node) || replaced.has(node)) return;
    if (compiler.isIdentifier(node)) used.add(node.text);
    node.forEachChild(visit);
  };
  visit(file);
  return used;
}
