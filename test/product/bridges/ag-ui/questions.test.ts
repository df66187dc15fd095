import { EventType } from "@ag-ui/core";
import { describe, expect, it } from "vitest";
import { eventsIn, inputOf, pageOf, requestOf, served } from "./page.js";

describe("a question of an agent behind a page with AG-UI", () => {
  it("the question is a message and an interrupt, and the next run answers it", async () => {
    const { handler, client } = await served();
    const page = pageOf(handler);
    expect((await page.say("book")).texts).toEqual(["How long?"]);
    expect(page.question).toMatchObject({
      reason: "input_required",
      message: "How long?",
      responseSchema: { properties: { answer: { type: "string" } } },
      metadata: { a2a: { state: "input-required" } },
    });
    const { texts, events } = await page.answer({ answer: "two nights" });
    expect(texts).toEqual(["Oslo: two nights"]);
    expect(events.at(-1)).toMatchObject({ outcome: { type: "success" } });
    expect((await client.listTasks({})).tasks).toHaveLength(1);
    expect(page.agent.state).toEqual({ a2a: {} });
    expect((await page.say("tea")).texts).toEqual(["# Tea\n\nYou said tea"]);
  });

  it.each([
    ["two nights", "Oslo: two nights"],
    [{ approved: true }, 'Oslo: {"approved":true}'],
    [7, "Oslo: 7"],
  ])("the payload %j reaches the agent", async (payload, expected) => {
    const { handler } = await served();
    const page = pageOf(handler);
    await page.say("book");
    expect((await page.answer(payload)).texts).toEqual([expected]);
  });

  it("the interrupt contains the questions for programs", async () => {
    const { handler } = await served();
    const page = pageOf(handler);
    await page.say("mail");
    const questions = [{ id: "c1", tool: "mail" }];
    expect(page.question?.metadata).toMatchObject({ a2a: { questions } });
  });

  it("a client that ignores interrupts answers with its next message", async () => {
    const { handler } = await served();
    const page = pageOf(handler);
    page.agent.state = { theme: "dark" };
    await page.say("book");
    const { id = "" } = page.question ?? {};
    expect(page.agent.state).toEqual({ theme: "dark", a2a: { taskId: id } });
    page.agent.pendingInterrupts = [];
    expect((await page.say("two nights")).texts).toEqual(["Oslo: two nights"]);
    expect(page.agent.state).toEqual({ theme: "dark", a2a: {} });
  });

  it("a question that is canceled cancels the task", async () => {
    const { handler, client } = await served();
    const page = pageOf(handler);
    await page.say("book");
    const { events } = await page.cancel();
    expect(events.at(-1)).toMatchObject({ outcome: { type: "cancelled" } });
    expect((await client.listTasks({})).tasks[0]?.status.state).toBe("TASK_STATE_CANCELED");
    expect((await page.say("tea")).texts).toEqual(["# Tea\n\nYou said tea"]);
  });

  it("a message beside a canceled question begins another task", async () => {
    const { handler, client } = await served();
    const page = pageOf(handler);
    await page.say("book");
    const interruptId = page.question?.id ?? "";
    const resume = [{ interruptId, status: "cancelled" as const }];
    expect((await page.say("tea", { resume })).texts).toEqual(["# Tea\n\nYou said tea"]);
    expect((await client.listTasks({})).tasks).toHaveLength(2);
    // The task has ended by now.
    expect((await page.say("more", { resume })).texts).toEqual(["# Tea\n\nYou said more"]);
  });

  it("a sign-in is an interrupt with its links", async () => {
    const { handler } = await served();
    const page = pageOf(handler);
    await page.say("secret");
    expect(page.question).toMatchObject({
      reason: "auth_required",
      metadata: { a2a: { signInAt: ["https://login.example/x"] } },
    });
    expect(page.question).not.toHaveProperty("responseSchema");
    expect((await page.answer("done")).texts).toEqual(["Signed in: done"]);
  });

  it("a sign-in without a payload follows the task", async () => {
    const { handler, signedIn } = await served();
    const page = pageOf(handler);
    await page.say("link");
    // The user has not signed in yet.
    expect((await page.answer()).events.at(-1)).toMatchObject({ outcome: { type: "interrupt" } });
    const ended = page.answer();
    signedIn.open();
    const { texts, events } = await ended;
    const isEnded = events.at(-1)?.type === EventType.RUN_FINISHED && page.question === undefined;
    expect(isEnded ? texts : (await page.answer()).texts).toEqual(["Welcome"]);
  });

  it("the answer to a task that does not exist ends the run with a sentence", async () => {
    const { handler } = await served();
    const resume = [{ interruptId: "unknown", status: "resolved", payload: "yes" }];
    const response = await handler(requestOf(inputOf("tea", { resume })));
    const events: unknown[] = [];
    for await (const event of eventsIn(response)) events.push(event);
    expect(events.at(-1)).toMatchObject({ type: "RUN_ERROR", code: "call-failed" });
    expect(JSON.stringify(events.at(-1))).toContain("The agent refused the call: ");
  });
});
