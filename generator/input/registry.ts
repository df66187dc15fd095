import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import { InputError, type Diagnostic } from "../../support/diagnostics.js";
import { isFile, isFolder } from "../../support/files.js";
import { unixLines } from "../../support/line-ends.js";
import { didYouMean } from "../../support/near-names.js";
import { packageFolder } from "../../support/package-folder.js";
import { withSlashes } from "../../support/paths.js";
import { resolvesInto } from "../../support/real-path.js";
import { compareVersions } from "../../support/versions.js";
import { YamlFile } from "./manifest/yaml-file.js";
import { matchSpec } from "./match.js";
import { extensionChoice, extensionOf } from "./extension.js";
import { importsOf, referencesOf } from "./imports.js";
import type { ExtensionSource, SourceText, SpecMatch, SpecSource } from "./source.js";

/** A specification bundled with the package. */
export interface BundledSpec {
  /** The name of its folder, for example `1.0`. */
  readonly id: string;
  /** The full version, for example `1.0.1`. */
  readonly version: string;
  /** The published formats of the version. */
  readonly sources: readonly ("proto" | "schema")[];
}

/** The folder of the bundled specifications. */
export const bundledFolder = join(packageFolder, "spec");

/** YAML files of the package, by path. They do not change, so all registries share them. */
const bundledYaml = new Map<string, YamlFile>();

/**
 * Returns the registry of the bundled specifications and of specifications given by paths, which
 * are relative to `cwd`.
 */
export function specRegistry(cwd: string): SpecRegistry {
  return new SpecRegistry(bundledFolder, cwd);
}

/** Finds bundled specifications, and specifications at paths that a user provides. */
export class SpecRegistry {
  readonly #folder: string;
  readonly #cwd: string;
  /** The user's manifests and files of doc comments, by path. */
  readonly #yaml = new Map<string, YamlFile>();

  /**
   * Creates a registry. `folder` contains the bundled specifications; user paths are relative to
   * `cwd`.
   */
  constructor(folder: string, cwd: string) {
    this.#folder = folder;
    this.#cwd = cwd;
  }

