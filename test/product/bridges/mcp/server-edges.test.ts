import type { AuthInfo } from "@modelcontextprotocol/server";
import { describe, expect, it, vi } from "vitest";
import { remoteAgent } from "../../../../generated/1.0/kit/client/index.js";
import {
  artifact,
  authRequired,
  type Behavior,
  completed,
  type Content,
  type End,
  inputRequired,
  message as reply,
  textOf,
  working,
} from "../../../../generated/1.0/kit/index.js";
import { mcpHandler } from "../../../../library/bridges/mcp.js";
import { aSkill } from "../../../support/cards.js";
import { nowhere } from "../../../support/http.js";
import { agentOf, clerk } from "./agents.js";
import { newClient, textsOf } from "./clients.js";

const secret = "a secret of at least thirty-two bytes";
const name = "ask_Travel_clerk";
const accept = { action: "accept", content: { answer: "two" } } as const;
const book = { name, arguments: { message: "book" } };

/** A result that asks for input, as a client gets it that answers by itself. */
interface Asked {
  readonly resultType: string;
  readonly requestState: string;
}

/** Returns the call that repeats the first one with the answer of the user. */
function answered(requestState: string, inputResponses: object = { answer: accept }) {
  return { ...book, inputResponses, requestState };
}

const long = "x".repeat(20_004);

/** Returns a turn that ends without an update. */
// eslint-disable-next-line require-yield -- it only ends
async function* ends(end: End): AsyncGenerator<never, End, undefined> {
  return end;
}

function caller(clientId: string): AuthInfo {
  return { token: "t", clientId, scopes: [] };
}

describe("a question that travels through the client", () => {
  it("a question is answered in another process that has the same secret", async () => {
    const { remote } = clerk();
    const { client } = await newClient(mcpHandler(remote, { secret }), { answer: accept });
    const asked: unknown = await client.callTool(book, { allowInputRequired: true });
    const { requestState } = asked as Asked;
    const other = await newClient(mcpHandler(remote, { secret }), { answer: accept });
    const result = await other.client.callTool(answered(requestState));
    expect(textsOf(result)).toEqual(["Booked Oslo for two"]);
  });

  it("a question is asked again if the answer is missing or has no text", async () => {
    const { remote } = clerk();
    const { client } = await newClient(mcpHandler(remote, { secret }), { answer: accept });
    const asked: unknown = await client.callTool(book, { allowInputRequired: true });
    const { requestState } = asked as Asked;
    for (const inputResponses of [{}, { answer: { action: "accept", content: { answer: 2 } } }]) {
      const call = answered(requestState, inputResponses);
      const again: unknown = await client.callTool(call, { allowInputRequired: true });
      expect((again as Asked).resultType).toBe("input_required");
    }
  });

  it("an answer is refused if its state is forged, of another secret, or expired", async () => {
    const { remote } = clerk();
    const handler = mcpHandler(remote, { secret });
    const stateOf = async (options: { secret: string; answerWithinMs?: number }) => {
      const { client } = await newClient(mcpHandler(remote, options), { answer: accept });
      const asked: unknown = await client.callTool(book, { allowInputRequired: true });
      return (asked as Asked).requestState;
    };
    const state = await stateOf({ secret });
    const { client } = await newClient(handler, { answer: accept });
    const [version, body = "", mac] = state.split(".");
    const payload = JSON.parse(atob(body)) as { p: { taskId: string } };
    payload.p.taskId = "another";
    const forged = `${String(version)}.${btoa(JSON.stringify(payload))}.${String(mac)}`;
    const others = await stateOf({ secret: "b".repeat(32) });
    const expired = await stateOf({ secret, answerWithinMs: -2_000 });
    for (const requestState of [forged, others, expired, "x", ""])
      await expect(client.callTool(answered(requestState))).rejects.toThrow(
        "Invalid or expired requestState",
      );
  });

  it("an answer of another caller is refused", async () => {
    const { remote } = clerk();
    const handler = mcpHandler(remote, { secret });
    const ada = await newClient(handler, { answer: accept, authInfo: caller("ada") });
    const asked: unknown = await ada.client.callTool(book, { allowInputRequired: true });
    const { requestState } = asked as Asked;
    const answer = answered(requestState);
    const bob = await newClient(handler, { answer: accept, authInfo: caller("bob") });
    await expect(bob.client.callTool(answer)).rejects.toThrow("Invalid or expired requestState");
    expect(textsOf(await ada.client.callTool(answer))).toEqual(["Booked Oslo for two"]);
  });

  it("a secret of less than 32 bytes is refused", () => {
    expect(() => mcpHandler(clerk().remote, { secret: "short" })).toThrow(
      "secret has 5 bytes: pass at least 32 random bytes",
    );
  });
});

