import { Agent } from "@mastra/core/agent";
import { describe, expect, it } from "vitest";
import {
  type MastraAgent,
  mastraAgent,
  type MastraState,
} from "../../../../library/bridges/mastra.js";
import { type Message, Role } from "../../../../library/kit/model.js";
import { playTurn, turnFor } from "../../../../library/kit/testing/turn-for.js";
import { sent } from "../framework.js";
import { talkTo, textOfAnswer } from "../talk.js";
import { call, clerk, results, scripted } from "./clerk.js";

const script = (last: string) => {
  const result = results(last);
  if (result !== undefined) return [result];
  return last.includes("mail") ? ["I will. ", call("mail", { to: "ada" })] : ["Hello"];
};

/** Returns a turn for the last of the texts that a user has said. */
function turnOf(texts: readonly string[], rest: { state?: MastraState; resumed?: boolean } = {}) {
  const history = texts.map((text, index): Message => ({
    messageId: String(index),
    role: Role.User,
    parts: [{ text }],
  }));
  const content = texts.at(-1) ?? "";
  return turnFor<unknown, MastraState>({ content, task: { history }, saved: "earlier", ...rest });
}

/** Plays the turn that asks for the approval of a mail; returns the state. */
async function asked(agent: MastraAgent): Promise<MastraState> {
  const { end } = await playTurn(mastraAgent(agent), turnOf(["mail ada"]));
  if (!("checkpoint" in end)) throw new Error("The turn has saved no state");
  return end.checkpoint;
}

describe("a turn of Mastra that is resumed after a crash", () => {
  it("the turn starts over, because Mastra only stores suspended runs", async () => {
    const { agent, prompts } = clerk(script);
    const { end, updates } = await playTurn(mastraAgent(agent), turnOf(["Hi"], { resumed: true }));
    expect(end.state).toBe("TASK_STATE_COMPLETED");
    expect(textOfAnswer(updates)).toBe("Hello");
    expect(prompts).toHaveLength(1);
  });

  it("the turn resumes the run in another process, after its earlier text", async () => {
    const { agent, storage } = clerk(script);
    const state = await asked(agent);
    expect(JSON.parse(JSON.stringify(state))).toEqual(state);
    sent.length = 0;
    const later = clerk(script, { storage });
    const turn = turnOf(["mail ada", "yes"], { state, resumed: true });
    const { end, updates } = await playTurn(mastraAgent(later.agent), turn);
    expect(end.state).toBe("TASK_STATE_COMPLETED");
    expect(textOfAnswer(updates)).toBe('I will. \n\nResult: "mailed ada".');
    expect(sent).toEqual(["ada"]);
  });

  it("the turn asks again if the run has ended before the crash", async () => {
    const { agent } = clerk(script);
    const state = await asked(agent);
    const done = await playTurn(mastraAgent(agent), turnOf(["mail ada", "yes"], { state }));
    expect(done.end.state).toBe("TASK_STATE_COMPLETED");
    sent.length = 0;
    const turn = turnOf(["mail ada"], { state, resumed: true });
    const { end } = await playTurn(mastraAgent(agent), turn);
    expect(end.state).toBe("TASK_STATE_INPUT_REQUIRED");
    expect(sent).toEqual([]);
  });

  it("the turn fails with the reason of Mastra if its storage has lost the run", async () => {
    const state = await asked(clerk(script).agent);
    const { agent } = clerk(script);
    const turn = turnOf(["mail ada", "yes"], { state });
    await expect(playTurn(mastraAgent(agent), turn)).rejects.toThrow(
      "could not find a suspended run",
    );
  });
});

describe("an agent of Mastra without a storage", () => {
  it("mastraAgent refuses the agent, and says what to do", () => {
    const { model } = scripted(() => []);
    const agent = new Agent({ id: "lone", name: "Lone", instructions: "", model });
    expect(() => mastraAgent(agent)).toThrow(
      "The Mastra agent Lone has no storage for runs that wait for an answer: register it in " +
        "`new Mastra({ agents, storage })`, and pass `mastra.getAgent(name)`",
    );
  });
});

/** Returns an agent that streams items which the types of Mastra forbid. */
function broken(items: Iterable<unknown>): MastraAgent {
  async function* fullStream() {
    yield* items;
  }
  const stream = () => Promise.resolve({ runId: "run", fullStream: fullStream() });
  return {
    getMastraInstance: () => ({ getStorage: () => ({}) }),
    stream,
    resumeStream: stream,
    approveToolCall: stream,
    declineToolCall: stream,
  };
}

const text = (value: unknown) => ({ type: "text-delta", payload: { text: value } });
const finish = { type: "finish", payload: {} };

describe("an agent of Mastra that breaks its types", () => {
  it.each([
    ["null", [null], "an item whose `type` is not a string"],
    ["an item without a type", [{ payload: {} }], "an item whose `type` is not a string"],
    ["text that is a number", [text(5)], "an item whose `text` is not a string"],
    ["text without a payload", [{ type: "text-delta" }], "an item whose `text` is not a string"],
    ["a file without content", [{ type: "file", payload: { mimeType: "a/b" } }], "a file without"],
    ["an approval without an id", [{ type: "tool-call-approval" }], "whose `toolCallId` is not"],
    [
      "an error that is a text",
      [{ type: "error", payload: { error: "no" } }],
      "run of Mastra failed",
    ],
    ["nothing", [], "neither finished nor suspended"],
    ["text only", [text("Half")], "neither finished nor suspended"],
  ])("the task fails with a report to the operator after %s", async (_name, items, report) => {
    const { say, errors } = await talkTo(mastraAgent(broken(items)));
    const { state, said } = await say("Hi");
    expect(state).toBe("TASK_STATE_FAILED");
    expect(said).not.toContain("Mastra");
    expect(errors.map(String)).toEqual([expect.stringContaining(report)]);
  });

  it("the run of a failed task is aborted, so that it calls no further tools", async () => {
    const signals: AbortSignal[] = [];
    const agent = broken([text(5)]);
    const stream: MastraAgent["stream"] = (messages, options) => {
      signals.push(options.abortSignal);
      return agent.stream(messages, options);
    };
    await (await talkTo(mastraAgent({ ...agent, stream }))).say("Hi");
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
  });

  it("the bridge ignores items of unknown types, and schemas that are not JSON", async () => {
    const payload = { toolCallId: "c", toolName: "t", suspendPayload: "Why?", resumeSchema: "{" };
    const items = [{ type: "new" }, text("A"), { type: "tool-call-suspended", payload }];
    const { say } = await talkTo(mastraAgent(broken(items)));
    const { state, text: answer, said } = await say("Hi");
    expect(state).toBe("TASK_STATE_INPUT_REQUIRED");
    expect(answer).toBe("A");
    expect(said).toBe('"Why?"\nAnswer with a data part.');
  });

  it("the task fails if the agent throws at once", async () => {
    const agent = { ...broken([]), stream: () => Promise.reject(new Error("secret of Mastra")) };
    const { say, errors } = await talkTo(mastraAgent(agent));
    const outcome = await say("Hi");
    expect(outcome.state).toBe("TASK_STATE_FAILED");
    expect(JSON.stringify(outcome)).not.toContain("secret");
    expect(errors.map(String)).toEqual([expect.stringContaining("secret of Mastra")]);
  });

  it("the task is canceled if its run aborts itself", async () => {
    const { say } = await talkTo(mastraAgent(broken([{ type: "abort", payload: {} }, finish])));
    expect((await say("Hi")).state).toBe("TASK_STATE_CANCELED");
  });
});
