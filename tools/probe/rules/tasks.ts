import { SendMessageResponseSchema, TaskSchema } from "../../../generated/1.0/validators.js";
import { isObject, listAt, member, textAt } from "../../agents/findings.js";
import { isInterrupted, isTerminal } from "../../agents/index.js";
import { outline, short, stateOf, states, taskIn } from "../reply.js";
import { Inapplicable, type Rule } from "../rule.js";
import { readTask } from "./read-task.js";
import {
  problemUnlessEqual,
  isSame,
  problemUnlessType,
  problemUnlessSuccess,
  problemUnlessText,
  problemUnless,
} from "./expect.js";

const needs = { sends: true } as const;
const utc = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/;

/** Rules for SendMessage, GetTask, and the tasks and messages that they return. */
export const taskRules: readonly Rule[] = [
  {
    id: "send-served",
    level: "must",
    section: "3.1.1",
    earlier: "7.1",
    title: "SendMessage returns a result",
    needs,
    check: async (session) => problemUnlessSuccess(await session.sendMessage()),
  },
  {
    id: "send-one",
    level: "must",
    section: "3.1.1",
    title: "The result of SendMessage is either a task or a message",
    needs,
    follows: ["send-served"],
    check: async (session) => {
      const { result } = await session.sendMessage();
      const count = ["task", "message"].filter((name) => isObject(member(result, name))).length;
      return problemUnless(count === 1, () => `expected a task or a message, got ${short(result)}`);
    },
  },
  {
    id: "send-type",
    level: "must",
    section: "5.7",
    earlier: "7.1",
    title: "The result of SendMessage matches its type",
    needs,
    follows: ["send-served", "send-one"],
    check: async (session) =>
      problemUnlessType(SendMessageResponseSchema, (await session.sendMessage()).result),
  },
  {
    id: "send-blocks",
    level: "must",
    section: "3.2.2",
    title: "SendMessage waits until the task ends or pauses",
    needs,
    check: async (session) => {
      const state = stateOf(await session.task());
      return problemUnless(
        isTerminal(state) || isInterrupted(state),
        () => `the task is in the state ${short(state)}`,
      );
    },
  },
  {
    id: "send-at-once",
    level: "must",
    section: "3.2.2",
    earlier: "7.1.1",
    title: "SendMessage with returnImmediately returns a task or a message",
    needs,
    check: async (session) => {
      const reply = await session.call("SendMessage", {
        message: session.message("at-once"),
        configuration: { returnImmediately: true },
      });
      return (
        problemUnlessSuccess(reply) ??
        problemUnless(
          taskIn(reply.result) !== undefined || isObject(member(reply.result, "message")),
          () => `expected a task or a message, got ${outline(reply)}`,
        )
      );
    },
  },
  {
    id: "task-id",
    level: "must",
    section: "4.1.1",
    earlier: "6.1",
    title: "A task has an id",
    needs,
    check: async (session) =>
      problemUnlessText(
        member(
          member((await session.sendMessage()).result, "task") ?? (await session.task()),
          "id",
        ),
        "task.id",
      ),
  },
  {
    id: "task-id-new",
    level: "must",
    section: "3.4.2",
    earlier: "6.1",
    title: "Each message without a task id creates a new task",
    needs,
    check: async (session) => {
      const { id } = await session.task();
      const { result } = await session.call("SendMessage", { message: session.message("second") });
      const second = taskIn(result);
      if (second === undefined) throw new Inapplicable("the agent did not create a second task");
      return problemUnless(textAt(second, "id") !== id, () => "two tasks have the same id");
    },
  },
  {
    id: "task-context",
    level: "may",
    section: "3.4.1",
    earlier: { section: "6.1", level: "must" },
    title: "A task has a context id",
    needs,
    check: async (session) =>
      problemUnlessText(member(await session.task(), "contextId"), "task.contextId"),
  },
  {
    id: "task-state",
    level: "must",
    section: "4.1.3",
    earlier: "6.3",
    title: "The state of a task is defined in the specification",
    needs,
    check: async (session) => {
      const state = stateOf(await session.task());
      return problemUnless(states.includes(state), () => `the state is ${short(state)}`);
    },
  },
  {
    id: "task-time",
    level: "must",
    section: "5.6.1",
    title: "The time of a status is in UTC",
    needs,
    check: async (session) => {
      const time = textAt(member(await session.task(), "status"), "timestamp");
      return problemUnless(
        time === undefined || utc.test(time),
        () => `the time is ${short(time)}`,
      );
    },
  },
  {
    id: "get-same",
    level: "must",
    section: "3.1.3",
    earlier: "7.3",
    title: "GetTask returns the task that SendMessage has returned",
    needs,
    check: async (session) => {
      const idsOf = (task: unknown): unknown[] => [member(task, "id"), member(task, "contextId")];
      const sent = await session.task();
      return problemUnlessEqual(idsOf(await readTask(session)), idsOf(sent));
    },
  },
  {
    id: "get-type",
    level: "must",
    section: "5.7",
    earlier: "7.3",
    title: "The result of GetTask matches its type",
    needs,
    check: async (session) => problemUnlessType(TaskSchema, await readTask(session)),
  },
  {
    id: "get-state",
    level: "must",
    section: "3.1.3",
    earlier: "7.3",
    title: "GetTask returns the final state of an ended task",
    needs,
    check: async (session) => {
      const ended = await session.endedTask();
      return problemUnlessEqual(stateOf(await readTask(session)), stateOf(ended));
    },
  },
  {
    id: "get-artifacts",
    level: "must",
    section: "3.1.3",
    earlier: "7.3",
    title: "GetTask returns the artifacts of an ended task",
    needs,
    check: async (session) => {
      const sent = await session.endedTask();
      const artifacts = listAt(await readTask(session), "artifacts");
      return problemUnless(
        // Compare whole tasks, because the artifacts alone have no type of their own.
        isSame(TaskSchema, { ...sent, artifacts }, sent),
        () => "the artifacts differ from the result of SendMessage",
      );
    },
  },
  {
    id: "get-idempotent",
    level: "must",
    section: "3.3.1",
    earlier: "7.3",
    title: "GetTask returns the same data for an ended task twice",
    needs,
    check: async (session) => {
      const { id } = await session.endedTask();
      const again = await session.call("GetTask", { id }, { again: "get" });
      const task = await readTask(session);
      return problemUnless(
        isSame(TaskSchema, again.result, task),
        () => "the second result differs from the first",
      );
    },
  },
  {
    id: "metadata",
    level: "must",
    section: "3.2.5",
    earlier: "7.1.1",
    title: "SendMessage accepts metadata",
    needs,
    check: async (session) =>
      problemUnlessSuccess(
        await session.call("SendMessage", {
          message: session.message("metadata"),
          metadata: { probe: { nested: [1, null] } },
        }),
      ),
  },
  {
    id: "context-kept",
    level: "must",
    section: "3.4.1",
    earlier: "6.1",
    title: "The agent uses the caller's context id, or refuses it",
    needs,
    check: async (session) => {
      const contextId = `${String(member(session.message("context"), "messageId"))}-context`;
      const reply = await session.call("SendMessage", {
        message: session.message("context", { contextId }),
      });
      if (reply.error !== undefined) return undefined;
      const used = member(taskIn(reply.result) ?? member(reply.result, "message"), "contextId");
      return problemUnlessEqual(used, contextId);
    },
  },
];
