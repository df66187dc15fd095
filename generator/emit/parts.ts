import { Imports, type Uses } from "./imports.js";
import type { FilePlan } from "./plan.js";
import type { SymbolRef } from "./symbols.js";

/**
 * A declaration of a file, with everything that belongs to it. A part is never split between files.
 */
export interface Part<View> {
  /** The subject of the part, which determines its file. */
  readonly subject: string;
  /** The names that users of the file import. */
  readonly exports: readonly Declared[];
  /** Additional names that the part declares. Only other parts use them. */
  readonly declares: readonly string[];
  readonly uses: Uses;
  /**
   * Returns the view for the template. `isShared` returns whether another file imports an
   * additional name.
   */
  readonly view: (isShared: (name: string) => boolean) => View;
}

type Declared = Pick<SymbolRef, "name" | "typeOnly">;

/**
 * A file, as a list of parts. All parts share one namespace, so that a part can move to another
 * file unchanged.
 */
export interface PartedFile<View> {
  /** The path below the output folder, without extension. */
  readonly module: string;
  readonly template: string;
  readonly parts: readonly Part<View>[];
  /** Returns the view of a file that consists of the given parts. */
  readonly compose: (views: readonly View[]) => object;
  /** Symbols of other modules that the file reexports. */
  readonly reexports?: readonly SymbolRef[];
}

/**
 * Plans a file. If its parts have several subjects, it becomes a folder with a file for each
 * subject. Users still import the original file, which reexports the public declarations of these
 * files. No file uses the declarations of another file while it is evaluated, so circular imports
 * are safe.
 */
export function planParts<View>(file: PartedFile<View>): FilePlan[] {
  const { module, parts, reexports = [] } = file;
  const mainImports = new Imports(`${module}.ts`, parts.flatMap(namesOf));
  mainImports.reexport(...reexports);
  const pieces = piecesOf(parts, module);
  if (pieces.length === 1) {
    for (const { uses } of parts) for (const note of uses.imported.values()) note(mainImports);
    return [planOf(file, mainImports, parts, () => false)];
  }
  const homes = new Map(
    pieces.flatMap((piece) => piece.names.map((name) => [name, piece.module] as const)),
  );
  const shared = sharedNames(pieces, homes);
  for (const piece of pieces) reexportPiece(piece, mainImports, shared);
  const isShared = (name: string): boolean => shared.has(name);
  return [
    mainImports.plan("facade", {}),
    ...pieces.map((piece) => planPiece(piece, homes, file, isShared)),
  ];
}

/** The file of a subject: its path without extension, and its parts in order. */
interface Piece<View> {
  readonly module: string;
  readonly parts: readonly Part<View>[];
  readonly names: readonly string[];
}

function piecesOf<View>(parts: readonly Part<View>[], folder: string): Piece<View>[] {
  const subjects = new Map<string, Part<View>[]>();
  for (const part of parts) addTo(subjects, part);
  const sorted = [...subjects].sort(([one], [other]) => (one < other ? -1 : 1));
  return sorted.map(([subject, its]) => ({
    module: `${folder}/${subject}`,
    parts: its,
    names: its.flatMap(namesOf),
  }));
}

function addTo<View>(subjects: Map<string, Part<View>[]>, part: Part<View>): void {
  const its = subjects.get(part.subject);
  if (its === undefined) subjects.set(part.subject, [part]);
  else its.push(part);
}

function namesOf({ exports, declares }: Pick<Part<unknown>, "declares" | "exports">): string[] {
  return [...exports.map(({ name }) => name), ...declares];
}

/**
 * Returns the names that one module declares and another module uses. `homes` contains the module
 * of each name.
 */
function sharedNames<View>(
  pieces: readonly Piece<View>[],
  homes: ReadonlyMap<string, string>,
): ReadonlySet<string> {
  const used = pieces.flatMap(({ module, parts }) =>
    parts.flatMap(({ uses }) => [...uses.own.keys()].filter((name) => homes.get(name) !== module)),
  );
  return new Set(used);
}

function reexportPiece<View>(
  { module, parts }: Piece<View>,
  mainImports: Imports,
  shared: ReadonlySet<string>,
): void {
  const isOpen = parts.every(({ declares }) => !declares.some((name) => shared.has(name)));
  if (isOpen) mainImports.reexportAll(module);
  else
    mainImports.reexport(
      ...parts.flatMap(({ exports }) => exports.map((symbol) => ({ ...symbol, module }))),
    );
}

function planPiece<View>(
  { module, parts, names }: Piece<View>,
  homes: ReadonlyMap<string, string>,
  file: PartedFile<View>,
  isShared: (name: string) => boolean,
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
  return planOf(file, imports, parts, isShared);
}

function planOf<View>(
  { template, compose }: PartedFile<View>,
  imports: Imports,
  parts: readonly Part<View>[],
  isShared: (name: string) => boolean,
): FilePlan {
  return imports.plan(template, compose(parts.map((part) => part.view(isShared))));
}
