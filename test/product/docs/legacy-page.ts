import { format } from "prettier";
import type { LegacyKind, Protocol, RemovedDef } from "../../../generator/protocol/model/types.js";

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

Servers take the methods and requests of other versions by [adapters](versions.md).
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
  const rows = protocol.legacy.map((name) => [
    code(name.old),
    code(name.now),
    kinds[name.kind],
    name.since,
    name.until,
    name.note ?? "",
  ]);
  return table(["Old name", "Now", "Kind", "Since", "Until", "Note"], rows);
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
