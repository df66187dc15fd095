import { ts } from "ts-morph";
import type { Scope } from "./scope.js";
import { restyle, type Style } from "./style.js";
import * as text from "./text.js";
import type { ImportNeed, Insertion, MergePlan } from "./types.js";

/** A name to import, and the local name in the file. */
export interface PlannedImport {
  readonly need: ImportNeed;
  readonly local: string;
}

const lineWidth = 120;

function specifierText({ need, local }: PlannedImport, isTypeImport: boolean): string {
  const name = local === need.name ? local : `${need.name} as ${local}`;
  return need.isValue || isTypeImport ? name : `type ${name}`;
}

/**
 * Adds names to an existing import. If the import is sorted, inserts them in alphabetical order, otherwise at the end.
 */
export function specifiersInto(
  imports: ts.NamedImports,
  planned: readonly PlannedImport[],
  source: ts.SourceFile,
  style: Style,
): Insertion[] {
  const { elements, parent: clause } = imports;
  const isTypeImport = clause.phaseModifier === ts.SyntaxKind.TypeKeyword;
  const names = elements.map((element) => (element.propertyName ?? element.name).text);
  const order = orderOf(names);
  const groups = new Map<number, PlannedImport[]>();
  const sorted = order === undefined ? planned : planned.toSorted((a, b) => order(a.need.name, b.need.name));
  for (const one of sorted) {
    const later = order === undefined ? -1 : names.findIndex((name) => order(name, one.need.name) > 0);
    const index = later < 0 ? names.length : later;
    groups.set(index, [...(groups.get(index) ?? []), one]);
  }
  return [...groups].flatMap(([index, group]) => {
    const specifiers = group.map((one) => specifierText(one, isTypeImport));
    return insertSpecifiers(imports, index, specifiers, source, style);
  });
}

/** Returns the function that compares names in their current order; `undefined` if they are not sorted. */
function orderOf(names: readonly string[]): ((a: string, b: string) => number) | undefined {
  const byCode = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
  const byLetter = (a: string, b: string): number => byCode(a.toLowerCase(), b.toLowerCase()) || byCode(a, b);
  const holds = (order: (a: string, b: string) => number): boolean =>
    names.every((name, index) => order(names[index - 1] ?? "", name) <= 0);
  return [byLetter, byCode].find(holds);
}

function insertSpecifiers(
  imports: ts.NamedImports,
  index: number,
  specifiers: readonly string[],
  source: ts.SourceFile,
  { eol }: Style,
): Insertion[] {
  const { elements } = imports;
  const [before, next] = [elements[index - 1], elements[index]];
  const all = source.text;
  if (before === undefined) {
    const start = next?.getStart(source) ?? imports.getStart(source) + 1;
    if (!text.isAtLineStart(all, start)) return [{ at: start, text: specifiers.map((one) => `${one}, `).join("") }];
    const indentation = text.indentationAt(all, start);
    const open = imports.getStart(source) + 1;
    return [{ at: open, text: specifiers.map((one) => `${eol}${indentation}${one},`).join("") }];
  }
  const start = before.getStart(source);
  const endsLine = text.isAtLineStart(all, next?.getStart(source) ?? imports.end - 1);
  if (!text.isAtLineStart(all, start) || !endsLine)
    return [{ at: before.end, text: specifiers.map((one) => `, ${one}`).join("") }];
  const indentation = text.indentationAt(all, start);
  const comma = text.commaAfter(all, before.end);
  const at = text.endOfTrailing(all, comma === undefined ? before.end : comma + 1);
  const lines = specifiers.map((one) => `${eol}${indentation}${one}`);
  if (comma !== undefined) return [{ at, text: lines.map((line) => `${line},`).join("") }];
  return [
    { at: before.end, text: "," },
    { at, text: lines.join(",") },
  ];
}

/**
 * Prints new imports, one for each module: after the existing imports from the output folder, otherwise after the last
 * import, or else at the top of the file.
 */
export function newImports(
  planned: readonly PlannedImport[],
  scope: Scope,
  style: Style,
  plan: Pick<MergePlan, "modules" | "specifierOf">,
): Insertion[] {
  if (planned.length === 0) return [];
  const bySpecifier = new Map<string, PlannedImport[]>();
  for (const one of planned) {
    const specifier = specifierFor(one.need.modules, scope, plan);
    bySpecifier.set(specifier, [...(bySpecifier.get(specifier) ?? []), one]);
  }
  const sorted = [...bySpecifier].sort(([a], [b]) => (a < b ? -1 : 1));
  const statements = sorted.map(([specifier, names]) => restyle(statement(names, specifier), style, ""));
  return [insertStatements(statements, scope, style)];
}

function statement(planned: readonly PlannedImport[], specifier: string): string {
  const isTypeImport = planned.every(({ need }) => !need.isValue);
  const sorted = planned.toSorted((a, b) => (a.need.name < b.need.name ? -1 : 1));
  const names = sorted.map((one) => specifierText(one, isTypeImport));
  const [head, tail] = [isTypeImport ? "import type" : "import", `from ${JSON.stringify(specifier)};`];
  const line = `${head} { ${names.join(", ")} } ${tail}`;
  if (line.length <= lineWidth) return line;
  return [`${head} {`, ...names.map((name) => `  ${name},`), `} ${tail}`].join("\n");
}

/**
 * Returns a specifier for one of the modules: a specifier that the file already uses, a specifier in the style of the
 * file's other imports, or the path.
 */
function specifierFor(
  modules: readonly string[],
  scope: Scope,
  { specifierOf }: Pick<MergePlan, "specifierOf">,
): string {
  const specifiers = [...new Set([...scope.imports.values()].map(({ specifier }) => specifier))];
  const found = specifiers.flatMap((specifier) => {
    const module = scope.modules.moduleOf(specifier);
    return module === undefined ? [] : [{ specifier, module }];
  });
  const same = found.find(({ module }) => modules.includes(module));
  if (same !== undefined) return same.specifier;
  const [usual = ""] = modules;
  for (const { specifier, module } of found) {
    const [, prefix, ending] =
      new RegExp(`^(.*/)${module.replaceAll("/", "\\/")}(\\.[cm]?[jt]s)?$`).exec(specifier) ?? [];
    const likely = prefix === undefined ? undefined : `${prefix}${usual}${ending ?? ""}`;
    if (likely !== undefined && scope.modules.moduleOf(likely) === usual) return likely;
  }
  return specifierOf(usual);
}

function insertStatements(statements: readonly string[], { source, modules }: Scope, { eol }: Style): Insertion {
  const all = source.text;
  const imports = source.statements.filter(ts.isImportDeclaration);
  const outputImports = imports.filter(({ moduleSpecifier }) => {
    return ts.isStringLiteral(moduleSpecifier) && modules.moduleOf(moduleSpecifier.text) !== undefined;
  });
  const last = outputImports.at(-1) ?? imports.at(-1);
  if (last !== undefined) {
    const at = text.endOfTrailing(all, last.end);
    const end = text.restOfLine(all, at).trim() === "" ? "" : eol;
    return { at, text: statements.map((one) => `${eol}${one}`).join("") + end };
  }
  const isDirective = (node: ts.Statement): boolean =>
    ts.isExpressionStatement(node) && ts.isStringLiteral(node.expression);
  const first = source.statements.find((node) => !isDirective(node)) ?? source.endOfFileToken;
  const start = text.startWithComments(all, first, source);
  const at = text.isAtLineStart(all, start) ? text.lineStart(all, start) : start;
  return { at, text: `${statements.join(eol)}${eol}${eol}` };
}
