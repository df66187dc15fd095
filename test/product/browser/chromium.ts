import { build } from "esbuild";
import type { RequestListener } from "node:http";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, it } from "vitest";
import { findBrowser, startBrowser } from "./program.js";

export { findBrowser, startBrowser };

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
