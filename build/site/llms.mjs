import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { isSearched } from "./pages.mjs";

const summary =
  "Generates A2A (Agent2Agent) clients, servers and a task kit for TypeScript from the " +
  "specification.";

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
  const reference = versions.map(
    ({ id, title }) => `- [${title}](reference/${id}/index.md): types, operations and errors`,
  );
  const sections = [
    ...groups.map(({ title, pages: listed }) => [
      `## ${title}`,
      "",
      ...listed.map(({ label, name, description }) => `- [${label}](${name}): ${description}`),
    ]),
    ["## Reference", "", ...reference],
  ];
  write(
    "llms.txt",
    [`# a2a-codegen`, "", `> ${summary}`, ...sections.flatMap((lines) => ["", ...lines]), ""].join(
      "\n",
    ),
  );
  const order = [
    ...groups.flatMap(({ pages: listed }) => listed.map(({ name }) => name)),
    ...pages.keys(),
  ];
  const full = [...new Set(order)].filter(
    (name) => isSearched(name) && name !== "index.md" && name !== "changelog.md",
  );
  write("llms-full.txt", full.map((name) => `<!-- ${name} -->\n\n${pages.get(name)}`).join("\n"));
}
