import { parseYaml, type YamlTree } from "../../../support/yaml.js";
import type { Violation } from "../../../support/json-schema.js";
import { didYouMean } from "../../../support/near-names.js";
import { Diagnostics, type Location } from "../../../support/diagnostics.js";
import { locationIn } from "../../../support/json-text.js";
import { pointerOf } from "../../../support/json-pointer.js";
import type { SourceText } from "../source.js";

/** The files that belong to a manifest, as paths relative to it, and the manifest's version. */
export interface ManifestLinks {
  readonly extends?: string;
  readonly proto?: string;
  readonly schema?: string;
  readonly docs?: string;
  readonly version?: string;
}

const linkNames = ["extends", "proto", "schema", "docs", "version"] as const;

/** The new names of manifest keys, by their old names, for hints in errors. */
const renamedKeys: ReadonlyMap<string, string> = new Map([
  ["demands", "nonEmpty"],
  ["fallbackVerbs", "fallbackMethods"],
]);

/**
 * A YAML file whose values have locations. The file is parsed once. The build has already parsed
 * the files of the package.
 */
export class YamlFile implements SourceText {
  readonly file: string;
  readonly text: string;
  readonly #tree: YamlTree;

  constructor({ file, text }: SourceText) {
    this.file = file;
    this.text = text;
    this.#tree = parseYaml(text);
  }

  /**
   * Returns a source as a YAML file. A source that is already a YAML file is returned unchanged.
   */
  static of(source: SourceText): YamlFile {
    return source instanceof YamlFile ? source : new YamlFile(source);
  }

  /**
   * Returns the value of the file; `undefined` if its YAML is invalid. `what` is the subject of
   * error messages.
   */
  value(diagnostics: Diagnostics, what = "the manifest"): unknown {
    this.#reportErrors(diagnostics, what);
    return this.#tree.errors.length > 0 ? undefined : this.#tree.value;
  }

  /**
   * Returns the links of a manifest.
   *
   * @throws InputError if the file is invalid YAML
   */
  links(): ManifestLinks {
    const diagnostics = new Diagnostics();
    this.#reportErrors(diagnostics, "the manifest");
    diagnostics.throwIfAny();
    const { scalars } = this.#tree;
    const owned = linkNames.filter((name) => Object.hasOwn(scalars, name) && scalars[name] !== "");
    return Object.fromEntries(owned.map((name) => [name, scalars[name]]));
  }

  /** Returns the location of the value at a path; `undefined` if no such value exists. */
  locationOf(keys: readonly string[]): Location | undefined {
    const offset = this.#tree.offsets[pointerOf(keys)];
    return offset === undefined ? undefined : this.#locationAt(offset);
  }

  /** Reports a violation of the manifest schema. */
  report(violation: Violation, diagnostics: Diagnostics): void {
    const { path } = violation;
    const location = this.locationOf(path) ??
      this.locationOf(path.slice(0, -1)) ?? { file: this.file };
    const { message, hint } = textOf(violation);
    diagnostics.add(
      location,
      path.length === 0 ? `the manifest ${message}` : `"${path.join(".")}" ${message}`,
      hint,
    );
  }

  #reportErrors(diagnostics: Diagnostics, what: string): void {
    for (const { message, offset } of this.#tree.errors) {
      const location = offset === undefined ? { file: this.file } : this.#locationAt(offset);
      diagnostics.add(location, `${what} is not valid YAML: ${message}`, "Correct it");
    }
  }

  #locationAt(offset: number): Location {
    return locationIn(this.file, this.text, offset);
  }
}

/** Returns the message for a violation, without its subject, and the hint. */
function textOf({
  path,
  kind,
  message,
  hint,
  known = [],
}: Violation): Pick<Violation, "message" | "hint"> {
  if (kind === "name")
    return {
      message: "is not a valid name",
      hint: "Use letters, digits, $ and _, and do not start with a digit",
    };
  if (kind !== "unknown") return { message, hint };
  const key = path.at(-1) ?? "";
  const renamed = renamedKeys.get(key);
  const removal = `${didYouMean(key, known)}Remove it; spec/manifest.schema.json lists the keys`;
  return {
    message: "is not a key of a manifest",
    hint: renamed === undefined ? removal : `Rename it to "${renamed}"`,
  };
}
