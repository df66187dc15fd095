import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, readdirSync } from "node:fs";
import { extname, join, posix } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import MiniSearch from "minisearch";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { packageFolder } from "../../../support/package-folder.js";
import { specRegistry } from "../../../generator/input/registry.js";
import { outFolder } from "../../support/output.js";
import { searchOptions } from "../../../build/site/theme/search.mjs";
import { describeInBrowser } from "../browser/chromium.js";
import { links, readDocument } from "./markdown.js";
import { pagesBelow } from "./pages.js";
import { serveFolder, type ServedFolder } from "./served-folder.js";

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

describe("the search of the site", () => {
  let index: MiniSearch;

  beforeAll(async () => {
    const chunks = join(folder, "assets", "chunks");
    const file = readdirSync(chunks).find((name) => name.startsWith("@localSearchIndexroot"));
    const { default: json } = (await import(
      pathToFileURL(join(chunks, file ?? "no index")).href
    )) as { default: string };
    const fields = ["title", "titles", "text"];
    index = MiniSearch.loadJSON(json, { fields, storeFields: ["title", "titles"], searchOptions });
  });

  it.each([
    ["how do I cancel", "/tasks.html#cancel"],
    ["cancel a task", "/tasks.html#cancel"],
    ["deploy on kubernetes", "/deployment.html#kubernetes"],
    ["how to deploy", "/deployment.html#deployment"],
    ["upload a file", "/client.html#files"],
    ["protect with OAuth", "/authentication.html#authentication"],
    ["next.js", "/next.html#nextjs"],
    ["nextjs", "/next.html#nextjs"],
    ["test my agent", "/testing.html#testing"],
    ["resume after a crash", "/tasks.html#crashes"],
    ["use langgraph", "/langgraph.html#langgraph"],
    ["langgraph", "/langgraph.html#langgraph"],
    ["which errors does sendMessage throw", "/client.html#errors"],
    ["call an old agent", "/versions.html#a-client-for-agents-of-every-version"],
    ["docker", "/containers.html#containers"],
    ["webhooks", "/push.html#push-notifications"],
    ["install", "/getting-started.html#getting-started"],
    ["cors", "/server.html#pages-of-other-origins"],
    ["CancelTask", "/reference/1.0/operations.html#canceltask"],
  ])("the first result for %j is %s", (question, page) => {
    expect(index.search(question)[0]?.id).toBe(page);
  });

  it("words that say nothing find nothing, and short words find themselves only", () => {
    expect(index.search("how do I with the in my a")).toEqual([]);
    const found = new Set(index.search("js").flatMap(({ terms }) => terms));
    expect([...found]).toEqual(["js"]);
  });
});

