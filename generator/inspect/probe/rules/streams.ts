import { StreamResponseSchema } from "../../../../generated/1.0-package/validators.js";
import { check as checkType } from "a2a-codegen/runtime/schema/schema";
import { isObject, listAt, member, textAt } from "../../core/findings.js";
import { isInterrupted, isTerminal, short, stateOf, taskIn } from "../reply.js";
import { Inapplicable, type Rule } from "../rule.js";
import type { Session } from "../session.js";
import { each, equals, isEqual, succeeds, unless } from "./expect.js";

const needs = { sends: true, capability: "streaming" } as const;
const kinds = ["task", "message", "statusUpdate", "artifactUpdate"];

/** Returns the kind of an event; empty if it is unknown. */
const kindOf = (event: unknown): string => kinds.find((kind) => isObject(member(event, kind))) ?? "";

/** Returns the ids of the task and of the context of an event. */
function idsOf(event: unknown): unknown[] {
  const body = member(event, kindOf(event));
  return [member(body, kindOf(event) === "task" ? "id" : "taskId"), member(body, "contextId")];
}

/** Returns the state after an event; empty if the event does not contain a state. */
const stateAfter = (event: unknown): string => stateOf(member(event, "task") ?? member(event, "statusUpdate"));

/** Returns the events of a stream that begins with a task. */
async function taskEvents(session: Session): Promise<readonly unknown[]> {
  const events = await session.events();
  if (kindOf(events[0]) === "message") throw new Inapplicable("the agent responded with a message");
  return events;
}

async function artifactEvents(session: Session): Promise<readonly unknown[]> {
  const events = (await taskEvents(session)).flatMap((event) =>
    kindOf(event) === "artifactUpdate" ? [member(event, "artifactUpdate")] : [],
  );
  if (events.length === 0) throw new Inapplicable("the stream has no artifacts");
  return events;
}

const idOf = (update: unknown): unknown => member(member(update, "artifact"), "artifactId");

