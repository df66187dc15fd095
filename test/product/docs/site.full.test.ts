import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, readdirSync, statSync } from "node:fs";
import { extname, join, posix } from "node:path";
import { promisify } from "node:util";
import { beforeAll, describe, expect, it } from "vitest";
import { plots } from "../../../bench/plots.mjs";
import { packageFolder } from "../../../support/package-folder.js";
import { specRegistry } from "../../../generator/input/registry.js";
import { outFolder } from "../../support/output.js";
import { describeInBrowser } from "../browser/chromium.js";
import { codeBlocks, links, readDocument } from "./markdown.js";
import { pagesBelow } from "./pages.js";
import { testSite } from "./site-in-browser.js";
import { describeReference } from "./site-reference.js";
import { describeSearch } from "./site-search.js";

const folder = mkdtempSync(join(outFolder, "site-"));
const versions = specRegistry(packageFolder)
  .list()
  .map(({ id }) => id);
/** The pages of docs/ by their names in the site. */
const guide = pagesBelow("docs").map((page) =>
  page.slice("docs/".length).replace("README", "index"),
);

/** The output of the build. */
let printed = { stdout: "", stderr: "" };

function read(path: string) {
  return readFileSync(join(folder, path), "utf8");
}

beforeAll(async () => {
  const program = join(packageFolder, "build", "site", "main.mjs");
  printed = await promisify(execFile)(process.execPath, [program, "--out", folder], {
    cwd: packageFolder,
  });
}, 600_000);

