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
    failure({ id: "known-rule", expected: "a known failure" }),
    failure({ id: "skipped-rule", state: "skip", reason: "the card requires no extension" }),
    ...lanes.map((lane) => failure({ id: "passed-rule", lane, state: "pass", reason: "" })),
  ];
  return htmlReport(judgedOf([...failures, ...others])).join("\n");
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
  it.each([
    ["desktop", { width: 1_200, height: 900 }, "light"],
    ["phone", { width: 390, height: 844 }, "light"],
    ["dark phone", { width: 390, height: 844 }, "dark"],
  ] as const)(
    "the page on a %s fits its width, has another color for each level, and is accessible",
    async (name, viewport, colorScheme) => {
      const page = await browser().newPage({ viewport, colorScheme });
      await page.setContent(wholeReport());
      await page.evaluate(
        "document.querySelectorAll('details').forEach((entry) => (entry.open = true))",
      );
      const fits = await page.evaluate("document.body.scrollWidth <= innerWidth");
      const colors = await page.evaluate<string[]>(
        "['must', 'should', 'may'].map((level) => " +
          "getComputedStyle(document.querySelector(`b.${level}`)).color)",
      );
      expect([fits, new Set(colors).size]).toEqual([true, 3]);
      mkdirSync(folder, { recursive: true });
      await page.screenshot({ path: join(folder, `${name}.png`) });
      await page.evaluate(axe.source);
      const { violations } = await page.evaluate<axe.AxeResults>("axe.run(document)");
      expect(violations.map(({ id }) => id)).toEqual([]);
      await page.close();
    },
  );
});
