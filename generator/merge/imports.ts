import { ts } from "ts-morph";
import { nodesOf, type Scope } from "./scope.js";
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
  /** Local name of the namespace, if the declaration imports one. */
  readonly namespace: string | undefined;
  readonly elements: readonly ts.ImportSpecifier[];
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
  const identifiers = nodesOf(source).filter(ts.isIdentifier);
  const used = new Set(identifiers.map((identifier) => identifier.text));
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
    else insertions.push(...specifiersInto(home, planned, source.text, style));
  }
  if (statements.length > 0)
    insertions.push(insertStatements(statements.sort(), imports, source, style));
  return { local: (name) => locals.get(name) ?? name, insertions };
}

function importsOf({ statements }: ts.SourceFile, { modules }: MergePlan): FileImport[] {
  return statements.filter(ts.isImportDeclaration).map((declaration) => {
    const { importClause: clause, moduleSpecifier } = declaration;
    const specifier = ts.isStringLiteral(moduleSpecifier) ? moduleSpecifier.text : "";
    const bindings = clause?.namedBindings;
    const isNamespace = bindings !== undefined && ts.isNamespaceImport(bindings);
    return {
      declaration,
      specifier,
      module: modules.moduleOf(specifier),
      namespace: isNamespace ? bindings.name.text : undefined,
      elements: bindings === undefined || isNamespace ? [] : bindings.elements,
      isType: clause?.phaseModifier === ts.SyntaxKind.TypeKeyword,
    };
  });
}

/**
 * Returns each required name once. If one of its uses is a value, the name is imported as a value.
 */
function unique(needs: readonly ImportNeed[]): ImportNeed[] {
  const values = needs.filter(({ isValue }) => isValue);
  return [...new Map([...needs, ...values].map((need) => [need.name, need])).values()];
}

/** Returns the local name of an existing import, by name or through a namespace. */
function knownName(
  { name, modules, isValue }: ImportNeed,
  imports: readonly FileImport[],
): string | undefined {
  for (const { namespace, elements, module, isType } of imports) {
    if (module === undefined || (isValue && isType)) continue;
    if (namespace !== undefined && modules.includes(module)) return `${namespace}.${name}`;
    const found = elements.find((element) => {
      const imported = (element.propertyName ?? element.name).text;
      return imported === name && !(isValue && element.isTypeOnly);
    });
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
  const possible = imports.filter(
    (home) => home.elements.length > 0 && rank(home) >= 0 && !(isValue && home.isType),
  );
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

function freeName(name: string, used: ReadonlySet<string>): string {
  let free = name;
  for (let number = 1; used.has(free); number += 1)
    free = `Protocol${name}${number === 1 ? "" : String(number)}`;
  return free;
}

/** Returns the import specifiers for names, in alphabetical order. */
function specifierTexts(planned: readonly PlannedImport[], isTypeImport: boolean): string[] {
  const sorted = planned.toSorted((a, b) => (a.need.name < b.need.name ? -1 : 1));
  return sorted.map(({ need, local }) => {
    const name = local === need.name ? local : `${need.name} as ${local}`;
    return need.isValue || isTypeImport ? name : `type ${name}`;
  });
}

/** Adds names at the end of an existing import, on separate lines if the last name is on one. */
function specifiersInto(
  { elements, isType }: FileImport,
  planned: readonly PlannedImport[],
  all: string,
  { eol }: Style,
): Insertion[] {
  const last = elements.at(-1);
  if (last === undefined) return [];
  const start = last.getStart();
  const separator = text.isAtLineStart(all, start) ? eol + text.indentationAt(all, start) : " ";
  const names = specifierTexts(planned, isType);
  return [{ at: last.end, text: names.map((name) => `,${separator}${name}`).join("") }];
}

function statement(planned: readonly PlannedImport[], specifier: string): string {
  const isTypeImport = planned.every(({ need }) => !need.isValue);
  const names = specifierTexts(planned, isTypeImport).join(", ");
  const keyword = isTypeImport ? "import type" : "import";
  return `${keyword} { ${names} } from ${JSON.stringify(specifier)};`;
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
): Insertion {
  const last = imports.findLast(({ module }) => module !== undefined) ?? imports.at(-1);
  if (last !== undefined) {
    const at = text.endOfTrailing(source.text, last.declaration.end);
    const end = text.isAtLineEnd(source.text, at) ? "" : eol;
    return { at, text: statements.map((added) => eol + added).join("") + end };
  }
  const first = source.statements[0] ?? source.endOfFileToken;
  const at = first.getStart(source, true);
  return { at, text: `${statements.join(eol)}${eol}${eol}` };
}
