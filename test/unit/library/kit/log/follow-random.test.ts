import { describe, expect, it } from "vitest";
import {
  type StreamResponse,
  type Task,
  TaskState,
} from "../../../../../generated/1.1-draft/models.js";
import { followTask, type Followed } from "../../../../support/bound-kit.js";
import { applyEvent } from "../../../../../library/kit/log/fold.js";
import fc, { arbitrary } from "../../../../support/properties.js";
import type { Random } from "../../../../support/random/random.js";
import { sized } from "../../../../support/size.js";
import {
  Agent,
  broken,
  lost,
  piece,
  request,
  status,
  type AgentKind,
  type Fault,
  type Moment,
} from "../../client/follow-agent.js";

/**
 * Actions of a task: messages and chunks of artifacts, some of which are equal and some replace
 * others.
 */
function logOf(random: Random): StreamResponse[] {
  let count = 0;
  const next = (): string => String((count += 1));
  const one = (): StreamResponse => {
    if (random.oneIn(3))
      return status(random.pick([TaskState.Working, TaskState.Submitted]), next());
    const text = random.oneIn(3) ? "." : `${next()} `;
    return piece(text, !random.oneIn(8), random.pick(["a", "b"]));
  };
  return [
    ...random.list(12, one),
    status(random.pick([TaskState.Completed, TaskState.InputRequired]), next()),
  ];
}

/** An agent that something goes wrong with again and again. */
function agentOf(random: Random, log: readonly StreamResponse[]): Agent {
  const counts = random.oneIn(2);
  const joins = random.oneIn(2);
  const rate = random.pick([2, 4, 1000]);
  let isProven = false;
  const fault = ({ method, event, happened }: Moment): Fault => {
    // A follower that might send a message twice gets an error instead, and so does a follower
    // without any part of the response.
    const isSend = method.startsWith("send");
    if (isSend && (event === undefined || event.task !== undefined)) return undefined;
    if (random.oneIn(rate))
      return random.pick([lost(), broken(), ...(event === undefined ? [] : (["end"] as const))]);
    const faults: Fault[] = event?.task !== undefined || happened === 0 ? [] : kindsOf(event);
    if (event !== undefined && event.task === undefined) isProven = true;
    return faults.length > 0 && random.oneIn(4) ? random.pick(faults) : undefined;
  };
  // Only an agent that counts generations reveals whether a chunk is lost or repeated.
  const kindsOf = (event: StreamResponse | undefined): Fault[] => {
    if (!counts) return event?.statusUpdate === undefined ? [] : ["twice"];
    return event?.statusUpdate?.status.state === TaskState.Completed
      ? ["twice"]
      : ["skip", "twice"];
  };
  const kind: AgentKind = {
    streaming: random.pick([true, true, false]),
    subscribes: !random.oneIn(4),
    counts,
    fault,
    replays: () => (counts && isProven ? random.below(3) : 0),
    pass: () => random.below(3),
    ...(joins && { shown: withJoinedTexts }),
  };
  return new Agent(log, kind);
}

function withJoinedTexts(task: Task): Task {
  const { artifacts } = task;
  if (artifacts === undefined) return task;
  return {
    ...task,
    artifacts: artifacts.map((each) => ({ ...each, parts: [{ text: textOf(each.parts) }] })),
  };
}

function textOf(parts: readonly { readonly text?: string }[]): string {
  return parts.map(({ text = "" }) => text).join("");
}

/** Comparable form of a task, independent of the boundaries between parts. */
function essence({ status: { state, message }, artifacts = [] }: Task): object {
  const texts = artifacts.map(({ artifactId, parts }) => [artifactId, textOf(parts)]);
  return { state, said: message?.messageId, texts };
}

const statusesIn = (events: readonly StreamResponse[]): (string | undefined)[] =>
  events.flatMap(({ statusUpdate }) =>
    statusUpdate === undefined ? [] : [statusUpdate.status.message?.messageId],
  );

/** The texts that were added to an artifact since it was last replaced. */
const addedTo = (id: string, events: readonly StreamResponse[]): string =>
  events.reduce((text, { task, artifactUpdate }) => {
    const artifact =
      artifactUpdate?.artifact ?? task?.artifacts?.find(({ artifactId }) => artifactId === id);
    if (artifact?.artifactId !== id) return text;
    return artifactUpdate?.append === true ? text + textOf(artifact.parts) : textOf(artifact.parts);
  }, "");

describe("a follower whose connection is lost repeatedly", () => {
  it("a follower sees each change of the status and each byte of the artifacts once and in order", async () => {
    await fc.assert(
      fc.asyncProperty(
        arbitrary((random) => random),
        async (random) => {
          const agent = agentOf(random, logOf(random));
          const seen: Followed[] = [];
          const following = followTask(agent, request, { retries: Infinity, delayMs: () => 0 });
          for await (const each of following) seen.push(each);
          const { task } = (await following.result()) as { task: Task };
          const events = seen.map(({ event }) => event);

          const end = essence(agent.task);
          expect(essence(task)).toEqual(end);
          expect(events[0]?.task).toBeDefined();
          expect(events.slice(1).filter((event) => event.task !== undefined)).toEqual([]);
          expect(
            essence(events.reduce((folded, event) => applyEvent(folded, event), task)),
          ).toEqual(end);
          const folded = events
            .slice(1)
            .reduce((now, event) => applyEvent(now, event), events[0]?.task ?? task);
          expect(essence(folded)).toEqual(end);
          for (const { artifactId, parts } of task.artifacts ?? []) {
            expect(addedTo(artifactId, events)).toBe(textOf(parts));
          }

          const told = statusesIn(agent.log);
          const found = statusesIn(events);
          expect(found).toEqual(told.filter((id) => found.includes(id)));
          expect(agent.methods.filter((method) => method.startsWith("send"))).toHaveLength(1);
          expect(agent.open).toBe(0);
        },
      ),
      { numRuns: sized(60, 200) },
    );
  });
});
