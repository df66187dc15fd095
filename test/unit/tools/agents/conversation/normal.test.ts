import { describe, expect, it } from "vitest";
import type { StreamResponse, Task } from "../../../../../generated/1.0/models.js";
import {
  compareConversations,
  ConversationLog,
  readConversation,
  writeConversation,
} from "../../../../../tools/agents/conversation/index.js";
import fc from "../../../../support/properties.js";
import { agent } from "./talking.js";

/** Actions of an agent in a turn, without ids and times. */
interface Act {
  readonly artifacts: readonly { readonly name: string; readonly text: string }[];
  readonly progress: readonly string[];
  readonly end: "TASK_STATE_COMPLETED" | "TASK_STATE_FAILED" | "TASK_STATE_INPUT_REQUIRED";
  readonly said: string;
}

const text = fc.string({ maxLength: 20, unit: "grapheme" });
const act: fc.Arbitrary<Act> = fc.record({
  artifacts: fc.uniqueArray(fc.record({ name: text, text }), {
    maxLength: 3,
    selector: ({ name }) => name,
  }),
  progress: fc.array(text, { maxLength: 3 }),
  end: fc.constantFrom("TASK_STATE_COMPLETED", "TASK_STATE_FAILED", "TASK_STATE_INPUT_REQUIRED"),
  said: text,
});

/** How a run sends it: the size of chunks, and whether snapshots repeat what was sent. */
const manner = fc.record({
  chunk: fc.integer({ min: 1, max: 30 }),
  repeats: fc.boolean(),
  streams: fc.boolean(),
});
type Manner = typeof manner extends fc.Arbitrary<infer T> ? T : never;

let count = 0;
const random = (): string => `${(count += 1)}-${crypto.randomUUID()}`;
const now = (): string => new Date(1_800_000_000_000 + (count += 1)).toISOString();

/** Returns the events of a turn. */
function* eventsOf(
  { artifacts, progress, end, said }: Act,
  { chunk, repeats, streams }: Manner,
  ids: { readonly taskId: string; readonly contextId: string },
): Generator<StreamResponse> {
  const { taskId: id, contextId } = ids;
  const task: Task & { artifacts: NonNullable<Task["artifacts"]> } = {
    id,
    contextId,
    status: { state: "TASK_STATE_SUBMITTED", timestamp: now() },
    artifacts: [],
  };
  const status = (state: Task["status"]["state"], words?: string): StreamResponse => {
    const parts = [{ text: words ?? "" }];
    const message = { messageId: random(), role: "ROLE_AGENT" as const, parts };
    task.status = { state, timestamp: now(), ...(words !== undefined && { message }) };
    return { statusUpdate: { ...ids, status: task.status } };
  };
  if (streams) yield { task: structuredClone(task) };
  for (const words of progress) {
    const update = status("TASK_STATE_WORKING", words);
    if (streams) yield update;
  }
  for (const { name, text: content } of artifacts) {
    const artifactId = random();
    task.artifacts.push({ artifactId, name, parts: [{ text: content }] });
    for (let at = 0; at === 0 || at < content.length; at += chunk) {
      const artifact = { artifactId, name, parts: [{ text: content.slice(at, at + chunk) }] };
      if (streams) yield { artifactUpdate: { ...ids, artifact, append: at > 0 } };
    }
    if (streams && repeats) yield { task: structuredClone(task) };
  }
  const update = status(end, said);
  yield streams && !repeats ? update : { task: structuredClone(task) };
}

/** Records the turns of an agent as a run sends them. */
function run(acts: readonly Act[], manners: readonly Manner[]) {
  const log = new ConversationLog();
  const contextId = random();
  for (const [index, each] of acts.entries()) {
    const parts = [{ text: `Message ${index}` }];
    const turn = log.begin({ messageId: random(), role: "ROLE_USER", parts, contextId });
    const ids = { taskId: random(), contextId };
    const how = manners[index % manners.length] ?? { chunk: 1, repeats: false, streams: true };
    for (const event of eventsOf(each, how, ids)) turn.add(event);
  }
  return log.conversation(agent);
}

const acts = fc.array(act, { minLength: 1, maxLength: 4 });
const manners = fc.array(manner, { minLength: 1, maxLength: 4 });

describe("the normal form of conversations", () => {
  it("two runs of an agent are the same, whatever their ids, times, chunks, snapshots and streams", () => {
    fc.assert(
      fc.property(acts, manners, manners, (all, one, other) => {
        expect(compareConversations(run(all, one), run(all, other))).toEqual([]);
      }),
    );
  });

  it("two streams of an agent have the same events, whatever their ids, times and chunks", () => {
    fc.assert(
      fc.property(acts, fc.integer({ min: 1, max: 9 }), (all, chunk) => {
        const [one, other] = [chunk, 99].map((size) =>
          run(all, [{ chunk: size, repeats: false, streams: true }]),
        );
        expect(one).toEqual(other);
      }),
    );
  });

  it("two agents that do something else have a difference", () => {
    fc.assert(
      fc.property(act, act, manners, (one, other, how) => {
        const outcome = ({ artifacts, end, said }: Act) => JSON.stringify([artifacts, end, said]);
        const differences = compareConversations(run([one], how), run([other], how));
        expect(differences.length > 0).toBe(outcome(one) !== outcome(other));
      }),
    );
  });

  it("a conversation that is read from its file is the same", () => {
    fc.assert(
      fc.property(acts, manners, (all, how) => {
        const conversation = run(all, how);
        expect(readConversation(writeConversation(conversation))).toEqual(conversation);
      }),
    );
  });
});
