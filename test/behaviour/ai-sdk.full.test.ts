import { execFileSync } from "node:child_process";
import { createRequire } from "node:module";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { beforeAll, describe, expect, it } from "vitest";
import { artifact } from "../../library/kit/turns/artifact.js";
import type { Turn, TurnGenerator } from "../../library/kit/turns/turn.js";
import { completed, textOf, working } from "../../library/kit/turns/updates.js";
import { gist, kitAgent } from "../support/kit.js";
import { removeTemporaryFolders, temporaryFolder } from "../support/temporary-folder.js";

/** The part of the AI SDK that the agents of this test use. */
interface AiSdk {
  streamText(options: object): {
    readonly fullStream: AsyncIterable<{
      type: string;
      text?: string;
      toolName?: string;
      error?: unknown;
    }>;
  };
  stepCountIs(count: number): unknown;
  jsonSchema(schema: object): unknown;
}
type Mock = new (options: {
  doStream: (call: { abortSignal?: AbortSignal }) => Promise<object>;
}) => object;
interface AiTest {
  readonly MockLanguageModelV3?: Mock;
  readonly MockLanguageModelV4?: Mock;
}

/** A step of the model: text, a tool call, a pause in milliseconds, or an error. */
type Step = readonly (string | number | Error | { readonly call: string })[];

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
};

/** Streams a step of the model, and calls `said` with each text when the model emits it. */
function streamOf(step: Step, said: (text: string) => void): ReadableStream {
  return new ReadableStream({
    async start(controller) {
      controller.enqueue({ type: "stream-start", warnings: [] });
      controller.enqueue({ type: "text-start", id: "1" });
      for (const item of step) {
        if (typeof item === "number") await pause(item);
        else if (item instanceof Error) controller.enqueue({ type: "error", error: item });
        else if (typeof item === "string") {
          said(item);
          controller.enqueue({ type: "text-delta", id: "1", delta: item });
        } else {
          controller.enqueue({ type: "text-end", id: "1" });
          controller.enqueue({
            type: "tool-call",
            toolCallId: "c",
            toolName: item.call,
            input: "{}",
          });
        }
      }
      const isCall = step.some((item) => typeof item === "object" && "call" in item);
      if (!isCall) controller.enqueue({ type: "text-end", id: "1" });
      const unified = isCall ? "tool-calls" : "stop";
      controller.enqueue({ type: "finish", usage, finishReason: { unified, raw: undefined } });
      controller.close();
    },
  });
}

const major = Number(process.versions.node.split(".")[0]);

