import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import { InputError } from "../diagnostics.js";
import { readManifestLinks } from "./yaml-file.js";
import type { SourceText, SpecSource } from "./source.js";

/** A specification that comes with the package. */
export interface BundledSpec {
  /** The name of its folder, for example `1.0`. */
  readonly id: string;
  /** The full version, for example `1.0.1`. */
  readonly version: string;
}

/** Finds specifications: those that come with the package, and those that a user names by path. */
export class SpecRegistry {
  readonly #folder: string;
  readonly #cwd: string;

  /** `folder` holds the bundled specifications; paths of users are relative to `cwd`. */
  constructor(folder: string, cwd: string) {
    this.#folder = folder;
    this.#cwd = cwd;
  }

  /** The bundled specifications, newest first. */
  list(): BundledSpec[] {
    const ids = readdirSync(this.#folder).filter((name) => existsSync(this.#manifestOf(name)));
    const specs = ids.map((id) => this.#bundled(id));
    return specs.sort((a, b) => b.version.localeCompare(a.version, "en", { numeric: true }));
  }

  /**
   * Finds a specification by its version or by the path of a proto. `manifest` is a version or a path, too. Throws an
   * `InputError` where there is none.
   */
  find(spec: string, manifest?: string): SpecSource {
    const path = resolve(this.#cwd, spec);
    const bundled = this.#find(spec);
    if (bundled === undefined && !isFile(path)) {
      const known = this.list().map(({ id }) => id);
      const remedy = `Name one of the versions ${known.join(", ")}, or the path of a proto`;
      throw new InputError({ problem: `there is no specification "${spec}"`, remedy });
    }
    const manifestPath =
      manifest === undefined ? bundled && this.#manifestOf(bundled.id) : this.#manifestPath(manifest);
    const manifests = manifestPath === undefined ? [] : this.#chain(manifestPath);
    const protoPath = bundled === undefined ? path : this.#protoOf(this.#manifestOf(bundled.id));
    const title = bundled === undefined ? nameOf(path, this.#cwd) : `A2A ${bundled.version}`;
    return this.#source(title, protoPath, manifests);
  }

  #bundled(id: string): BundledSpec {
    return { id, version: readManifestLinks(readText(this.#manifestOf(id), id)).version ?? id };
  }

  #find(spec: string): BundledSpec | undefined {
    const isId = /^[\w.-]+$/.test(spec) && existsSync(this.#manifestOf(spec));
    return isId ? this.#bundled(spec) : this.list().find(({ version }) => version === spec);
  }

  #source(title: string, protoPath: string, manifests: readonly SourceText[]): SpecSource {
    const readImport = (path: string): SourceText | undefined => {
      const file = join(dirname(protoPath), path);
      return isFile(file) ? this.#read(file) : undefined;
    };
    return { title, proto: this.#read(protoPath), manifests, readImport };
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
      problem: `there is no manifest "${manifest}"`,
      remedy: "Name a bundled version or the path of a YAML file",
    });
  }

  /** The manifest and those that it extends, the most basic one first. */
  #chain(path: string, seen: readonly string[] = []): SourceText[] {
    const text = this.#read(path);
    const parent = readManifestLinks(text).extends;
    if (parent === undefined) return [text];
    const bundled = this.#find(parent);
    const parentPath = bundled === undefined ? resolve(dirname(path), parent) : this.#manifestOf(bundled.id);
    if (!isFile(parentPath) || seen.includes(parentPath)) {
      const problem = seen.includes(parentPath)
        ? "the manifests extend one another"
        : `the manifest extends "${parent}", which is not there`;
      throw new InputError({ place: { file: text.file }, problem, remedy: 'Correct the path behind "extends"' });
    }
    return [...this.#chain(parentPath, [...seen, path]), text];
  }

  #protoOf(manifestPath: string): string {
    const proto = readManifestLinks(this.#read(manifestPath)).proto ?? "a2a.proto";
    return resolve(dirname(manifestPath), proto);
  }

  #read(path: string): SourceText {
    const inside = relative(this.#folder, path);
    return readText(path, inside.startsWith("..") ? relative(this.#cwd, path) : join("spec", inside));
  }
}

/** How a file of the user is called in the output, which must not depend on the machine. */
function nameOf(path: string, cwd: string): string {
  const name = relative(cwd, path);
  return name.startsWith("..") ? basename(path) : name.split(sep).join("/");
}

function readText(path: string, name: string): SourceText {
  return { file: name, text: readFileSync(path, "utf8") };
}

function isFile(path: string): boolean {
  return existsSync(path) && statSync(path).isFile();
}
