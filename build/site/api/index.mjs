import { anchors } from "../slug.mjs";
import { importsOf } from "./links.mjs";
import { readExports } from "./read.mjs";
import { apiPages } from "./render.mjs";

/** Number of guides that a page of the reference links to: the guides that use the module most. */
const guidesPerModule = 6;

/**
 * Makes the reference of the library: its pages, its modules, and the functions and classes that
 * guides link to. `folder` gets the output that is read. `guides` are the pages of the site, and
 * `types` is the page of the types of the version.
 */
export async function apiReference({ folder, guides, types }) {
  const { context, modules } = await readExports(folder);
  const uses = [...guides].map(([name, text]) => ({
    imports: importsOf(text),
    link: `[${/^# (.*)$/m.exec(text)?.[1] ?? name}](../../${name})`,
  }));
  const { pages, values } = await apiPages(
    { context, modules },
    {
      types: typeLinks(types),
      guidesOf: ({ specifier }) =>
        uses
          .map(({ imports, link }) => ({ link, count: imports.get(specifier)?.length ?? 0 }))
          .filter(({ count }) => count > 0)
          .toSorted((one, other) => other.count - one.count)
          .slice(0, guidesPerModule)
          .map(({ link }) => link),
      usesOf: (name, { specifier }) =>
        uses.filter(({ imports }) => imports.get(specifier)?.includes(name)).length,
    },
  );
  const items = modules.map(({ title, page, about, specifier }) => ({
    title,
    page,
    about,
    specifier,
  }));
  const named = [["index.md", overview(items)], ...pages];
  return {
    modules: items,
    pages: named.map(([name, text]) => [`reference/api/${name}`, text]),
    values,
  };
}

/** Links to the types of the version, by their names. */
function typeLinks(text) {
  const anchorOf = anchors();
  return new Map(
    [...text.matchAll(/^#+ (.*)$/gm)].map(([, name]) => [
      name,
      `[\`${name}\`](../1.0/types.md#${anchorOf(name)})`,
    ]),
  );
}

function overview(items) {
  const rows = items.map(
    ({ title, page, about, specifier }) =>
      `| [${title}](${page}.md) | \`${specifier}\` | ${about} |`,
  );
  return [
    "# Reference of the library",
    "",
    "All functions, classes and types of an output and of the library, by the module that exports " +
      "them. `./a2a` is the folder of the output. The types of the protocol, such as `Task`, are " +
      "in the [reference of A2A 1.0](../1.0/types.md), and the classes of its errors in its " +
      "[errors](../1.0/errors.md): import both from `./a2a/index.js`.",
    "",
    "| Page | Module | Content |",
    "| --- | --- | --- |",
    ...rows,
    "",
  ].join("\n");
}
