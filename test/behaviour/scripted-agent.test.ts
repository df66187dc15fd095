import { describe, expect, it, onTestFinished, vi } from "vitest";
import * as v1 from "../../generated/1.0/index.js";
import { remoteAgent } from "../../generated/1.0/kit/client/index.js";
import {
  completed,
  failed,
  inputRequired,
  textOf,
  working,
} from "../../generated/1.0/kit/index.js";
import {
  lostConnection,
  scriptedAgent,
  type ScriptedAgentOptions,
} from "../../generated/1.0/kit/testing.js";
import { v0_3 } from "../../generated/1.0/versions/0.3/client.js";
import { v0_3 as served0_3 } from "../../generated/1.0/versions/0.3/server.js";
import * as draft from "../../generated/1.1-draft/index.js";
import { scriptedAgent as scriptedDraft } from "../../generated/1.1-draft/kit/testing.js";
import { aMessage } from "../support/messages.js";

/** An agent, and a remote agent that asks it. */
function talk(options: ScriptedAgentOptions, connectOptions: v1.ConnectOptions = {}) {
  const agent = scriptedAgent(options);
  const remote = remoteAgent(agent.url, { fetch: agent.fetch, ...connectOptions });
  onTestFinished(async () => {
    await remote.close();
    await agent.close();
  });
  return { agent, remote };
}

