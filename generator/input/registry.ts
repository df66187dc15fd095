import { existsSync, readdirSync } from "node:fs";
import { basename, join, relative, resolve } from "node:path";
import { InputError, type Diagnostic } from "../../support/diagnostics.js";
import { isFile, isFolder } from "../../support/files.js";
import { didYouMean } from "../../support/near-names.js";
import { withSlashes } from "../../support/paths.js";
import { compareVersions } from "../../support/versions.js";
import { extensionChoice, extensionOf } from "./extension.js";
import { importsOf, packageIn, referencesOf } from "./imports.js";
import { matchSpec } from "./match.js";
import { packagesOf } from "./packages.js";
import type { ExtensionSource, SpecMatch, SpecSource } from "./source.js";
import { bundledFolder, SpecFolder, type LinkedPaths } from "./spec-files.js";

export { bundledFolder } from "./spec-files.js";

/** A specification bundled with the package. */
export interface BundledSpec {
  /** The name of its folder, for example `1.0`. */
  readonly id: string;
  /** The full version, for example `1.0.1`. */
  readonly version: string;
  /** The published formats of the version. */
  readonly sources: readonly ("proto" | "schema")[];
}

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
  readonly #files: SpecFolder;

  /**
   * Creates a registry. `folder` contains the bundled specifications; user paths are relative to
   * `cwd`.
   */
  constructor(folder: string, cwd: string) {
    this.#folder = folder;
    this.#cwd = cwd;
    this.#files = new SpecFolder(folder, cwd);
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
    const isPlain = own === undefined && manifest === undefined;
    const match = isPlain ? this.#match(this.#pathsOf(spec)) : undefined;
    const adopted = manifest ?? (isPlain ? this.#usualManifest(spec, match, schema) : undefined);
    const manifestPath = adopted === undefined ? own : this.#manifestPath(adopted);
    const added = schema === undefined ? {} : { schema: this.#schemaPath(schema) };
    const main = own === undefined ? this.#pathsOf(spec) : this.#files.linked(own);
    const paths = { ...main, ...added, ...(protoPaths && { protoPaths }) };
    const name = nameOf(resolve(this.#cwd, spec), this.#cwd);
    const title = bundled === undefined ? name : `A2A ${bundled.version}`;
    const chain = manifestPath === undefined ? [] : this.#chain(manifestPath);
    const isBundled = adopted !== undefined && this.#bundledManifest(adopted) !== undefined;
    const borrowed = bundled === undefined && isBundled;
    const source = this.#source(title, paths, chain);
    return { ...source, borrowed, ...(match && { match }) };
  }

  /**
   * Finds the packages of several protos, given by the paths of files and folders. `manifest` is
   * the manifest of the packages with services.
   *
   * @throws InputError if a path does not exist, or if the packages cannot be generated together
   */
  packages(
    protos: readonly string[],
    { manifest = plainServices, protoPaths }: Omit<SpecFiles, "schema"> = {},
  ): SpecSource {
    return packagesOf(protos, {
      cwd: this.#cwd,
      nameOf: (path) => nameOf(resolve(this.#cwd, path), this.#cwd) || ".",
      read: (path) => this.#files.read(path),
      protoPaths,
      bundled: new Set(this.#bundledPackages()),
      manifestsOf: (texts) => {
        if (!texts.some(({ text }) => hasService(text)))
          return { ...this.#manifests([]), borrowed: false };
        const borrowed = this.#bundledManifest(manifest) !== undefined;
        return { ...this.#manifests(this.#chain(this.#manifestPath(manifest))), borrowed };
      },
    });
  }

  #bundledPackages(): string[] {
    return this.list().flatMap(({ id }) => {
      const { proto } = this.#files.linked(this.#manifestOf(id));
      return proto === undefined ? [] : (packageIn(this.#files.read(proto).text) ?? []);
    });
  }

  #manifests(chain: readonly string[]): Pick<SpecSource, "manifests" | "docs"> {
    return {
      manifests: chain.map((path) => this.#files.yaml(path)),
      docs: chain.flatMap((path) => this.#files.docsOf(path)),
    };
  }

  /**
   * Reads an extension by the path of its JSON Schema, or by `URI=FILE`.
   *
   * @throws InputError if the file does not exist or does not describe an extension
   */
  extension(text: string): ExtensionSource {
    const { path, uri } = extensionChoice(text);
    const file = resolve(this.#cwd, path);
    const schema = isFile(file) && { ...this.#files.read(file), file: nameOf(file, this.#cwd) };
    const references = referencesOf(file, {
      cwd: this.#cwd,
      read: (other) => this.#files.read(other),
    });
    if (schema) return extensionOf(schema, references, uri);
    throw new InputError({
      message: `the extension "${path}" does not exist`,
      hint: "Specify the JSON Schema of an extension",
    });
  }

  /**
   * Returns the manifest of a user's file without one: the manifest of the version with the same
   * declarations or, for a proto with services that resembles no version, the manifest of services
   * that are not agents.
   */
  #usualManifest(
    spec: string,
    match: SpecMatch | undefined,
    schema: string | undefined,
  ): string | undefined {
    if (match !== undefined) return match.differences === 0 ? match.id : undefined;
    const { proto } = this.#pathsOf(spec);
    const isProto = proto !== undefined && schema === undefined;
    return isProto && hasService(this.#files.read(proto).text) ? plainServices : undefined;
  }

  /** Returns the bundled version that is most similar to the main file of a specification. */
  #match({ proto, schema }: SpecPaths): SpecMatch | undefined {
    const [kind, path] =
      proto === undefined ? (["schema", schema] as const) : (["proto", proto] as const);
    const candidates = this.list().flatMap(({ id, version }) => {
      const linked = this.#files.linked(this.#manifestOf(id))[kind];
      return linked === undefined ? [] : [{ id, version, text: this.#files.read(linked).text }];
    });
    return path === undefined
      ? undefined
      : matchSpec(this.#files.read(path).text, kind, candidates);
  }

  #bundled(id: string): BundledSpec {
    const manifest = this.#manifestOf(id);
    const { proto, schema } = this.#files.linked(manifest);
    const version = this.#files.yaml(manifest).links().version ?? id;
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

  #source(
    title: string,
    { proto, schema, protoPaths }: SpecPaths,
    chain: readonly string[],
  ): Omit<SpecSource, "borrowed"> {
    const main = proto === undefined ? undefined : { path: proto, ...this.#files.read(proto) };
    const access = { cwd: this.#cwd, read: (path: string) => this.#files.read(path) };
    const imports = main && importsOf({ protos: [main], protoPaths, ...access });
    return {
      title,
      ...(main !== undefined && { proto: { file: main.file, text: main.text } }),
      ...(schema !== undefined && { schema: this.#files.read(schema) }),
      ...this.#manifests(chain),
      readImport: () => undefined,
      ...imports,
      ...(schema !== undefined && { readReference: referencesOf(schema, access) }),
    };
  }

  #schemaPath(schema: string): string {
    const path = resolve(this.#cwd, schema);
    if (isFile(path)) return path;
    throw new InputError({
      message: `the JSON Schema "${schema}" does not exist`,
      hint: "Correct the path",
    });
  }

  #chain(manifestPath: string): string[] {
    return this.#files.chain(manifestPath, (name) => this.#bundledManifest(name));
  }

  /** Returns the path of a bundled manifest by its name; `undefined` for any other name. */
  #bundledManifest(name: string): string | undefined {
    if (name === plainServices) return join(this.#folder, "common", "services.yaml");
    const bundled = this.#find(name);
    return bundled && this.#manifestOf(bundled.id);
  }

  #manifestOf(id: string): string {
    return join(this.#folder, id, "manifest.yaml");
  }

  #manifestPath(manifest: string): string {
    const bundled = this.#bundledManifest(manifest);
    if (bundled !== undefined) return bundled;
    const path = resolve(this.#cwd, manifest);
    if (isFile(path)) return path;
    throw new InputError({
      message: `the manifest "${manifest}" does not exist`,
      hint: `Use a bundled version, "${plainServices}", or the path of a YAML file`,
    });
  }
}

/** The name of the manifest of services that are not agents. */
const plainServices = "services";

function hasService(proto: string): boolean {
  return /(?:^|[;}])\s*service\s+\w+\s*\{/m.test(proto);
}

/** Files of a specification in addition to its main file. */
export interface SpecFiles {
  readonly manifest?: string;
  readonly schema?: string;
  readonly protoPaths?: readonly string[];
}

/** The paths of the main files of a specification, and the roots of its imports. */
interface SpecPaths extends LinkedPaths {
  readonly protoPaths?: readonly string[];
}

/**
 * Returns the name that the output uses for a user's file. The name must not depend on the machine.
 */
function nameOf(path: string, cwd: string): string {
  const name = relative(cwd, path);
  return name.startsWith("..") ? basename(path) : withSlashes(name);
}
