import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, readdirSync } from "node:fs";
import { createServer } from "node:http";
import { once } from "node:events";
import { extname, join, posix } from "node:path";
import { promisify } from "node:util";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { packageFolder } from "../../../support/package-folder.js";
import { specRegistry } from "../../../generator/input/registry.js";
import { outFolder } from "../../support/output.js";
import { describeInBrowser } from "../browser/chromium.js";
import { links, readDocument } from "./markdown.js";
import { pagesBelow } from "./pages.js";

const folder = mkdtempSync(join(outFolder, "site-"));
const versions = specRegistry(packageFolder)
  .list()
  .map(({ id }) => id);
/** The pages of docs/ by their names in the site. */
const guide = pagesBelow("docs").map((page) =>
  page.slice("docs/".length).replace("README", "index"),
);

function read(path: string) {
  return readFileSync(join(folder, path), "utf8");
}

beforeAll(async () => {
  const program = join(packageFolder, "build", "site", "main.mjs");
  await promisify(execFile)(process.execPath, [program, "--out", folder], { cwd: packageFolder });
}, 300_000);

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
    expect(images).toHaveLength(4);
    expect(
      images.filter(
        (src) => !src.startsWith("data:image/svg+xml") && !existsSync(join(folder, src)),
      ),
    ).toEqual([]);
    const linked = [...read("benchmarks.md").matchAll(/!\[[^\]]+\]\(([^)]+)\)/g)].map(
      ([, path = ""]) => path,
    );
    expect(linked).toHaveLength(4);
    expect(linked.filter((path) => !existsSync(join(folder, path)))).toEqual([]);
  });

  it("llms.txt links to each page of the guide and to each reference", () => {
    const listed = links(read("llms.txt"));
    expect(listed.filter((page) => !existsSync(join(folder, page)))).toEqual([]);
    const expected = [
      ...guide.filter((page) => page !== "index.md"),
      ...versions.map((id) => `reference/${id}/index.md`),
    ];
    expect(listed.toSorted()).toEqual(expected.toSorted());
  });

  it("llms-full.txt contains the text of the pages, without the long tables", () => {
    const text = read("llms-full.txt");
    expect(text).toContain(readDocument("docs/tutorial.md").slice(0, 500));
    expect(text).toContain("# Types of A2A 1.0.1");
    expect(text).not.toContain("# Types of A2A 0.3.0");
    expect(text.length).toBeLessThan(870_000);
  });

  it("the site displays diagrams as images, and loads nothing from other hosts", () => {
    const page = read("tutorial.html");
    expect(page.match(/<img class="diagram [^>]*data:image\/svg\+xml;base64,/g)).toHaveLength(2);
    expect(page).not.toContain("language-mermaid");
    const [, image = ""] = /data:image\/svg\+xml;base64,([^"]*)/.exec(page) ?? [];
    expect(Buffer.from(image, "base64").toString()).not.toMatch(
      /@import|https?:(?!\/\/www\.w3\.org)/,
    );
    expect(page).not.toMatch(/<(?:script|link|img)[^>]* (?:src|href)="(?:https?:)?\/\//);
  });
});

describeInBrowser("the documentation in a browser", (browser) => {
  it("the search finds a section, and the browser reports no error", async () => {
    const server = createServer((request, response) => {
      const { pathname } = new URL(request.url ?? "", "http://site.test");
      const file = join(folder, pathname.endsWith("/") ? `${pathname}index.html` : pathname);
      const types: Record<string, string> = {
        ".html": "text/html",
        ".js": "text/javascript",
        ".css": "text/css",
      };
      if (!existsSync(file)) return void response.writeHead(404).end();
      response
        .setHeader("content-type", types[extname(file)] ?? "application/octet-stream")
        .end(readFileSync(file));
    }).listen(0, "127.0.0.1");
    onTestFinished(() => void server.close());
    await once(server, "listening");
    const address = server.address();
    const page = await browser().newPage();
    onTestFinished(() => page.close());
    const problems: string[] = [];
    page.on("pageerror", ({ message }) => problems.push(message));
    page.on("console", (message) => {
      if (message.type() === "error") problems.push(message.text());
    });
    await page.goto(`http://127.0.0.1:${typeof address === "object" ? (address?.port ?? 0) : 0}/`);
    await page.getByRole("button", { name: "Search" }).first().click();
    await page.getByRole("searchbox").fill("ownership of tasks");
    const found = page.getByRole("option").or(page.locator(".result")).first();
    await found.waitFor();
    expect(await found.textContent()).toContain("Ownership");
    expect(problems.filter((text) => !text.includes("404"))).toEqual([]);
  });
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
