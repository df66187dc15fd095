import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { root, staged } from "./folder.mjs";
import { homePage } from "./home.mjs";
import { groupsOf, guidePages, isSearched, referencePages } from "./pages.mjs";

const here = fileURLToPath(new URL(".", import.meta.url));

/**
 * Writes the sources of the site. Returns its pages, the groups of its navigation, and the versions
 * of its reference.
 */
export async function stage() {
  rmSync(staged, { recursive: true, force: true });
  const versions = await referencePages();
  const pages = new Map([...guidePages(root), ...versions.flatMap((version) => version.pages)]);
  writePages(pages);
  const groups = ["index.md", "contributing.md"].flatMap((name) => groupsOf(pages.get(name) ?? ""));
  write(
    ".vitepress/navigation.json",
    JSON.stringify({ groups, versions: versions.map(({ id, title }) => ({ id, title })) }),
  );
  write(
    ".vitepress/config.mjs",
    `export { default } from ${JSON.stringify(join(here, "config.mjs"))};\n`,
  );
  copyImages(staged);
  cpSync(join(here, "public"), join(staged, "public"), { recursive: true });
  cpSync(join(here, "theme"), join(staged, ".vitepress", "theme"), { recursive: true });
  return { pages, groups, versions };
}

/** Copies the images of the pages to a folder of pages. */
export function copyImages(folder) {
  cpSync(join(root, "docs", "growth"), join(folder, "growth"), { recursive: true });
}

/** Writes the pages of the repository again, after a change. */
export function restage() {
  writePages(guidePages(root));
}

function writePages(pages) {
  for (const [name, text] of pages)
    writePage(name, name === "index.md" ? homePage(pages.get("readme.md"), text) : text);
}

function writePage(name, text) {
  write(name, isSearched(name) ? text : `---\nsearch: false\n---\n\n${text}`);
}

/** Writes a file, unless it has this text already: the server displays changed files again. */
function write(path, text) {
  const file = join(staged, path);
  if (existsSync(file) && readFileSync(file, "utf8") === text) return;
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}
