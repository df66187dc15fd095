import { fileNames } from "../support/names.js";
import { Imports, type Uses } from "./imports.js";
import type { FilePlan } from "./plan.js";
import type { SymbolRef } from "./symbols.js";

/** Something that a file declares, with all that belongs to it. Parts stay whole when a file is split. */
export interface Part<View> {
  /** What it is called; a file of parts is called after the one that it is about. */
  readonly name: string;
  /** The names that users of the file import. */
  readonly exports: readonly Declared[];
  /** Further names that it declares, which only other parts use. */
  readonly declares: readonly string[];
  readonly uses: Uses;
  /** Returns what the template places. `isShared` returns whether another file imports one of the further names. */
  readonly view: (isShared: (name: string) => boolean) => View;
}

type Declared = Pick<SymbolRef, "name" | "typeOnly">;

/** A file as its parts. All parts share one space of names, so that a part can move to another file unchanged. */
export interface PartedFile<View> {
  /** The path below the output folder, without extension. */
  readonly module: string;
  readonly template: string;
  readonly parts: readonly Part<View>[];
  /** Returns the view of a file with some of the parts. */
  readonly compose: (views: readonly View[]) => object;
  /** What the file exports of other modules. */
  readonly reexports?: readonly SymbolRef[];
  /** How many lines of code a file takes, where the usual number leaves no room for its comments. */
  readonly mostLines?: number;
}

/** How many lines of code a file takes. With comments, templates and imports, none of the output is longer than 800. */
const usualLines = 500;

/**
 * Plans a file. One that would be too long becomes a folder of files, each with parts that follow each other in the order
 * of their dependencies, so that files import each other in one direction unless parts refer to each other in a circle.
 * Users go on to import the file itself, which exports what the others declare for them.
 */
export function planParts<View>(file: PartedFile<View>): FilePlan[] {
  const { module, template, parts, compose, reexports = [], mostLines = usualLines } = file;
  const views = new Map(parts.map((part) => [part, part.view(() => false)]));
  const sizes = new Map([...views].map(([part, view]) => [part, linesOf(view)]));
  const whole = new Imports(`${module}.ts`, parts.flatMap(namesOf));
  whole.reexport(...reexports);
  if ([...sizes.values()].reduce((sum, size) => sum + size, 0) <= mostLines) {
    for (const { uses } of parts) for (const note of uses.imported.values()) note(whole);
    return [whole.plan(template, compose([...views.values()]))];
  }
  const pieces = piecesOf(parts, sizes, module, mostLines);
  const homes = new Map(pieces.flatMap((piece) => piece.names.map((name) => [name, piece.module] as const)));
  const shared = sharedNames(pieces, homes);
  for (const piece of pieces) reexportPiece(piece, whole, shared);
  const isShared = (name: string): boolean => shared.has(name);
  const viewOf = (part: Part<View>): View =>
    (part.declares.some(isShared) ? undefined : views.get(part)) ?? part.view(isShared);
  return [whole.plan("facade", {}), ...pieces.map((piece) => planPiece(piece, homes, file, viewOf))];
}

/** A file that is split out: its path without extension, and its parts, each before those that it uses. */
interface Piece<View> {
  readonly module: string;
  readonly parts: readonly Part<View>[];
  readonly names: readonly string[];
}

function piecesOf<View>(
  parts: readonly Part<View>[],
  sizes: ReadonlyMap<Part<View>, number>,
  folder: string,
  mostLines: number,
): Piece<View>[] {
  const groups: Part<View>[][] = [];
  let room = 0;
  for (const part of byDependency(parts.toReversed())) {
    const size = sizes.get(part) ?? 0;
    if (size > room || groups.length === 0) {
      groups.push([]);
      room = mostLines;
    }
    groups.at(-1)?.push(part);
    room -= size;
  }
  const users = usersOf(parts);
  const names = fileNames(groups.map((group) => mainName(group, users)));
  return groups.map((group, index) => ({
    module: `${folder}/${names[index] ?? ""}`,
    parts: group.toReversed(),
    names: group.flatMap(namesOf),
  }));
}

/**
 * The name of the part that a group is about: it uses many of the others, directly or through others, and many of all
 * parts use it. What it uses counts more, so that what holds a group together comes before what all of it is made of.
 * The first of equal ones is taken.
 */