describe.each([
  ["6", 20],
  ["7", 22],
])("an agent with a model on ai %s", (version, node) => {
  const isSkipped = major < node;
  if (isSkipped) console.warn(`Skipped: ai ${version} requires Node ${String(node)}`);
  let ai: AiSdk;
  let Model: Mock;

  beforeAll(async () => {
    if (isSkipped) return;
    const folder = temporaryFolder();
    const args = [
      "install",
      "--prefix",
      folder,
      "--no-audit",
      "--no-fund",
      "--prefer-offline",
      `ai@${version}`,
      "zod",
    ];
    execFileSync("npm", args, { stdio: "pipe" });
    const load = async (name: string): Promise<unknown> =>
      import(pathToFileURL(createRequire(join(folder, "package.json")).resolve(name)).href);
    // The interfaces above declare what these modules export.
    ai = (await load("ai")) as AiSdk;
    const test = (await load("ai/test")) as AiTest;
    const mock = test.MockLanguageModelV4 ?? test.MockLanguageModelV3;
    if (mock === undefined) throw new Error(`ai ${version} has no mock of a model`);
    Model = mock;
    return removeTemporaryFolders;
  }, 240_000);

  /**
   * Runs an agent whose model takes these steps; returns its events and the texts of the model,
   * with their times.
   */
  async function played(...steps: Step[]) {
    const said: [ms: number, text: string][] = [];
    const left = [...steps];
    const model = new Model({
      doStream: () =>
        Promise.resolve({
          stream: streamOf(left.shift() ?? [], (text) => said.push([performance.now(), text])),
        }),
    });
    const agent = kitAgent({
      async *run({ message, signal }: Turn<string>): TurnGenerator {
        const inputSchema = ai.jsonSchema({ type: "object", properties: {} });
        const { fullStream } = ai.streamText({
          model,
          prompt: textOf(message),
          tools: {
            weather: { description: "Weather", inputSchema, execute: () => pause(1_000, "sunny") },
          },
          stopWhen: ai.stepCountIs(5),
          abortSignal: signal,
          maxRetries: 0,
          onError: () => undefined,
        });
        async function* answer() {
          for await (const part of fullStream) {
            if (part.type === "text-delta" && part.text !== undefined) yield part.text;
            if (part.type === "tool-call") yield working(`Calling ${part.toolName ?? ""}`);
            if (part.type === "error") throw part.error;
          }
        }
        yield* artifact("answer").from(answer(), { everyMs: 50 });
        return completed();
      },
    });
    const events: [ms: number, event: string][] = [];
    for await (const event of await agent.stream("go"))
      events.push([performance.now(), gist(event)]);
    const { tasks } = await agent.list({ includeArtifacts: true });
    await agent.close();
    return {
      said,
      events,
      errors: agent.errors,
      text: tasks[0] === undefined ? "" : textOf(tasks[0]),
    };
  }

  it.skipIf(isSkipped)(
    "text reaches the caller before the tool call after it, within 100 ms",
    { retry: 2 },
    async () => {
      const { said, events } = await played(
        [300, "Let me", " look.", { call: "weather" }],
        ["It is", 30, " sunny", 400, "."],
      );
      const texts = events.map(([, event]) => event);
      expect(texts.slice(0, 2)).toEqual(["task submitted", "working"]);
      expect(
        texts
          .slice(2)
          .join("|")
          .replaceAll(/\|answer\+ | *\.$/g, ""),
      ).toMatch(/^answer Let me look\.\|working Calling weather.*It is sunny\.*\|completed$/);
      const late = events.flatMap(([ms, event]) => {
        const own = event.startsWith("answer")
          ? said.filter(([, text]) => event.includes(text))
          : [];
        return own.filter(([at]) => ms - at > 100).map(([at, text]) => [text, ms - at]);
      });
      expect(late).toEqual([]);
      console.info(
        `ai ${version}: ${JSON.stringify(events.map(([ms, event]) => [Math.round(ms - (said[0]?.[0] ?? 0)), event]))}`,
      );
    },
  );

  it.skipIf(isSkipped)("200 tokens a second are at most 25 events a second", async () => {
    const tokens = Array.from({ length: 400 }, (_, at) => [3, `${String(at)} `]).flat();
    const { said, events, text } = await played(tokens);
    const times = events.flatMap(([ms, event]) => (event.startsWith("answer") ? [ms] : []));
    const most = Math.max(
      ...times.map((from) => times.filter((ms) => ms >= from && ms < from + 1_000).length),
    );
    const seconds = ((said.at(-1)?.[0] ?? 0) - (said[0]?.[0] ?? 0)) / 1_000;
    console.info(
      `ai ${version}: ${String(Math.round(400 / seconds))} tokens/s gave at most ${String(most)} events/s`,
    );
    expect(most).toBeLessThanOrEqual(25);
    expect(text).toBe(said.map(([, each]) => each).join(""));
  });

  it.skipIf(isSkipped)(
    "a model that fails in its answer, or before it, fails the task",
    async () => {
      for (const step of [["Let me", 20, new Error("Overloaded")], [new Error("Overloaded")]]) {
        const { events, errors } = await played(step);
        expect(events.at(-1)?.[1]).toBe("failed");
        expect(events.some(([, event]) => event === "answer Let me")).toBe(step.length > 1);
        expect(errors.map(String)).toEqual(["Error: Overloaded"]);
      }
    },
  );
});
