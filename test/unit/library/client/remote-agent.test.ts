import { describe, expect, it } from "vitest";
import {
  connect,
  createAgent,
  fetchHandler,
  TransportError,
} from "../../../../generated/1.0/index.js";
import { remoteAgent } from "../../../../generated/1.0/kit/client/index.js";
import {
  artifact,
  authRequired,
  completed,
  failed,
  inputRequired,
  json,
  message as reply,
  taskService,
  textOf,
  working,
  type Behavior,
} from "../../../../generated/1.0/kit/index.js";
import type { Outcome, AnswerUpdate } from "../../../../library/client/answer.js";
import { aCard } from "../../../support/cards.js";

/** Returns a function that connects to an agent in this process. */
function served<State>(behavior: Behavior<unknown, State>, streaming = true) {
  const card = aCard("http://agent.test", {
    capabilities: { streaming },
    defaultInputModes: ["text/plain", "application/json"],
  });
  const handler = fetchHandler(createAgent({ card, service: taskService(behavior) }));
  const requests: string[] = [];
  const fetch = async (url: string, init: RequestInit): Promise<Response> => {
    const { method = url } = JSON.parse(typeof init.body === "string" ? init.body : "{}") as {
      method?: string;
    };
    requests.push(method);
    return handler(new Request(url, init));
  };
  return { agent: remoteAgent("http://agent.test", { fetch }), fetch, requests };
}

/** Reads an answer, and writes its updates as short texts. */
async function read(
  answer: AsyncGenerator<AnswerUpdate, Outcome, undefined>,
): Promise<{ updates: string[]; outcome: Outcome }> {
  const updates: string[] = [];
  for (;;) {
    const { done, value } = await answer.next();
    if (done === true) return { updates, outcome: value };
    updates.push(shown(value));
  }
}

function shown(update: AnswerUpdate): string {
  switch (update.type) {
    case "text":
      return update.text;
    case "part":
      return `part ${update.part.filename ?? JSON.stringify(update.part.data)}`;
    case "replaced":
      return `replaced ${update.artifact.artifactId}`;
    case "progress":
      return `progress ${textOf(update.message)}`;
  }
}

