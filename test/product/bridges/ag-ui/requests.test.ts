import { describe, expect, it } from "vitest";
import { remoteAgent } from "../../../../generated/1.0/kit/client/index.js";
import { agUiHandler } from "../../../../library/bridges/ag-ui.js";
import { eventsIn, inputOf, pageOf, requestOf, served } from "./page.js";

const hi = [{ id: "m", role: "user", content: "hi" }];
const entry = { interruptId: "t", status: "resolved" };

describe("requests to an agent behind a page with AG-UI", () => {
  it.each<readonly [body: unknown, message: string]>([
    ["{", "The body must be a JSON object"],
    ["[]", "The body must be a JSON object"],
    [{ messages: hi, runId: "r" }, "`threadId` and `runId` must be strings that are not empty"],
    [inputOf("hi", { runId: "" }), "`threadId` and `runId` must be strings that are not empty"],
    [inputOf("hi", { messages: "hi" }), "`messages` must be a list of messages"],
    [inputOf("hi", { messages: [1] }), "`messages` must be a list of messages"],
    [inputOf("hi", { messages: [] }), "`messages` must end with a message of the user"],
    [inputOf(""), "`messages` must end with a message of the user"],
    [inputOf(1), "The `content` of a user message must be a text or a list of parts"],
    [inputOf([1]), "A part must be a text, or have a `source` of type data or url"],
    [
      inputOf([{ type: "image", source: { type: "file", value: "file-1" } }]),
      "A part must be a text, or have a `source` of type data or url",
    ],
    ...[[entry, entry], [{}], [{ ...entry, status: "maybe" }], "yes"].map(
      (resume) =>
        [
          inputOf("hi", { resume }),
          "`resume` must contain one entry with an `interruptId` and a `status`",
        ] as const,
    ),
  ])("the body %j is refused with one sentence", async (body, message) => {
    const { handler } = await served();
    const response = await handler(requestOf(body));
    expect(response.status).toBe(400);
    expect(await response.json()).toEqual({ message });
  });

  it("a body that is too large is refused", async () => {
    const { handler } = await served({ maxBodyBytes: 1_000 });
    const response = await handler(requestOf(inputOf("a".repeat(2_000))));
    expect(response.status).toBe(413);
    expect(await response.json()).toEqual({ message: "The body is larger than 1000 bytes" });
  });

  it("a body that is not UTF-8 is refused", async () => {
    const { handler } = await served();
    const response = await handler(requestOf({}, { body: new Uint8Array([0xff, 0x00]) }));
    expect(response.status).toBe(400);
  });

  it("other methods and media types are refused, so that no form can start a run", async () => {
    const { handler } = await served();
    const get = await handler(new Request("http://page.test/agent"));
    expect([get.status, get.headers.get("allow")]).toEqual([405, "POST"]);
    const form = { headers: { "content-type": "text/plain" } };
    expect((await handler(requestOf(inputOf("hi"), form))).status).toBe(415);
  });

  it("an agent that cannot be reached ends the run with a sentence", async () => {
    const errors: unknown[] = [];
    const fetch = () => Promise.reject(new TypeError("connect ECONNREFUSED 10.0.0.1"));
    const remote = remoteAgent("http://agent.test", { fetch });
    const onError = (error: unknown): void => void errors.push(error);
    const { failure, events } = await pageOf(agUiHandler(remote, { onError })).say("hi");
    expect(failure).toBe("call-failed: The agent cannot be reached, or its answer is invalid.");
    expect(events.map(({ type }) => type)).toEqual(["RUN_STARTED", "RUN_ERROR"]);
    expect(errors).toHaveLength(1);
  });

  it("a silent run is kept open with comments", async () => {
    const { handler } = await served({ keepAliveMs: 5 });
    const response = await handler(requestOf(inputOf("wait")));
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    let text = "";
    while (!text.includes("Begun") || !text.endsWith(": keep-alive\n\n"))
      text += (await reader?.read())?.value ?? "";
    expect(response.headers.get("content-type")).toBe("text/event-stream");
    await reader?.cancel();
  });

  it("the first event names the thread, the run and the version of the protocol", async () => {
    const { handler } = await served();
    for await (const event of eventsIn(await handler(requestOf(inputOf("tea"))))) {
      const started = { type: "RUN_STARTED", threadId: "t1", runId: "r1", protocolVersion: "1.0" };
      expect(event).toEqual(started);
      break;
    }
  });
});
