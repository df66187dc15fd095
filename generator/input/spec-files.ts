import { readFileSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import { InputError } from "../../support/diagnostics.js";
import { isFile } from "../../support/files.js";
import { unixLines } from "../../support/line-ends.js";
import { packageFolder } from "../../support/package-folder.js";
import { resolvesInto } from "../../support/real-path.js";
import { YamlFile } from "./manifest/yaml-file.js";
import type { SourceText } from "./source.js";

/** The folder of the bundled specifications. */
export const bundledFolder = join(packageFolder, "spec");

/** YAML files of the package, by path. They do not change, so all registries share them. */
const bundledYaml = new Map<string, YamlFile>();

/** Paths of the files of a specification. */
export interface LinkedPaths {
  readonly proto?: string;
  readonly schema?: string;
}

/** Returns the path of a bundled manifest by its name; `undefined` for any other value. */
type FindBundled = (name: string) => string | undefined;

/** Reads manifests, and the files that they name. */
export class SpecFolder {
  readonly #folder: string;
  readonly #cwd: string;
  /** The user's manifests and files of doc comments, by path. */
  readonly #yaml = new Map<string, YamlFile>();

  /** `folder` contains the bundled specifications. The names of other files begin at `cwd`. */
  constructor(folder: string, cwd: string) {
    this.#folder = folder;
    this.#cwd = cwd;
  }

  /**
   * Returns the paths that a manifest names. By default, these are the files next to the manifest.
   */
  linked(manifestPath: string): LinkedPaths {
    const links = this.yaml(manifestPath).links();
    const path = (key: "proto" | "schema", usual: string): string | undefined => {
      const given = links[key];
      const file = resolve(dirname(manifestPath), given ?? usual);
      if (given !== undefined && !isFile(file)) throw this.#noLink(manifestPath, key, given);
      return isFile(file) ? file : undefined;
    };
    const [proto, schema] = [path("proto", "a2a.proto"), path("schema", "a2a.json")];
    return { ...(proto && { proto }), ...(schema && { schema }) };
  }

  /** Returns the doc comments that a manifest names. */
  docsOf(manifestPath: string): SourceText[] {
    const { docs } = this.yaml(manifestPath).links();
    if (docs === undefined) return [];
    const file = resolve(dirname(manifestPath), docs);
    if (!isFile(file)) throw this.#noLink(manifestPath, "docs", docs);
    this.#refuseForeign(manifestPath, "docs", { path: docs, file });
    return [this.yaml(file)];
  }

  #noLink(manifestPath: string, key: string, path: string): InputError {
    const { file } = this.yaml(manifestPath);
    const message = `"${key}" in the manifest is "${path}", which does not exist`;
    const hint = "Correct the path, which is relative to the manifest";
    return new InputError({ location: { file }, message, hint });
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
    const location = { file: this.yaml(manifestPath).file };
    const message =
      `"${key}" in the manifest is "${path}", which is neither below its folder nor below the ` +
      "project";
    throw new InputError({ location, message, hint: "Move the file next to the manifest" });
  }

  /**
   * Returns the paths of the manifest and of the manifests that it extends, starting with the most
   * basic manifest.
   */
  chain(path: string, findBundled: FindBundled, seen: readonly string[] = []): string[] {
    const manifest = this.yaml(path);
    const parent = manifest.links().extends;
    if (parent === undefined) return [path];
    const file = findBundled(parent) ?? resolve(dirname(path), parent);
    if (!isFile(file) || seen.includes(file)) {
      const message = seen.includes(file)
        ? "the manifests extend each other"
        : `the manifest extends "${parent}", which does not exist`;
      const hint = 'Correct the path of "extends"';
      throw new InputError({ location: { file: manifest.file }, message, hint });
    }
    this.#refuseForeign(path, "extends", { path: parent, file });
    return [...this.chain(file, findBundled, [...seen, path]), path];
  }

  /** Returns a YAML file, which is read once. */
  yaml(path: string): YamlFile {
    const files = path.startsWith(join(bundledFolder, sep)) ? bundledYaml : this.#yaml;
    const known = files.get(path);
    if (known !== undefined) return known;
    const file = new YamlFile(this.read(path));
    files.set(path, file);
    return file;
  }

  /** Reads a file with the name that messages and outputs use. */
  read(path: string): SourceText {
    const inside = relative(this.#folder, path);
    const file = inside.startsWith("..") ? relative(this.#cwd, path) : join("spec", inside);
    return { file, text: unixLines(readFileSync(path, "utf8")) };
  }
}
