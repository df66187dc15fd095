import { HttpAgent } from "@ag-ui/client";
import { type Event, EventType } from "@ag-ui/core";
import { createAdaptorServer } from "@hono/node-server";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { eventsIn, inputOf, pageOf, png, requestOf, served } from "./page.js";

describe("an agent behind a page with AG-UI", () => {
  it("the text arrives as a message in chunks, after the progress", async () => {
    const { handler } = await served();
    const { events, texts } = await pageOf(handler).say("tea");
    expect(texts).toEqual(["# Tea\n\nYou said tea"]);
    expect(events.map(({ type }) => type)).toEqual([
      "RUN_STARTED",
      "ACTIVITY_SNAPSHOT",
      "TEXT_MESSAGE_START",
      ...Array.from({ length: 3 }, () => "TEXT_MESSAGE_CONTENT"),
      "TEXT_MESSAGE_END",
      "RUN_FINISHED",
    ]);
    expect(events[1]).toMatchObject({ activityType: "a2a-progress", content: { text: "Reading" } });
    expect(events.at(-1)).toMatchObject({ outcome: { type: "success" } });
  });

  it("a reply without a task is a message", async () => {
    const { handler } = await served();
    expect((await pageOf(handler).say("ping")).texts).toEqual(["pong"]);
  });

  it("the runs of a thread are tasks of one context with the id of the thread", async () => {
    const { handler, client } = await served();
    const page = pageOf(handler, "the-thread");
    await page.say("one");
    expect((await page.say("two")).texts).toEqual(["# Tea\n\nYou said two"]);
    const { tasks } = await client.listTasks({ contextId: "the-thread" });
    expect(tasks).toHaveLength(2);
    expect(page.agent.state).toEqual({});
  });

  it("files and data are activities of the page", async () => {
    const { handler } = await served();
    const { newMessages } = await pageOf(handler).say("picture");
    const file = { raw: png, filename: "a.png", mediaType: "image/png" };
    expect(newMessages).toMatchObject([
      {
        role: "activity",
        activityType: "a2a-file",
        content: { ...file, artifact: { name: "a.png" } },
      },
      {
        role: "activity",
        activityType: "a2a-data",
        content: { data: { cups: 2 }, artifact: { name: "numbers" } },
      },
    ]);
  });

  it("files of the user arrive at the agent", async () => {
    const { handler } = await served();
    const { texts } = await pageOf(handler).say([
      { type: "text", text: "look" },
      {
        type: "image",
        source: { type: "data", value: png, mimeType: "image/png" },
        metadata: { filename: "a.png " },
      },
      {
        type: "document",
        source: { type: "url", value: "https://files.example/b", mimeType: "text/plain" },
      },
    ]);
    expect(texts).toEqual(["# Tea\n\nYou said look a.png image/png text/plain"]);
  });

  it("a replaced text disappears from the page", async () => {
    const { handler } = await served();
    const page = pageOf(handler);
    await page.say("tea");
    const { texts, events } = await page.say("again");
    expect(events.filter(({ type }) => type === EventType.TEXT_MESSAGE_START)).toHaveLength(3);
    expect(texts).toEqual(["Kept", "The report"]);
    expect(page.agent.messages.map(({ role }) => role)).toEqual([
      "user",
      "activity",
      "assistant",
      "user",
      "assistant",
      "assistant",
    ]);
  });

  it("a failed task ends the run with an error", async () => {
    const { handler } = await served();
    expect((await pageOf(handler).say("fail")).failure).toBe("failed: Out of paper");
    expect((await pageOf(handler).say("refuse")).failure).toBe("rejected: Not on Sundays");
  });

  it("the text of an error of the agent does not reach the page", async () => {
    const { handler, errors } = await served();
    const { events, failure } = await pageOf(handler).say("crash");
    expect(failure).toMatch(/^failed: /);
    expect(JSON.stringify(events)).not.toContain("hunter2");
    expect(errors).toHaveLength(1);
  });

  it.each(["the signal of the request", "the reader of the response"])(
    "%s cancels the task",
    async (way) => {
      const { handler, stateOf, aborted } = await served();
      const controller = new AbortController();
      const { signal } = controller;
      const events = eventsIn(await handler(requestOf(inputOf("wait"), { signal })));
      await untilText(events);
      if (way === "the signal of the request") controller.abort();
      else await events.return(undefined);
      await aborted;
      expect(await stateOf()).toBe("TASK_STATE_CANCELED");
    },
  );

  it("a run that the client of AG-UI aborts cancels the task", async () => {
    const { handler, stateOf, aborted } = await served();
    const page = pageOf(handler);
    page.agent.subscribe({
      onTextMessageContentEvent: () => {
        page.agent.abortRun();
      },
    });
    await page.say("wait");
    await aborted;
    expect(await stateOf()).toBe("TASK_STATE_CANCELED");
  });

  it("a page that closes its connection to a server on Node cancels the task", async () => {
    const { handler, stateOf, aborted } = await served();
    const server = createAdaptorServer({
      fetch: (request) => handler(request),
      // Other tests in this process use the classes of Node.
      overrideGlobalObjects: false,
    });
    await once(server.listen(0, "127.0.0.1"), "listening");
    onTestFinished(async () => {
      const closed = once(server.close(), "close");
      if ("closeAllConnections" in server) server.closeAllConnections();
      await closed;
    });
    const { port } = server.address() as AddressInfo;
    const page = new HttpAgent({ url: `http://127.0.0.1:${String(port)}` });
    page.addMessage({ id: "1", role: "user", content: "wait" });
    await page.runAgent({}, { onTextMessageContentEvent: () => page.abortRun() });
    await aborted;
    expect(await stateOf()).toBe("TASK_STATE_CANCELED");
  });

  it("a file with invalid data ends the run with one sentence", async () => {
    const { handler } = await served({ onError: () => undefined });
    const source = { type: "data", value: "%%%", mimeType: "image/png" } as const;
    const { failure } = await pageOf(handler).say([{ type: "image", source }]);
    expect(failure).toMatch(/^call-failed: The agent (?:cannot be reached|refused the call)/);
  });

  it("headers of the option reach the agent", async () => {
    const seen: unknown[] = [];
    const { handler } = await served({
      headers: ({ url }) => {
        seen.push(url);
        return { authorization: "Bearer t" };
      },
    });
    expect((await pageOf(handler).say("tea")).texts).toHaveLength(1);
    expect(seen).toEqual(["http://page.test/agent"]);
  });
});

async function untilText(events: AsyncGenerator<Event, undefined>): Promise<void> {
  for (;;) {
    const { value } = await events.next();
    if (value === undefined || value.type === EventType.TEXT_MESSAGE_CONTENT) return;
  }
}