describe("a sign-in", () => {
  it("a sign-in sends the user to the address, and then a message if the task still waits", async () => {
    const { client, elicited } = await newClient(mcpHandler(clerk().remote, { secret }), {
      answer: { action: "accept" },
    });
    const result = await client.callTool({ name, arguments: { message: "secret" } });
    expect(elicited).toEqual([
      { message: "Sign in at https://login.example/x", url: "https://login.example/x" },
    ]);
    expect(textsOf(result)).toEqual(["Booked Rome for I have signed in."]);
  });

  it("a sign-in sends no message if the agent continues by itself", async () => {
    const messages: string[] = [];
    let signIn: () => void = () => undefined;
    const signedIn = new Promise<void>((resolve) => (signIn = resolve));
    const remote = agentOf({
      async *run({ message }) {
        messages.push(textOf(message));
        yield authRequired("Sign in at https://login.example/x");
        await signedIn;
        return completed("Welcome");
      },
    });
    const handler = mcpHandler(remote, { secret });
    const { client } = await newClient(handler, { answer: { action: "accept" } });
    const asked: unknown = await client.callTool(book, { allowInputRequired: true });
    const { requestState } = asked as Asked;
    signIn();
    const result = await client.callTool(answered(requestState, { answer: { action: "accept" } }));
    expect(textsOf(result)).toEqual(["Welcome"]);
    expect(messages).toEqual(["book"]);
  });

  it("a client that opens no addresses gets the address, and waits without a message", async () => {
    const { client } = await newClient(mcpHandler(clerk().remote, { secret }), {
      answer: accept,
      modes: { form: {} },
    });
    const asked = await client.callTool({ name, arguments: { message: "secret" } });
    const { taskId, ...report } = asked.structuredContent as { taskId: string };
    expect(report).toMatchObject({ signInAt: ["https://login.example/x"] });
    const still = await client.callTool({ name, arguments: { taskId } });
    expect(still.structuredContent).toMatchObject({ state: "auth-required", taskId });
  });
});

