import type { Runner } from "@openai/agents";
import { beforeEach, describe, expect, it } from "vitest";
import { openAiAgent, type OpenAiState } from "../../../../library/bridges/openai-agents.js";
import { type Message, type Part, Role } from "../../../../library/kit/model.js";
import { playTurn, turnFor } from "../../../../library/kit/testing/turn-for.js";
import { desk, sent, type Step } from "../framework.js";
import { talkTo, textOfAnswer } from "../talk.js";
import { call, clerk as clerkWith, results } from "./clerk.js";
import type { AgentInputItem } from "@openai/agents";

const said = (messageId: string, parts: Part[] | string): Message => ({
  messageId,
  role: Role.User,
  parts: typeof parts === "string" ? [{ text: parts }] : parts,
});

/** Returns a turn for the last message of a history. */
function turnOf(history: readonly Message[], rest: Partial<Parameters<typeof turnFor>[0]> = {}) {
  const last = history.at(-1);
  return turnFor<unknown, OpenAiState>({
    content: last?.parts ?? [],
    task: { history: [...history] },
    ...(rest as object),
  });
}

/** Cities whose weather was asked for. */
const cities: string[] = [];

function clerk(step: Parameters<typeof clerkWith>[0]) {
  const weather = (city: string): string => {
    cities.push(city);
    return desk.weather(city);
  };
  return clerkWith(step, {}, { ...desk, weather });
}

/** Asks for the weather twice, one call after the other. */
function script(_last: string, input: readonly AgentInputItem[]): Step {
  const asked = input.filter(({ type }) => type === "function_call").length;
  if (asked === 0) return ["Looking. ", call("weather", { city: "Oslo" })];
  if (asked === 1) return ["Once more. ", call("weather", { city: "Rome" })];
  return [results(input) ?? "Nothing."];
}

beforeEach(() => {
  sent.length = 0;
  cities.length = 0;
});

