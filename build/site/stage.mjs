import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { apiReference } from "./api/index.mjs";
import { withApiLinks } from "./api/links.mjs";
import { filesOf, withFileLinks } from "./files.mjs";
import { root, staged } from "./folder.mjs";
import { homePage } from "./home.mjs";
import { current, groupsOf, guidePages, isGuide, isSearched, referencePages } from "./pages.mjs";

const here = fileURLToPath(new URL(".", import.meta.url));

/** The reference of the library, which does not follow changes of the pages. */
let api;

/**
 * Writes the sources of the site. Returns its pages, the groups of its navigation, the modules of
 * the library, and the versions of its reference.
 */
export async function stage() {
  rmSync(staged, { recursive: true, force: true });
  const versions = await referencePages();
  const ofVersions = new Map(versions.flatMap((version) => version.pages));
  api = await apiReference({
    folder: join(staged, ".vitepress", "api"),
    guides: [...guidePages(root)].filter(([name]) => isGuide(name)),
    types: ofVersions.get(`reference/${current}/types.md`),
  });
  const pages = new Map([...linkedGuides(), ...api.pages, ...ofVersions]);
  writePages(pages);
  const groups = ["index.md", "contributing.md"].flatMap((name) => groupsOf(pages.get(name) ?? ""));
  write(
    ".vitepress/navigation.json",
    JSON.stringify({
      groups,
      modules: api.modules,
      versions: versions.map(({ id, title }) => ({ id, title })),
    }),
  );
  write(
    ".vitepress/config.mjs",
    `export { default } from ${JSON.stringify(join(here, "config.mjs"))};\n`,
  );
  copyImages(staged);
  cpSync(join(here, "public"), join(staged, "public"), { recursive: true });
  cpSync(join(here, "theme"), join(staged, ".vitepress", "theme"), { recursive: true });
  return { pages, groups, modules: api.modules, versions };
}

/** Copies the images of the pages to a folder of pages. */
export function copyImages(folder) {
  for (const name of ["growth", "pictures"])
    cpSync(join(root, "docs", name), join(folder, name), { recursive: true });
}

/** Writes the pages of the repository again, after a change. */
export function restage() {
  writePages(linkedGuides());
}

/**
 * The pages of the repository, with links from guides to the reference of the library and to the
 * files of other pages.
 */
function linkedGuides() {
  const pages = guidePages(root);
  const files = filesOf(pages);
  return new Map(
    [...pages].map(([name, text]) => [
      name,
      isGuide(name) ? withFileLinks(withApiLinks(text, api), name, files) : text,
    ]),
  );
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
