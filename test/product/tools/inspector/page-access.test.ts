import { expect, it, onTestFinished } from "vitest";
import { startEchoAgent } from "../../../../examples/echo-agent/server.js";
import { findingsOf, screens } from "../../browser/axe.js";
import { describeInBrowser } from "../../browser/chromium.js";
import { gatedAgent } from "./gated-agent.js";
import {
  openDetails,
  openPage,
  say,
  screenshot,
  startInspectorFor,
  untilOpen,
} from "./inspecting.js";

describeInBrowser("the page of the inspector", (browser) => {
  const inspect = async (options: Parameters<typeof openPage>[2]) => {
    const agent = await startEchoAgent({ onError: () => undefined });
    onTestFinished(() => agent.close());
    const { page } = await openPage(browser(), await startInspectorFor(agent.url), options);
    await untilOpen(page);
    return page;
  };

  it.each(screens)(
    "the page has no accessibility findings of axe in any view, with a %s screen",
    async (name, options) => {
      const page = await inspect(options);
      const isPhone = name === "phone";
      const show = async (area: string) => {
        if (isPhone) await page.getByRole("button", { name: area, exact: true }).click();
      };
      await page
        .getByText(/^responds, /)
        .nth(1)
        .waitFor({ state: isPhone ? "attached" : "visible" });
      await show("Agent");
      await openDetails(page);
      await screenshot(page, `${name}-agent`);
      expect(await findingsOf(page)).toEqual([]);
      await show("Talk");
      await say(page, "Hello");
      await page.locator(".state", { hasText: "completed" }).waitFor();
      await say(page, "ask What is your name?");
      await page.getByText("waits for your answer").waitFor();
      await screenshot(page, `${name}-talk`);
      expect(await findingsOf(page)).toEqual([]);
      for (const tab of ["Tasks", "Timeline", "Webhooks"]) {
        const group = page.getByRole("group", { name: "View" });
        await group.getByRole("button", { name: tab }).click();
        if (tab === "Tasks") await page.getByRole("cell").first().waitFor();
        if (tab === "Timeline") await page.locator(".entry").nth(2).waitFor();
        await screenshot(page, `${name}-${tab.toLowerCase()}`);
        expect(await findingsOf(page)).toEqual([]);
      }
      await show("Calls");
      await page
        .getByRole("button", { name: /^SendStreamingMessage/ })
        .first()
        .click();
      for (const part of ["Events", "Request", "Response", "curl"]) {
        await page
          .getByRole("group", { name: "Part of the call" })
          .getByRole("button", { name: part })
          .click();
        if (part === "Events") {
          await page
            .getByRole("option", { name: /status WORKING/ })
            .first()
            .click();
          await page.locator(".event .json-key").first().waitFor();
        }
        await screenshot(page, `${name}-${part.toLowerCase()}`);
        expect(await findingsOf(page)).toEqual([]);
      }
    },
  );

  it.each(screens)(
    "the page has no accessibility findings after an answer, a cancel and a failure, with a %s screen",
    async (name, options) => {
      const agent = await gatedAgent();
      const { page } = await openPage(browser(), await startInspectorFor(agent.url), options);
      await untilOpen(page);
      const line = page.locator(".task-line");
      for (const [text, state] of [
        ["ask", "waits for your answer"],
        ["blue", "is working"],
      ] as const) {
        await say(page, text);
        await line.getByText(state).waitFor();
        await screenshot(page, `${name}-${text}`);
        expect(await findingsOf(page)).toEqual([]);
      }
      await page.getByRole("button", { name: "Cancel" }).click();
      await line.getByText("has ended (canceled)").waitFor();
      await screenshot(page, `${name}-canceled`);
      await say(page, "fail");
      await page.locator(".failure").waitFor();
      await say(page, "fail silently");
      await page.getByText("The agent gave no reason").waitFor();
      await screenshot(page, `${name}-failed`);
      expect(await findingsOf(page)).toEqual([]);
    },
  );

  it("the page is usable by keyboard alone, from the URL to an event of the answer", async () => {
    const page = await inspect({});
    const press = async (key: string, until: string) => {
      for (let presses = 0; presses < 60; presses += 1) {
        if (
          await page.evaluate(`document.activeElement?.matches(${JSON.stringify(until)}) === true`)
        )
          return;
        await page.keyboard.press(key);
      }
      throw new Error(`${key} does not lead to ${until}`);
    };
    await press("Tab", "#url");
    await press("Tab", "input[type=radio]");
    await press("ArrowDown", "input[type=radio][value='1']");
    expect(await page.getByRole("radio", { name: "HTTP+JSON" }).isChecked()).toBe(true);
    await press("Tab", "textarea[name=message]");
    await page.keyboard.type("By keyboard");
    await page.keyboard.press("Enter");
    await page.locator(".state", { hasText: "completed" }).waitFor();
    await press("Tab", "[role=listbox]");
    await page.keyboard.press("ArrowDown");
    await page.locator(".event").getByText("TASK_STATE_SUBMITTED").waitFor();
    expect(await page.locator("#live").textContent()).toBe("Task completed");
  });
});