  /** Returns the bundled specifications, newest first. */
  list(): BundledSpec[] {
    const ids = readdirSync(this.#folder).filter((name) => existsSync(this.#manifestOf(name)));
    const specs = ids.map((id) => this.#bundled(id));
    return specs.sort((a, b) => compareVersions(b.version, a.version));
  }

  /**
   * Returns the name of a bundled specification. `spec` is its name, its version, or the first
   * numbers of a version, which select the newest version that is not a draft. Returns `undefined`
   * for any other value.
   */
  idOf(spec: string): string | undefined {
    return this.#find(spec)?.id;
  }

  /**
   * Finds a specification by its version, or by the path of a proto or JSON Schema. `schema` is the
   * path of the JSON Schema that belongs to a proto. `manifest` is also a version or a path. If it
   * is absent, a file with the same declarations as a bundled version gets the manifest of that
   * version. `protoPaths` are the folders that imports are relative to.
   *
   * @throws InputError if the file does not exist
   */
  find(spec: string, { manifest, schema, protoPaths }: SpecFiles = {}): SpecSource {
    const bundled = this.#find(spec);
    const own = bundled && this.#manifestOf(bundled.id);
    const match =
      own === undefined && manifest === undefined ? this.#match(this.#pathsOf(spec)) : undefined;
    const fitting = match?.differences === 0 ? match.id : undefined;
    const adopted = manifest ?? fitting;
    const manifestPath = adopted === undefined ? own : this.#manifestPath(adopted);
    const schemaPath = schema === undefined ? undefined : this.#schemaPath(schema);
    const paths = own === undefined ? this.#pathsOf(spec) : this.#linked(own);
    const title =
      bundled === undefined
        ? nameOf(resolve(this.#cwd, spec), this.#cwd)
        : `A2A ${bundled.version}`;
    const chain = manifestPath === undefined ? [] : this.#chain(manifestPath);
    const borrowed =
      bundled === undefined && adopted !== undefined && this.#find(adopted) !== undefined;
    const files = {
      ...paths,
      ...(schemaPath && { schema: schemaPath }),
      ...(protoPaths && { protoPaths }),
    };
    const source = this.#source(title, files, chain);
    return { ...source, borrowed, ...(match && { match }) };
  }

  /**
   * Reads an extension by the path of its JSON Schema, or by `URI=FILE`.
   *
   * @throws InputError if the file does not exist or does not describe an extension
   */
  extension(text: string): ExtensionSource {
    const { path, uri } = extensionChoice(text);
    const file = resolve(this.#cwd, path);
    const schema = isFile(file) && { ...this.#read(file), file: nameOf(file, this.#cwd) };
    const references = referencesOf(file, { cwd: this.#cwd, read: (other) => this.#read(other) });
    if (schema) return extensionOf(schema, references, uri);
    throw new InputError({
      message: `the extension "${path}" does not exist`,
      hint: "Specify the JSON Schema of an extension",
    });
  }

  /** Returns the bundled version that is most similar to the main file of a specification. */
  #match({ proto, schema }: SpecPaths): SpecMatch | undefined {
    const [kind, path] =
      proto === undefined ? (["schema", schema] as const) : (["proto", proto] as const);
    const candidates = this.list().flatMap(({ id, version }) => {
      const linked = this.#linked(this.#manifestOf(id))[kind];
      return linked === undefined ? [] : [{ id, version, text: this.#read(linked).text }];
    });
    return path === undefined ? undefined : matchSpec(this.#read(path).text, kind, candidates);
  }

  #bundled(id: string): BundledSpec {
    const manifest = this.#manifestOf(id);
    const { proto, schema } = this.#linked(manifest);
    const version = this.#readYaml(manifest).links().version ?? id;
    return {
      id,
      version,
      sources: [...(proto ? ["proto" as const] : []), ...(schema ? ["schema" as const] : [])],
    };
  }

  #find(spec: string): BundledSpec | undefined {
    const isId = /^[\w.-]+$/.test(spec) && existsSync(this.#manifestOf(spec));
    if (isId) return this.#bundled(spec);
    const isPart = /^\d+(?:\.\d+)*$/.test(spec);
    const isMeant = (version: string): boolean =>
      isPart && !/[a-z]/i.test(version) && version.startsWith(`${spec}.`);
    return this.list().find(({ version }) => version === spec || isMeant(version));
  }

  /** Returns the paths of a specification's files, given the path of its main file. */
  #pathsOf(spec: string): SpecPaths {
    const path = resolve(this.#cwd, spec);
    if (isFile(path)) return path.endsWith(".json") ? { schema: path } : { proto: path };
    throw new InputError(this.#noSpec(spec, path));
  }

  /**
   * Returns the error for a name that is not a specification. Its hint depends on the form of the
   * name.
   */
  #noSpec(spec: string, path: string): Diagnostic {
    if (/^[a-z]+:\/\//i.test(spec))
      return {
        message: `"${spec}" is a URL, but only files are supported`,
        hint: "Download it, and specify the file",
      };
    if (isFolder(path))
      return { message: `"${spec}" is a folder`, hint: "Specify the proto or JSON Schema in it" };
    if (existsSync(path))
      return { message: `"${spec}" is not a file`, hint: "Specify a proto or JSON Schema" };
    const known = this.list().map(({ id }) => id);
    const versions = this.list().flatMap(({ id, version }) => [id, version]);
    const guess = didYouMean(spec, [...new Set(versions)]);
    const isPath = /[\\/]|\.(?:proto|json)$/.test(spec);
    return {
      message: `the ${isPath ? "file" : "specification"} "${spec}" does not exist`,
      hint: isPath
        ? `Correct the path, or use one of the versions ${known.join(", ")}`
        : `${guess}Use one of the versions ${known.join(", ")}, or the path of a proto or JSON ` +
          "Schema",
    };
  }

  /**
   * Returns the paths that a manifest names. By default, these are the files next to the manifest.
   */
  #linked(manifestPath: string): SpecPaths {
    const links = this.#readYaml(manifestPath).links();
    const path = (key: "proto" | "schema", usual: string): string | undefined => {
      const given = links[key];
      const file = resolve(dirname(manifestPath), given ?? usual);
      if (given !== undefined && !isFile(file)) throw this.#noLink(manifestPath, key, given);
      return isFile(file) ? file : undefined;
    };
    const [proto, schema] = [path("proto", "a2a.proto"), path("schema", "a2a.json")];
    return { ...(proto && { proto }), ...(schema && { schema }) };
  }

  #source(
    title: string,
    { proto, schema, protoPaths }: SpecPaths,
    chain: readonly string[],
  ): Omit<SpecSource, "borrowed"> {
    const main = proto === undefined ? undefined : { path: proto, ...this.#read(proto) };
    const access = { cwd: this.#cwd, read: (path: string) => this.#read(path) };
    const imports = main && importsOf({ proto: main, protoPaths, ...access });
    return {
      title,
      ...(main !== undefined && { proto: { file: main.file, text: main.text } }),
      ...(schema !== undefined && { schema: this.#read(schema) }),
      manifests: chain.map((path) => this.#readYaml(path)),
      docs: chain.flatMap((path) => this.#docsOf(path)),
      readImport: () => undefined,
      ...imports,
      ...(schema !== undefined && { readReference: referencesOf(schema, access) }),
    };
  }

  #docsOf(manifestPath: string): SourceText[] {
    const { docs } = this.#readYaml(manifestPath).links();
    if (docs === undefined) return [];
    const file = resolve(dirname(manifestPath), docs);
    if (!isFile(file)) throw this.#noLink(manifestPath, "docs", docs);
    this.#refuseForeign(manifestPath, "docs", { path: docs, file });
    return [this.#readYaml(file)];
  }

  #noLink(manifestPath: string, key: string, path: string): InputError {
    const { file } = this.#readYaml(manifestPath);
    const message = `"${key}" in the manifest is "${path}", which does not exist`;
    return new InputError({
      location: { file },
      message,
      hint: "Correct the path, which is relative to the manifest",
    });
  }

  /**
   * Throws if a manifest names a file that is outside the allowed folders after symbolic links are
   * resolved.
   */
  #refuseForeign(
    manifestPath: string,
    key: string,
    { path, file }: { path: string; file: string },
  ): void {
    if (resolvesInto(file, [dirname(manifestPath), this.#cwd, this.#folder])) return;
    const location = { file: this.#readYaml(manifestPath).file };
    const message =
      `"${key}" in the manifest is "${path}", which is neither below its folder nor below the ` +
      "project";
    throw new InputError({ location, message, hint: "Move the file next to the manifest" });
  }

  #schemaPath(schema: string): string {
    const path = resolve(this.#cwd, schema);
    if (isFile(path)) return path;
    throw new InputError({
      message: `the JSON Schema "${schema}" does not exist`,
      hint: "Correct the path",
    });
  }

  #manifestOf(id: string): string {
    return join(this.#folder, id, "manifest.yaml");
  }

  #manifestPath(manifest: string): string {
    const bundled = this.#find(manifest);
    if (bundled !== undefined) return this.#manifestOf(bundled.id);
    const path = resolve(this.#cwd, manifest);
    if (isFile(path)) return path;
    throw new InputError({
      message: `the manifest "${manifest}" does not exist`,
      hint: "Use a bundled version, or the path of a YAML file",
    });
  }

  /**
   * Returns the paths of the manifest and of the manifests that it extends, starting with the most
   * basic manifest.
   */
  #chain(path: string, seen: readonly string[] = []): string[] {
    const manifest = this.#readYaml(path);
    const parent = manifest.links().extends;
    if (parent === undefined) return [path];
    const bundled = this.#find(parent);
    const parentPath =
      bundled === undefined ? resolve(dirname(path), parent) : this.#manifestOf(bundled.id);
    if (!isFile(parentPath) || seen.includes(parentPath)) {
      const message = seen.includes(parentPath)
        ? "the manifests extend each other"
        : `the manifest extends "${parent}", which does not exist`;
      throw new InputError({
        location: { file: manifest.file },
        message,
        hint: 'Correct the path of "extends"',
      });
    }
    this.#refuseForeign(path, "extends", { path: parent, file: parentPath });
    return [...this.#chain(parentPath, [...seen, path]), path];
  }

  #readYaml(path: string): YamlFile {
    const files = path.startsWith(join(bundledFolder, sep)) ? bundledYaml : this.#yaml;
    const known = files.get(path);
    if (known !== undefined) return known;
    const file = new YamlFile(this.#read(path));
    files.set(path, file);
    return file;
  }

  #read(path: string): SourceText {
    const inside = relative(this.#folder, path);
    return readText(
      path,
      inside.startsWith("..") ? relative(this.#cwd, path) : join("spec", inside),
    );
  }
}

/** Files of a specification in addition to its main file. */
export interface SpecFiles {
  readonly manifest?: string;
  readonly schema?: string;
  readonly protoPaths?: readonly string[];
}

/** The paths of the main files of a specification, and the roots of its imports. */
interface SpecPaths {
  readonly proto?: string;
  readonly schema?: string;
  readonly protoPaths?: readonly string[];
}

/**
 * Returns the name that the output uses for a user's file. The name must not depend on the machine.
 */
function nameOf(path: string, cwd: string): string {
  const name = relative(cwd, path);
  return name.startsWith("..") ? basename(path) : withSlashes(name);
}

function readText(path: string, name: string): SourceText {
  return { file: name, text: unixLines(readFileSync(path, "utf8")) };
}
