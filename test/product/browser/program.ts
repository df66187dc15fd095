import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import { chromium, type Browser } from "playwright-core";

/** Path of an installed browser, or `undefined` without a browser. */
export function findBrowser(path = process.env["PATH"] ?? ""): string | undefined {
  const names = ["chromium", "chromium-browser", "google-chrome"];
  const programs = names.flatMap((name) =>
    path.split(delimiter).map((folder) => join(folder, name)),
  );
  return programs.find(isProgram);
}

function isProgram(path: string) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Maximum time that a page may take for what a test waits for, in milliseconds. */
const patienceMs = 100_000;

/** Starts a browser without a window. Its pages have as much time as a busy machine takes. */
export async function startBrowser(executablePath: string): Promise<Browser> {
  const browser = await chromium.launch({ executablePath, timeout: patienceMs });
  const newContext = browser.newContext.bind(browser);
  browser.newContext = async (options) => {
    const context = await newContext(options);
    context.setDefaultTimeout(patienceMs);
    return context;
  };
  const newPage = browser.newPage.bind(browser);
  browser.newPage = async (options) => {
    const page = await newPage(options);
    page.setDefaultTimeout(patienceMs);
    return page;
  };
  return browser;
}
