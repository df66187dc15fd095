import axe from "axe-core";
import type { BrowserContextOptions, Page } from "playwright-core";

/** Screens on which pages are tested. */
export const screens: readonly (readonly [name: string, options: BrowserContextOptions])[] = [
  ["light", {}],
  ["dark", { colorScheme: "dark" }],
  ["phone", { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true }],
];

/** Returns the accessibility findings of axe on a page: the rule and the elements. */
export async function findingsOf(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  const results = await page.evaluate<axe.AxeResults>(
    "axe.run(document, { resultTypes: ['violations'] })",
  );
  return results.violations.map(
    ({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" ")}`,
  );
}
