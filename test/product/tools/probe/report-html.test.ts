import axe from "axe-core";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { htmlReport } from "../../../../tools/probe/report/html.js";
import { outFolder } from "../../../support/output.js";
import { describeInBrowser } from "../../browser/chromium.js";
import { failure, judgedOf, replyAt, unmet } from "./judged.js";

const attack = `</style></pre><script>alert(1)</script><img src="http://a.example/x">"onload='x'`;
const url = "http://agent.example/rpc";

/** A report with failures of all levels on three interfaces, and everything else. */
function wholeReport() {
  const lanes = ["JSONRPC 1.0", "HTTP+JSON 1.0", "GRPC 1.0"];
  const failures = (["must", "should", "may"] as const).flatMap((level) =>
    lanes.map((lane) =>
      failure({
        id: `${level}-rule`,
        level,
        lane,
        replies: [replyAt(url, '{"a":1}', `{"text":"${"long ".repeat(200)}"}`)],
      }),
    ),
  );
  const others = [
    failure({ id: "known-rule", level: "should", expected: "a known failure" }),
    failure({ id: "skipped-rule", state: "skip", reason: "the card requires no extension" }),
    ...lanes.map((lane) => failure({ id: "passed-rule", lane, state: "pass", reason: "" })),
  ];
  const entries = [unmet({ lane: "JSONRPC", actual: "passes on JSONRPC 1.0" })];
  return htmlReport(judgedOf([...failures, ...others], { unmet: entries })).join("\n");
}

describe("the HTML report", () => {
  it("a rule that fails on several interfaces is one entry, and its level is its class", () => {
    const html = wholeReport();
    for (const level of ["must", "should", "may"]) {
      expect(html).toContain(`<h2>Failed rules: ${level} (1)</h2>`);
      expect(html.match(new RegExp(`<details class="${level}">`, "g"))).toHaveLength(1);
    }
    expect(html).toContain("<small>JSONRPC 1.0, HTTP+JSON 1.0, GRPC 1.0</small>");
    expect(html).toContain("<summary>GRPC 1.0 (must, 3.1.3): the same</summary>");
  });

  it("an expected failure has its reason, and the page counts expected failures that did not occur", () => {
    const html = wholeReport();
    expect(html).toContain("<small>JSONRPC 1.0: a known failure</small>");
    expect(html).toContain("<h2>Expected failures that did not occur (1)</h2>");
    expect(html).toContain(
      "<p>3 passed, 9 failed, 1 failed as expected, 1 did not fail as expected, 1 skipped in 1.0 s",
    );
  });

  it("each request and response has a heading", () => {
    const html = wholeReport();
    for (const name of ["Request", "Response", "Repeat"])
      expect(html.match(new RegExp(`<h4>${name}</h4><pre tabindex="0">`, "g"))).toHaveLength(9);
  });

  it("the table has a column for failures, and the page has no scripts and no external resources", () => {
    const html = wholeReport();
    expect(html).toContain('<th scope="col">failed</th><th scope="col">skipped</th>');
    expect(html).toContain("<td>3</td><td>1</td></tr>");
    expect(html).not.toMatch(/<script|<link|<img|\ssrc=|@import|url\(/);
  });

  it("all text of an agent is escaped", () => {
    const hostile = {
      ...{ id: attack, title: attack, section: attack, lane: attack, reason: attack },
      replies: [replyAt(url, attack, attack)],
    };
    const html = htmlReport(
      judgedOf(
        [
          failure(hostile),
          failure({ ...hostile, lane: `${attack} 2`, reason: `${attack} 2` }),
          failure({ ...hostile, lane: `${attack} 3`, state: "skip" }),
          failure({ ...hostile, lane: `${attack} 4`, state: "pass" }),
          failure({ ...hostile, lane: `${attack} 5`, expected: attack }),
        ],
        { unmet: [unmet({ id: attack, lane: attack, actual: attack })] },
      ),
    ).join("\n");
    expect(html).not.toMatch(/<script|<img|"onload/);
    expect(html.match(/<\/style>/g)).toHaveLength(1);
  });
});

const folder = join(outFolder, "probe-report");

describeInBrowser("the HTML report in a browser", (browser) => {
  const screens = [
    ["desktop", { width: 1_200, height: 900 }],
    ["phone", { width: 390, height: 844 }],
  ] as const;
  const forms = screens.flatMap(([screen, viewport]) =>
    (["light", "dark"] as const).map(
      (scheme) => [`${scheme} ${screen}`, viewport, scheme] as const,
    ),
  );

  it.each(forms)(
    "the page on a %s fits its width, has another color for each level, and is accessible",
    async (name, viewport, colorScheme) => {
      const page = await browser().newPage({ viewport, colorScheme });
      await page.setContent(wholeReport());
      mkdirSync(folder, { recursive: true });
      for (const state of ["closed", "open"]) {
        await page.screenshot({ path: join(folder, `${name} ${state}.png`), fullPage: true });
        const fits = await page.evaluate("document.body.scrollWidth <= innerWidth");
        const colors = await page.evaluate<string[]>(
          "['must', 'should', 'may'].map((level) => " +
            "getComputedStyle(document.querySelector(`b.${level}`)).color)",
        );
        expect([fits, new Set(colors).size]).toEqual([true, 3]);
        await page.evaluate(axe.source);
        const { violations } = await page.evaluate<axe.AxeResults>("axe.run(document)");
        expect(violations.map(({ id }) => id)).toEqual([]);
        await page.evaluate(
          "document.querySelectorAll('details').forEach((entry) => (entry.open = true))",
        );
      }
      await page.close();
    },
  );

  it("the table of a report on a phone is as wide as the screen, without scrolling", async () => {
    const page = await browser().newPage({ viewport: { width: 390, height: 844 } });
    await page.setContent(wholeReport());
    const box = "document.querySelector('.scroll')";
    expect(await page.evaluate(`${box}.scrollWidth <= ${box}.clientWidth`)).toBe(true);
    await page.close();
  });
});
