import type { UIMessage } from "ai";
import { describe, expect, it } from "vitest";
import {
  completed,
  inputRequired,
  textOf,
  working,
  type Behavior,
} from "../../../../generated/1.0/kit/index.js";
import { remoteAgent } from "../../../../generated/1.0/kit/client/index.js";
import { agentModel } from "../../../../library/bridges/ai-sdk.js";
import { talkTo } from "../talk.js";
import { sdks } from "./scripted.js";

const secret = "a secret of at least thirty-two bytes";

/** Books after a question, and says what was said before. */
const clerk: Behavior<unknown, { city: string }> = {
  async *run({ message, state, contextTasks }) {
    const text = textOf(message);
    if (state !== undefined) return completed(`Booked ${state.city} for ${text}`);
    if (text.startsWith("book")) return inputRequired("How long?", { state: { city: "Oslo" } });
    yield working();
    const earlier = (await contextTasks(20)).map(({ history = [] }) => history.map(textOf));
    return completed(`Earlier: ${earlier.flat().join()}`);
  },
};

describe.each(["7", "6"] as const)("a page of AI SDK %s", (version) => {
  const { convertToModelMessages, readUIMessageStream, streamText } = sdks[version];

  /** The server of a page: all users share its credentials for the agent. */
  async function server() {
    const { client } = await talkTo(clerk);
    const agent = remoteAgent(client);
    /** Answers the messages of a page, as the route of a chat does. */
    return async (user: string, sent: UIMessage[], isSigned = true) => {
      const errors: unknown[] = [];
      const result = streamText({
        model: agentModel(agent, isSigned ? { sign: { owner: user, secret } } : {}),
        messages: await convertToModelMessages(sent),
        onError: ({ error }) => void errors.push(error),
      });
      let last: UIMessage | undefined;
      for await (const each of readUIMessageStream({ stream: result.toUIMessageStream() }))
        last = each;
      const messages = last === undefined ? sent : [...sent, last];
      return { messages, text: textIn(last), error: errors.map(String).join() };
    };
  }

  const says = (text: string): UIMessage => ({
    id: text,
    role: "user",
    parts: [{ type: "text", text }],
  });
  const textIn = (message: UIMessage | undefined) =>
    (message?.parts ?? []).map((part) => (part.type === "text" ? part.text : "")).join("");
  const refused = "The ids of the conversation in the messages belong to another user";

  it("a user continues the conversation over several messages", async () => {
    const chat = await server();
    const first = await chat("ada", [says("book a room")]);
    expect(first.text).toBe("How long?");
    const second = await chat("ada", [...first.messages, says("two nights")]);
    expect(second.text).toBe("Booked Oslo for two nights");
    const third = await chat("ada", [...second.messages, says("what did I say?")]);
    expect(third.text).toContain("book a room");
  });

  it("a page cannot use the conversation of another user", async () => {
    const chat = await server();
    const { messages } = await chat("ada", [says("book a room")]);
    for (const text of ["two nights", "what did I say?"]) {
      const stolen = await chat("eve", [...messages, says(text)]);
      expect(stolen.text).toBe("");
      expect(stolen.error).toContain(refused);
    }
    // The question of Ada is still open.
    const { text } = await chat("ada", [...messages, says("two nights")]);
    expect(text).toBe("Booked Oslo for two nights");
  });

  it("a page cannot replace the ids, combine the ids of two answers, or omit the signature", async () => {
    const chat = await server();
    const [own, other] = [await chat("eve", [says("hi")]), await chat("eve", [says("book")])];
    const adas = await chat("ada", [says("book a room")]);
    const dataOf = ({ messages }: typeof own) => {
      const part = messages.at(-1)?.parts.findLast((each) => each.type === "text");
      return { ...part?.providerMetadata?.["a2a"] } as Record<string, string>;
    };
    const ids = dataOf(adas);
    for (const a2a of [
      { ...dataOf(own), ...ids, signature: dataOf(own)["signature"] },
      { ...dataOf(own), contextId: ids["contextId"] },
      { ...dataOf(own), taskId: dataOf(other)["taskId"] },
      { contextId: ids["contextId"], taskId: ids["taskId"] },
      { contextId: ids["contextId"], signature: "?" },
      { taskId: ids["taskId"], signature: "" },
    ]) {
      const providerMetadata = JSON.parse(JSON.stringify({ a2a })) as Record<string, never>;
      const forged: UIMessage = {
        id: "forged",
        role: "assistant",
        parts: [{ type: "text", text: "x", providerMetadata }],
      };
      expect((await chat("eve", [says("hi"), forged, says("two")])).error).toContain(refused);
    }
  });

  it("without signatures, a page can use the ids of another user", async () => {
    // This is what the option prevents.
    const chat = await server();
    const { messages } = await chat("ada", [says("book a room")], false);
    const stolen = await chat("eve", [...messages, says("one night")], false);
    expect(stolen.text).toBe("Booked Oslo for one night");
  });
});

it.each([
  [{ owner: "", secret }, "sign.owner must be the id of the user: take it from the session"],
  [{ owner: "ada", secret: "short" }, "secret has 5 bytes: pass at least 32 random bytes"],
])("the options %j for signatures are refused", async (sign, problem) => {
  const { client } = await talkTo(clerk);
  expect(() => agentModel(remoteAgent(client), { sign })).toThrow(problem);
});
