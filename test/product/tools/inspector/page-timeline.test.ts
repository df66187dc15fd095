import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { describeInBrowser } from "../../browser/chromium.js";
import { openPage, say, screenshot, startInspectorFor, untilOpen } from "./inspecting.js";
import { storiedAgent } from "./storied-agent.js";

/** Returns the entries of the timeline, without their times. */
async function entriesOf(page: Page): Promise<string[]> {
  const texts = await page.locator(".entry .what").allTextContents();
  return texts.map((text) =>
    text
      .replace(/[\d.]+ m?s\b/g, "?")
      .replace(/\s+/g, " ")
      .trim(),
  );
}

describeInBrowser("the timeline on the page of the inspector", (browser) => {
  const inspect = async (options: Parameters<typeof openPage>[2] = {}) => {
    const { url, release } = await storiedAgent();
    const opened = await openPage(browser(), await startInspectorFor(url), options);
    await untilOpen(opened.page);
    const { page } = opened;
    const head = page.locator(".turn-head").last();
    const open = () => head.getByRole("button", { name: "Timeline", exact: true }).press("Enter");
    const state = (name: string) => page.locator(".timeline-head .state", { hasText: name });
    return { ...opened, release, open, state };
  };

  it("the timeline joins all calls of a task, while it works and when it has ended", async () => {
    const { page, problems, release, open, state } = await inspect();
    await say(page, "Write");
    await page.locator(".task-line").getByText("waits for your answer").waitFor();
    await say(page, "For Ada");
    await page.locator(".turn").getByText("Reading 3 pages").waitFor();
    await open();
    expect(await page.evaluate("document.activeElement.textContent")).toBe("Timeline");
    await state("working").waitFor();
    await page.locator(".entry", { hasText: "so far" }).waitFor();
    release();
    await state("completed").waitFor();
    await expect
      .poll(() => entriesOf(page))
      .toEqual([
        "You Write",
        "submitted for ?",
        "input required for ? For whom?",
        "You For Ada",
        "working for ? Searching the web",
        "Progress Reading 3 pages about tea",
        expect.stringMatching(/^Artifact report\.md 7 chunks, 30 B/) as string,
        "Artifact sources.json 11 B",
        "completed The report is ready",
      ]);
    const bar = await page
      .getByRole("img", { name: /^States: submitted/ })
      .getAttribute("aria-label");
    expect(bar?.replaceAll(/[\d.]+ m?s\b/g, "?")).toBe(
      "States: submitted ?, input required ?, working ?, completed",
    );
    await page.getByRole("list", { name: "Entries of the timeline" }).waitFor();
    await screenshot(page, "timeline");
    expect(problems).toEqual([]);
  });

  it("the timeline tells that the user has ended a call, or canceled the task", async () => {
    const { page, problems, open, state } = await inspect();
    await say(page, "Write");
    await page.locator(".task-line").getByText("waits for your answer").waitFor();
    await say(page, "For Ada");
    await page.locator(".turn").getByText("Reading 3 pages").waitFor();
    await page.getByRole("button", { name: "Stop" }).click();
    await page.locator(".note", { hasText: "You have ended this call" }).waitFor();
    await page.getByRole("button", { name: "Cancel" }).click();
    await page.locator(".turn-head").last().getByText("canceled").waitFor();
    await open();
    await state("canceled").waitFor();
    expect((await entriesOf(page)).slice(-3)).toEqual([
      "You ended the call",
      "You canceled the task",
      "canceled",
    ]);
    expect(problems).toEqual([]);
  });

  it("the timeline has the webhooks of the task, and the requests that they receive", async () => {
    const { page, problems, release, open } = await inspect();
    await say(page, "Write");
    await page.getByRole("button", { name: "Add webhook" }).click();
    await page.getByText("The agent has added webhook").waitFor();
    await page.getByRole("button", { name: "Chat", exact: true }).click();
    release();
    await say(page, "For Ada");
    await page.locator(".turn").getByText("The report is ready").waitFor();
    await open();
    await page.locator(".entry", { hasText: /Webhook registered\s*http:/ }).waitFor();
    const received = page.locator(".entry", { hasText: "Webhook received" });
    await received.getByText("status COMPLETED: The report is ready").waitFor();
    await received
      .getByText(/artifact report\.md/)
      .first()
      .waitFor();
    expect(problems).toEqual([]);
  });

  it("the timeline of a task in the list asks the agent, and knows no times before", async () => {
    const { page, problems, release, state } = await inspect();
    release();
    await say(page, "Write");
    await page.locator(".task-line").getByText("waits for your answer").waitFor();
    await page.reload();
    await untilOpen(page);
    await page.getByRole("button", { name: "New conversation" }).click();
    await page.getByRole("button", { name: "Tasks", exact: true }).click();
    await page.getByRole("button", { name: /^Timeline of task/ }).click();
    await state("input required").waitFor();
    expect(await page.locator(".entry time").first().textContent()).toMatch(/^before \d\d:/);
    expect((await entriesOf(page))[0]).toBe("Message from the user Write");
    expect(problems).toEqual([]);
  });

  it.each([
    ["desktop", {}],
    ["phone", { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true }],
  ] as const)(
    "the timeline displays thousands of entries in parts, and fits a %s screen",
    async (name, options) => {
      const { page, problems, open, state } = await inspect(options);
      await say(page, "many");
      await page.locator(".turn-head .state", { hasText: "completed" }).waitFor();
      await open();
      await state("completed").waitFor();
      const more = page.getByRole("button", { name: /^Show more \(4,\d\d\d more entries\)$/ });
      await more.waitFor();
      const count = await page.locator(".entry").count();
      expect(count).toBe(200);
      await more.click();
      expect(await page.locator(".entry").count()).toBe(count + 200);
      expect((await entriesOf(page)).at(-1)).toBe("completed");
      const width = await page.evaluate<number>(
        "document.documentElement.scrollWidth - innerWidth",
      );
      expect(width).toBeLessThanOrEqual(0);
      await screenshot(page, `${name}-timeline-many`);
      expect(problems).toEqual([]);
    },
  );

  it("an event of a call that the recorder has deleted does not return to the list of calls", async () => {
    const { page, problems, release, open, state } = await inspect();
    await say(page, "Write");
    await page.locator(".task-line").getByText("waits for your answer").waitFor();
    await say(page, "For Ada");
    await page.locator(".turn").getByText("Reading 3 pages").waitFor();
    await open();
    await state("working").waitFor();
    const readAgain = page.getByRole("button", { name: "Read again" });
    await readAgain.evaluate((button: { click(): void }) => {
      for (let count = 0; count < 200; count += 1) button.click();
    });
    const calls = page.locator(".calls .call");
    await calls.filter({ hasText: "SendStreamingMessage" }).first().waitFor({ state: "detached" });
    release();
    await page.getByRole("button", { name: "Chat", exact: true }).click();
    await page.locator(".turn").getByText("The report is ready").waitFor();
    expect(await calls.count()).toBe(200);
    expect(await calls.first().textContent()).toContain("GetTask");
    expect(problems).toEqual([]);
  });

  it("the timeline explains that it is empty without a task", async () => {
    const { page } = await inspect();
    await page.getByRole("button", { name: "Timeline", exact: true }).click();
    await page.getByText("Its timeline appears here").waitFor();
    expect(await page.locator(".period-bar").isVisible()).toBe(false);
  });
});
