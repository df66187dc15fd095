import { ts } from "ts-morph";
import { walk, type Scope } from "./scope.js";
import { restyle, type Style } from "./style.js";
import * as text from "./text.js";
import type { ImportNeed, Insertion, MergePlan } from "./types.js";

/** Local names of the imports that new methods need, and the insertions that add the imports. */
export interface ImportEdits {
  readonly local: (name: string) => string;
  readonly insertions: readonly Insertion[];
}

/** Import declaration of the file. */
interface FileImport {
  readonly declaration: ts.ImportDeclaration;
  readonly specifier: string;
  /** Module of the output, if the import leads to one. */
  readonly module: string | undefined;
  readonly bindings: ts.NamedImportBindings | undefined;
  readonly isType: boolean;
}

/** A name to import, and the local name in the file. */
interface PlannedImport {
  readonly need: ImportNeed;
  readonly local: string;
}

/**
 * Plans the imports of new methods. Names that the file already imports are used unchanged. Other
 * names are added to an import of the same module, or to a new import. If the file already uses a
 * name for a different declaration, the name is imported under another local name.
 */
export function planImports(
  needs: readonly ImportNeed[],
  { source }: Scope,
  style: Style,
  plan: MergePlan,
): ImportEdits {
  const imports = importsOf(source, plan);
  const locals = new Map<string, string>();
  const used = namesIn(source);
  const groups = new Map<FileImport | string, PlannedImport[]>();
  for (const need of unique(needs)) {
    const known = knownName(need, imports);
    const local = known ?? freeName(need.name, used);
    locals.set(need.name, local);
    if (known !== undefined) continue;
    used.add(local);
    const home = homeOf(need, imports) ?? specifierFor(need.modules, imports, plan);
    groups.set(home, [...(groups.get(home) ?? []), { need, local }]);
  }
  const insertions: Insertion[] = [];
  const statements: string[] = [];
  for (const [home, planned] of groups) {
    if (typeof home === "string") statements.push(restyle(statement(planned, home), style, ""));
    else insertions.push(...specifiersInto(home, planned, source, style));
  }
  insertions.push(...insertStatements(statements.sort(), imports, source, style));
  return { local: (name) => locals.get(name) ?? name, insertions };
}

function importsOf(source: ts.SourceFile, { modules }: MergePlan): FileImport[] {
  return source.statements.filter(ts.isImportDeclaration).flatMap((declaration): FileImport[] => {
    const { importClause: clause, moduleSpecifier } = declaration;
    if (!ts.isStringLiteral(moduleSpecifier)) return [];
    const specifier = moduleSpecifier.text;
    const isType = clause?.phaseModifier === ts.SyntaxKind.TypeKeyword;
    return [
      {
        declaration,
        specifier,
        module: modules.moduleOf(specifier),
        bindings: clause?.namedBindings,
        isType,
      },
    ];
  });
}

/**
 * Returns each required name once. If one of its uses is a value, the name is imported as a value.
 */
function unique(needs: readonly ImportNeed[]): ImportNeed[] {
  const names = new Map<string, ImportNeed>();
  for (const need of needs)
    names.set(need.name, {
      ...need,
      isValue: need.isValue || names.get(need.name)?.isValue === true,
    });
  return [...names.values()];
}

/** Returns the local name of an existing import, by name or through a namespace. */
function knownName(
  { name, modules, isValue }: ImportNeed,
  imports: readonly FileImport[],
): string | undefined {
  for (const { bindings, module, isType } of imports) {
    if (bindings === undefined || module === undefined || (isValue && isType)) continue;
    if (ts.isNamespaceImport(bindings)) {
      if (modules.includes(module)) return `${bindings.name.text}.${name}`;
      continue;
    }
    const isMeant = (one: ts.ImportSpecifier): boolean =>
      (one.propertyName ?? one.name).text === name;
    const found = bindings.elements.find((one) => isMeant(one) && !(isValue && one.isTypeOnly));
    if (found !== undefined) return found.name.text;
  }
  return undefined;
}

/**
 * Returns the import to which a name is added. This is an import of the same module and, for types,
 * preferably a type-only import.
 */
function homeOf(
  { modules, isValue }: ImportNeed,
  imports: readonly FileImport[],
): FileImport | undefined {
  const rank = ({ module = "" }: FileImport): number => modules.indexOf(module);
  const possible = imports.filter((one) => {
    const hasNames =
      one.bindings !== undefined &&
      ts.isNamedImports(one.bindings) &&
      one.bindings.elements.length > 0;
    return hasNames && rank(one) >= 0 && !(isValue && one.isType);
  });
  return possible.toSorted((a, b) => Number(b.isType) - Number(a.isType) || rank(a) - rank(b))[0];
}

