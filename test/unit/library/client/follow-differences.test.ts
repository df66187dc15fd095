import { describe, expect, it } from "vitest";
import {
  type Part,
  type StreamResponse,
  type Task,
  TaskState,
} from "../../../../generated/1.1-draft/models.js";
import { differences } from "../../../../library/client/differences.js";
import { applyEvent } from "../../../../library/kit/log/fold.js";
import fc, { arbitrary } from "../../../support/properties.js";
import { sized } from "../../../support/size.js";
import { piece, status, submitted } from "./follow-agent.js";

const ids = { taskId: "t", contextId: "c" };
const texts = (...all: string[]): Part[] => all.map((text) => ({ text }));
const taskOf = (...parts: Part[][]): Task => ({
  ...submitted,
  artifacts: parts.map((each, at) => ({ artifactId: String(at), parts: each })),
});
const added = (...parts: Part[]) => ({ append: true, artifact: { artifactId: "0", parts } });
const replaced = (...parts: Part[]) => ({ artifact: { artifactId: "0", parts } });

describe("the difference between two states of a task", () => {
  it.each([
    ["nothing", texts("a"), texts("a"), []],
    ["additional parts", texts("a"), texts("a", "b", "c"), [added({ text: "b" }, { text: "c" })]],
    ["a longer text", texts("a"), texts("ab"), [added({ text: "b" })]],
    ["chunks of text that were joined", texts("a", "b"), texts("ab"), []],
    ["one text that was split into chunks", texts("ab"), texts("a", "b"), []],
    [
      "joined texts and additional text",
      texts("a", "b"),
      [...texts("abc"), { url: "u" }],
      [added({ text: "c" }, { url: "u" })],
    ],
    ["another text", texts("a"), texts("b"), [replaced({ text: "b" })]],
    ["a shorter text", texts("ab"), texts("a"), [replaced({ text: "a" })]],
    [
      "another part before it",
      texts("a", "b"),
      [{ url: "u" }, { text: "b" }],
      [replaced({ url: "u" }, { text: "b" })],
    ],
    [
      "another media type",
      texts("a"),
      [{ text: "a", mediaType: "x/y" }],
      [replaced({ text: "a", mediaType: "x/y" })],
    ],
    ["data of another order", [{ data: { a: 1, b: 2 } }], [{ data: { b: 2, a: 1 } }], []],
  ] satisfies [string, Part[], Part[], object[]][])(
    "the difference of an artifact is found: %s",
    (_, before, now, expected) => {
      const events = expected.map((update) => ({ artifactUpdate: { ...ids, ...update } }));
      expect(differences(taskOf(before), taskOf(now))).toEqual(events);
    },
  );

  it.each([
    [
      "the same time in another format",
      { timestamp: "2026-01-01T00:00:00Z" },
      { timestamp: "2026-01-01T00:00:00.000Z" },
      0,
    ],
    ["an absent time", {}, { timestamp: "2026-01-01T00:00:00Z" }, 0],
    [
      "another time",
      { timestamp: "2026-01-01T00:00:00Z" },
      { timestamp: "2026-01-01T00:00:01Z" },
      1,
    ],
    ["another state", {}, { state: TaskState.Working }, 1],
  ])("the difference of a status is found: %s", (_, before, now, count) => {
    const [old, later] = [before, now].map((more) => ({
      ...submitted,
      status: { ...submitted.status, ...more },
    }));
    expect(differences(old ?? submitted, later ?? submitted)).toHaveLength(count);
  });

  it("the difference is the whole task if an artifact was removed", () => {
    const now = taskOf(texts("b"));
    expect(differences(taskOf(texts("a"), texts("b")), { ...now, artifacts: [] })).toEqual([
      { task: { ...now, artifacts: [] } },
    ]);
  });

  it("the difference does not repeat the content of known chunks, and contains the new content", () => {
    const withMetadata = (metadata: Record<string, number>, ...parts: Part[]): Task => ({
      ...submitted,
      artifacts: [{ artifactId: "0", parts, metadata }],
    });
    const before = withMetadata({ n: 1, m: 2 }, { text: "a" });
    expect(differences(before, withMetadata({ n: 1 }, { text: "a" }))).toEqual([]);
    expect(differences(before, withMetadata({ n: 2 }, { text: "a" }))).toEqual([
      {
        artifactUpdate: {
          ...ids,
          append: true,
          artifact: { artifactId: "0", parts: [], metadata: { n: 2 } },
        },
      },
    ]);
  });
});

describe("events that are applied to a task", () => {
  /** Reference implementation of the protocol's rules, without optimizations. */
  function naive(task: Task, { statusUpdate, artifactUpdate }: StreamResponse) {
    const result = structuredClone(task);
    if (statusUpdate !== undefined) {
      if (result.status.message !== undefined) (result.history ??= []).push(result.status.message);
      result.status = statusUpdate.status;
    } else if (artifactUpdate !== undefined) {
      const { artifact, append } = structuredClone(artifactUpdate);
      const at = (result.artifacts ??= []).findIndex(
        ({ artifactId }) => artifactId === artifact.artifactId,
      );
      if (at < 0) result.artifacts.push(artifact);
      else if (append === true) result.artifacts[at]?.parts.push(...artifact.parts);
      else result.artifacts[at] = artifact;
    }
    return result;
  }

  it("applying several events returns the same task as applying them one by one and does not change the arguments", () => {
    const log = arbitrary((random) =>
      Array.from({ length: random.below(9) }, (_, at) =>
        random.oneIn(3)
          ? status(random.pick([TaskState.Working, TaskState.Completed]), String(at))
          : piece(String(random.below(9)), random.oneIn(2), random.pick(["a", "b"])),
      ),
    );
    fc.assert(
      fc.property(log, (events) => {
        const given = structuredClone(events);
        const expected = events.reduce(naive, submitted);
        expect(events.reduce(applyEvent, submitted)).toEqual(expected);
        expect(events).toEqual(given);
      }),
      { numRuns: sized(200, 500) },
    );
  });

  it("applying events keeps the generation of an agent that counts generations, and ignores events of other tasks", () => {
    const counted = (generation: string): StreamResponse => ({
      statusUpdate: { ...ids, status: { state: TaskState.Working }, generation },
    });
    expect(applyEvent(submitted, counted("7"))).toMatchObject({ generation: "7" });
    expect(applyEvent({ ...submitted, generation: "3" }, counted("0"))).toMatchObject({
      generation: "3",
    });
    const other = { ...submitted, id: "other" };
    expect(applyEvent(other, counted("7"))).toBe(other);
    expect(applyEvent(other, { task: submitted })).toBe(other);
  });
});