describe("the documentation as a site", () => {
  it("the site has each page as HTML and as Markdown", () => {
    const reference = versions.flatMap((id) =>
      ["index", "types", "operations", "errors"].map((name) => `reference/${id}/${name}.md`),
    );
    const missing = [...guide, ...reference].flatMap((page) =>
      [page, page.replace(/md$/, "html")].filter((file) => !existsSync(join(folder, file))),
    );
    expect(missing).toEqual([]);
  });

  it("the build prints its steps, and no warnings", () => {
    expect(printed.stderr).not.toMatch(/warn|error|\(!\)|not loaded/i);
    expect(printed.stdout.trim().split("\n").length).toBeLessThan(10);
  });

  it("each page has its title, and its text", () => {
    const empty = guide
      .map((page) => page.replace(/md$/, "html"))
      .filter((page) => !/<h1[^>]*>[^]*<\/h1>/.test(read(page)));
    expect(empty).toEqual([]);
  });

  it("the home page has the commands, an agent, measurements and an icon", () => {
    const html = read("index.html");
    expect(html).toContain("npm");
    expect(html).toContain("taskService");
    expect(html).toMatch(/<link rel="icon"[^>]*favicon\.svg/);
    expect(existsSync(join(folder, "favicon.svg"))).toBe(true);
    expect(html).toMatch(/<td[^>]*>[\d,]+ requests\/s<\/td>/);
  });

  it("the home page has a picture of the inspector for the light and the dark theme", () => {
    for (const theme of ["light", "dark"]) {
      const picture = `docs/pictures/inspector-${theme}.webp`;
      expect(statSync(join(packageFolder, picture)).size).toBeLessThan(150_000);
      const image = new RegExp(`<img class="${theme}-only[^>]* src="/([^"]+\\.webp)" alt="[^"]+"`);
      const [, src = "none"] = image.exec(read("index.html")) ?? [];
      expect(existsSync(join(folder, src))).toBe(true);
    }
  });

  it("the links of each page lead to existing pages and headings", () => {
    const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((file) =>
      file.endsWith(".html"),
    );
    const idsOf = new Map(
      files.map((file) => [
        file,
        new Set([...read(file).matchAll(/ id="([^"]+)"/g)].map(([, id = ""]) => decoded(id))),
      ]),
    );
    const broken = files.flatMap((file) =>
      [...read(file).matchAll(/<a[^>]* href="((?:\/|\.|#)[^"]*)"/g)].flatMap(([, href = ""]) => {
        const [path = "", anchor = ""] = href.split("#");
        const target = path === "" ? file : pathOf(path, file);
        const ids = idsOf.get(target);
        const isFound = ids !== undefined && (anchor === "" || ids.has(decodeURIComponent(anchor)));
        return isFound ? [] : [`${file}: ${href}`];
      }),
    );
    expect(files.length).toBeGreaterThan(guide.length);
    expect(broken).toEqual([]);
  });

  it("the site has the images of its pages, as HTML and as Markdown", () => {
    const images = [...read("benchmarks.html").matchAll(/<img src="([^"]+)" alt="[^"]+"/g)].map(
      ([, src = ""]) => src,
    );
    expect(images).toHaveLength(Object.keys(plots).length);
    expect(
      images.filter(
        (src) => !src.startsWith("data:image/svg+xml") && !existsSync(join(folder, src)),
      ),
    ).toEqual([]);
    const linked = [...read("benchmarks.md").matchAll(/!\[[^\]]+\]\(([^)]+)\)/g)].map(
      ([, path = ""]) => path,
    );
    expect(linked).toHaveLength(Object.keys(plots).length);
    expect(linked.filter((path) => !existsSync(join(folder, path)))).toEqual([]);
  });

  it("llms.txt links to each page of the guide and to each reference", () => {
    const listed = links(read("llms.txt"));
    expect(listed.filter((page) => !existsSync(join(folder, page)))).toEqual([]);
    const expected = [
      ...guide.filter((page) => page !== "index.md"),
      "reference/api/index.md",
      ...versions.map((id) => `reference/${id}/index.md`),
    ];
    expect(listed.toSorted()).toEqual(expected.toSorted());
  });

  it("llms.txt tells how to install and write an agent, and which names to use instead", () => {
    const [start = ""] = read("llms.txt").split("\n## Start\n");
    expect(start).toContain("\nnpm install --save-dev a2a-codegen\nnpx a2a-codegen init --yes");
    const programs = codeBlocks(readDocument("README.md")).map(({ text }) => text);
    const blocks = codeBlocks(start).filter(({ language }) => language === "ts");
    expect(blocks).toHaveLength(2);
    expect(blocks.filter(({ text }) => !programs.includes(text))).toEqual([]);
    // Each name with its module exists.
    const names = [...start.matchAll(/`([a-z]\w+)(?:\([^`]*)?` from `([^`]+)`/g)];
    expect(names.length).toBeGreaterThan(6);
    const index = read("reference/api/index.md");
    const missing = names.filter(([, name, specifier]) => {
      const page = new RegExp(`\\((\\S+)\\) \\| \`${specifier}\``).exec(index)?.[1];
      return page === undefined || !read(`reference/api/${page}`).includes(`\n### ${name}\n`);
    });
    expect(missing).toEqual([]);
  });

  it("llms-full.txt has at most 300,000 bytes, with guides and without tables for people", () => {
    const text = read("llms-full.txt");
    expect(text).toContain("npm install --save-dev a2a-codegen");
    const programs = codeBlocks(readDocument("docs/tutorial.md"));
    expect(programs.length).toBeGreaterThan(5);
    expect(programs.filter((block) => !text.includes(block.text))).toEqual([]);
    expect(text).not.toMatch(/^# (?:Architecture|Threat model|Changelog|Losses|Names of)/m);
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(300_000);
  });

  it("the site displays diagrams as images, and loads nothing from other hosts", () => {
    const page = read("tutorial.html");
    expect(
      page.match(/<img class="(?:light|dark)-only" [^>]*data:image\/svg\+xml;base64,/g),
    ).toHaveLength(2);
    expect(page).not.toContain("language-mermaid");
    const [, image = ""] = /data:image\/svg\+xml;base64,([^"]*)/.exec(page) ?? [];
    expect(Buffer.from(image, "base64").toString()).not.toMatch(
      /@import|https?:(?!\/\/www\.w3\.org)/,
    );
    expect(page).not.toMatch(/<(?:script|link|img)[^>]* (?:src|href)="(?:https?:)?\/\//);
  });
});

describeReference(read, guide);
describeSearch(folder);
describeInBrowser("the documentation in a browser", (browser) => {
  testSite(folder, browser);
});

/** Returns the file of a link, which may have no extension or end in a slash. */
function pathOf(link: string, file: string) {
  const path = link.startsWith("/") ? link.slice(1) : posix.join(posix.dirname(file), link);
  if (path === "" || path.endsWith("/")) return posix.join(path, "index.html");
  return extname(path) === ".html" ? path : `${path}.html`;
}

function decoded(text: string) {
  return text.replaceAll("&amp;", "&");
}
