import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { aCard } from "../../../support/cards.js";
import { json, listen } from "../../../support/http.js";
import { describeInBrowser } from "../../browser/chromium.js";
import { findingsOf, screens } from "../../browser/axe.js";
import { gatedAgent } from "./gated-agent.js";
import { openPage, say, screenshot, startInspectorFor, untilOpen } from "./inspecting.js";

const [, , [, phone]] = screens as [unknown, unknown, (typeof screens)[number]];

async function boxOf(page: Page, selector: string) {
  const box = await page.locator(selector).boundingBox();
  if (box === null) throw new Error(`${selector} is not visible`);
  return box;
}

describeInBrowser("the layout of the page of the inspector", (browser) => {
  const inspect = async (url: string, options: Parameters<typeof openPage>[2] = {}) => {
    const { page } = await openPage(browser(), await startInspectorFor(url), options);
    await untilOpen(page);
    return page;
  };

  it.each(screens)(
    "the example of a skill fills the message, from the card and from an empty chat, with a %s screen",
    async (name, options) => {
      const skill = { id: "tea", name: "Tea", description: "Makes tea", tags: ["tea"] };
      const skills = [{ ...skill, examples: ["Make green tea", "Make black tea"] }];
      const url = await listen(({ headers }, response) => {
        json(response, aCard(`http://${headers.host ?? ""}/`, { skills }));
      });
      const page = await inspect(url, options);
      const message = page.getByRole("textbox", { name: "Message", exact: true });
      await page.locator("#talk").getByRole("button", { name: "Make green tea" }).click();
      expect(await message.inputValue()).toBe("Make green tea");
      await screenshot(page, `${name}-example`);
      expect(await findingsOf(page)).toEqual([]);
      const isPhone = name === "phone";
      if (isPhone) await page.getByRole("button", { name: "Agent", exact: true }).click();
      else await page.getByRole("button", { name: "Tasks", exact: true }).click();
      await page.locator("#agent").getByRole("button", { name: "Make black tea" }).click();
      // An example replaces an example.
      expect(await message.inputValue()).toBe("Make black tea");
      await message.fill("With milk");
      await page.locator("#talk").getByRole("button", { name: "Make green tea" }).click();
      expect(await message.inputValue()).toBe("With milk\nMake green tea");
    },
  );

  it("the field for the URL has the width of the page", async () => {
    const page = await inspect((await gatedAgent()).url);
    const { x, width } = await boxOf(page, "#address");
    expect(x + width).toBeGreaterThan(1_400);
  });

  it("a phone opens on the chat, whose form takes at most a fifth of the screen", async () => {
    const page = await inspect((await gatedAgent()).url, phone);
    await page.locator(".composer").waitFor();
    expect(await page.locator("#agent").isVisible()).toBe(false);
    await say(page, "ask");
    await page.getByText("waits for your answer").waitFor();
    await screenshot(page, "phone-waits");
    const composer = await boxOf(page, ".composer");
    expect(composer.height).toBeLessThan(844 / 5);
    const [line, restart] = [
      await boxOf(page, ".task-line > span"),
      await boxOf(page, ".task-line > button"),
    ];
    expect(restart.y).toBeLessThan(line.y + line.height);
    await say(page, "blue");
    await page.locator(".turn").getByText("Painting in blue").waitFor();
    await screenshot(page, "phone-running");
    const [stop, send] = [
      await boxOf(page, ".composer .bar > button[title]"),
      await boxOf(page, ".composer .bar > .primary"),
    ];
    expect(stop.y).toBe(send.y);
    expect(send.x + send.width).toBeLessThan(390);
  });

  it("a dialog on a phone has a margin", async () => {
    const { url } = await gatedAgent();
    const other = (await startInspectorFor("http://127.0.0.1:1/")).replace(
      /#.*/,
      `#url=${encodeURIComponent(url)}`,
    );
    const { page } = await openPage(browser(), other, phone);
    const dialog = await boxOf(page, "dialog");
    await screenshot(page, "phone-dialog");
    expect(dialog.x).toBeGreaterThanOrEqual(14);
    expect(dialog.x + dialog.width).toBeLessThanOrEqual(376);
    expect(await findingsOf(page)).toEqual([]);
  });
});
