import { join } from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import { packageFolder } from "../../../support/package-folder.js";
import { findingsOf } from "../browser/axe.js";
import { serveFolder, type ServedFolder } from "./served-folder.js";

/** Folder for screenshots, for people who change the site. */
const shots = join(packageFolder, "test", ".out", "site");

/** The screens of people who read the pages. */
const screens = {
  desktop: { viewport: { width: 1440, height: 900 } },
  dark: { viewport: { width: 1440, height: 900 }, colorScheme: "dark" },
  phone: { viewport: { width: 390, height: 844 } },
  "dark-phone": { viewport: { width: 390, height: 844 }, colorScheme: "dark" },
} as const;

/** Defines the tests of the site in a folder, in a browser. */
export function testSite(folder: string, browser: () => Browser): void {
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
    const name = `page${path.replaceAll(/\W+/g, "-")}-${screen}.png`;
    await page.screenshot({ path: join(shots, name) });
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

  it.each(["desktop", "dark", "phone", "dark-phone"] as const)(
    "the pages and the search have no accessibility findings of axe on the screen %s",
    async (screen) => {
      const findings: string[] = [];
      for (const path of pagesOfAKind) {
        const page = await open(path, screen);
        findings.push(...(await findingsOf(page)).map((finding) => `${path}: ${finding}`));
      }
      const page = await open("/tasks.html", screen);
      await page.keyboard.press("Control+k");
      await page.getByRole("searchbox").fill("options of remoteAgent");
      await page.locator(".result").first().waitFor();
      await page.screenshot({ path: join(shots, `search-${screen}.png`) });
      expect([...findings, ...(await findingsOf(page))]).toEqual([]);
    },
  );
}

/** A page of each kind: home, guide, tables, and both references. */
const pagesOfAKind = [
  "/",
  "/tasks.html",
  "/reference/api/kit-client.html",
  "/reference/1.0/types.html",
];