describe("an unusual agent", () => {
  it("the description of a thousand skills is short and tells how many it omits", async () => {
    const skills = Array.from({ length: 1_000 }, (_, index) =>
      aSkill({ id: `s${String(index)}`, name: `Skill ${String(index)}` }),
    );
    const card = { name: "Clerk", description: "Is\nable\u0000.", skills };
    const remote = agentOf({ run: doneAtOnce }, { card });
    const { client } = await newClient(mcpHandler(remote, { secret }));
    const [tool] = (await client.listTools()).tools;
    expect(tool?.description).toMatch(/^Is able \.\n\nSkills:\n- Skill 0: Does\./);
    expect(tool?.description).toMatch(/\n- and \d{3} more$/);
    expect(tool?.description?.length).toBeLessThan(2_050);
  });

  it.each([
    ["Schrödinger's cat: 猫", "ask_Schr_dinger_s_cat_"],
    ["研究員", "ask__"],
    ["a".repeat(300), `ask_${"a".repeat(60)}`],
    ["\u202Eevil\n", "ask__evil_"],
  ])("the name %j gives a tool that all clients accept", async (odd, expected) => {
    const remote = agentOf({ run: doneAtOnce }, { card: { name: odd } });
    const { client } = await newClient(mcpHandler(remote, { secret }));
    const [tool] = (await client.listTools()).tools;
    expect(tool?.name).toBe(expected);
    const result = await client.callTool({ name: expected, arguments: { message: "hi" } });
    expect(textsOf(result)).toEqual(["Done"]);
  });

  it("each skill is a tool on request, and the message contains its id", async () => {
    const seen: unknown[] = [];
    const skills = [aSkill({ id: "bôok" }), aSkill({ id: "bük" }), aSkill({ id: "b k" })];
    const remote = agentOf(
      {
        *run({ message }) {
          yield working();
          seen.push(message.metadata);
          return completed("Done");
        },
      },
      { card: { name: "Clerk", skills } },
    );
    const { client } = await newClient(mcpHandler(remote, { secret, skillTools: true }));
    const { tools } = await client.listTools();
    expect(tools.map((tool) => tool.name)).toEqual(["b_ok", "b_k", "b_k_2"]);
    await client.callTool({ name: "b_k_2", arguments: { message: "hi" } });
    expect(seen).toEqual([{ skillId: "b k" }]);
  });

  it("the task of an endless answer is canceled", async () => {
    let canceled = false;
    const remote = agentOf({
      async *run({ signal }) {
        const report = artifact("report");
        while (!signal.aborted) {
          yield report.text("x".repeat(1_000));
          await new Promise((resolve) => setImmediate(resolve));
        }
        canceled = true;
        return completed();
      },
    });
    const { client } = await newClient(mcpHandler(remote, { secret, maxLength: 20_000 }));
    const result = await client.callTool({ name, arguments: { message: "hi" } });
    expect(textsOf(result)).toEqual([
      "The answer has more than 20000 characters, and its task is canceled.",
    ]);
    expect(result.isError).toBe(true);
    await vi.waitFor(() => {
      expect(canceled).toBe(true);
    });
  });

  it.each<[string, Content]>([
    ["text", long],
    ["file", [{ raw: long }]],
    ["URL", [{ url: `https://files.example/${long}` }]],
  ])("a %s that is too long reaches no caller, whatever contains it", async (_what, content) => {
    const behaviors: Behavior[] = [
      { reply: () => reply(content), run: () => ends(completed()) },
      { run: () => ends(completed(content)) },
      { run: () => ends(inputRequired(content)) },
    ];
    for (const behavior of behaviors) {
      const handler = mcpHandler(agentOf(behavior), { secret, maxLength: 20_000 });
      const { client } = await newClient(handler, { answer: accept });
      const result = await client.callTool({ name, arguments: { message: "hi" } });
      expect(textsOf(result)).toEqual(["The answer has more than 20000 characters."]);
    }
  });

  it("callers learn in one sentence that it cannot be reached, the operator learns why", async () => {
    const errors: unknown[] = [];
    const onError = (error: unknown) => {
      errors.push(error);
    };
    const handler = mcpHandler(remoteAgent(await nowhere()), { secret, onError });
    const { client } = await newClient(handler);
    const sentence = "The agent cannot be reached, or its answer is invalid.";
    await expect(client.listTools()).rejects.toThrow(sentence);
    const result = await client.callTool({ name, arguments: { message: "hi" } });
    expect([result.isError, result.content]).toEqual([true, [{ type: "text", text: sentence }]]);
    expect(errors).not.toEqual([]);
  });

  it("the text of an exception does not reach the client", async () => {
    const { client } = await newClient(mcpHandler(clerk().remote, { secret }));
    const result = await client.callTool({ name, arguments: { message: "throw" } });
    expect(result.isError).toBe(true);
    expect(JSON.stringify(result)).not.toContain("internal detail");
  });

  it("a reply without a task, data, a link, an image and a sound are content", async () => {
    const ping = { name, arguments: { message: "ping" } };
    const { client } = await newClient(mcpHandler(clerk().remote, { secret }));
    expect(textsOf(await client.callTool(ping))).toEqual(["pong"]);
    const remote = agentOf({
      *run() {
        yield artifact("all").finish([
          { data: { a: 1 } },
          { url: "https://files.example/a", mediaType: "text/csv" },
          { raw: btoa("i"), mediaType: "image/png" },
          { raw: btoa("s"), mediaType: "audio/wav" },
          { raw: btoa("b"), filename: "\u732B /?.bin" },
        ]);
        return completed();
      },
    });
    const other = await newClient(mcpHandler(remote, { secret }));
    const { content } = await other.client.callTool({ name, arguments: { message: "all" } });
    expect(content.slice(0, -1)).toEqual([
      { type: "text", text: '{"a":1}' },
      {
        type: "resource_link",
        uri: "https://files.example/a",
        name: "file-2",
        mimeType: "text/csv",
      },
      { type: "image", data: btoa("i"), mimeType: "image/png" },
      { type: "audio", data: btoa("s"), mimeType: "audio/wav" },
      {
        type: "resource",
        resource: {
          uri: "a2a:%E7%8C%AB%20%2F%3F.bin",
          blob: btoa("b"),
          mimeType: "application/octet-stream",
        },
      },
    ]);
  });
});

