import { readFileSync, readdirSync } from "node:fs";
import { dirname, join, posix, relative } from "node:path";
import { outsideCode } from "./prose.mjs";
import { generate, loadAssets, specRegistry } from "../../dist/generator/api/index.js";

/**
 * Page that lists the pages by task. It is the start of the site, and with CONTRIBUTING.md the
 * source of its navigation.
 */
const start = "docs/README.md";

/** Pages outside of docs/, by their names in the site. */
const others = {
  "README.md": "readme.md",
  "CONTRIBUTING.md": "contributing.md",
  "CHANGELOG.md": "changelog.md",
};

/** Version whose reference is in the search and in the text for language models. */
export const current = "1.0";

/** Reads the pages of the repository: the text of each page, by its name in the site. */
export function guidePages(root) {
  const docs = readdirSync(join(root, "docs")).filter((file) => file.endsWith(".md"));
  const names = new Map([
    ...docs.map((file) => [`docs/${file}`, `docs/${file}` === start ? "index.md" : file]),
    ...Object.entries(others),
  ]);
  return new Map(
    [...names].map(([path, name]) => [
      name,
      withSiteLinks(readFileSync(join(root, path), "utf8"), path, names),
    ]),
  );
}

/**
 * Rewrites the links of a page: to other pages by their names in the site, and without files that
 * are not pages. Pages that are not in the package are named without a link, and get one.
 */
function withSiteLinks(text, path, names) {
  const linked = (prose) =>
    prose.replaceAll(
      /(?<!!)\[((?:[^[\]`]|`[^`]*`)*)\]\((?!https?:|#)([^)\s#]*)(#[^)\s]*)?\)/g,
      (_, label, target, anchor = "") => {
        const name = names.get(posix.join(dirname(path), target));
        return name === undefined ? label : `[${label}](${name}${anchor})`;
      },
    );
  const named = (prose) =>
    prose.replaceAll(/(?<!\[)`((?:docs\/)?[\w-]+\.md)`/g, (all, target) =>
      names.has(target) ? `[${all}](${names.get(target)})` : all,
    );
  return outsideCode(text, (prose) => named(linked(prose)));
}

/**
 * Generates the reference of each bundled version: the text of each page, by its name in the site.
 */
export async function referencePages() {
  const assets = loadAssets();
  const registry = specRegistry();
  const versions = await Promise.all(
    registry.list().map(async ({ id }) => {
      const { title, files } = await generate(registry.find(id), { targets: ["docs"] }, assets);
      const pages = files.map(({ path, text }) => [
        `reference/${id}/${nameOf(path)}`,
        text.replaceAll("README.md", "index.md"),
      ]);
      return { id, title, pages };
    }),
  );
  return versions;
}

function nameOf(path) {
  return relative("docs", path).replace("README.md", "index.md");
}

/** Returns whether a page explains a task, and is not a list or a history. */
export function isGuide(name) {
  return !["index.md", "changelog.md", "contributing.md"].includes(name);
}

/** Returns whether the search contains a page. */
export function isSearched(name) {
  const parts = ["api", current];
  return (
    !name.startsWith("reference/") || parts.some((part) => name.startsWith(`reference/${part}/`))
  );
}

/** Reads the groups of pages from a page that lists them. */
export function groupsOf(text) {
  return text
    .split(/^## /m)
    .slice(1)
    .map((section) => {
      const [title = ""] = section.split("\n");
      const items = [...section.matchAll(/^- \[([^\]]+)\]\(([^)]+)\): (.*)$/gm)];
      return {
        title,
        pages: items.map(([, label = "", name = "", description = ""]) => ({
          label,
          name,
          description,
        })),
      };
    })
    .filter(({ pages }) => pages.length > 0);
}
