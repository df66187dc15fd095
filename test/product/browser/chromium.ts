import { build } from "esbuild";
import { accessSync, constants } from "node:fs";
import type { RequestListener } from "node:http";
import { delimiter, join } from "node:path";
import { chromium, type Browser } from "playwright-core";
import { afterAll, beforeAll, describe, it } from "vitest";

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

/** Starts a browser without a window. */
export async function startBrowser(executablePath: string): Promise<Browser> {
  return await chromium.launch({ executablePath });
}

/**
 * Defines tests that share a browser, or one skipped test with the reason if no browser is
 * installed.
 */
export function describeInBrowser(title: string, define: (browser: () => Browser) => void): void {
  const program = findBrowser();
  describe(title, () => {
    if (program === undefined) {
      it.skip("the tests require chromium, chromium-browser or google-chrome in the PATH");
      return;
    }
    let browser: Browser;
    beforeAll(async () => {
      browser = await startBrowser(program);
    });
    afterAll(() => browser.close());
    define(() => browser);
  });
}

/**
 * Serves one page for every path. Its script is a module with what it imports; `module` is what the
 * page calls it.
 */
export async function pageListener(entryPoint: string): Promise<RequestListener> {
  const { outputFiles } = await build({
    entryPoints: [entryPoint],
    bundle: true,
    format: "iife",
    globalName: "module",
    platform: "browser",
    write: false,
    logLevel: "error",
  });
  const html = `<!doctype html><meta charset="utf-8"><script>${outputFiles[0]?.text ?? ""}</script>`;
  return (_request, response) => void response.setHeader("content-type", "text/html").end(html);
}
