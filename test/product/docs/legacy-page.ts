import { format } from "prettier";
import type { LegacyDef, LegacyKind, Protocol, RemovedDef } from "../../../generator/protocol/model/types.js";
import { legacyPlaces } from "../../../generator/targets/server/legacy-places.js";

/** A version for the page: what `--spec` takes, and its names. */
export interface PageVersion {
  readonly id: string;
  readonly protocol: Protocol;
}

const kinds: Readonly<Record<LegacyKind, string>> = {
  types: "type",
  properties: "property",
  keys: "key of a constant",
  values: "value",
  methods: "JSON-RPC method",
  errors: "error",
};

const introduction = `# Names of earlier versions

This page is made of the manifests below \`spec/\` by \`npm run docs:legacy\`.

What a version has renamed keeps its old name in the output, marked as deprecated, until the version under _Until_ at the earliest: types with their functions and codecs, errors, and keys of constants. Properties and values have one name in the types, and their doc comments say what they were called. Clients and services call the operations the same in all versions since 0.2, so that methods of TypeScript need no old names; those of 0.1 take other requests. No file of the output was ever called otherwise.

The JSON Schema of the target \`schema\` has old types as deprecated definitions. It has no old properties, because it describes what is sent, and that has present names only.

## Servers that take old names

A server over JSON-RPC takes old names where its agent has the option \`legacy\`:

\`\`\`ts
createAgent({ card, service, legacy: acceptLegacy({ onUse: ({ old, now, until }) => log(old, now, until) }) });
\`\`\`

The tables say under _Requests_ what becomes of a name there:

- _read_: it is taken for the present one. Properties keep their value; _negated_ and _only element_ say how it changes.
- _refused_: what it says cannot be told from the old name alone. A property is an invalid parameter, and the message names what is in its place. A method is not found, and the message says what it is called now.
- nothing: it does not occur in requests over JSON-RPC, or only in types that are no part of what travels.

Both names of a property in one object are refused as well, and so is what the present types do not allow, as ever. Properties are read in the spelling of the tables. An old name in free-form data is data. Answers have present names only, so callers have to understand these. Calls that name no version of the protocol count as calls of the present one, unless \`assumeVersion\` says otherwise; calls that name another version are refused unless \`versions\` has it. HTTP+JSON and gRPC take present names only. \`onUse\` hears of each name once per agent.
`;

/** Writes the page about the names that versions have given up, the newest version first. */
export async function legacyPage(versions: readonly PageVersion[]): Promise<string> {
  const sections = versions.flatMap(({ id, protocol }) => {
    if (protocol.legacy.length + protocol.removed.length === 0) return [];
    return [`## A2A ${id}\n`, renamedTable(protocol), "Without a successor:\n", removedTable(protocol.removed)];
  });
  return await format([introduction, ...sections].join("\n"), { parser: "markdown", printWidth: 120 });
}

function renamedTable(protocol: Protocol): string {
  const reachable = new Set(legacyPlaces(protocol).names);
  const rows = protocol.legacy.map((name) => {
    const requests = reachable.has(name) ? fateOf(name) : "";
    return [code(name.old), code(name.now), kinds[name.kind], name.since, name.until, requests, name.note ?? ""];
  });
  return table(["Old name", "Now", "Kind", "Since", "Until", "Requests", "Note"], rows);
}

function fateOf({ kind, value, served }: LegacyDef): string {
  if (kind === "methods") return served === false ? "refused" : "read";
  if (kind === "values" || value === "same") return "read";
  if (value === undefined) return "refused";
  return value === "opposite" ? "negated" : "only element";
}

function removedTable(removed: readonly RemovedDef[]): string {
  const rows = removed.map(({ kind, old, since, note }) => [code(old), kinds[kind], since, note]);
  return table(["Old name", "Kind", "Since", "Why"], rows);
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line), ""].join("\n");
}

function code(text: string): string {
  return `\`${text}\``;
}
