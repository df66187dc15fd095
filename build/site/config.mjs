import { readFileSync } from "node:fs";
import { join } from "node:path";
import { defineConfig } from "vitepress";
import { diagram } from "./diagram.mjs";
import { staged } from "./folder.mjs";
import { changeComponents } from "./components.mjs";
import { slugify } from "./slug.mjs";
import { labelCells } from "./tables.mjs";

const { groups, modules, versions } = JSON.parse(
  readFileSync(join(staged, ".vitepress", "navigation.json"), "utf8"),
);

const guide = groups.map(({ title, pages }) => ({
  text: title,
  collapsed: false,
  items: pages.map(({ label, name }) => ({ text: label.replaceAll("`", ""), link: linkOf(name) })),
}));

const library = {
  text: "Library",
  collapsed: false,
  items: [
    { text: "Overview", link: "/reference/api/" },
    ...modules.map(({ title, page }) => ({ text: title, link: `/reference/api/${page}` })),
  ],
};

const reference = versions.map(({ id, title }) => ({
  text: title,
  collapsed: true,
  items: ["overview", "operations", "types", "errors"].map((page) => ({
    text: page.charAt(0).toUpperCase() + page.slice(1),
    link: `/reference/${id}/${page === "overview" ? "" : page}`,
  })),
}));

function linkOf(name) {
  return `/${name.replace(/\.md$/, "")}`;
}

const base = process.env.DOCS_BASE ?? "/";

export default defineConfig({
  title: "a2a-codegen",
  description: "A2A clients and servers for TypeScript, generated from the specification",
  base,
  head: [["link", { rel: "icon", type: "image/svg+xml", href: `${base}favicon.svg` }]],
  srcExclude: ["**/node_modules/**"],
  // Each page starts with its title, as on a forge.
  titleTemplate: ":title · a2a-codegen",
  vite: {
    plugins: [changeComponents],
    // The index of the search, which is only loaded by the first search.
    build: { chunkSizeWarningLimit: 1000 },
  },
  markdown: {
    anchor: { slugify },
    theme: { light: "github-light-high-contrast", dark: "github-dark-high-contrast" },
    // Caddyfiles: no highlighting is known for them.
    languageAlias: { caddy: "nginx" },
    config: extend,
  },
  themeConfig: {
    search: { provider: "local" },
    outline: [2, 3],
    nav: [
      { text: "Guide", link: "/getting-started" },
      { text: "Reference", link: "/reference/api/", activeMatch: "^/reference/" },
      { text: "Changelog", link: "/changelog" },
    ],
    sidebar: { "/reference/": [library, ...reference], "/": guide },
  },
});

/**
 * Adds diagrams, the names of files, and labels of cells to the Markdown of the pages, and keeps
 * `{{` as text.
 */
function extend(md) {
  labelCells(md);
  const { fence, code_inline: code } = md.renderer.rules;
  md.renderer.rules.fence = (tokens, index, options, env, self) => {
    const { info, content } = tokens[index];
    if (info.trim() === "mermaid") return diagram(content);
    const [, file] = / file=(\S+)/.exec(info) ?? [];
    const name = file === undefined ? "" : `<p class="file">${md.utils.escapeHtml(file)}</p>`;
    return name + fence(tokens, index, options, env, self);
  };
  md.renderer.rules.text = (tokens, index) =>
    withoutBraces(md.utils.escapeHtml(tokens[index].content));
  md.renderer.rules.code_inline = (...token) => withoutBraces(code(...token));
}

function withoutBraces(html) {
  return html.replaceAll("{{", "&#123;&#123;");
}
