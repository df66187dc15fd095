import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fill, find, installCommand } from "./readme.mjs";

/**
 * Pages in llms-full.txt, which must fit into the context of a model: what a program on the kit
 * needs. The rest is linked: tables of measurements and of old names, how the project works, moving
 * from other SDKs, other versions, bridges (each has a page of its own), and commands, which print
 * their own help.
 */
const inFull = [
  // A project, and its first agent.
  ["getting-started", "tutorial", "configuration"],
  // Agents.
  ["tasks", "server", "authentication", "stores", "push", "testing", "observability"],
  // Programs that call agents.
  ["client", "remote-agents", "following-tasks", "orchestrator", "browser", "validation"],
  // Runtimes and deployment.
  ["runtimes", "node", "express", "fastify", "hono", "next", "deno", "bun", "workers"],
  ["containers", "proxies", "deployment", "versions", "bridges"],
].flat();

/**
 * Writes each page as Markdown, and the files that tell language models where pages are: llms.txt,
 * llms-full.txt.
 */
export function writeTexts({ pages, groups, versions }, folder) {
  const write = (name, text) => {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  };
  for (const [name, text] of pages) write(name, text);
  const reference = [
    "- [Library](reference/api/index.md): functions, classes and types, by module",
    ...versions.map(
      ({ id, title }) => `- [${title}](reference/${id}/index.md): types, operations and errors`,
    ),
  ];
  const sections = [
    ...groups.map(({ title, pages: listed }) => [
      `## ${title}`,
      "",
      ...listed.map(({ label, name, description }) => `- [${label}](${name}): ${description}`),
    ]),
    ["## Reference", "", ...reference],
  ];
  const readme = pages.get("readme.md");
  const start = fill("llms.md", {
    agent: find(readme, /^```ts file=agent\.ts.*\n([^]*?)^```$/m),
    client: find(readme, /^```ts file=client\.ts.*\n([^]*?)^```$/m),
    install: installCommand(readme),
  });
  write("llms.txt", [compact(start), ...sections.flatMap((lines) => [...lines, ""])].join("\n"));
  const full = inFull.map((name) => `<!-- ${name}.md -->\n\n${compact(pages.get(`${name}.md`))}`);
  write("llms-full.txt", [start, ...full].join("\n"));
}

/** Removes the spaces that align the columns of tables. */
function compact(text) {
  return text.replaceAll(/^\|.*$/gm, (row) =>
    row.replaceAll(/ {2,}/g, " ").replaceAll(/-{4,}/g, "---"),
  );
}