describeInBrowser("the documentation in a browser", (browser) => {
  let site: ServedFolder;
  beforeAll(async () => {
    site = await serveFolder(folder);
  });
  afterAll(() => {
    site.close();
  });

  /** Opens a page, with a screenshot of it in the output of the tests. */
  async function open(path: string, screen: keyof typeof screens = "desktop") {
    const page = await browser().newPage(screens[screen]);
    onTestFinished(() => page.close());
    await page.goto(site.url + path, { waitUntil: "networkidle" });
    const name = `site${path.replaceAll(/\W+/g, "-")}-${screen}.png`;
    await page.screenshot({ path: join(outFolder, name) });
    return page;
  }

  it("the search finds a section, and the browser reports no error", async () => {
    const page = await browser().newPage();
    onTestFinished(() => page.close());
    const problems: string[] = [];
    page.on("pageerror", ({ message }) => problems.push(message));
    page.on("console", (message) => {
      if (message.type() === "error") problems.push(message.text());
    });
    await page.goto(`${site.url}/`);
    await page.getByRole("button", { name: "Search" }).first().click();
    await page.getByRole("searchbox").fill("ownership of tasks");
    const found = page.getByRole("option").or(page.locator(".result")).first();
    await found.waitFor();
    expect(await found.textContent()).toContain("Ownership");
    // The letters of a word are not marked in other words.
    await page.getByRole("searchbox").fill("how do I cancel a task");
    await page
      .locator("mark", { hasText: /^cancel$/i })
      .first()
      .waitFor();
    const marked = await page.locator("mark").allTextContents();
    expect(marked.filter((text) => !/^(?:cancel|task)/i.test(text))).toEqual([]);
    expect(problems.filter((text) => !text.includes("404"))).toEqual([]);
  });

  it.each(["/tasks.html", "/stores.html", "/reference/1.0/types.html"])(
    "on a phone, %s and its tables are not wider than the screen, and cells have labels",
    async (path) => {
      const page = await open(path, "phone");
      const wide = await page.evaluate<string[]>(`
        [document.documentElement, ...document.querySelectorAll(".vp-doc table")]
          .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth + 1)
          .map(({ textContent }) => textContent.slice(0, 100))`);
      expect(wide).toEqual([]);
      const unlabeled = await page.evaluate<string[]>(`
        [...document.querySelectorAll(".vp-doc tr")]
          .filter(({ children }) => children.length > 2)
          .flatMap(({ children }) => [...children].slice(1))
          .filter((cell) => cell.tagName === "TD" && !cell.hasAttribute("data-label"))
          .map(({ textContent }) => textContent)`);
      expect(unlabeled).toEqual([]);
      const rows = await page.getByRole("row").count();
      expect(rows).toBeGreaterThan(20);
    },
  );

  it.each(["/tasks.html", "/stores.html", "/client.html", "/server.html"])(
    "on a desktop, lines of up to 90 columns fit into the blocks of code at %s",
    async (path) => {
      const page = await open(path);
      const cut = await page.evaluate<string[]>(`
        [...document.querySelectorAll(".vp-doc pre")]
          .filter(({ textContent }) => textContent.split("\\n").every(({ length }) => length <= 90))
          .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)
          .map(({ textContent }) => textContent)`);
      expect(cut).toEqual([]);
    },
  );

  it.each(["desktop", "phone", "dark"] as const)(
    "the diagrams have labels of 12 pixels on the screen %s, and scroll if they are wider",
    async (screen) => {
      const page = await open("/tasks.html", screen);
      const image = page.locator(".diagram img:visible");
      expect(await image.count()).toBe(1);
      const svg = Buffer.from(
        (await image.getAttribute("src"))?.split(",")[1] ?? "",
        "base64",
      ).toString();
      const sizes = [...svg.matchAll(/ font-size="(\d+)"/g)].map(([, size]) => Number(size));
      const width = Number(/ width="([\d.]+)"/.exec(svg)?.[1]);
      const scale = ((await image.boundingBox())?.width ?? 0) / width;
      expect(Math.min(...sizes) * scale).toBeGreaterThanOrEqual(12);
      const overflow = await page.evaluate<unknown[]>(`
        [...document.querySelectorAll(".diagram")].flatMap((box) =>
          [box.scrollWidth > box.clientWidth, getComputedStyle(box).overflowX])`);
      expect(overflow).toEqual([screen === "phone", "auto"]);
    },
  );
});

/** The screens of people who read the pages. */
const screens = {
  desktop: { viewport: { width: 1440, height: 900 } },
  dark: { viewport: { width: 1440, height: 900 }, colorScheme: "dark" },
  phone: { viewport: { width: 390, height: 844 } },
} as const;

/** Returns the file of a link, which may have no extension or end in a slash. */
function pathOf(link: string, file: string) {
  const path = link.startsWith("/") ? link.slice(1) : posix.join(posix.dirname(file), link);
  if (path === "" || path.endsWith("/")) return posix.join(path, "index.html");
  return extname(path) === ".html" ? path : `${path}.html`;
}

function decoded(text: string) {
  return text.replaceAll("&amp;", "&");
}
