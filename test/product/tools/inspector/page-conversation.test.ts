import axe from "axe-core";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import {
  readConversation,
  writeConversation,
} from "../../../../tools/agents/conversation/index.js";
import { temporaryFolder } from "../../../support/temporary-folder.js";
import { describeInBrowser } from "../../browser/chromium.js";
import { earlierAgent, echoAgent } from "./command.js";
import { hostileConversation } from "./exporting.js";
import { openPage, say, screenshot, startInspectorFor, untilOpen } from "./inspecting.js";

const screens = [
  ["light", {}],
  ["dark", { colorScheme: "dark" }],
  ["phone", { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true }],
] as const;

/** Clicks a button whose action downloads a file, and returns its name and its text. */
async function downloadBy(page: Page, button: string) {
  const waiting = page.waitForEvent("download");
  await page.getByRole("button", { name: button, exact: true }).click();
  const download = await waiting;
  return {
    name: download.suggestedFilename(),
    text: readFileSync(await download.path(), "utf8"),
  };
}

describeInBrowser("conversations on the page of the inspector", (browser) => {
  const talk = async (options: Parameters<typeof openPage>[2], ...others: readonly string[]) => {
    const url = await echoAgent();
    const opened = await openPage(browser(), await startInspectorFor(url, ...others), options);
    const { page } = opened;
    await untilOpen(page);
    const click = (name: string) => page.getByRole("button", { name, exact: true }).click();
    if (options?.isMobile === true) await click("Talk");
    const texts = ["Hello", "ask What is your name?", "Ada"];
    for (const [index, text] of texts.entries()) {
      await say(page, text);
      await page.locator(".turn-head").nth(index).locator(".good, .waits").waitFor();
    }
    await click("Replay");
    const replayed = page.locator(".replayed > li");
    return { ...opened, click, replayed, url };
  };
  const replay = (page: Page) =>
    page.locator(".page button.primary", { hasText: "Replay" }).click();

  it.each(screens)(
    "a replay displays each turn without findings of axe, with a %s screen",
    async (name, options) => {
      const { page, replayed, problems } = await talk(options);
      await page.getByText("3 messages, without headers, ids and times").waitFor();
      await replay(page);
      await page.getByText("The agent responds as saved (versions 1.0 and 1.0)").waitFor();
      expect(await replayed.locator("strong").allTextContents()).toEqual(["same", "same", "same"]);
      await screenshot(page, `${name}-replay`);
      await page.evaluate(axe.source);
      const { violations } = await page.evaluate<axe.AxeResults>("axe.run(document)");
      expect(violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html ?? ""}`)).toEqual([]);
      expect(problems).toEqual([]);
    },
  );

  it("the conversation is saved to a file, and exported as tests", async () => {
    const { page } = await talk({});
    const { name, text } = await downloadBy(page, "Save");
    expect(name).toBe("conversation-echo-agent.json");
    const conversation = readConversation(text);
    expect(conversation.turns).toHaveLength(3);
    expect(conversation.turns[2]?.message).toMatchObject({ taskId: "task-2" });
    const agentTest = await downloadBy(page, "Export as a test of the agent");
    expect(agentTest.name).toBe("conversation-echo-agent.test.ts");
    expect(agentTest.text).toContain("{ taskId: turn2.task?.id }");
    const callerTest = await downloadBy(page, "Export as a test of a caller");
    expect(callerTest.name).toBe("conversation-echo-agent.caller.test.ts");
    expect(callerTest.text).toContain("scriptedAgent({");
  });

  it("the previous conversation is replayed against another agent, event by event too", async () => {
    const other = await earlierAgent();
    const { page, replayed, click, problems } = await talk({}, other);
    await page.getByLabel("URL of an agent").fill(other);
    await click("Open");
    await page.getByText("The messages of the previous conversation").waitFor();
    await replay(page);
    await page.getByText("(versions 1.0 and 0.3").waitFor();
    expect(await replayed.locator("strong").allTextContents()).toHaveLength(3);
    await page.getByLabel("Compare each event, too").check();
    await screenshot(page, "replay-differences");
    expect(await page.locator("#calls .call").count()).toBeGreaterThan(3);
    expect(problems).toEqual([]);
  });

  it("a file is replayed, and a file of someone else cannot do more than send its messages", async () => {
    const { page, replayed, problems } = await talk({});
    const folder = temporaryFolder();
    const write = (name: string, text: string): string => {
      writeFileSync(join(folder, name), text);
      return join(folder, name);
    };
    const choose = (path: string) => page.setInputFiles("#conversation-file", path);
    const { text } = await downloadBy(page, "Save");
    await choose(write("edited.json", text.replaceAll('"Hello"', '"Good-bye"')));
    await page.getByText("The messages of edited.json are sent to this agent").waitFor();
    await replay(page);
    await page.getByText("3 messages differ").or(page.getByText("responds as saved")).waitFor();
    await choose(write("wrong.json", text.replace('"parts": [', '"parts": [1, ')));
    await page.locator(".note.error", { hasText: "/turns/0/message/parts/0 must be" }).waitFor();
    await choose(write("hostile.json", writeConversation(hostileConversation())));
    await page.getByText("The messages of hostile.json").waitFor();
    await replay(page);
    await page.getByText("4 messages differ").or(page.getByText("of 4 messages")).first().waitFor();
    expect(await replayed.count()).toBe(4);
    expect(problems).toEqual([]);
  });

  it("one different message is counted, and a file that cannot be read is an error", async () => {
    const { page, problems } = await talk({});
    const path = join(temporaryFolder(), "edited.json");
    const { text } = await downloadBy(page, "Save");
    writeFileSync(path, text.replace('"text": "Hello"', '"text": "Good-bye"'));
    await page.setInputFiles("#conversation-file", path);
    await page.getByText("The messages of edited.json").waitFor();
    await replay(page);
    await page.getByText("1 of 3 messages differs").waitFor();
    await page.evaluate("Blob.prototype.text = () => Promise.reject(new Error('It has moved'))");
    await page.setInputFiles("#conversation-file", path);
    await page.locator(".page .note.error", { hasText: "It has moved" }).waitFor();
    expect(problems).toEqual([]);
  });

  it("a replay can be stopped, and an unreachable agent is an error", async () => {
    const { page, click } = await talk({});
    await page.route("**/fetch", () => undefined);
    await replay(page);
    await page.getByText("Message 1 of 3").waitFor();
    await page.locator(".page").getByRole("button", { name: "Stop" }).click();
    await page.getByText("You have ended the replay").waitFor();
    await page.unroute("**/fetch");
    await page.route("**/fetch", (route) => route.abort());
    await replay(page);
    await page.locator(".page .note.error").waitFor();
    await click("Chat");
  });
});
