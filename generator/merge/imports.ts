import { ts } from "ts-morph";
import { walk } from "./parse.js";
import type { Scope } from "./scope.js";
import { newImports, specifiersInto, type PlannedImport } from "./import-text.js";
import type { Style } from "./style.js";
import type { ImportNeed, Insertion, MergePlan } from "./types.js";

/** Local names of the imports that new methods need, and the insertions that add the imports. */
export interface ImportEdits {
  readonly local: (name: string) => string;
  readonly insertions: readonly Insertion[];
}

/**
 * Plans the imports of new methods. Names that the file already imports are used unchanged. Other names are added to an
 * import of the same module, or to a new import. If the file already uses a name for a different declaration, the name
 * is imported under another local name.
 */
export function planImports(
  needs: readonly ImportNeed[],
  scope: Scope,
  style: Style,
  plan: Pick<MergePlan, "modules" | "specifierOf">,
): ImportEdits {
  const locals = new Map<string, string>();
  const used = namesIn(scope.source);
  const planned: PlannedImport[] = [];
  for (const need of unique(needs)) {
    const known = knownName(need, scope);
    const local = known ?? freeName(need.name, used);
    locals.set(need.name, local);
    if (known !== undefined) continue;
    used.add(local);
    planned.push({ need, local });
  }
  const homes = new Map<ts.NamedImports, PlannedImport[]>();
  const unplaced: PlannedImport[] = [];
  for (const one of planned) {
    const home = homeOf(one.need, scope);
    if (home === undefined) unplaced.push(one);
    else homes.set(home, [...(homes.get(home) ?? []), one]);
  }
  const into = [...homes].flatMap(([home, names]) => specifiersInto(home, names, scope.source, style));
  return {
    local: (name) => locals.get(name) ?? name,
    insertions: [...into, ...newImports(unplaced, scope, style, plan)],
  };
}

/** Returns each required name once. If one of its uses is a value, the name is imported as a value. */
function unique(needs: readonly ImportNeed[]): ImportNeed[] {
  const names = new Map<string, ImportNeed>();
  for (const need of needs) {
    const isValue = need.isValue || names.get(need.name)?.isValue === true;
    names.set(need.name, { ...need, isValue });
  }
  return [...names.values()];
}

/** Returns the local name of an existing import, by name or through a namespace. */
function knownName({ name, modules, isValue }: ImportNeed, scope: Scope): string | undefined {
  for (const [local, found] of scope.imports) {
    if (isValue && found.typeOnly) continue;
    const module = scope.modules.moduleOf(found.specifier);
    if (found.imported === name && module !== undefined) return local;
    if (found.imported === "*" && module !== undefined && modules.includes(module)) return `${local}.${name}`;
  }
  return undefined;
}

/**
 * Returns the import to which a name is added. This is an import of the same module and, for types, preferably a
 * type-only import.
 */
function homeOf({ modules, isValue }: ImportNeed, scope: Scope): ts.NamedImports | undefined {
  const candidates = scope.source.statements.filter(ts.isImportDeclaration).flatMap((declaration) => {
    const { importClause: clause, moduleSpecifier } = declaration;
    const bindings = clause?.namedBindings;
    if (clause === undefined || bindings === undefined || !ts.isNamedImports(bindings)) return [];
    if (bindings.elements.length === 0 || !ts.isStringLiteral(moduleSpecifier)) return [];
    const isType = clause.phaseModifier === ts.SyntaxKind.TypeKeyword;
    const rank = modules.indexOf(scope.modules.moduleOf(moduleSpecifier.text) ?? "");
    return rank < 0 || (isValue && isType) ? [] : [{ bindings, rank, isType }];
  });
  const sorted = candidates.toSorted((a, b) => Number(b.isType) - Number(a.isType) || a.rank - b.rank);
  return sorted[0]?.bindings;
}

/** Returns the names that a file uses, without the names of properties and members. */
function namesIn(source: ts.SourceFile): Set<string> {
  const names = new Set<string>();
  walk(source, (node) => {
    if (ts.isIdentifier(node) && !isMemberName(node)) names.add(node.text);
  });
  return names;
}

function isMemberName(node: ts.Identifier): boolean {
  const { parent } = node;
  if (ts.isPropertyAccessExpression(parent)) return parent.name === node;
  if (ts.isQualifiedName(parent)) return parent.right === node;
  if (ts.isImportSpecifier(parent) || ts.isExportSpecifier(parent))
    return parent.propertyName === node && parent.name !== node;
  const isMember = ts.isClassElement(parent) || ts.isTypeElement(parent) || ts.isPropertyAssignment(parent);
  return isMember && parent.name === node;
}

function freeName(name: string, used: ReadonlySet<string>): string {
  if (!used.has(name)) return name;
  for (let number = 0; ; number += 1) {
    const free = `Protocol${name}${number === 0 ? "" : number + 1}`;
    if (!used.has(free)) return free;
  }
}
