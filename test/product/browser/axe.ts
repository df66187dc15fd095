import axe from "axe-core";
import type { Page } from "playwright-core";

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
