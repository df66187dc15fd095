import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { onTestFinished } from "vitest";
import {
  startInspector,
  type InspectorOptions,
} from "../../../../tools/inspector/server/server.js";
import { packageFolder } from "../../../../support/package-folder.js";

if (!existsSync(join(packageFolder, "dist", "inspector", "page.js.br")))
  throw new Error("There is no build of the inspector: run `npm run build` first");

/** Starts an inspector for one test, with gRPC. */
export async function startInspectorFor(...urls: readonly string[]): Promise<string> {
  const loadGrpc: InspectorOptions["loadGrpc"] = async () =>
    (await import("../../../../tools/inspector/server/grpc-bridge.js")).grpcBridge;
  const inspector = await startInspector({ urls, loadGrpc });
  onTestFinished(() => inspector.close());
  return inspector.url;
}

/** Opens a page, and collects what goes wrong in it. */
export async function openPage(
  browser: Browser,
  url: string,
  options: BrowserContextOptions = {},
): Promise<{ readonly page: Page; readonly problems: string[] }> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, ...options });
  onTestFinished(() => context.close());
  const page = await context.newPage();
  const problems: string[] = [];
  page.on("pageerror", ({ message }) => problems.push(message));
  // A violation of the content security policy is an error in the console.
  page.on("console", (message) => {
    if (message.type() === "error" && !message.text().startsWith("Failed to load resource"))
      problems.push(message.text());
  });
  await page.goto(url);
  return { page, problems };
}

/** Waits until the page has read a card. */
export async function untilOpen(page: Page): Promise<void> {
  await page.locator("body.open").waitFor();
}

/** Opens all parts of the page that are closed at first. */
export async function openDetails(page: Page): Promise<void> {
  await page.evaluate("document.querySelectorAll('details').forEach((each) => (each.open = true))");
}

/** Sends a message on the page. */
export async function say(page: Page, text: string): Promise<void> {
  const box = page.getByRole("textbox", { name: "Message", exact: true });
  await box.fill(text);
  await box.press("Enter");
}

/** Writes a screenshot into test/.out, for people who change the page. */
export async function screenshot(page: Page, name: string): Promise<void> {
  const folder = join(packageFolder, "test", ".out", "inspector");
  mkdirSync(folder, { recursive: true });
  await page.screenshot({ path: join(folder, `${name}.png`) });
}
