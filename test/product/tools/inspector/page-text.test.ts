import { expect, it, onTestFinished } from "vitest";
import { startEchoAgent } from "../../../../examples/echo-agent/server.js";
import { describeInBrowser } from "../../browser/chromium.js";
import { findingsOf, screens } from "../../browser/axe.js";
import { openPage, say, screenshot, startInspectorFor, untilOpen } from "./inspecting.js";

/** A report as a model writes it. */
export const report = `# Tea, for Ada

**China** has grown tea for *2,000* years, see [the sources](https://tea.example/history?q=1).
A second line with \`code\`, and https://аpple.example/path.

1. Green tea
   - Longjing
   - Sencha
2. Black tea

> Tea is an act complete in its simplicity.

| Kind | Water | Minutes |
| :--- | ----: | :-----: |
| Green | 70 °C | 2 |
| Black | 95 °C | 4 |

\`\`\`js
const tea = brew({ degrees: 70 });
\`\`\`

---

![A pot](https://tea.example/pot.png) <b>No tag</b> [bad](javascript:window.hit=1)`;

describeInBrowser("texts on the page of the inspector", (browser) => {
  const inspect = async (options: Parameters<typeof openPage>[2] = {}) => {
    const agent = await startEchoAgent({ onError: () => undefined });
    onTestFinished(() => agent.close());
    const opened = await openPage(browser(), await startInspectorFor(agent.url), options);
    await untilOpen(opened.page);
    const artifact = opened.page.getByRole("region", { name: "Artifact echo" }).last();
    return { ...opened, artifact };
  };

  it("the text of an agent is formatted if it is Markdown, and the user can display its source", async () => {
    const { page, problems, artifact } = await inspect();
    const requested: string[] = [];
    page.on("request", (request) => requested.push(new URL(request.url()).origin));
    await say(page, report);
    await page.locator(".state", { hasText: "completed" }).waitFor();
    await artifact.getByRole("heading", { name: "Tea, for Ada" }).waitFor();
    // The page displays the text in steps. This is its end.
    await artifact.getByText("<b>No tag</b> [bad](javascript:window.hit=1)").waitFor();
    expect(await artifact.locator("ol > li").allTextContents()).toEqual([
      "Green teaLongjingSencha",
      "Black tea",
    ]);
    expect(await artifact.locator("ol ul li").allTextContents()).toEqual(["Longjing", "Sencha"]);
    expect(await artifact.getByRole("columnheader").allTextContents()).toEqual([
      "Kind",
      "Water",
      "Minutes",
    ]);
    expect(await artifact.locator("blockquote, strong, em, hr, pre code").count()).toBe(6);
    expect(await artifact.locator("img, b").count()).toBe(0);
    // The user's own text is displayed as it was sent.
    expect(await page.locator(".turn.user .text").textContent()).toBe(report);
    await screenshot(page, "markdown");
    await artifact.getByRole("button", { name: "Source" }).click();
    expect(await artifact.locator(".text").textContent()).toBe(report);
    await artifact.getByRole("button", { name: "Formatted" }).click();
    await artifact.getByRole("heading", { name: "Tea, for Ada" }).waitFor();
    expect(new Set(requested)).toEqual(new Set([new URL(page.url()).origin]));
    expect(problems).toEqual([]);
  });

  it.each(screens)(
    "Markdown and the question about a link have no accessibility findings, with a %s screen",
    async (name, options) => {
      const { page, artifact } = await inspect(options);
      await say(page, report);
      await page.locator(".state", { hasText: "completed" }).waitFor();
      await artifact.getByRole("heading", { name: "Tea, for Ada" }).waitFor();
      expect(await findingsOf(page)).toEqual([]);
      await screenshot(page, `${name}-markdown`);
      await artifact.getByRole("link", { name: "the sources" }).click();
      await page.getByRole("dialog").waitFor();
      await screenshot(page, `${name}-link`);
      expect(await findingsOf(page)).toEqual([]);
    },
  );

  it("a link displays its whole address, and opens in a new tab without access to the page", async () => {
    const { page, artifact } = await inspect();
    const context = page.context();
    await context.route("https://*.example/**", (route) =>
      route.fulfill({ contentType: "text/html", body: "<h1>Tea</h1>" }),
    );
    await say(page, report);
    const link = artifact.getByRole("link", { name: "the sources" });
    const dialog = page.getByRole("dialog");
    for (const button of ["left", "middle"] as const) {
      await link.click({ button });
      expect(await dialog.locator(".whole-url").textContent()).toBe(
        "https://tea.example/history?q=1",
      );
      expect(await dialog.locator(".whole-url strong").textContent()).toBe("tea.example");
      await screenshot(page, "link");
      await dialog.getByRole("button", { name: "Stay here" }).click();
      await dialog.waitFor({ state: "detached" });
    }
    await artifact.getByRole("link", { name: "pple.example" }).click();
    await dialog.getByText("https://xn--pple-43d.example/path").waitFor();
    await page.keyboard.press("Escape");
    expect(context.pages()).toHaveLength(1);
    await link.click();
    const opening = context.waitForEvent("page");
    await dialog.getByRole("link", { name: "Open in a new tab" }).click();
    const opened = await opening;
    await opened.getByRole("heading", { name: "Tea" }).waitFor();
    expect(await opened.evaluate("[window.opener, document.referrer]")).toEqual([null, ""]);
    await dialog.waitFor({ state: "detached" });
  });
});
