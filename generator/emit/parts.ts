import { Imports, type Uses } from "./imports.js";
import type { FilePlan } from "./file-plan.js";
import type { SymbolRef } from "./symbols.js";

/**
 * A declaration of a file, with everything that belongs to it. A part is never split between files.
 */
export interface Part<View> {
  /** The subject of the part, which determines its file. */
  readonly subject: string;
  /**
   * The type that the part belongs to, by its full name, and its role for the type if a file has
   * several parts for a type. If another output of the run has the same part, the file exports the
   * names of that part instead.
   */
  readonly of?: { readonly type: string; readonly role?: string };
  /** The names that users of the file import. */
  readonly exports: readonly Declared[];
  /**
   * Additional names that the part declares. Only other parts use them. Names that parts of other
   * outputs use come first, and in the same order in each output.
   */
  readonly declares: readonly string[];
  readonly uses: Uses;
  /** Whether the part is omitted unless another output uses it. */
  readonly isOptional?: boolean;
  /**
   * Returns the view for the template. `isShared` returns whether another file imports an
   * additional name.
   */
  readonly view: (isShared: (name: string) => boolean) => View;
}

/** A name that a part declares for users of its file. */
export type Declared = Pick<SymbolRef, "name" | "typeOnly">;

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

/** A file of parts whose layout depends on the other outputs of a run. */
export interface PartedPlan {
  /** The path below the output folder, without extension. */
  readonly module: string;
  readonly parts: readonly Omit<Part<unknown>, "view">[];
  /** Plans the files. */
  readonly files: (links?: PartLinks) => FilePlan[];
}

/** The connections of a file of parts to the other outputs of a run. */
export interface PartLinks {
  /**
   * Returns the declaration that another output has in place of a name of this file; `undefined`
   * if the file itself declares the name.
   */
  readonly sourceOf: (name: string) => SymbolRef | undefined;
  /** Additional names of this file that other outputs import. */
  readonly shared: ReadonlySet<string>;
}

const noLinks: PartLinks = { sourceOf: () => undefined, shared: new Set() };

/** Returns the plan of a file of parts. */
export function partedPlan<View>(file: PartedFile<View>): PartedPlan {
  const { module, parts } = file;
  return { module, parts, files: (links) => planParts(file, links) };
}

/**
 * Returns the module that declares the names of a part. If other outputs import additional names,
 * the part is not in the file that users import, which would export these names, too.
 */
export function homeOf(
  { module, parts }: Pick<PartedPlan, "module" | "parts">,
  { subject }: Pick<Part<unknown>, "subject">,
  shared: ReadonlySet<string>,
): string {
  return isWhole(parts, shared) ? module : `${module}/${subject}`;
}

/** Returns whether all parts are in one file. */
function isWhole(parts: PartedPlan["parts"], shared: ReadonlySet<string>): boolean {
  const [first, ...others] = parts;
  if (first === undefined || shared.size > 0) return false;
  return others.every(({ subject }) => subject === first.subject);
}

/**
 * Plans a file. If its parts have several subjects, it becomes a folder with a file for each
 * subject. Users still import the original file, which reexports the public declarations of these
 * files. No file uses the declarations of another file while it is evaluated, so circular imports
 * are safe.
 */
export function planParts<View>(
  file: PartedFile<View>,
  { sourceOf, shared }: PartLinks = noLinks,
): FilePlan[] {
  const { module, reexports = [] } = file;
  const parts = file.parts.filter(
    ({ isOptional, declares }) => isOptional !== true || declares.some((name) => shared.has(name)),
  );
  const isOwn: IsOwn = (part) => namesOf(part).every((name) => sourceOf(name) === undefined);
  const whole = isWhole(file.parts, shared);
  const pieces = whole ? [pieceOf(module, parts, isOwn)] : piecesOf(parts, module, isOwn);
  const homes = new Map(
    pieces.flatMap((piece) => piece.names.map((name) => [name, piece.module] as const)),
  );
  const declaredAt = (name: string): SymbolRef | undefined => {
    const home = homes.get(name);
    const own = home === undefined ? undefined : { module: home, name, typeOnly: false };
    return sourceOf(name) ?? own;
  };
  const used = new Set([...shared, ...sharedNames(pieces, homes)]);
  const isShared = (name: string): boolean => used.has(name);
  if (whole) return pieces.map((piece) => planPiece(piece, declaredAt, file, isShared));
  const mainImports = new Imports(`${module}.ts`, parts.flatMap(namesOf));
  mainImports.reexport(...reexports);
  for (const piece of pieces) reexportPiece(piece, mainImports, used);
  const own = { ...file, reexports: [] };
  return [
    mainImports.plan("facade", {}),
    ...pieces.map((piece) => planPiece(piece, declaredAt, own, isShared)),
  ];
}

/** The file of a subject: its path without extension, and its parts in order. */
interface Piece<View> {
  readonly module: string;
  /** The parts that the file declares. */
  readonly parts: readonly Part<View>[];
  /** The parts that another output declares. */
  readonly imported: readonly Part<View>[];
  /** The names that the file declares. */
  readonly names: readonly string[];
}

/** Returns whether the file itself declares a part. */
type IsOwn = (part: Pick<Part<unknown>, "declares" | "exports">) => boolean;

function pieceOf<View>(module: string, all: readonly Part<View>[], isOwn: IsOwn): Piece<View> {
  const parts = all.filter(isOwn);
  const imported = all.filter((part) => !isOwn(part));
  return { module, parts, imported, names: parts.flatMap(namesOf) };
}

function piecesOf<View>(parts: readonly Part<View>[], folder: string, isOwn: IsOwn): Piece<View>[] {
  const subjects = new Map<string, Part<View>[]>();
  for (const part of parts) addTo(subjects, part);
  const sorted = [...subjects].sort(([one], [other]) => (one < other ? -1 : 1));
  return sorted.map(([subject, its]) => pieceOf(`${folder}/${subject}`, its, isOwn));
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
): readonly string[] {
  return pieces.flatMap(({ module, parts }) =>
    parts.flatMap(({ uses }) => [...uses.own.keys()].filter((name) => homes.get(name) !== module)),
  );
}

function reexportPiece<View>(
  { module, parts, imported }: Piece<View>,
  mainImports: Imports,
  shared: ReadonlySet<string>,
): void {
  const isOpen = parts.every(({ declares }) => !declares.some((name) => shared.has(name)));
  if (isOpen) mainImports.reexportAll(module);
  else
    mainImports.reexport(
      ...[...parts, ...imported].flatMap(({ exports }) =>
        exports.map((symbol) => ({ ...symbol, module })),
      ),
    );
}

function planPiece<View>(
  { module, parts, imported, names }: Piece<View>,
  declaredAt: (name: string) => SymbolRef | undefined,
  file: PartedFile<View>,
  isShared: (name: string) => boolean,
): FilePlan {
  const imports = new Imports(`${module}.ts`, names);
  imports.reexport(...(file.reexports ?? []));
  for (const { name, typeOnly } of imported.flatMap(({ exports }) => exports)) {
    const source = declaredAt(name);
    if (source !== undefined) imports.reexportAs({ ...source, typeOnly }, name);
  }
  for (const { uses } of parts) {
    for (const note of uses.imported.values()) note(imports);
    for (const [name, kind] of uses.own) {
      const declared = declaredAt(name);
      if (declared === undefined || declared.module === module) continue;
      if (kind === "type") imports.type({ ...declared, typeOnly: true }, name);
      else imports.value({ ...declared, typeOnly: false }, name);
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
