import { readFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { Diagnostics, InputError } from "../../support/diagnostics.js";
import { filesIn, isFile, isFolder } from "../../support/files.js";
import { withSlashes } from "../../support/paths.js";
import { resolvesInto } from "../../support/real-path.js";
import { importsOf, packageIn, rootOf, type ImportOptions } from "./imports.js";
import { checkFolders, folderOf } from "./package-folders.js";
import { isBuiltInImport } from "./proto/known.js";
import { readImports, type PackageSource, type SourceText, type SpecSource } from "./source.js";

/** Access to files and manifests. */
export interface PackageAccess {
  /** Folder that paths are relative to. */
  readonly cwd: string;
  /** Returns the name of a listed path in outputs, which must not depend on the machine. */
  readonly nameOf: (path: string) => string;
  /** Reads a file with the name that messages use. */
  readonly read: (path: string) => SourceText;
  /** Returns the manifests and doc comments for a package with these protos. */
  readonly manifestsOf: (
    protos: readonly SourceText[],
  ) => Pick<SpecSource, "manifests" | "docs" | "borrowed">;
  /** Names of the packages that bundled specifications declare. */
  readonly bundled: ReadonlySet<string>;
  /** Folders that imports are relative to, if the user specifies them. */
  readonly protoPaths: readonly string[] | undefined;
}

/** Proto of a run, with the name of its package. */
interface Proto extends SourceText {
  readonly path: string;
  readonly package: string;
}

type Groups = Map<string, Proto[]>;

/**
 * Returns the packages of protos, each of which becomes an output. `listed` contains the paths of
 * protos, and of folders with protos. A package also has the files that other packages of the run
 * import from it. A package that is only imported is part of the output that imports it. If several
 * outputs would contain it, it becomes an output itself.
 *
 * @throws InputError if a path does not exist or is listed twice, a folder contains no protos, a
 *   file has no package, two packages would have the same folder, or a package belongs to a bundled
 *   specification
 */
export function packagesOf(listed: readonly string[], given: PackageAccess): SpecSource {
  const access = { ...given, read: readOnce(given.read) };
  const protos = listedProtos(listed, access);
  checkPackages(protos, access);
  const groups: Groups = new Map();
  for (const proto of protos) addTo(groups, proto);
  const folders = listed.map((path) => resolve(access.cwd, path)).filter(isFolder);
  const roots = { first: folders, last: protos.map(rootOf) };
  let sources = sourcesOf(groups, roots, access);
  // A file that becomes part of an output may import further files.
  for (;;) {
    const added = sharedFiles(sources, groups, access);
    if (added.length === 0) break;
    for (const proto of added) addTo(groups, proto);
    sources = sourcesOf(groups, roots, access);
  }
  const names = [...groups.keys()].sort();
  checkFolders(names, (name) => groups.get(name)?.[0]);
  const outputs = new Map(names.map((name) => [name, folderOf(name)]));
  const packages = names.flatMap((name): PackageSource[] => {
    const source = sources.get(name);
    return source === undefined ? [] : [{ ...source, folder: folderOf(name), folders: outputs }];
  });
  return {
    title: listed.map((path) => access.nameOf(path)).join(", "),
    packages,
    manifests: [],
    docs: [],
    borrowed: false,
    readImport: () => undefined,
  };
}

/** Returns a function that reads each file once, because several packages import it. */
function readOnce(read: PackageAccess["read"]): PackageAccess["read"] {
  const texts = new Map<string, SourceText>();
  return (path) => {
    const text = texts.get(path) ?? read(path);
    texts.set(path, text);
    return text;
  };
}

function addTo(groups: Groups, proto: Proto): void {
  const group = groups.get(proto.package);
  if (group === undefined) groups.set(proto.package, [proto]);
  else group.push(proto);
}

/** Returns the listed protos, and the protos in the listed folders. Each file occurs once. */
function listedProtos(listed: readonly string[], access: PackageAccess): Proto[] {
  const { cwd } = access;
  const found = new Map<string, Proto>();
  for (const name of listed) {
    const path = resolve(cwd, name);
    for (const file of isFolder(path) ? protosIn(path, name, cwd) : [protoAt(path, name)]) {
      if (found.has(file)) {
        const twice = withSlashes(relative(cwd, file));
        throw new InputError({
          message: `the proto "${twice}" is listed twice`,
          hint: "Remove it from the list, or list only its folder",
        });
      }
      found.set(file, protoOf(file, access));
    }
  }
  return [...found.values()];
}

function protoAt(path: string, name: string): string {
  const isProto = path.endsWith(".proto");
  if (isProto && isFile(path)) return path;
  throw new InputError({
    message: isProto
      ? `the file "${name}" does not exist`
      : `"${name}" is neither a proto nor a folder of protos`,
    hint: isProto
      ? "Correct the path in the list of protos"
      : "A list of protos only contains files that end in .proto, and folders",
  });
}

/** Returns the protos below a folder, except for built-in files and files that are not proto3. */
function protosIn(folder: string, name: string, cwd: string): string[] {
  const inside = filesIn(folder).filter(
    (file) => file.endsWith(".proto") && !/(?:^|\/)(?:\.|node_modules\/)/.test(file),
  );
  const paths = inside
    .filter((file) => !isBuiltIn(file))
    .map((file) => join(folder, file))
    .filter((path) => isProto3(readFileSync(path, "utf8")));
  if (paths.length === 0)
    throw new InputError({
      message: `the folder "${name}" contains no protos`,
      hint: "Specify a folder with files that end in .proto",
    });
  const foreign = paths.find((path) => !resolvesInto(path, [folder, cwd]));
  if (foreign === undefined) return paths;
  throw new InputError({
    location: { file: withSlashes(relative(cwd, foreign)) },
    message: "the file is a link to a file outside the folder of the protos and the project",
    hint: "Replace the link with the file",
  });
}

/** Returns whether a file is a copy of a file that is built in, which is not read. */
function isBuiltIn(file: string): boolean {
  const start = file.lastIndexOf("google/");
  return start >= 0 && isBuiltInImport(file.slice(start));
}

function protoOf(path: string, { read }: PackageAccess): Proto {
  const text = read(path);
  return { ...text, path, package: packageIn(text.text) ?? "" };
}

/** Reports protos without a package, and packages that belong to a bundled version. */
function checkPackages(protos: readonly Proto[], { bundled }: PackageAccess): void {
  const diagnostics = new Diagnostics();
  for (const { file, package: name } of protos) {
    const location = { file, line: 1, column: 1 };
    if (name === "")
      diagnostics.add(
        location,
        "the file does not declare a package, which determines the folder of its output",
        "Declare one, such as `package shop.v1;`, or generate the file alone with --spec",
      );
    else if (bundled.has(name))
      diagnostics.add(
        location,
        `the package ${name} belongs to a bundled specification, which requires an output ` +
          "without other packages",
        "Remove the file from the list, and generate it alone with --spec and --out",
      );
  }
  diagnostics.throwIfAny();
}

/** Returns the sources of all packages. */
function sourcesOf(
  groups: Groups,
  roots: NonNullable<ImportOptions["roots"]>,
  access: PackageAccess,
): Map<string, SpecSource> {
  const sources = [...groups].map(([name, protos]): [string, SpecSource] => {
    const [proto, ...further] = protos.map(({ file, text }) => ({ file, text }));
    const imports = importsOf({ ...access, protos, roots });
    const own = { ...(proto && { proto }), further };
    return [name, { title: name, ...own, ...access.manifestsOf(protos), ...imports }];
  });
  return new Map(sources);
}

/**
 * Returns the imported files that must be added to the outputs of a run: files of packages that
 * have an output, and files of packages that several outputs would contain. Files that are not
 * proto3 cannot be the main files of an output.
 */
function sharedFiles(
  sources: ReadonlyMap<string, SpecSource>,
  groups: Groups,
  access: PackageAccess,
): Proto[] {
  const known = new Set([...groups.values()].flat().map(({ file }) => file));
  const found = new Map<string, Proto>();
  const importers = new Map<string, Set<string>>();
  for (const [name, source] of sources)
    for (const { file } of readImports(source)) {
      if (known.has(file) || isBuiltIn(file)) continue;
      const proto = found.get(file) ?? protoOf(resolve(access.cwd, file), access);
      if (proto.package === "" || !isProto3(proto.text)) continue;
      found.set(file, proto);
      const by = importers.get(proto.package) ?? new Set();
      importers.set(proto.package, by.add(name));
    }
  return [...found.values()].filter(({ package: name }) => {
    const count = importers.get(name)?.size ?? 0;
    return count > 1 || groups.has(name);
  });
}

function isProto3(text: string): boolean {
  return /(?:^|;)\s*syntax\s*=\s*["']proto3["']\s*;/m.test(text);
}