describe("a scripted agent", () => {
  it("a scripted agent answers each message with the next turn, and notes the messages", async () => {
    const { agent, remote } = talk({
      turns: [[working("Searching"), "Let me ", "ask.", inputRequired("Which tea?")], "Green tea"],
    });
    const asked = await remote.ask("Tea").result();
    expect(asked).toMatchObject({ state: "TASK_STATE_INPUT_REQUIRED", said: "Which tea?" });
    expect(asked.text).toBe("Let me ask.");
    const answered = await remote.ask("Green", { taskId: asked.task?.id }).result();
    expect(answered).toMatchObject({ state: "TASK_STATE_COMPLETED" });
    expect(answered.text).toBe("Let me ask.Green tea");
    expect(agent.messages.map(textOf)).toEqual(["Tea", "Green"]);
    expect(agent.errors).toEqual([]);
  });

  it("a function of the script reads the turn, waits, and returns the next step", async () => {
    const { remote } = talk({
      turns: (message) =>
        textOf(message) === "fail"
          ? failed("Overloaded")
          : [
              () => Promise.resolve(undefined),
              (turn) => completed(`You said ${textOf(turn.message)}`),
            ],
    });
    expect(await remote.ask("Hi").result()).toMatchObject({ said: "You said Hi" });
    expect(await remote.ask("fail").result()).toMatchObject({
      state: "TASK_STATE_FAILED",
      said: "Overloaded",
    });
  });

  it("a lost connection breaks the stream after its events, and the caller reads the rest", async () => {
    const { agent, remote } = talk({
      turns: [["One ", lostConnection, "two ", lostConnection, "three"]],
    });
    const answer = remote.ask("Count");
    const texts: string[] = [];
    for await (const update of answer) if (update.type === "text") texts.push(update.text);
    expect(texts.join("")).toBe("One two three");
    expect(texts[0]).toBe("One ");
    expect(agent.messages).toHaveLength(1);
    const posts = agent.requests.filter(({ method }) => method === "POST");
    // The message, and a subscription after each lost connection at least.
    expect(posts.length).toBeGreaterThanOrEqual(3);
  });

  it("a caller without a stream gets an error for a lost connection", async () => {
    const agent = scriptedAgent({ turns: [[lostConnection, "late"]] });
    onTestFinished(agent.close);
    const client = await v1.connect(agent.url, { fetch: agent.fetch });
    const error = await client
      .sendMessage({ message: aMessage("Hi") })
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(v1.TransportError);
  });

  it("an error in the script refuses the message, and the next turn answers its repetition", async () => {
    const agent = scriptedAgent({
      turns: [new v1.ContentTypeNotSupportedError("No tea"), completed("Tea")],
    });
    onTestFinished(agent.close);
    const client = await v1.connect(agent.url, { fetch: agent.fetch });
    const request = { message: aMessage("Hi") };
    await expect(client.sendMessage(request)).rejects.toThrow("No tea");
    const { task } = await client.sendMessage(request);
    expect(task?.status.message?.parts[0]?.text).toBe("Tea");
    expect(agent.errors).toEqual([]);
  });

  it("a message without a turn is refused, and the errors say what is missing", async () => {
    const { agent, remote } = talk({ turns: ["Hello"] });
    await remote.ask("One").result();
    await expect(remote.ask("Two").result()).rejects.toThrow(
      "The script has no turn for message 2: add it to `turns`",
    );
    expect(agent.messages).toHaveLength(2);
  });

  it("an error in the script fails the task with a text that names it", async () => {
    const { remote } = talk({
      turns: [
        // As a program without types writes it.
        [5 as never],
        () => {
          throw new Error("No such tea");
        },
      ],
    });
    const results = [await remote.ask("One").result(), await remote.ask("Two").result()];
    expect(results.map(({ state, said }) => [state, said])).toEqual([
      ["TASK_STATE_FAILED", "The script has failed: a value of type number is not a step"],
      ["TASK_STATE_FAILED", "The script has failed: No such tea"],
    ]);
    expect(() => scriptedAgent({} as never)).toThrow("`turns` of a scripted agent must be a list");
  });

  it("`onRequest` replaces responses, and throws for an agent that is down", async () => {
    let isDown = true;
    const { agent, remote } = talk({
      turns: ["Hello"],
      onRequest: () => {
        if (isDown) throw new TypeError("fetch failed");
        return undefined;
      },
    });
    await expect(remote.ask("Hi", {}).result()).rejects.toThrow("fetch failed");
    isDown = false;
    expect((await remote.ask("Hi").result()).text).toBe("Hello");
    const busy = talk({
      turns: ["Hello"],
      onRequest: ({ method }) =>
        method === "POST" ? new Response("", { status: 429 }) : undefined,
    });
    await expect(busy.remote.ask("Hi").result()).rejects.toThrow("429");
    expect(agent.requests.every((request) => request.url.startsWith("http://agent.test/"))).toBe(
      true,
    );
  });

  it("a caller that is aborted is disconnected, and its task is canceled", async () => {
    const { agent, remote } = talk({ turns: [["One", () => new Promise<never>(() => undefined)]] });
    const controller = new AbortController();
    const answer = remote.ask("Hi", { signal: controller.signal });
    await answer.next();
    controller.abort();
    await expect(answer.result()).rejects.toThrow();
    await vi.waitFor(async () => {
      const { tasks } = await (await v1.connect(agent.url, { fetch: agent.fetch })).listTasks({});
      expect(tasks[0]?.status.state).toBe("TASK_STATE_CANCELED");
    });
  });

  it("the agent has the card and the options that the test gives", async () => {
    const agent = scriptedAgent({
      turns: ["Secret"],
      url: "https://agent.example/tea",
      card: { name: "Tea" },
      agent: {
        authenticate: ({ headers }) =>
          headers.get("authorization") === "Bearer t" ? "ada" : undefined,
      },
    });
    onTestFinished(agent.close);
    const refused = remoteAgent(agent.url, { fetch: agent.fetch });
    await expect(refused.ask("Hi").result()).rejects.toThrow("credentials");
    const headers = { authorization: "Bearer t" };
    const remote = remoteAgent(agent.url, { fetch: agent.fetch, headers });
    expect((await remote.card())?.name).toBe("Tea");
    expect((await remote.ask("Hi").result()).text).toBe("Secret");
  });

  it("a request for another address fails, as no agent is there", async () => {
    const agent = scriptedAgent({ turns: [] });
    onTestFinished(agent.close);
    await expect(agent.fetch("http://other.test/")).rejects.toThrow("is at http://agent.test");
  });

  it("the agent is served in other versions, and by the output of another version", async () => {
    const card = {
      supportedInterfaces: [
        { url: "http://agent.test", protocolBinding: "JSONRPC", protocolVersion: "0.3" },
      ],
    };
    const { remote } = talk(
      { turns: ["Old"], card, agent: { versions: [served0_3] } },
      { versions: [v0_3] },
    );
    expect((await remote.ask("Hi").result()).text).toBe("Old");
    const agent = scriptedDraft({ turns: ["New"] });
    onTestFinished(agent.close);
    const client = await draft.connect(agent.url, { fetch: agent.fetch });
    const { task } = await client.sendMessage({ message: aMessage("Hi") });
    expect(task?.artifacts?.[0]?.parts[0]?.text).toBe("New");
  });
});