describe("a question to a remote agent", () => {
  it("a remote agent yields texts, parts and progress in order, and returns the outcome", async () => {
    const { agent } = served({
      *run() {
        yield working("Reading");
        const report = artifact("report", "text/markdown");
        yield report.text("# Tea");
        yield report.text("\n\nGood.");
        yield artifact("a.png").finish([
          { raw: "aGk=", filename: "a.png", mediaType: "image/png" },
        ]);
        yield artifact("numbers").data({ cups: 2 });
        return completed("Done");
      },
    });
    const { updates, outcome } = await read(agent.ask("Tea"));
    expect(updates).toEqual([
      "progress Reading",
      "# Tea",
      "\n\nGood.",
      "part a.png",
      'part {"cups":2}',
    ]);
    expect(outcome).toMatchObject({
      state: "TASK_STATE_COMPLETED",
      text: "# Tea\n\nGood.",
      said: "Done",
      links: [],
      task: { status: { state: "TASK_STATE_COMPLETED" } },
    });
    expect(outcome.parts.map(({ text }) => text)).toEqual([
      "# Tea\n\nGood.",
      undefined,
      undefined,
      "Done",
    ]);
    expect(outcome.contextId).toBe(outcome.task?.contextId);
  });

  it("a remote agent sends the given parts, ids and metadata", async () => {
    const { agent } = served({
      *run({ message, acceptedOutputModes }) {
        const { messageId, metadata, contextId, parts } = message;
        const data = { messageId, contextId, parts, metadata, acceptedOutputModes };
        yield artifact("seen").data(json(data));
        return completed();
      },
    });
    const options = {
      contextId: "c-1",
      messageId: "m-1",
      metadata: { level: 3 },
      acceptedOutputModes: ["text/plain"],
    };
    const { parts } = await agent.ask([{ data: [1, 2] }], options).result();
    expect(parts[0]?.data).toEqual({ ...options, parts: [{ data: [1, 2] }] });
  });

  it("a reply without a task is a completed outcome", async () => {
    const { agent } = served({
      reply: () => reply("pong"),
      *run() {
        yield working();
        return completed();
      },
    });
    expect(await read(agent.ask("ping"))).toMatchObject({
      updates: [],
      outcome: { state: "TASK_STATE_COMPLETED", text: "pong", said: "pong" },
    });
  });

  const booking: Behavior<unknown, { city: string }> = {
    *run({ message, state }) {
      if (state !== undefined) {
        yield artifact("answer", undefined, { append: true }).text(` ${textOf(message)} nights.`);
        return completed();
      }
      yield artifact("answer").text("Oslo for");
      return inputRequired("How many nights?", { state: { city: "Oslo" } });
    },
  };

  it.each([true, false])(
    "the updates of an answer to a question are those after the question (streaming: %s)",
    async (streaming) => {
      const { agent } = served(booking, streaming);
      const asked = await read(agent.ask("Book"));
      expect(asked).toMatchObject({
        updates: ["Oslo for"],
        outcome: { state: "TASK_STATE_INPUT_REQUIRED", said: "How many nights?" },
      });
      const taskId = asked.outcome.task?.id;
      const { updates, outcome } = await read(agent.ask("2", { taskId, contextId: "other" }));
      expect(updates.join("")).toBe(" 2 nights.");
      expect(outcome).toMatchObject({
        state: "TASK_STATE_COMPLETED",
        text: "Oslo for 2 nights.",
        task: { id: taskId },
      });
    },
  );

  it("a sign-in is an outcome with links, and the task can be followed after it", async () => {
    let confirm = (): void => undefined;
    const confirmed = new Promise<void>((resolve) => (confirm = resolve));
    const { agent } = served({
      async *run() {
        yield authRequired("Sign in at https://login.example/7");
        await confirmed;
        yield artifact("answer").text("Secret");
        return completed();
      },
    });
    const { outcome } = await read(agent.ask("Tell"));
    expect(outcome).toMatchObject({
      state: "TASK_STATE_AUTH_REQUIRED",
      said: "Sign in at https://login.example/7",
      links: ["https://login.example/7"],
    });
    const id = outcome.task?.id ?? "";
    expect((await agent.follow(id).result()).state).toBe("TASK_STATE_AUTH_REQUIRED");
    const following = read(agent.follow(id, { untilEnded: true }));
    confirm();
    expect((await following).updates).toEqual(["Secret"]);
  });

  it("a failure is an outcome, not an error", async () => {
    const { agent } = served({
      *run() {
        yield working();
        return failed("Out of paper");
      },
    });
    expect(await agent.ask("Print").result()).toMatchObject({
      state: "TASK_STATE_FAILED",
      said: "Out of paper",
    });
  });

  it("an aborted question cancels the task and rejects with the reason", async () => {
    let wasCanceled = false;
    const { agent } = served({
      async *run({ signal, untilAborted }) {
        signal.addEventListener("abort", () => {
          wasCanceled = true;
        });
        yield working("Slowly");
        await untilAborted(new Promise(() => undefined));
        return completed();
      },
    });
    const controller = new AbortController();
    const answer = agent.ask("Count", { signal: controller.signal });
    await answer.next();
    const reason = new Error("Enough");
    controller.abort(reason);
    await expect(answer.next()).rejects.toBe(reason);
    await expect(answer.result()).rejects.toBe(reason);
    expect(wasCanceled).toBe(true);
    await expect(agent.ask("x", { signal: controller.signal }).result()).rejects.toBe(reason);
  });

  it("a loop that is left early does not cancel the task, and has no outcome", async () => {
    const { agent, requests } = served({
      *run() {
        yield working("One");
        return completed();
      },
    });
    const answer = agent.ask("Count");
    for await (const update of answer) if (update.type === "progress") break;
    await expect(answer.result()).rejects.toThrow("The loop was left early");
    expect(requests).not.toContain("CancelTask");
  });

  it("a remote agent connects at the first question, once, and again after a failed connection", async () => {
    const { fetch, requests } = served({
      *run() {
        yield working();
        return completed("Here");
      },
    });
    let isDown = true;
    const agent = remoteAgent("http://agent.test", {
      fetch: (url: string, init: RequestInit) =>
        isDown ? Promise.reject(new Error("down")) : fetch(url, init),
    });
    expect(requests).toEqual([]);
    await expect(agent.ask("Hello?").result()).rejects.toBeInstanceOf(TransportError);
    isDown = false;
    const both = await Promise.all([agent.ask("A").result(), agent.ask("B").result()]);
    expect(both.map(({ said }) => said)).toEqual(["Here", "Here"]);
    expect(requests.filter((method) => method.includes("agent-card"))).toHaveLength(1);
    expect((await agent.card())?.name).toBe(aCard("http://agent.test").name);
  });

  it("an agent that does not respond gets the message four times, and then the error is thrown", async () => {
    const { fetch } = served({
      *run() {
        yield working();
        return completed("Here");
      },
    });
    let calls = 0;
    const agent = remoteAgent("http://agent.test", {
      fetch: (url: string, init: RequestInit) => {
        if (init.method !== "POST") return fetch(url, init);
        calls += 1;
        const cause = Object.assign(new Error("connect"), { code: "ECONNREFUSED" });
        return Promise.reject(Object.assign(new TypeError("fetch failed"), { cause }));
      },
    });
    const asking = agent.ask("Hello?", { delayMs: () => 0 }).result();
    await expect(asking).rejects.toBeInstanceOf(TransportError);
    expect(calls).toBe(4);
    await expect(agent.ask("Hello?", { delayMs: () => 0, retries: 0 }).result()).rejects.toThrow();
    expect(calls).toBe(5);
  });

  it("a remote agent uses a given client, and does not close it", async () => {
    const { fetch } = served({
      *run() {
        yield working();
        return completed("Here");
      },
    });
    const client = await connect("http://agent.test", { fetch });
    const agent = remoteAgent(client);
    expect((await agent.ask("Hello?").result()).said).toBe("Here");
    await agent.close();
    expect(client.isClosed).toBe(false);
  });

  it("an agent that closed its client connects again at its next question", async () => {
    const { agent, requests } = served({
      *run() {
        yield working();
        return completed("Here");
      },
    });
    await agent.ask("Hello?").result();
    await agent.close();
    await agent.ask("Hello?").result();
    expect(requests.filter((method) => method.includes("agent-card"))).toHaveLength(2);
  });
});
