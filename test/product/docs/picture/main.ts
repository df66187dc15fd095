import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { packageFolder } from "../../../../support/package-folder.js";
import { startInspector } from "../../../../tools/inspector/server/server.js";
import { findBrowser, startBrowser } from "../../browser/program.js";
import { startAgent } from "./agent.js";

/** Size of the pictures, and the number of their pixels for each pixel of the page. */
const viewport = { width: 1200, height: 750 };
const deviceScaleFactor = 1.5;

const program = findBrowser();
if (program === undefined)
  throw new Error("The pictures require chromium, chromium-browser or google-chrome in the PATH");
const agent = await startAgent();
const inspector = await startInspector({ urls: [agent.url] });
const browser = await startBrowser(program);
try {
  const folder = join(packageFolder, "docs", "pictures");
  mkdirSync(folder, { recursive: true });
  for (const colorScheme of ["light", "dark"] as const) {
    const bytes = await picture(browser, colorScheme);
    writeFileSync(join(folder, `inspector-${colorScheme}.webp`), bytes);
    console.log(`inspector-${colorScheme}.webp: ${String(bytes.length)} bytes`);
  }
} finally {
  await browser.close();
  await inspector.close();
  await agent.close();
}

/** Takes a picture of the inspector after a task with a question and a report. */
async function picture(running: Browser, colorScheme: "light" | "dark") {
  const context = await running.newContext({ viewport, deviceScaleFactor, colorScheme });
  const page = await context.newPage();
  await page.goto(inspector.url);
  await page.locator("body.open").waitFor();
  const box = page.getByRole("textbox", { name: "Message", exact: true });
  await box.fill("Tea");
  await box.press("Enter");
  await page.getByText("waits for your answer").waitFor();
  await box.fill("Ada");
  await box.press("Enter");
  await page.getByText("Here is the report").first().waitFor();
  await page.locator(".state", { hasText: "completed" }).first().waitFor();
  await page.evaluate("document.activeElement?.blur()");
  const png = await page.screenshot({ animations: "disabled" });
  const encoder = await context.newPage();
  const bytes = await asWebP(encoder, png);
  await context.close();
  return bytes;
}

/** Converts a picture to WebP, which Chromium does not offer for screenshots. */
async function asWebP(page: Page, png: Buffer): Promise<Buffer> {
  const url = await page.evaluate<string>(`(async () => {
    const image = new Image();
    image.src = "data:image/png;base64,${png.toString("base64")}";
    await image.decode();
    const { width, height } = image;
    const canvas = Object.assign(document.createElement("canvas"), { width, height });
    canvas.getContext("2d").drawImage(image, 0, 0);
    return canvas.toDataURL("image/webp", 0.8);
  })()`);
  return Buffer.from(url.slice(url.indexOf(",") + 1), "base64");
}
