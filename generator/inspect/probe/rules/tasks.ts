import { SendMessageResponseSchema, TaskSchema } from "../../../../generated/1.0-package/validators.js";
import { check as checkType, type Type } from "a2a-codegen/runtime/schema/schema";
import { isObject, listAt, member, textAt, type Json } from "../../core/findings.js";
import { isInterrupted, isTerminal, outline, short, stateOf, states, taskIn } from "../reply.js";
import { Inapplicable, type Outcome, type Rule } from "../rule.js";
import type { Session } from "../session.js";
import { each, equals, isEqual, succeeds, text, unless } from "./expect.js";

const needs = { sends: true } as const;
const contents = ["text", "raw", "url", "data"];
const utc = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/;

function matches(type: Type<unknown>, value: unknown): Outcome {
  const [issue] = checkType(type, value, "json").issues ?? [];
  return issue === undefined ? undefined : `${issue.path.join(".")}: expected ${issue.expected}, got ${issue.found}`;
}

/** Returns the task of the probe as GetTask returns it. */
async function read(session: Session, more: object = {}): Promise<Json> {
  const { id } = await session.task();
  const reply = await session.call("GetTask", { id, ...more });
  const task = taskIn(reply.result);
  if (task === undefined) throw new Inapplicable(`GetTask failed: ${outline(reply)}`);
  return task;
}

function part(value: unknown, name: string): Outcome {
  const found = contents.filter((key) => isObject(value) && Object.hasOwn(value, key));
  return unless(found.length === 1, () => `${name} must have one of ${contents.join(", ")}, got ${short(value)}`);
}

/** Returns all names of members of messages, tasks and artifacts. */
function names(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(names);
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([name, content]) =>
    ["data", "metadata"].includes(name) ? [name] : [name, ...names(content)],
  );
}

