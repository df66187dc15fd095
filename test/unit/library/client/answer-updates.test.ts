import { describe, expect, it } from "vitest";
import {
  type StreamResponse,
  type Task,
  TaskState,
} from "../../../../generated/1.1-draft/models.js";
import type { AnswerUpdate } from "../../../../library/client/answer.js";
import { AnswerUpdates } from "../../../../library/client/answer-updates.js";
import { remoteAgent } from "../../../../library/client/remote-agent.js";
import { followTask } from "../../../support/bound-kit.js";
import { processorTime } from "../../../support/processor-time.js";
import fc, { arbitrary } from "../../../support/properties.js";
import type { Random } from "../../../support/random/random.js";
import { sized } from "../../../support/size.js";
import { Agent, lost, piece, status, type AgentKind } from "./follow-agent.js";

const end = status(TaskState.Completed, "end");

const artifact = { artifactId: "a", parts: [{ data: { count: 1 } }] };
const dataPiece: StreamResponse = {
  artifactUpdate: { taskId: "t", contextId: "c", artifact, append: true },
};

/** Asks an agent whose task does what a log says. */
async function ask(log: readonly StreamResponse[], kind: AgentKind) {
  const agent = new Agent(log, kind);
  const client = Object.assign(agent, {
    cancelTask: () => Promise.resolve(agent.task),
    close: () => undefined,
  });
  const connect = () => Promise.reject(new Error("The client is given"));
  const answer = remoteAgent(client, {}, { connect, followTask }).ask("go", { delayMs: () => 0 });
  const updates: AnswerUpdate[] = [];
  for await (const each of answer) updates.push(each);
  return { updates, agent };
}

/** Returns what a reader of the updates has in the end: the text of each artifact. */
function readerOf(updates: readonly AnswerUpdate[]): Record<string, string> {
  const texts: Record<string, string> = {};
  for (const each of updates) {
    if (each.type === "progress") continue;
    const { artifactId } = each.artifact;
    if (each.type === "replaced") delete texts[artifactId];
    else texts[artifactId] = (texts[artifactId] ?? "") + (each.type === "text" ? each.text : "#");
  }
  return texts;
}

function textsOf({ artifacts = [] }: Task): Record<string, string> {
  const texts = artifacts.map(
    ({ artifactId, parts }) => [artifactId, parts.map(({ text = "#" }) => text).join("")] as const,
  );
  return Object.fromEntries(texts.filter(([, text]) => text !== ""));
}

const words = (updates: readonly AnswerUpdate[]): string[] =>
  updates.map((each) => (each.type === "text" ? each.text : each.type));

describe("the updates of an answer", () => {
  it("an artifact that an agent writes again after a crash is yielded once", async () => {
    const log = [piece("a"), piece("b"), piece("a", false), piece("b"), piece("c"), end];
    expect(words((await ask(log, { streaming: true })).updates)).toEqual(["a", "b", "c"]);
  });

  it("an artifact that differs when it is written again is replaced", async () => {
    const log = [piece("a"), piece("b"), piece("a", false), piece("x"), piece("c"), end];
    const { updates } = await ask(log, { streaming: true });
    expect(words(updates)).toEqual(["a", "b", "replaced", "ax", "c"]);
  });

  it("an artifact that is shorter when it is written again is replaced at the end", async () => {
    const log = [piece("a"), piece("b"), piece("a", false), end];
    const { updates } = await ask(log, { streaming: true });
    expect(words(updates)).toEqual(["a", "b", "replaced", "a"]);
  });

  it("chunks that arrive while the connection is lost are yielded when it is back", async () => {
    let count = 0;
    const fault = () => ((count += 1) === 4 ? lost() : undefined);
    const log = [piece("a"), piece("b"), piece("c"), piece("d"), end];
    const { updates } = await ask(log, { streaming: true, fault, pass: () => 2 });
    expect(readerOf(updates)).toEqual({ a: "abcd" });
    expect(words(updates)).not.toContain("replaced");
  });

  it("for any agent and any faults, a reader of the updates has the artifacts of the task", async () => {
    const cases = arbitrary((random: Random) => {
      const log = Array.from({ length: random.below(20) }, () => {
        const artifactId = random.oneIn(3) ? "b" : "a";
        return random.oneIn(6)
          ? status(TaskState.Working, String(random.below(9)))
          : piece(random.pick(["a", "b", "ab", ""]), !random.oneIn(5), artifactId);
      });
      return { log: [...log, end], random };
    });
    await fc.assert(
      fc.asyncProperty(cases, async ({ log, random }) => {
        const kind: AgentKind = {
          streaming: !random.oneIn(3),
          counts: random.oneIn(2),
          fault: () =>
            random.oneIn(8) ? random.pick([lost(), "end" as const, undefined]) : undefined,
          pass: () => random.below(4),
        };
        // The first event of a message cannot be lost, because the message must not be sent twice.
        const first = { isOver: false };
        const fault: AgentKind["fault"] = (at) => {
          if (first.isOver) return kind.fault?.(at);
          first.isOver = at.event?.task !== undefined || at.method === "getTask";
          return undefined;
        };
        const { updates, agent } = await ask(log, { ...kind, fault });
        expect(readerOf(updates)).toEqual(textsOf(agent.task));
      }),
      { numRuns: sized(300, 3_000) },
    );
  });

  it.each<[string, StreamResponse]>([
    ["text", piece("word ")],
    ["data", dataPiece],
  ])("the time for long answers of %s grows with their length", (_kind, event) => {
    const timeOf = (count: number) => {
      const updates = new AnswerUpdates();
      const begin = processorTime();
      for (let at = 0; at < count; at++) Array.from(updates.after(event));
      return processorTime() - begin;
    };
    timeOf(20_000);
    const [short, long] = [timeOf(20_000), timeOf(80_000)];
    expect(long).toBeLessThan(Math.max(short, 20) * 12);
  });
});
