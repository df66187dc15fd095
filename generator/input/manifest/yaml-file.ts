import type { ErrorObject } from "ajv";
import { isNode, isScalar, LineCounter, parseDocument, type Document } from "yaml";
import { Diagnostics, type Place } from "../../support/diagnostics.js";
import type { SourceText } from "../source.js";

/** What a manifest says about the files that belong to it, as paths relative to it. */
export interface ManifestLinks {
  readonly extends?: string;
  readonly proto?: string;
  readonly schema?: string;
  readonly docs?: string;
  readonly version?: string;
}

/** Reads the links of a manifest. Throws an `InputError` for a text that is no YAML. */
export function readManifestLinks(source: SourceText): ManifestLinks {
  const diagnostics = new Diagnostics();
  const file = new YamlFile(source);
  file.value(diagnostics);
  diagnostics.throwIfAny();
  const keys = ["extends", "proto", "schema", "docs", "version"] as const;
  return Object.fromEntries(keys.flatMap((key) => [[key, file.textAt(key)] as const].filter(([, text]) => text)));
}

interface Parsed {
  readonly document: Document;
  readonly lines: LineCounter;
}

/** What was parsed last: finding a specification and reading it take the same texts again and again. */
const known = new Map<string, Parsed>();

/** How many texts are kept: more than the manifests of one specification, and not all that a watch has ever seen. */
const maxKnown = 32;

function parse(text: string): Parsed {
  const found = known.get(text);
  if (found !== undefined) return found;
  const lines = new LineCounter();
  const parsed = { document: parseDocument(text, { lineCounter: lines, logLevel: "error" }), lines };
  const [oldest] = known.keys();
  if (known.size >= maxKnown && oldest !== undefined) known.delete(oldest);
  known.set(text, parsed);
  return parsed;
}

/** A YAML text whose entries know their places. */
export class YamlFile {
  readonly #file: string;
  readonly #what: string;
  readonly #lines: LineCounter;
  readonly #document: Document;

  /** `what` is how messages call the text. */
  constructor({ file, text }: SourceText, what = "the manifest") {
    this.#file = file;
    this.#what = what;
    const { document, lines } = parse(text);
    this.#document = document;
    this.#lines = lines;
  }

  value(diagnostics: Diagnostics): unknown {
    for (const error of this.#document.errors) {
      const [problem = "it cannot be read"] = error.message.split("\n");
      diagnostics.add(
        this.#at(error.pos[0]),
        `${this.#what} is no YAML: ${problem.replace(/ at line.*$/, "")}`,
        "Correct it",
      );
    }
    if (this.#document.errors.length > 0) return undefined;
    try {
      return this.#document.toJS();
    } catch (error) {
      // What an alias leads to is only looked up here: nowhere, or to more than anybody would write.
      const problem = error instanceof Error ? error.message : String(error);
      diagnostics.add({ file: this.#file }, `${this.#what} is no YAML: ${problem}`, "Correct it");
      return undefined;
    }
  }

  /** The text of an entry as it is written: `1.0` and not the number 1. */
  textAt(key: string): string | undefined {
    const node = this.#document.get(key, true);
    return isScalar(node) ? (node.source ?? String(node.value)) : undefined;
  }

  placeOf(keys: readonly string[]): Place | undefined {
    const node = this.#document.getIn(keys, true);
    return isNode(node) && node.range ? this.#at(node.range[0]) : undefined;
  }

  report(error: ErrorObject, diagnostics: Diagnostics): void {
    const keys = error.instancePath.split("/").slice(1);
    const extra: unknown = error.params["additionalProperty"];
    const path = [...keys, ...(typeof extra === "string" ? [extra] : [])];
    const place = this.placeOf(path) ?? this.placeOf(keys) ?? { file: this.#file };
    const name = path.join(".");
    if (typeof extra === "string") {
      diagnostics.add(
        place,
        `"${name}" is no key of a manifest`,
        "Remove it, or see spec/manifest.schema.json for the keys",
      );
    } else {
      const allowed: unknown = error.params["allowedValues"];
      const remedy = Array.isArray(allowed) ? `Use one of ${allowed.join(", ")}` : "Correct the value";
      const problem = (error.message ?? "is wrong").replace(
        /^must be (?=object|string|integer|array)/,
        "must be of the type ",
      );
      diagnostics.add(place, path.length === 0 ? `${this.#what} ${problem}` : `"${name}" ${problem}`, remedy);
    }
  }

  #at(offset: number): Place {
    const { line, col } = this.#lines.linePos(offset);
    return { file: this.#file, line, column: col };
  }
}
