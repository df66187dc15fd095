import { StreamResponseSchema } from "../../../generated/1.0/validators.js";
import { isObject, member } from "../../agents/findings.js";
import { isInterrupted, isTerminal } from "../../agents/index.js";
import { short } from "../reply.js";
import { type Rule } from "../rule.js";
import { idsOf, kindOf, kinds, needs, stateAfter, taskEvents } from "./stream-reading.js";
import {
  firstProblemIn,
  envelopeVersion,
  problemUnlessEqual,
  problemUnlessType,
  problemUnlessSuccess,
  problemUnless,
} from "./expect.js";

/** Rules for streams of events. */
export const streamRules: readonly Rule[] = [
  {
    id: "stream-served",
    level: "must",
    section: "3.1.2",
    earlier: "7.2",
    title: "SendStreamingMessage returns a stream of events",
    needs,
    check: async (session) => {
      const reply = await session.streamMessage();
      return (
        problemUnlessSuccess(reply) ??
        problemUnless((reply.events?.length ?? 0) > 0, () => "the stream has no events")
      );
    },
  },
  {
    id: "stream-content-type",
    level: "must",
    section: "9.4.2",
    earlier: "3.3.1",
    title: "A stream has status 200 and the media type text/event-stream",
    needs: { ...needs, http: true },
    check: async (session) => {
      const { status, headers } = await session.streamMessage();
      return (
        problemUnlessEqual(status, 200) ??
        problemUnless(
          /^text\/event-stream\b/i.test(headers["content-type"] ?? ""),
          () => `Content-Type is ${short(headers["content-type"])}`,
        )
      );
    },
  },
  {
    id: "stream-json",
    level: "must",
    section: "9.4.2",
    title: "The data of each event is JSON",
    needs: { ...needs, http: true },
    check: async (session) =>
      firstProblemIn((await session.streamMessage()).frames, "events", (frame, name) =>
        problemUnless(isObject(frame), () => `${name} is not a JSON object`),
      ),
  },
  {
    id: "stream-envelope",
    level: "must",
    section: "9.4.2",
    title: "Each event is a JSON-RPC response with the id of the request",
    needs: { ...needs, binding: "JSONRPC" },
    check: async (session) =>
      firstProblemIn((await session.streamMessage()).frames, "events", (frame) =>
        problemUnlessEqual(
          [envelopeVersion(frame), member(frame, "id")],
          ["2.0", "probe-SendStreamingMessage"],
        ),
      ),
  },
  {
    id: "stream-kind",
    level: "must",
    section: "3.2.3",
    earlier: "7.2.1",
    title: "Each event has exactly one known kind",
    needs,
    check: async (session) =>
      firstProblemIn(await session.streamedEvents(), "events", (event, name) => {
        const found = kinds.filter((kind) => member(event, kind) !== undefined);
        return problemUnless(
          found.length === 1,
          () => `${name} must have one of ${kinds.join(", ")}, got ${short(event)}`,
        );
      }),
  },
  {
    id: "stream-type",
    level: "must",
    section: "5.7",
    earlier: "7.2.1",
    title: "Each event matches its type",
    needs,
    follows: ["stream-kind"],
    check: async (session) =>
      firstProblemIn(await session.streamedEvents(), "events", (event, name) =>
        problemUnlessType(StreamResponseSchema, event, name),
      ),
  },
  {
    id: "stream-first",
    level: "must",
    section: "3.1.2",
    earlier: "7.2.1",
    title: "A stream starts with the task or the message",
    needs,
    check: async (session) => {
      const [event] = await session.streamedEvents();
      return problemUnless(
        ["task", "message"].includes(kindOf(event)),
        () => `the first event is ${short(event)}`,
      );
    },
  },
  {
    id: "stream-message-alone",
    level: "must",
    section: "3.1.2",
    earlier: "7.2.1",
    title: "A message is the only event of its stream",
    needs,
    check: async (session) => {
      const events = await session.streamedEvents();
      return problemUnless(
        events.length === 1 || !events.some((event) => kindOf(event) === "message"),
        () => `the stream has ${events.length} events, one of which is a message`,
      );
    },
  },
  {
    id: "stream-task",
    level: "must",
    section: "4.2",
    earlier: "7.2.2",
    title: "All events in a stream belong to the same task",
    needs,
    check: async (session) => {
      const events = await taskEvents(session);
      const { task } = idsOf(events[0]);
      return firstProblemIn(events, "events", (event, name) =>
        problemUnless(
          idsOf(event).task === task,
          () => `${name} belongs to the task ${short(idsOf(event).task)}`,
        ),
      );
    },
  },
  {
    id: "stream-context",
    level: "must",
    section: "4.2",
    earlier: "7.2.2",
    title: "All events in a stream belong to the same context",
    needs,
    check: async (session) => {
      const events = await taskEvents(session);
      const { context } = idsOf(events[0]);
      return firstProblemIn(events, "events", (event, name) =>
        problemUnless(
          idsOf(event).context === context,
          () => `${name} belongs to the context ${short(idsOf(event).context)}`,
        ),
      );
    },
  },
  {
    id: "stream-end",
    level: "must",
    section: "3.1.2",
    earlier: "7.2",
    title: "A stream ends after the task has ended or paused",
    needs,
    check: async (session) => {
      const state =
        (await taskEvents(session)).map(stateAfter).findLast((value) => value !== "") ?? "";
      return problemUnless(
        isTerminal(state) || isInterrupted(state),
        () => `the last state is ${short(state)}`,
      );
    },
  },
  {
    id: "stream-after-end",
    level: "must",
    section: "11.7",
    earlier: "7.2",
    title: "No event follows the end of the task, except a snapshot of the task",
    check: async (session) => {
      const events = await taskEvents(session);
      const end = events.findIndex((event) => isTerminal(stateAfter(event)));
      const rest = end < 0 ? [] : events.slice(end + 1);
      // An agent may send the whole task again before it closes the stream.
      const isSnapshot =
        rest.length === 1 && kindOf(rest[0]) === "task" && isTerminal(stateAfter(rest[0]));
      return problemUnless(
        rest.length === 0 || isSnapshot,
        () => `${rest.length} events follow the end`,
      );
    },
  },
  {
    id: "stream-order",
    level: "must",
    section: "3.5.2",
    earlier: "7.2",
    title: "A task never returns to the state submitted",
    needs,
    check: async (session) => {
      const states = (await taskEvents(session)).map(stateAfter).filter((state) => state !== "");
      // The task may repeat the state, but only before every other state.
      const lastSubmitted = states.lastIndexOf("TASK_STATE_SUBMITTED");
      return problemUnless(
        states
          .slice(0, Math.max(lastSubmitted, 0))
          .every((state) => state === "TASK_STATE_SUBMITTED"),
        () => `the states are ${states.join(", ")}`,
      );
    },
  },
];