/** Rules for streams of events. */
export const streamRules: readonly Rule[] = [
  {
    ...{
      id: "stream-served",
      level: "must",
      section: "3.1.2",
      earlier: "7.2",
      title: "SendStreamingMessage returns a stream of events",
    },
    needs,
    check: async (session) => {
      const reply = await session.streamed();
      return succeeds(reply) ?? unless((reply.events?.length ?? 0) > 0, () => "the stream has no events");
    },
  },
  {
    ...{
      id: "stream-content-type",
      level: "must",
      section: "9.4.2",
      earlier: "3.3.1",
      title: "A stream has status 200 and the type text/event-stream",
    },
    needs: { ...needs, http: true },
    check: async (session) => {
      const { status, headers } = await session.streamed();
      return (
        equals(status, 200) ??
        unless(
          /^text\/event-stream\b/i.test(headers["content-type"] ?? ""),
          () => `Content-Type is ${short(headers["content-type"])}`,
        )
      );
    },
  },
  {
    ...{ id: "stream-json", level: "must", section: "9.4.2", title: "The data of each event is JSON" },
    needs: { ...needs, http: true },
    check: async (session) =>
      each((await session.streamed()).frames, "events", (frame, name) =>
        unless(isObject(frame), () => `${name} is not a JSON object`),
      ),
  },
  {
    ...{
      id: "stream-envelope",
      level: "must",
      section: "9.4.2",
      title: "Each event is a JSON-RPC response with the id of the request",
    },
    needs: { ...needs, binding: "JSONRPC" },
    check: async (session) =>
      each((await session.streamed()).frames, "events", (frame) =>
        equals([member(frame, "jsonrpc"), member(frame, "id")], ["2.0", "probe-SendStreamingMessage"]),
      ),
  },
  {
    ...{
      id: "stream-kind",
      level: "must",
      section: "3.2.3",
      earlier: "7.2.1",
      title: "Each event is of exactly one known kind",
    },
    needs,
    check: async (session) =>
      each(await session.events(), "events", (event, name) => {
        const found = kinds.filter((kind) => member(event, kind) !== undefined);
        return unless(found.length === 1, () => `${name} must have one of ${kinds.join(", ")}, got ${short(event)}`);
      }),
  },
  {
    ...{ id: "stream-type", level: "must", section: "5.7", earlier: "7.2.1", title: "Each event matches its type" },
    needs,
    check: async (session) =>
      each(await session.events(), "events", (event, name) => {
        const [issue] = checkType(StreamResponseSchema, event, "json").issues ?? [];
        return issue === undefined
          ? undefined
          : `${name}.${issue.path.join(".")}: expected ${issue.expected}, got ${issue.found}`;
      }),
  },
  {
    ...{
      id: "stream-first",
      level: "must",
      section: "3.1.2",
      earlier: "7.2.1",
      title: "A stream begins with the task or the message",
    },
    needs,
    check: async (session) => {
      const [event] = await session.events();
      return unless(["task", "message"].includes(kindOf(event)), () => `the first event is ${short(event)}`);
    },
  },
  {
    ...{
      id: "stream-message-alone",
      level: "must",
      section: "3.1.2",
      earlier: "7.2.1",
      title: "A message is the only event of its stream",
    },
    needs,
    check: async (session) => {
      const events = await session.events();
      return unless(
        events.length === 1 || !events.some((event) => kindOf(event) === "message"),
        () => `the stream has ${events.length} events, one of which is a message`,
      );
    },
  },
  {
    ...{
      id: "stream-task",
      level: "must",
      section: "4.2",
      earlier: "7.2.2",
      title: "All events of a stream are of one task",
    },
    needs,
    check: async (session) => {
      const events = await taskEvents(session);
      const [task] = idsOf(events[0]);
      return each(events, "events", (event, name) =>
        unless(idsOf(event)[0] === task, () => `${name} is of the task ${short(idsOf(event)[0])}`),
      );
    },
  },
  {
    ...{
      id: "stream-context",
      level: "must",
      section: "4.2",
      earlier: "7.2.2",
      title: "All events of a stream are of one context",
    },
    needs,
    check: async (session) => {
      const events = await taskEvents(session);
      const [, context] = idsOf(events[0]);
      return each(events, "events", (event, name) =>
        unless(idsOf(event)[1] === context, () => `${name} is of the context ${short(idsOf(event)[1])}`),
      );
    },
  },
  {
    ...{
      id: "stream-end",
      level: "must",
      section: "3.1.2",
      earlier: "7.2",
      title: "A stream ends after the task has ended or paused",
    },
    needs,
    check: async (session) => {
      const state = (await taskEvents(session)).map(stateAfter).findLast((each) => each !== "") ?? "";
      return unless(isTerminal(state) || isInterrupted(state), () => `the last state is ${short(state)}`);
    },
  },
  {
    ...{
      id: "stream-after-end",
      level: "must",
      section: "3.1.2",
      earlier: "7.2",
      title: "No event follows the end of the task",
    },
    needs,
    check: async (session) => {
      const events = await taskEvents(session);
      const end = events.findIndex((event) => isTerminal(stateAfter(event)));
      return unless(end < 0 || end === events.length - 1, () => `${events.length - 1 - end} events follow the end`);
    },
  },
  {
    ...{
      id: "stream-order",
      level: "must",
      section: "3.5.2",
      earlier: "7.2",
      title: "A task never returns to the state submitted",
    },
    needs,
    check: async (session) => {
      const found = (await taskEvents(session)).map(stateAfter).filter((state) => state !== "");
      const at = found.findLastIndex((state) => state === "TASK_STATE_SUBMITTED");
      return unless(
        found.slice(0, Math.max(at, 0)).every((state) => state === "TASK_STATE_SUBMITTED"),
        () => `the states are ${found.join(", ")}`,
      );
    },
  },
  {
    ...{
      id: "stream-append",
      level: "must",
      section: "4.2.2",
      earlier: "7.2.3",
      title: "An appended chunk follows another chunk of its artifact",
    },
    needs,
    check: async (session) => {
      const updates = await artifactEvents(session);
      return each(updates, "artifact updates", (update, name, index) => {
        const isKnown = updates.slice(0, index).some((before) => idOf(before) === idOf(update));
        return unless(member(update, "append") !== true || isKnown, () => `${name} appends to an unknown artifact`);
      });
    },
  },
  {
    ...{
      id: "stream-last-chunk",
      level: "must",
      section: "4.2.2",
      earlier: "7.2.3",
      title: "No chunk is appended after the last chunk of an artifact",
    },
    needs,
    check: async (session) => {
      const updates = await artifactEvents(session);
      return each(updates, "artifact updates", (update, name, index) => {
        const isDone = updates
          .slice(0, index)
          .some((before) => idOf(before) === idOf(update) && member(before, "lastChunk") === true);
        return unless(!isDone || member(update, "append") !== true, () => `${name} follows the last chunk`);
      });
    },
  },
  {
    ...{
      id: "stream-artifacts",
      level: "must",
      section: "4.2.2",
      earlier: "7.2.3",
      title: "The chunks of a stream add up to the artifacts of the task",
    },
    needs,
    check: async (session) => {
      const [updates, events] = [await artifactEvents(session), await taskEvents(session)];
      const got = taskIn((await session.call("GetTask", { id: idsOf(events[0])[0] })).result);
      const textOf = (parts: readonly unknown[]): string =>
        parts.map((part) => textAt(part, "text") ?? JSON.stringify(part)).join("");
      const ids = [...new Set(updates.map(idOf))];
      const folded = ids.map((id) => {
        const own = updates.filter((update) => idOf(update) === id);
        const start = own.findLastIndex((update) => member(update, "append") !== true);
        return textOf(own.slice(Math.max(start, 0)).flatMap((update) => listAt(member(update, "artifact"), "parts")));
      });
      const kept = listAt(got, "artifacts").map((artifact) => textOf(listAt(artifact, "parts")));
      return unless(isEqual(folded, kept), () => `the stream has ${short(folded)}, the task ${short(kept)}`);
    },
  },
  {
    ...{
      id: "stream-state-kept",
      level: "must",
      section: "3.5.2",
      earlier: "7.3",
      title: "GetTask returns the last state of the stream",
    },
    needs,
    check: async (session) => {
      const events = await taskEvents(session);
      const state = events.map(stateAfter).findLast((each) => each !== "");
      const reply = await session.call("GetTask", { id: idsOf(events[0])[0] });
      return equals(stateOf(taskIn(reply.result)), state);
    },
  },
  {
    ...{
      id: "stream-history-zero",
      level: "must",
      section: "3.2.4",
      title: "The task of a stream with historyLength 0 has no history",
    },
    needs,
    check: async (session) => {
      const reply = await session.call("SendStreamingMessage", {
        message: session.message("stream-history"),
        configuration: { historyLength: 0 },
      });
      const task = taskIn(reply.events?.[0]);
      if (task === undefined) throw new Inapplicable("the stream does not begin with a task");
      return unless(listAt(task, "history").length === 0, () => "the task has a history");
    },
  },
  {
    ...{
      id: "subscribe-first",
      level: "must",
      section: "3.1.6",
      earlier: "7.9",
      title: "A subscription begins with the task",
    },
    needs,
    check: async (session) => {
      const { id, status } = await session.task();
      if (isTerminal(stateOf({ status }))) throw new Inapplicable("the task of the probe has ended");
      const [event] = (await session.call("SubscribeToTask", { id }, { maxEvents: 1 })).events ?? [];
      return (
        equals(idsOf(event)[0], id) ?? unless(kindOf(event) === "task", () => `the first event is ${short(event)}`)
      );
    },
  },
];
