import type { Statement } from "./file-plan.js";
import { encloseObject, quote } from "./text.js";

/**
 * Returns the lines of statements. `specifierOf` returns how the file refers to a module.
 * Statements that list names of modules with the same specifier become one statement.
 */
export function statementLines(
  statements: readonly Statement[],
  specifierOf: (module: string) => string,
): string[] {
  const merged = new Map<string, Statement & { readonly specifier: string }>();
  for (const statement of statements) {
    const specifier = specifierOf(statement.module);
    const [keyword = ""] = statement.clause.split(" ");
    const key =
      statement.items === undefined
        ? `${statement.clause} ${specifier}`
        : `${keyword} ${specifier}`;
    const known = merged.get(key);
    const combined = known === undefined ? statement : mergedOf(known, statement, keyword);
    merged.set(key, { ...combined, specifier });
  }
  return [...merged.values()].flatMap(({ specifier, clause, items }) => {
    const from = ` from ${quote(specifier)};`;
    return items === undefined ? [clause + from] : encloseObject(`${clause} `, items, from, 0);
  });
}

/**
 * Merges two statements that list names. If only one of them is a statement for types, its names
 * get `type`.
 */
function mergedOf(first: Statement, second: Statement, keyword: string): Statement {
  const isSame = first.clause === second.clause;
  const itemsOf = ({ clause, items = [] }: Statement): readonly string[] =>
    isSame || clause === keyword ? items : items.map((item) => `type ${item}`);
  const items = sortedBy([...itemsOf(first), ...itemsOf(second)], (item) =>
    item.replace(/^type /, ""),
  );
  return { module: first.module, clause: isSame ? first.clause : keyword, items };
}

/** Returns items in the order of their keys. */
export function sortedBy<T>(items: readonly T[], key: (item: T) => string): T[] {
  return items.toSorted((a, b) => (key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : 0));
}