describe("a turn of the OpenAI Agents SDK that is resumed after a crash", () => {
  const history = [said("m1", "Go")];

  it("the turn continues after the last output of a tool, with the text so far", async () => {
    const whole = turnOf(history);
    const { updates } = await playTurn(openAiAgent(clerk(script).agent), whole);
    const text = textOfAnswer(updates);
    expect(text).toBe('Looking. \n\nOnce more. \n\nResult: "Rome is sunny".');
    expect(whole.checkpoints).toHaveLength(2);
    for (const [index, state] of whole.checkpoints.entries()) {
      cities.length = 0;
      const { agent, inputs } = clerk(script);
      const saved = JSON.parse(JSON.stringify(state)) as OpenAiState;
      const turn = turnOf(history, { state: saved, resumed: true });
      const again = await playTurn(openAiAgent(agent), turn);
      expect(textOfAnswer(again.updates)).toBe(text);
      expect(again.end.metadata).toEqual({
        openAiAgents: {
          usage: { requests: 3, inputTokens: 30, outputTokens: 15, totalTokens: 45 },
        },
      });
      expect(inputs).toHaveLength(2 - index);
      expect(cities).toEqual(index === 0 ? ["Rome"] : []);
    }
  });

  it("the turn begins again if no tool had an output", async () => {
    const { agent, inputs } = clerk(() => ["Hello"]);
    const turn = turnOf(history, { resumed: true });
    const { updates } = await playTurn(openAiAgent(agent), turn);
    expect(textOfAnswer(updates)).toBe("Hello");
    expect(inputs).toHaveLength(1);
  });

  it("the turn applies the answer to its question again", async () => {
    const mailing = (_last: string, input: readonly AgentInputItem[]) => [
      results(input) ?? call("mail", { to: "ada" }),
    ];
    const first = await playTurn(openAiAgent(clerk(mailing).agent), turnOf(history));
    const state = "checkpoint" in first.end ? first.end.checkpoint : undefined;
    const answered = [...history, said("m2", "yes")];
    const turn = turnOf(answered, { state, saved: "earlier", resumed: true });
    const { updates } = await playTurn(openAiAgent(clerk(mailing).agent), turn);
    expect(textOfAnswer(updates)).toBe('Result: "mailed ada".');
    expect(sent).toEqual(["ada"]);
  });

  it("the turn reads messages that it had taken before the crash", async () => {
    const whole = turnOf(history);
    await playTurn(openAiAgent(clerk(script).agent), whole);
    const later = [...history, said("m2", "And now?")];
    const { agent, inputs } = clerk((last, input) =>
      last.includes("And now?") ? ["Still sunny."] : script(last, input),
    );
    const turn = turnOf(later, { state: whole.checkpoints[1], resumed: true });
    const { updates } = await playTurn(openAiAgent(agent), turn);
    expect(textOfAnswer(updates)).toMatch(/Rome is sunny"\.\n\nStill sunny\.$/);
    expect(inputs).toHaveLength(2);
  });

  it("the state does not repeat the files of the task", async () => {
    const raw = btoa("x".repeat(3_000));
    const file = said("m1", [{ text: "Go" }, { raw, mediaType: "image/png" }]);
    const whole = turnOf([file]);
    await playTurn(openAiAgent(clerk(script).agent), whole);
    expect(JSON.stringify(whole.checkpoints)).not.toContain(raw);
    const { agent, inputs } = clerk(script);
    await playTurn(
      openAiAgent(agent),
      turnOf([file], { state: whole.checkpoints[0], resumed: true }),
    );
    expect(JSON.stringify(inputs)).toContain(raw);
  });

  it("the turn fails if the state is damaged", async () => {
    const state: OpenAiState = {
      run: "{}",
      reference: "r",
      open: false,
      read: 1,
      text: "",
      files: 0,
      usage: {},
    };
    const turn = turnOf(history, { state, resumed: true });
    await expect(playTurn(openAiAgent(clerk(script).agent), turn)).rejects.toThrow(
      "schema version",
    );
  });
});

/** Returns a runner that streams events which the types of the SDK forbid. */
function broken(events: Iterable<unknown>, rest: object = {}): Runner {
  async function* stream() {
    yield* events;
  }
  const result = {
    completed: Promise.resolve(),
    interruptions: [],
    history: [],
    state: { usage: {}, toString: () => "{}" },
    ...rest,
    [Symbol.asyncIterator]: stream,
  };
  // The bridge only calls `run`.
  return { config: {}, run: () => Promise.resolve(result) } as unknown as Runner;
}

const raw = (data: unknown) => ({ type: "raw_model_stream_event", data });
const delta = (text: unknown) => raw({ type: "output_text_delta", delta: text });

function served(runner: Runner) {
  return talkTo(openAiAgent(clerk(script).agent, { runner }));
}

describe("a run of the OpenAI Agents SDK that breaks its types", () => {
  it.each([
    ["null", [null], "an item whose `type` is not a string"],
    ["an event without a type", [{}], "an item whose `type` is not a string"],
    ["a model event without data", [raw(undefined)], "an item whose `type` is not a string"],
    ["text that is a number", [delta(5)], "an item whose `delta` is not a string"],
    ["an item without a name", [{ type: "run_item_stream_event" }], "whose `name` is not a string"],
    [
      "a tool without a name",
      [{ type: "run_item_stream_event", name: "tool_called", item: {} }],
      "whose `type` is not a string",
    ],
  ])("the task fails with a report to the operator after %s", async (_name, events, report) => {
    const { say, errors } = await served(broken(events));
    const outcome = await say("Hi");
    expect(outcome.state).toBe("TASK_STATE_FAILED");
    expect(outcome.said).not.toContain("OpenAI");
    expect(errors.map(String)).toEqual([expect.stringContaining(report)]);
  });

  it("the run of a failed task is aborted, so that it calls no further tools", async () => {
    const signals: unknown[] = [];
    const runner = broken([delta(5)]);
    const run = runner.run.bind(runner);
    Object.assign(runner, {
      run: (...args: Parameters<typeof run>) => {
        signals.push(args[2]?.signal);
        return run(...args);
      },
    });
    await (await served(runner)).say("Hi");
    expect(signals).toMatchObject([{ aborted: true }]);
  });

  it("the bridge ignores events of unknown types", async () => {
    const item = { type: "run_item_stream_event", name: "new_item", item: {} };
    const { say } = await served(broken([{ type: "new" }, raw({ type: "new" }), item, delta("A")]));
    expect(await say("Hi")).toMatchObject({ state: "TASK_STATE_COMPLETED", text: "A" });
  });

  it("the task fails if the run throws at once, or at its end", async () => {
    const error = new Error("secret of the SDK");
    const throws = { config: {}, run: () => Promise.reject(error) } as unknown as Runner;
    const completed = Promise.reject(error);
    completed.catch(() => undefined);
    for (const runner of [throws, broken([delta("A")], { completed })]) {
      const { say, errors } = await served(runner);
      const outcome = await say("Hi");
      expect(outcome.state).toBe("TASK_STATE_FAILED");
      expect(JSON.stringify(outcome)).not.toContain("secret");
      expect(errors.map(String)).toEqual([expect.stringContaining("secret of the SDK")]);
    }
  });
});
