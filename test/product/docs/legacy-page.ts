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

This page lists every old name with its new name. [Names of earlier versions](../../../docs/earlier-names.md) explains how to use them. \`npm run docs:legacy\` generates this page from the manifests in \`spec/\`.

| Renamed item                                               | Old name in the output                                                      |
| ---------------------------------------------------------- | --------------------------------------------------------------------------- |
| types, their functions and codecs, errors, keys of constants | a deprecated alias                                                         |
| properties and values                                      | only in the doc comment of the new name                                     |
| methods of clients and services                            | not needed. The names are the same since 0.2, and 0.1 has different requests |
| JSON-RPC methods and requests of other versions            | servers accept them with [adapters](../../../docs/versions.md)                            |
| types in the JSON Schema of the target \`schema\`            | a deprecated definition                                                     |
| properties in the JSON Schema of the target \`schema\`       | none. The schema describes the data that is sent                             |
`;

/** Returns the page that lists the old names of all versions, the newest version first. */
export async function legacyPage(versions: readonly PageVersion[]): Promise<string> {
  const sections = versions.flatMap(({ id, protocol }) => {
    if (protocol.legacy.length + protocol.removed.length === 0) return [];
    return [
      `## A2A ${id}\n`,
      renamedTable(protocol),
      "Without a successor:\n",
      removedTable(protocol.removed),
    ];
  });
  return await format([introduction, ...sections].join("\n"), {
    parser: "markdown",
    printWidth: 120,
  });
}

function renamedTable(protocol: Protocol) {
  const rows = protocol.legacy.map((name) => [
    code(name.old),
    code(name.now),
    kinds[name.kind],
    name.since,
    name.note ?? "",
  ]);
  return table(["Old name", "Now", "Kind", "Since", "Note"], rows);
}

function removedTable(removed: readonly RemovedDef[]) {
  const rows = removed.map(({ kind, old, since, note }) => [code(old), kinds[kind], since, note]);
  return table(["Old name", "Kind", "Since", "Why"], rows);
}

function table(head: readonly string[], rows: readonly (readonly string[])[]) {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line), ""].join("\n");
}

function code(text: string) {
  return `\`${text}\``;
}