function mainName<View>(group: readonly Part<View>[], users: ReadonlyMap<Part<View>, number>): string {
  const owners = ownersOf(group);
  const rated = group.map((part) => {
    // A set that grows is iterated to its new end.
    const reached = new Set([part]);
    for (const one of reached) for (const used of usedBy(one, owners)) reached.add(used);
    return { name: part.name, weight: reached.size ** 2 * (1 + (users.get(part) ?? 0)) };
  });
  return rated.reduce((a, b) => (b.weight > a.weight ? b : a)).name;
}

/** How many of some parts use each of them. */
function usersOf<View>(parts: readonly Part<View>[]): ReadonlyMap<Part<View>, number> {
  const owners = ownersOf(parts);
  const users = new Map<Part<View>, number>();
  for (const part of parts)
    for (const used of usedBy(part, owners)) if (used !== part) users.set(used, (users.get(used) ?? 0) + 1);
  return users;
}

/** The parts that declare names, by these. */
function ownersOf<View>(parts: readonly Part<View>[]): ReadonlyMap<string, Part<View>> {
  return new Map(parts.flatMap((part) => namesOf(part).map((name) => [name, part] as const)));
}

/** The parts that a part uses, of those that own names. */
function usedBy<View>(part: Part<View>, owners: ReadonlyMap<string, Part<View>>): ReadonlySet<Part<View>> {
  return new Set([...part.uses.own.keys()].flatMap((name) => owners.get(name) ?? []));
}

function namesOf({ exports, declares }: Pick<Part<unknown>, "declares" | "exports">): string[] {
  return [...exports.map(({ name }) => name), ...declares];
}

/** Returns parts so that each follows those that it uses, as far as they do not use each other. */
function byDependency<View>(parts: readonly Part<View>[]): Part<View>[] {
  const owners = ownersOf(parts);
  const ordered: Part<View>[] = [];
  const begun = new Set<Part<View>>();
  const path: { readonly part: Part<View>; readonly uses: Iterator<string> }[] = [];
  const begin = (part: Part<View>): void => {
    if (begun.has(part)) return;
    begun.add(part);
    path.push({ part, uses: part.uses.own.keys() });
  };
  for (const root of parts) {
    begin(root);
    for (let last = path.at(-1); last !== undefined; last = path.at(-1)) {
      const next = last.uses.next();
      if (next.done === true) {
        ordered.push(last.part);
        path.pop();
        continue;
      }
      const used = owners.get(next.value);
      if (used !== undefined) begin(used);
    }
  }
  return ordered;
}

/** The names that a piece uses and another one declares. `homes` are the modules of names. */
function sharedNames<View>(pieces: readonly Piece<View>[], homes: ReadonlyMap<string, string>): ReadonlySet<string> {
  const used = pieces.flatMap(({ module, parts }) =>
    parts.flatMap(({ uses }) => [...uses.own.keys()].filter((name) => homes.get(name) !== module)),
  );
  return new Set(used);
}

function reexportPiece<View>({ module, parts }: Piece<View>, whole: Imports, shared: ReadonlySet<string>): void {
  const isOpen = parts.every(({ declares }) => !declares.some((name) => shared.has(name)));
  if (isOpen) whole.reexportAll(module);
  else whole.reexport(...parts.flatMap(({ exports }) => exports.map((each) => ({ ...each, module }))));
}

function planPiece<View>(
  { module, parts, names }: Piece<View>,
  homes: ReadonlyMap<string, string>,
  { template, compose }: PartedFile<View>,
  viewOf: (part: Part<View>) => View,
): FilePlan {
  const imports = new Imports(`${module}.ts`, names);
  for (const { uses } of parts) {
    for (const note of uses.imported.values()) note(imports);
    for (const [name, kind] of uses.own) {
      const home = homes.get(name);
      if (home === undefined || home === module) continue;
      if (kind === "type") imports.type({ module: home, name, typeOnly: true });
      else imports.value({ module: home, name, typeOnly: false });
    }
  }
  return imports.plan(template, compose(parts.map(viewOf)));
}

const commentLine = /^\s*(?:\/\*|\*)/;

/** About how many lines of code a view has. Comments do not count: they may change, and nothing is to move for that. */
function linesOf(view: unknown): number {
  if (typeof view === "string") {
    // Most texts are one line.
    const lines = view.includes("\n") ? view.split("\n") : [view];
    return lines.filter((line) => !commentLine.test(line)).length;
  }
  if (typeof view !== "object" || view === null) return 0;
  let sum = 0;
  for (const [key, member] of Object.entries(view)) if (key !== "docs") sum += linesOf(member);
  return sum;
}
