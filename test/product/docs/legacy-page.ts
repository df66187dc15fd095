import { format } from "prettier";
import type { LegacyDef, LegacyKind, Protocol, RemovedDef } from "../../../generator/protocol/model/types.js";
import { legacyPlaces } from "../../../generator/targets/server/legacy-places.js";

/** A version for the page: its name for `--spec`, and its protocol. */
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

const introduction = `# All names of earlier versions

\`npm run docs:legacy\` generates this page from the manifests in \`spec/\`. [Names of earlier versions](earlier-names.md) explains how to use them.

Renamed types with their functions and codecs, errors, and keys of constants keep their old names in the output, as deprecated aliases, until the version under _Until_ at the earliest. Properties and values only have their new names in the types; their doc comments say the old ones. Methods of clients and services have the same names in all versions since 0.2, and those of 0.1 take other requests, so they need no old names.

The JSON Schema of the target \`schema\` has old types as deprecated definitions. It has no old properties, because it describes what is sent.

## Servers that accept old names

A server accepts old names over JSON-RPC if its agent has the option \`legacy\`:

\`\`\`ts
createAgent({ card, service, legacy: acceptLegacy({ onUse: ({ old, now, until }) => log(old, now, until) }) });
\`\`\`

The column _Requests_ of the tables says what happens to a name:

- _read_: it is accepted as the new name. Properties keep their value; _negated_ and _only element_ say how it changes.
- _refused_: it could mean several things. A property is an invalid parameter, and a method is not found; the message says the new name.
- empty: it does not occur in requests over JSON-RPC.

These rules hold for all of them:

- An object with both names of a property is refused.
- Properties are read in the spelling of the tables. An old name in free-form data is data.
- Responses only have new names, so callers have to understand these.
- Calls that name no version of the protocol count as calls of the present one, unless \`assumeVersion\` is set. Calls that name another version are refused, unless \`versions\` has it.
- HTTP+JSON and gRPC only accept new names.
- \`onUse\` is called once per agent for each name.
`;

/** Returns the page that lists the old names of all versions, the newest version first. */
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
