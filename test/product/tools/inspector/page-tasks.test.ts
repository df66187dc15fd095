import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { describeInBrowser } from "../../browser/chromium.js";
import { gatedAgent, question } from "./gated-agent.js";
import { openPage, say, screenshot, startInspectorFor, untilOpen } from "./inspecting.js";

/** Returns the buttons of each turn, and the state that it displays. */
function heads(page: Page): Promise<string[]> {
  return page.evaluate(
    `[...document.querySelectorAll('.turn-head')].map((head) =>
      [...head.querySelectorAll('.state, button')].map((each) => each.textContent).join(' '))`,
  );
}

describeInBrowser("the tasks on the page of the inspector", (browser) => {
  const inspect = async () => {
    const { url, release } = await gatedAgent();
    const opened = await openPage(browser(), await startInspectorFor(url));
    await untilOpen(opened.page);
    const { page } = opened;
    const line = page.locator(".task-line");
    const call = (name: string) => page.locator(".calls .call", { hasText: name });
    const tab = (name: string) => page.getByRole("button", { name, exact: true }).click();
    const turnOf = (index: number) => page.locator(".turn-head").nth(index);
    const report = page.getByRole("region", { name: "Artifact report" });
    return { ...opened, release, line, call, tab, turnOf, report };
  };

  it("a canceled task is displayed once, in the turn of its message", async () => {
    const { page, problems, call, turnOf, report } = await inspect();
    await say(page, "Write");
    await report.getByText("Tea").waitFor();
    await page.getByRole("button", { name: "Cancel" }).click();
    await call("CancelTask").waitFor();
    await turnOf(0).getByText("canceled").waitFor();
    expect(await heads(page)).toEqual(["canceled Copy id Timeline"]);
    expect(await report.count()).toBe(1);
    expect(await report.locator(".text").textContent()).toBe("Tea ");
    await screenshot(page, "canceled");
    expect(problems).toEqual([]);
  });

  it("a second stream of a task continues in the same turn", async () => {
    const { page, problems, release, call, turnOf, report } = await inspect();
    await say(page, "Write");
    await report.getByText("Tea").waitFor();
    await page.getByRole("button", { name: "Subscribe" }).click();
    await call("SubscribeToTask").getByText("1 event").waitFor();
    release();
    await turnOf(0).getByText("completed").waitFor();
    await expect.poll(() => call("running").count()).toBe(0);
    expect(await heads(page)).toEqual(["completed Copy id Timeline"]);
    expect(await report.locator(".text").allTextContents()).toEqual(["Tea and cake"]);
    expect(problems).toEqual([]);
  });

  it("after an answer, all turns and the form display the state of the task", async () => {
    const { page, problems, release, line, turnOf } = await inspect();
    await say(page, "ask");
    await line.getByText("waits for your answer").waitFor();
    await screenshot(page, "question");
    await say(page, "blue");
    await page.locator(".turn").getByText("Painting in blue").waitFor();
    await line.getByText("is working").waitFor();
    expect(await heads(page)).toEqual([
      "working Copy id Timeline",
      "working Copy id Timeline Cancel Subscribe Add webhook",
    ]);
    expect(await page.locator(".turn").getByText(question).count()).toBe(1);
    await screenshot(page, "answered");
    release();
    await turnOf(1).getByText("completed").waitFor();
    expect(await heads(page)).toEqual(["completed Copy id Timeline", "completed Copy id Timeline"]);
    await line.getByText("has ended (completed)").waitFor();
    expect(problems).toEqual([]);
  });

  it("a task waits for an answer again if the call with the answer fails", async () => {
    const { page, line, turnOf } = await inspect();
    await say(page, "ask");
    await line.getByText("waits for your answer").waitFor();
    await page.route("**/fetch", (route) => route.abort());
    await say(page, "blue");
    await page.locator(".turn .note.error").waitFor();
    await line.getByText("waits for your answer").waitFor();
    // The head is drawn in a frame of its own.
    await expect
      .poll(async () => (await heads(page))[1])
      .toBe("input required Copy id Timeline Cancel Subscribe Add webhook");
    await page.unroute("**/fetch");
    await say(page, "green");
    await turnOf(2).getByText("working").waitFor();
  });

  it("a remark about an ended call disappears when the user follows the task again", async () => {
    const { page, report } = await inspect();
    await say(page, "Write");
    await report.getByText("Tea").waitFor();
    await page.getByRole("button", { name: "Stop" }).click();
    const note = page.locator(".note", { hasText: "You have ended this call" });
    await note.waitFor();
    await page.getByRole("button", { name: "Subscribe" }).click();
    await note.waitFor({ state: "hidden" });
    await page.getByRole("button", { name: "Stop" }).waitFor();
  });

  it("the user chooses whether the next message continues the task", async () => {
    const { page, line, turnOf } = await inspect();
    await say(page, "ask");
    await line.getByRole("button", { name: "Start a new task" }).click();
    await line.getByText("Your message starts a new task.").waitFor();
    await say(page, "Write");
    await turnOf(1).getByText("working").waitFor();
    expect(await turnOf(0).locator(".state").textContent()).toBe("input required");
    await line.getByRole("button", { name: "Continue it" }).click();
    await line.getByText("Your message continues it.").waitFor();
    await say(page, "More");
    await turnOf(2).waitFor();
    const ids = await page.evaluate<string[]>(
      "[...document.querySelectorAll('.turn-head code')].map((each) => each.title)",
    );
    expect(ids[2]).toBe(ids[1]);
    expect(ids[1]).not.toBe(ids[0]);
  });

  it("a failed task displays its reason as an error, or that the agent gave none", async () => {
    const { page } = await inspect();
    await say(page, "fail");
    await page.locator(".failure", { hasText: "The printer is out of paper" }).waitFor();
    await say(page, "fail silently");
    await page.locator(".failure", { hasText: "The agent gave no reason" }).waitFor();
    expect(await page.locator(".failure").count()).toBe(2);
    await screenshot(page, "failed");
  });

  it("the titles of Stop and Cancel tell which of them ends the task", async () => {
    const { page, report } = await inspect();
    await say(page, "Write");
    await report.waitFor();
    const titleOf = (name: string) => page.getByRole("button", { name }).getAttribute("title");
    expect(await titleOf("Stop")).toBe("Ends the call. The task continues");
    expect(await titleOf("Cancel")).toBe("Asks the agent to end the task");
  });

  it("Tasks lists at once and marks the task of the chat, and Webhooks has its id", async () => {
    const { page, problems, release, call, tab, turnOf, line } = await inspect();
    await say(page, "fail");
    await turnOf(0).getByText("failed").waitFor();
    await say(page, "Write");
    await turnOf(1).getByText("working").waitFor();
    await tab("Tasks");
    await page.getByText("2 of 2 tasks").waitFor();
    const current = page.locator("tr[aria-current=true]");
    await current.getByText("in the chat").waitFor();
    await current.getByText("working").waitFor();
    await screenshot(page, "tasks-current");
    release();
    // The list displays what the chat knows, without another call.
    await current.getByText("completed").waitFor();
    await tab("Chat");
    await tab("Tasks");
    expect(await call("ListTasks").count()).toBe(1);
    await tab("Webhooks");
    const id = await turnOf(1).locator("code").getAttribute("title");
    expect(await page.getByLabel("Task", { exact: true }).inputValue()).toBe(id);
    await tab("Tasks");
    await page.getByRole("cell", { name: "failed" }).waitFor();
    await page.locator("tr:not([aria-current]) .link").click();
    await line.getByText("has ended (failed)").waitFor();
    expect(await page.locator(".turn-head").count()).toBe(2);
    expect(problems).toEqual([]);
  });

  it("an error of the list of tasks is displayed as an error", async () => {
    const { page, tab } = await inspect();
    await page.route("**/fetch", (route) => route.abort());
    await tab("Tasks");
    await page.locator(".page .problem").waitFor();
  });
});