/** Rules for SendMessage, GetTask, and the tasks and messages that they return. */
export const taskRules: readonly Rule[] = [
  {
    ...{ id: "send-served", level: "must", section: "3.1.1", earlier: "7.1", title: "SendMessage returns a result" },
    needs,
    check: async (session) => succeeds(await session.sent()),
  },
  {
    ...{
      id: "send-one",
      level: "must",
      section: "3.1.1",
      title: "The result of SendMessage is either a task or a message",
    },
    needs,
    check: async (session) => {
      const { result } = await session.sent();
      const count = ["task", "message"].filter((name) => isObject(member(result, name))).length;
      return unless(count === 1, () => `expected a task or a message, got ${short(result)}`);
    },
  },
  {
    ...{
      id: "send-type",
      level: "must",
      section: "5.7",
      earlier: "7.1",
      title: "The result of SendMessage matches its type",
    },
    needs,
    check: async (session) => matches(SendMessageResponseSchema, (await session.sent()).result),
  },
  {
    ...{ id: "send-blocks", level: "must", section: "3.2.2", title: "SendMessage waits until the task ends or pauses" },
    needs,
    check: async (session) => {
      const state = stateOf(await session.task());
      return unless(isTerminal(state) || isInterrupted(state), () => `the task is in the state ${short(state)}`);
    },
  },
  {
    ...{
      id: "send-at-once",
      level: "must",
      section: "3.2.2",
      earlier: "7.1.1",
      title: "SendMessage with returnImmediately returns a task or a message",
    },
    needs,
    check: async (session) => {
      const reply = await session.call("SendMessage", {
        message: session.message("at-once"),
        configuration: { returnImmediately: true },
      });
      return (
        succeeds(reply) ??
        unless(
          taskIn(reply.result) !== undefined || isObject(member(reply.result, "message")),
          () => `got ${outline(reply)}`,
        )
      );
    },
  },
  {
    ...{ id: "task-id", level: "must", section: "4.1.1", earlier: "6.1", title: "A task has an id" },
    needs,
    check: async (session) =>
      text(member(member((await session.sent()).result, "task") ?? (await session.task()), "id"), "task.id"),
  },
  {
    ...{
      id: "task-id-new",
      level: "must",
      section: "3.4.2",
      earlier: "6.1",
      title: "Each message without a task id creates another task",
    },
    needs,
    check: async (session) => {
      const { id } = await session.task();
      const other = taskIn((await session.call("SendMessage", { message: session.message("second") })).result);
      if (other === undefined) throw new Inapplicable("the agent did not create a second task");
      return unless(textAt(other, "id") !== id, () => "two tasks have the same id");
    },
  },
  {
    ...{ id: "task-context", level: "must", section: "3.4.1", earlier: "6.1", title: "A task has a context id" },
    needs,
    check: async (session) => text(member(await session.task(), "contextId"), "task.contextId"),
  },
  {
    ...{
      id: "task-state",
      level: "must",
      section: "4.1.3",
      earlier: "6.3",
      title: "A task is in a state of the specification",
    },
    needs,
    check: async (session) => {
      const state = stateOf(await session.task());
      return unless(states.includes(state), () => `the state is ${short(state)}`);
    },
  },
  {
    ...{ id: "task-time", level: "must", section: "5.6.1", title: "The time of a status is in UTC" },
    needs,
    check: async (session) => {
      const time = textAt(member(await session.task(), "status"), "timestamp");
      return unless(time === undefined || utc.test(time), () => `the time is ${short(time)}`);
    },
  },
  {
    ...{ id: "task-camel-case", level: "must", section: "5.5", title: "Names in a result are in camelCase" },
    needs: { ...needs, http: true },
    check: async (session) => {
      const wrong = names((await session.sent()).result).find((name) => name.includes("_"));
      return unless(wrong === undefined, () => `the result contains the name ${short(wrong)}`);
    },
  },
  {
    ...{
      id: "task-history",
      level: "must",
      section: "4.1.1",
      earlier: "6.1",
      title: "Messages of the history have an id and a role",
    },
    needs,
    check: async (session) =>
      each(
        listAt(await read(session), "history"),
        "history",
        (message, name) =>
          text(member(message, "messageId"), `${name}.messageId`) ??
          unless(
            ["ROLE_USER", "ROLE_AGENT"].includes(textAt(message, "role") ?? ""),
            () => `${name}.role is ${short(member(message, "role"))}`,
          ),
      ),
  },
  {
    ...{
      id: "task-history-message",
      level: "should",
      section: "3.7",
      earlier: "6.1",
      title: "The history contains the message of the user unchanged",
    },
    needs,
    check: async (session) => {
      const history = listAt(await read(session), "history");
      if (history.length === 0) throw new Inapplicable("the agent keeps no history");
      const [sent] = listAt(session.message("sent"), "parts").map((value) => member(value, "text"));
      const texts = history.flatMap((message) => listAt(message, "parts").map((value) => member(value, "text")));
      return unless(texts.includes(sent), () => `the history has the texts ${short(texts)}`);
    },
  },
  {
    ...{
      id: "artifact-id",
      level: "must",
      section: "4.1.7",
      earlier: "6.7",
      title: "Each artifact has an id of its own",
    },
    needs,
    check: async (session) => {
      const ids = listAt(await session.task(), "artifacts").map((artifact) => member(artifact, "artifactId"));
      return (
        each(ids, "artifacts", (id, name) => text(id, `${name}.artifactId`)) ??
        unless(new Set(ids).size === ids.length, () => "two artifacts have the same id")
      );
    },
  },
  {
    ...{
      id: "artifact-parts",
      level: "must",
      section: "4.1.7",
      earlier: "6.7",
      title: "Each artifact has at least one part",
    },
    needs,
    check: async (session) =>
      each(listAt(await session.task(), "artifacts"), "artifacts", (artifact, name) =>
        unless(listAt(artifact, "parts").length > 0, () => `${name} has no parts`),
      ),
  },
  {
    ...{ id: "part-content", level: "must", section: "4.1.6", title: "Each part has exactly one content" },
    needs,
    check: async (session) => {
      const task = await session.task();
      const holders = [...listAt(task, "artifacts"), ...listAt(task, "history")];
      return each(
        holders.flatMap((holder) => listAt(holder, "parts")),
        "parts",
        part,
      );
    },
  },
  {
    ...{
      id: "message-role",
      level: "must",
      section: "4.1.4",
      earlier: "6.4",
      title: "A message of the agent has the role of the agent",
    },
    needs,
    check: async (session) => equals(member(await session.agentMessage(), "role"), "ROLE_AGENT"),
  },
  {
    ...{ id: "message-id", level: "must", section: "4.1.4", earlier: "6.4", title: "A message of the agent has an id" },
    needs,
    check: async (session) => text(member(await session.agentMessage(), "messageId"), "messageId"),
  },
  {
    ...{
      id: "message-parts",
      level: "must",
      section: "4.1.4",
      earlier: "6.4",
      title: "A message of the agent has at least one part",
    },
    needs,
    check: async (session) =>
      unless(listAt(await session.agentMessage(), "parts").length > 0, () => "the message has no parts"),
  },
  {
    ...{
      id: "get-same",
      level: "must",
      section: "3.1.3",
      earlier: "7.3",
      title: "GetTask returns the task that SendMessage has returned",
    },
    needs,
    check: async (session) => {
      const [sent, got] = [await session.task(), await read(session)];
      return equals(
        ["id", "contextId"].map((key) => member(got, key)),
        ["id", "contextId"].map((key) => member(sent, key)),
      );
    },
  },
  {
    ...{
      id: "get-type",
      level: "must",
      section: "5.7",
      earlier: "7.3",
      title: "The result of GetTask matches its type",
    },
    needs,
    check: async (session) => matches(TaskSchema, await read(session)),
  },
  {
    ...{
      id: "get-state",
      level: "must",
      section: "3.1.3",
      earlier: "7.3",
      title: "GetTask returns the final state of an ended task",
    },
    needs,
    check: async (session) =>
      equals(stateOf(await session.endedTask().then(() => read(session))), stateOf(await session.endedTask())),
  },
  {
    ...{
      id: "get-artifacts",
      level: "must",
      section: "3.1.3",
      earlier: "7.3",
      title: "GetTask returns the artifacts of an ended task",
    },
    needs,
    check: async (session) => {
      const artifacts = listAt(await session.endedTask(), "artifacts");
      return unless(
        isEqual(listAt(await read(session), "artifacts"), artifacts),
        () => "the artifacts differ from the result of SendMessage",
      );
    },
  },
  {
    ...{
      id: "get-idempotent",
      level: "must",
      section: "3.3.1",
      earlier: "7.3",
      title: "GetTask returns an ended task twice in the same form",
    },
    needs,
    check: async (session) => {
      const { id } = await session.endedTask();
      const again = await session.call("GetTask", { id }, { again: "get" });
      return unless(isEqual(again.result, await read(session)), () => "the second result differs from the first");
    },
  },
  {
    ...{ id: "history-zero", level: "must", section: "3.2.4", title: "GetTask with historyLength 0 omits the history" },
    needs,
    check: async (session) =>
      unless(listAt(await read(session, { historyLength: 0 }), "history").length === 0, () => "the task has a history"),
  },
  {
    ...{
      id: "history-one",
      level: "must",
      section: "3.2.4",
      earlier: "7.3.1",
      title: "GetTask with historyLength 1 returns at most one message",
    },
    needs,
    check: async (session) => {
      const { length } = listAt(await read(session, { historyLength: 1 }), "history");
      return unless(length <= 1, () => `the history has ${length} messages`);
    },
  },
  {
    ...{
      id: "history-latest",
      level: "must",
      section: "3.2.4",
      title: "GetTask with historyLength 1 returns the latest message",
    },
    needs,
    check: async (session) => {
      const [all, one] = [
        listAt(await read(session), "history"),
        listAt(await read(session, { historyLength: 1 }), "history"),
      ];
      if (all.length === 0 || one.length === 0) throw new Inapplicable("the agent keeps no history");
      return unless(isEqual(one.at(-1), all.at(-1)), () => "the message is not the latest message of the history");
    },
  },
  {
    ...{
      id: "send-history-zero",
      level: "must",
      section: "3.2.4",
      title: "SendMessage with historyLength 0 omits the history",
    },
    needs,
    check: async (session) => {
      const reply = await session.call("SendMessage", {
        message: session.message("no-history"),
        configuration: { historyLength: 0 },
      });
      return unless(listAt(taskIn(reply.result), "history").length === 0, () => "the task has a history");
    },
  },
  {
    ...{
      id: "unicode",
      level: "must",
      section: "5.5",
      earlier: "6",
      title: "Text of every script comes back unchanged",
    },
    needs,
    check: async (session) => {
      const written = "Zoë, 你好, مرحبا, 𝄞";
      const reply = await session.call("SendMessage", {
        message: session.message("unicode", { parts: [{ text: `${session.options.message} ${written}` }] }),
      });
      const messages = [...listAt(taskIn(reply.result), "history")].filter(
        (message) => member(message, "role") === "ROLE_USER",
      );
      if (messages.length === 0) throw new Inapplicable("the agent returns no history");
      return unless(JSON.stringify(messages).includes(written), () => `the history has ${short(messages)}`);
    },
  },
  {
    ...{ id: "metadata", level: "must", section: "3.2.5", earlier: "7.1.1", title: "SendMessage accepts metadata" },
    needs,
    check: async (session) =>
      succeeds(
        await session.call("SendMessage", {
          message: session.message("metadata"),
          metadata: { probe: { nested: [1, null] } },
        }),
      ),
  },
  {
    ...{
      id: "context-kept",
      level: "must",
      section: "3.4.1",
      earlier: "6.1",
      title: "The agent uses the context id of the caller, or refuses it",
    },
    needs,
    check: async (session) => {
      const contextId = `${String(member(session.message("context"), "messageId"))}-context`;
      const reply = await session.call("SendMessage", { message: session.message("context", { contextId }) });
      if (reply.error !== undefined) return undefined;
      const used = member(taskIn(reply.result) ?? member(reply.result, "message"), "contextId");
      return equals(used, contextId);
    },
  },
];