/**
 * Returns a specifier for one of the modules: a specifier that the file already uses, a specifier
 * in the style of the file's other imports, or the path.
 */
function specifierFor(
  modules: readonly string[],
  imports: readonly FileImport[],
  plan: MergePlan,
): string {
  const same = imports.find(({ module }) => module !== undefined && modules.includes(module));
  if (same !== undefined) return same.specifier;
  const [usual = ""] = modules;
  const similar = imports.map(({ specifier, module = "" }) => {
    const at = module === "" ? -1 : specifier.lastIndexOf(module);
    return at < 0 ? "" : specifier.slice(0, at) + usual + specifier.slice(at + module.length);
  });
  return (
    similar.find((specifier) => plan.modules.moduleOf(specifier) === usual) ??
    plan.specifierOf(usual)
  );
}

/** Returns the names that a file uses, without the names of properties and members. */
function namesIn(source: ts.SourceFile): Set<string> {
  const names = new Set<string>();
  walk(source, (node) => {
    const { parent } = node;
    if (!ts.isIdentifier(node) || (ts.isPropertyAccessExpression(parent) && parent.name === node))
      return;
    const isMember =
      ts.isClassElement(parent) || ts.isTypeElement(parent) || ts.isPropertyAssignment(parent);
    if (!(isMember && parent.name === node)) names.add(node.text);
  });
  return names;
}

function freeName(name: string, used: ReadonlySet<string>): string {
  let free = name;
  for (let number = 1; used.has(free); number += 1)
    free = `Protocol${name}${number === 1 ? "" : String(number)}`;
  return free;
}

function specifierText({ need, local }: PlannedImport, isTypeImport: boolean): string {
  const name = local === need.name ? local : `${need.name} as ${local}`;
  return need.isValue || isTypeImport ? name : `type ${name}`;
}

/** Adds names at the end of an existing import. */
function specifiersInto(
  home: FileImport,
  planned: readonly PlannedImport[],
  source: ts.SourceFile,
  style: Style,
): Insertion[] {
  const { bindings, isType } = home;
  const last =
    bindings !== undefined && ts.isNamedImports(bindings) ? bindings.elements.at(-1) : undefined;
  if (bindings === undefined || !ts.isNamedImports(bindings) || last === undefined) return [];
  const names = inOrder(planned).map((one) => specifierText(one, isType));
  const all = source.text;
  const isOnLines =
    text.isAtLineStart(all, last.getStart(source)) && text.isAtLineStart(all, bindings.end - 1);
  if (!isOnLines) return [{ at: last.end, text: names.map((name) => `, ${name}`).join("") }];
  const comma = text.endOfComma(bindings.elements, last);
  const at = text.endOfTrailing(all, comma ?? last.end);
  const lines = names.map(
    (name) => style.eol + text.indentationAt(all, last.getStart(source)) + name,
  );
  if (comma !== undefined) return [{ at, text: lines.map((line) => `${line},`).join("") }];
  return [
    { at: last.end, text: "," },
    { at, text: lines.join(",") },
  ];
}

function inOrder(planned: readonly PlannedImport[]): PlannedImport[] {
  return planned.toSorted((a, b) => (a.need.name < b.need.name ? -1 : 1));
}

function statement(planned: readonly PlannedImport[], specifier: string): string {
  const isTypeImport = planned.every(({ need }) => !need.isValue);
  const names = inOrder(planned).map((one) => specifierText(one, isTypeImport));
  return (
    `${isTypeImport ? "import type" : "import"} { ${names.join(", ")} } from ` +
    `${JSON.stringify(specifier)};`
  );
}

/**
 * Inserts statements after the existing imports from the output folder, otherwise after the last
 * import, or else at the top of the file.
 */
function insertStatements(
  statements: readonly string[],
  imports: readonly FileImport[],
  source: ts.SourceFile,
  { eol }: Style,
): Insertion[] {
  if (statements.length === 0) return [];
  const all = source.text;
  const last = imports.findLast(({ module }) => module !== undefined) ?? imports.at(-1);
  if (last !== undefined) {
    const at = text.endOfTrailing(all, last.declaration.end);
    const end = /^[ \t]*(?:[\r\n]|$)/.test(all.slice(at)) ? "" : eol;
    return [{ at, text: statements.map((one) => eol + one).join("") + end }];
  }
  const isDirective = (node: ts.Statement): boolean =>
    ts.isExpressionStatement(node) && ts.isStringLiteral(node.expression);
  const first = source.statements.find((node) => !isDirective(node)) ?? source.endOfFileToken;
  const at = first.getStart(source, true);
  return [{ at, text: `${statements.join(eol)}${eol}${eol}` }];
}
