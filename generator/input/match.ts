import { Diagnostics } from "../../support/diagnostics.js";
import { isRecord } from "../../support/values.js";
import { parseJson } from "./json-schema/json.js";
import { scan } from "./proto/scan.js";
import type { SpecMatch } from "./source.js";

/** A bundled version to compare with a file, and the version's published file of the same kind. */
export interface Candidate extends Pick<SpecMatch, "id" | "version"> {
  readonly text: string;
}

/**
 * Returns the first bundled version with the same declarations as a file; otherwise the version
 * with the fewest differences. Returns `undefined` if the file declares a different package, or if
 * that version contains less than a quarter of the file's declarations.
 */
export function matchSpec(
  text: string,
  kind: "proto" | "schema",
  candidates: readonly Candidate[],
): SpecMatch | undefined {
  const related = candidates.filter(
    (candidate) => kind === "schema" || packageOf(candidate.text) === packageOf(text),
  );
  if (related.length === 0 || (kind === "schema" && !isReadable(text))) return undefined;
  const factsIn = kind === "proto" ? factsOfProto : factsOfSchema;
  const facts = factsIn(text);
  const rated = related.map(({ id, version, text: other }) => {
    const others = factsIn(other);
    const shared = [...facts].filter((fact) => others.has(fact)).length;
    return { id, version, shared, differences: facts.size + others.size - 2 * shared };
  });
  const [best] = rated.sort((a, b) => a.differences - b.differences);
  if (best === undefined || 4 * best.shared < facts.size || best.shared === 0) return undefined;
  const { id, version, differences } = best;
  return { id, version, differences };
}

/**
 * Returns the package that a proto declares. Does not scan the whole file, because scanning a large
 * file takes a long time.
 */
function packageOf(text: string): string | undefined {
  return /^[ \t]*package\s+([\w.]+)\s*;/m.exec(text)?.[1];
}

/**
 * Returns the statements of a proto, each with the declaration that contains it. The result does
 * not depend on order, comments or layout.
 */
function factsOfProto(text: string): Set<string> {
  const { statements } = scan("", text);
  const declared = statements.filter(
    ({ tokens, scope }) => scope !== undefined || tokens[0]?.text !== "option",
  );
  return new Set(
    declared.map(({ tokens, scope }) =>
      [scope?.path, ...tokens.map((token) => token.text)].join(" "),
    ),
  );
}

/** Returns the definitions of a JSON Schema and their properties, without documentation. */
function factsOfSchema(text: string): Set<string> {
  const schema: unknown = JSON.parse(text);
  const facts = new Set<string>();
  for (const key of ["definitions", "$defs"]) {
    for (const [name, definition] of entriesOf(schema, key)) {
      const properties = entriesOf(definition, "properties");
      for (const [property, value] of properties)
        facts.add(`${name}.${property} ${canonical(value)}`);
      const rest = isRecord(definition)
        ? { ...definition, properties: properties.map(([property]) => property).sort() }
        : {};
      facts.add(`${name} ${canonical(rest)}`);
    }
  }
  return facts;
}

/**
 * Returns whether the JSON Schema reader accepts a document. If not, the reader later reports the
 * error with its location.
 */
function isReadable(text: string): boolean {
  return parseJson({ file: "", text }, new Diagnostics()) !== undefined;
}

function entriesOf(value: unknown, key: string): [string, unknown][] {
  const member = isRecord(value) ? value[key] : undefined;
  return isRecord(member) ? Object.entries(member) : [];
}

const forReaders = new Set(["description", "title", "examples", "$comment"]);

/** Returns a schema as canonical JSON: with sorted keys and without descriptions. */
function canonical(schema: unknown): string {
  return JSON.stringify(schema, (_, value: unknown) => {
    if (!isRecord(value)) return value;
    const entries = Object.entries(value).filter(
      ([key, member]) => !forReaders.has(key) || typeof member !== "string",
    );
    return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}
