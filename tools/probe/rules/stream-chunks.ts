import { PartSchema } from "../../../generated/1.0/validators.js";
import { listAt, member, textAt } from "../../agents/findings.js";
import { isTerminal } from "../../agents/index.js";
import { short, stateOf, taskIn } from "../reply.js";
import { Inapplicable, type Rule } from "../rule.js";
import type { Session } from "../session.js";
import { idsOf, kindOf, needs, stateAfter, taskEvents } from "./stream-reading.js";
import {
  canonical,
  firstProblemIn,
  problemUnlessEqual,
  isEqual,
  normalized,
  problemUnless,
} from "./expect.js";

async function artifactEvents(session: Session): Promise<readonly unknown[]> {
  const events = (await taskEvents(session)).flatMap((event) =>
    kindOf(event) === "artifactUpdate" ? [member(event, "artifactUpdate")] : [],
  );
  if (events.length === 0) throw new Inapplicable("the stream has no artifacts");
  return events;
}

/** Returns the first difference between the artifacts of a stream and of its task. */
function difference(streamed: string, kept: string): string {
  let at = 0;
  while (at < streamed.length && streamed[at] === kept[at]) at += 1;
  const from = Math.max(0, at - 20);
  const excerpt = (text: string): string => short(text.slice(from, from + 60));
  return (
    "the artifacts of the stream and of the task differ: the stream has " +
    `${excerpt(streamed)}, the task ${excerpt(kept)}`
  );
}

const artifactIdOf = (update: unknown): unknown => member(member(update, "artifact"), "artifactId");

/** Rules for the artifacts in streams, and for the task after a stream. */
export const streamChunkRules: readonly Rule[] = [
  {
    id: "stream-append",
    level: "must",
    section: "4.2.2",
    earlier: "7.2.3",
    title: "An appended chunk follows another chunk of its artifact",
    needs,
    check: async (session) => {
      const updates = await artifactEvents(session);
      return firstProblemIn(updates, "artifact updates", (update, name, index) => {
        const isKnown = updates
          .slice(0, index)
          .some((before) => artifactIdOf(before) === artifactIdOf(update));
        return problemUnless(
          member(update, "append") !== true || isKnown,
          () => `${name} appends to an unknown artifact`,
        );
      });
    },
  },
  {
    id: "stream-last-chunk",
    level: "must",
    section: "4.2.2",
    earlier: "7.2.3",
    title: "No chunk is appended after the last chunk of an artifact",
    needs,
    check: async (session) => {
      const updates = await artifactEvents(session);
      return firstProblemIn(updates, "artifact updates", (update, name, index) => {
        const isDone = updates
          .slice(0, index)
          .some(
            (before) =>
              artifactIdOf(before) === artifactIdOf(update) && member(before, "lastChunk") === true,
          );
        const isAppended = member(update, "append") === true;
        return isAppended && isDone ? `${name} follows the last chunk` : undefined;
      });
    },
  },
  {
    id: "stream-artifacts",
    level: "must",
    section: "4.2.2",
    earlier: "7.2.3",
    title: "The chunks of a stream add up to the artifacts of the task",
    needs,
    check: async (session) => {
      const updates = await artifactEvents(session);
      const events = await taskEvents(session);
      const got = taskIn((await session.call("GetTask", { id: idsOf(events[0]).task })).result);
      const textOf = (parts: readonly unknown[]): string =>
        parts
          .map((part) => textAt(part, "text") ?? canonical(normalized(PartSchema, part)))
          .join("");
      const ids = [...new Set(updates.map(artifactIdOf))];
      const folded = ids.map((id) => {
        const artifactUpdates = updates.filter((update) => artifactIdOf(update) === id);
        // A chunk that is not appended replaces the chunks before it.
        const start = artifactUpdates.findLastIndex((update) => member(update, "append") !== true);
        return textOf(
          artifactUpdates
            .slice(Math.max(start, 0))
            .flatMap((update) => listAt(member(update, "artifact"), "parts")),
        );
      });
      const kept = listAt(got, "artifacts").map((artifact) => textOf(listAt(artifact, "parts")));
      return problemUnless(isEqual(folded, kept), () =>
        difference(canonical(folded), canonical(kept)),
      );
    },
  },
  {
    id: "stream-state-kept",
    level: "must",
    section: "3.5.2",
    earlier: "7.3",
    title: "GetTask returns the last state from the stream",
    needs,
    check: async (session) => {
      const events = await taskEvents(session);
      const state = events.map(stateAfter).findLast((value) => value !== "");
      const reply = await session.call("GetTask", { id: idsOf(events[0]).task });
      return problemUnlessEqual(stateOf(taskIn(reply.result)), state);
    },
  },
  {
    id: "stream-history-zero",
    level: "must",
    section: "3.2.4",
    title: "The task of a stream with historyLength 0 has no history",
    needs,
    check: async (session) => {
      const reply = await session.call("SendStreamingMessage", {
        message: session.message("stream-history"),
        configuration: { historyLength: 0 },
      });
      const task = taskIn(reply.events?.[0]);
      if (task === undefined) throw new Inapplicable("the stream does not start with a task");
      return problemUnless(listAt(task, "history").length === 0, () => "the task has a history");
    },
  },
  {
    id: "subscribe-first",
    level: "must",
    section: "3.1.6",
    earlier: "7.9",
    title: "A subscription starts with the task",
    needs,
    check: async (session) => {
      // A task of its own: other rules answer the questions of shared tasks, which may then have
      // ended.
      const { result } = await session.call("SendMessage", {
        message: session.message("subscribe"),
      });
      const id = textAt(taskIn(result), "id");
      if (id === undefined) throw new Inapplicable("the agent did not create a task");
      if (isTerminal(stateOf(taskIn(result)))) throw new Inapplicable("the probe's task has ended");
      const [event] =
        (await session.call("SubscribeToTask", { id }, { maxEvents: 1 })).events ?? [];
      return (
        problemUnlessEqual(idsOf(event).task, id) ??
        problemUnless(kindOf(event) === "task", () => `the first event is ${short(event)}`)
      );
    },
  },
];