describe("a call", () => {
  it("a call continues a conversation, and passes files to the agent", async () => {
    const seen: unknown[] = [];
    const remote = agentOf({
      async *run({ message, task }) {
        yield working();
        seen.push([message.parts, task.contextId]);
        return completed("Done");
      },
    });
    const { client } = await newClient(mcpHandler(remote, { secret }));
    const first = await client.callTool({ name, arguments: { message: "hi" } });
    const { contextId } = first.structuredContent as { contextId: string };
    const files = [
      { name: "a.png", mimeType: "image/png", data: "iVBORw0KGgo=" },
      { mimeType: "text/csv", uri: "https://files.example/a" },
    ];
    await client.callTool({ name, arguments: { message: "and this", files, contextId } });
    expect(seen[1]).toEqual([
      [
        { text: "and this" },
        { raw: "iVBORw0KGgo=", mediaType: "image/png", filename: "a.png" },
        { url: "https://files.example/a", mediaType: "text/csv" },
      ],
      contextId,
    ]);
  });

  it.each([
    [{}, "message is required."],
    [{ message: 1 }, "message must be a string."],
    [{ message: "a", files: "b" }, "files must be a list."],
    [{ files: [1] }, "files[0] must be an object."],
    [{ files: [{ data: "" }] }, "files[0].mimeType is required."],
    [{ files: [{ mimeType: "a/b" }] }, "files[0] must have either data or uri."],
    [{ files: [{ mimeType: "a/b", data: "?" }] }, "files[0].data must be base64."],
    [
      { files: [{ mimeType: "a/b", uri: "file:///etc/passwd" }] },
      "files[0].uri must be an HTTPS URL: pass other files in data.",
    ],
  ])("a call with the arguments %j is refused", async (given, problem) => {
    const { client } = await newClient(mcpHandler(clerk().remote, { secret }));
    const result = await client.callTool({ name, arguments: given });
    expect([result.isError, textsOf(result)]).toEqual([true, [problem]]);
  });

  it("a call of an unknown tool is refused", async () => {
    const { client } = await newClient(mcpHandler(clerk().remote, { secret }));
    await expect(client.callTool({ name: "other", arguments: {} })).rejects.toThrow(
      "The tool other does not exist",
    );
  });

  it("the headers depend on the caller, and only the operator learns why they fail", async () => {
    const errors: unknown[] = [];
    const seen: unknown[] = [];
    const handler = mcpHandler(clerk().remote, {
      secret,
      headers({ authInfo, request }) {
        seen.push([authInfo?.clientId, request?.method]);
        throw new Error("An internal detail");
      },
      onError(error) {
        errors.push(error);
      },
    });
    const { client } = await newClient(handler, { authInfo: caller("ada") });
    const result = await client.callTool({ name, arguments: { message: "hi" } });
    expect(JSON.stringify(result)).not.toContain("detail");
    expect(seen).toEqual([["ada", "POST"]]);
    expect(errors).toEqual([new Error("An internal detail")]);
  });
});

function* doneAtOnce() {
  yield working();
  return completed("Done");
}
