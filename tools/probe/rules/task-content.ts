import { MessageSchema } from "../../../generated/1.0/validators.js";
import { isObject, listAt, member, textAt } from "../../agents/findings.js";
import { short, taskIn } from "../reply.js";
import { Inapplicable, type Outcome, type Rule } from "../rule.js";
import { readTask } from "./read-task.js";
import {
  firstProblemIn,
  problemUnlessEqual,
  isSame,
  problemUnlessText,
  problemUnless,
} from "./expect.js";

const needs = { sends: true } as const;
const contents = ["text", "raw", "url", "data"];

function problemInPart(value: unknown, name: string): Outcome {
  const found = contents.filter((key) => isObject(value) && Object.hasOwn(value, key));
  return problemUnless(
    found.length === 1,
    () => `${name} must have one of ${contents.join(", ")}, got ${short(value)}`,
  );
}

/** Returns all names of members of messages, tasks and artifacts. */
function memberNames(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(memberNames);
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([name, content]) =>
    ["data", "metadata"].includes(name) ? [name] : [name, ...memberNames(content)],
  );
}

/** Rules for the content of tasks: their history, artifacts and messages. */
export const taskContentRules: readonly Rule[] = [
  {
    id: "task-camel-case",
    level: "must",
    section: "5.5",
    title: "Member names in a result are in camelCase",
    needs: { ...needs, http: true },
    check: async (session) => {
      const wrong = memberNames((await session.sendMessage()).result).find((name) =>
        name.includes("_"),
      );
      return problemUnless(
        wrong === undefined,
        () => `the result contains the name ${short(wrong)}`,
      );
    },
  },
  {
    id: "task-history",
    level: "must",
    section: "4.1.1",
    earlier: "6.1",
    title: "Messages in the history have an id and a role",
    needs,
    check: async (session) =>
      firstProblemIn(
        listAt(await readTask(session), "history"),
        "history",
        (message, name) =>
          problemUnlessText(member(message, "messageId"), `${name}.messageId`) ??
          problemUnless(
            ["ROLE_USER", "ROLE_AGENT"].includes(textAt(message, "role") ?? ""),
            () => `${name}.role is ${short(member(message, "role"))}`,
          ),
      ),
  },
  {
    id: "task-history-message",
    level: "may",
    section: "3.7",
    earlier: "6.1",
    title: "The history contains the user's message unchanged",
    needs,
    check: async (session) => {
      const history = listAt(await readTask(session), "history");
      if (history.length === 0) throw new Inapplicable("the agent keeps no history");
      const [sent] = listAt(session.message("sent"), "parts").map((value) => member(value, "text"));
      const texts = history.flatMap((message) =>
        listAt(message, "parts").map((value) => member(value, "text")),
      );
      return problemUnless(texts.includes(sent), () => `the history has the texts ${short(texts)}`);
    },
  },
  {
    id: "artifact-id",
    level: "must",
    section: "4.1.7",
    earlier: "6.7",
    title: "Each artifact has a unique id",
    needs,
    check: async (session) => {
      const ids = listAt(await session.task(), "artifacts").map((artifact) =>
        member(artifact, "artifactId"),
      );
      return (
        firstProblemIn(ids, "artifacts", (id, name) =>
          problemUnlessText(id, `${name}.artifactId`),
        ) ?? problemUnless(new Set(ids).size === ids.length, () => "two artifacts have the same id")
      );
    },
  },
  {
    id: "artifact-parts",
    level: "must",
    section: "4.1.7",
    earlier: "6.7",
    title: "Each artifact has at least one part",
    needs,
    check: async (session) =>
      firstProblemIn(listAt(await session.task(), "artifacts"), "artifacts", (artifact, name) =>
        problemUnless(listAt(artifact, "parts").length > 0, () => `${name} has no parts`),
      ),
  },
  {
    id: "part-content",
    level: "must",
    section: "4.1.6",
    title: "Each part has exactly one content",
    needs,
    check: async (session) => {
      const task = await session.task();
      const holders = [...listAt(task, "artifacts"), ...listAt(task, "history")];
      return firstProblemIn(
        holders.flatMap((holder) => listAt(holder, "parts")),
        "parts",
        problemInPart,
      );
    },
  },
  {
    id: "message-role",
    level: "must",
    section: "4.1.4",
    earlier: "6.4",
    title: "A message from the agent has the role of the agent",
    needs,
    check: async (session) =>
      problemUnlessEqual(member(await session.agentMessage(), "role"), "ROLE_AGENT"),
  },
  {
    id: "message-id",
    level: "must",
    section: "4.1.4",
    earlier: "6.4",
    title: "A message from the agent has an id",
    needs,
    check: async (session) =>
      problemUnlessText(member(await session.agentMessage(), "messageId"), "messageId"),
  },
  {
    id: "message-parts",
    level: "must",
    section: "4.1.4",
    earlier: "6.4",
    title: "A message from the agent has at least one part",
    needs,
    check: async (session) =>
      problemUnless(
        listAt(await session.agentMessage(), "parts").length > 0,
        () => "the message has no parts",
      ),
  },
  {
    id: "history-zero",
    level: "must",
    section: "3.2.4",
    title: "GetTask with historyLength 0 omits the history",
    needs,
    check: async (session) =>
      problemUnless(
        listAt(await readTask(session, { historyLength: 0 }), "history").length === 0,
        () => "the task has a history",
      ),
  },
  {
    id: "history-one",
    level: "must",
    section: "3.2.4",
    earlier: "7.3.1",
    title: "GetTask with historyLength 1 returns at most one message",
    needs,
    check: async (session) => {
      const { length } = listAt(await readTask(session, { historyLength: 1 }), "history");
      return problemUnless(length <= 1, () => `the history has ${length} messages`);
    },
  },
  {
    id: "history-latest",
    level: "must",
    section: "3.2.4",
    title: "GetTask with historyLength 1 returns the latest message",
    needs,
    check: async (session) => {
      const whole = listAt(await readTask(session), "history");
      const limited = listAt(await readTask(session, { historyLength: 1 }), "history");
      if (whole.length === 0 || limited.length === 0)
        throw new Inapplicable("the agent keeps no history");
      return problemUnless(
        isSame(MessageSchema, limited.at(-1), whole.at(-1)),
        () => "the message is not the latest message in the history",
      );
    },
  },
  {
    id: "send-history-zero",
    level: "must",
    section: "3.2.4",
    title: "SendMessage with historyLength 0 omits the history",
    needs,
    check: async (session) => {
      const reply = await session.call("SendMessage", {
        message: session.message("no-history"),
        configuration: { historyLength: 0 },
      });
      return problemUnless(
        listAt(taskIn(reply.result), "history").length === 0,
        () => "the task has a history",
      );
    },
  },
  {
    id: "unicode",
    level: "must",
    section: "14.1.1",
    earlier: "6",
    title: "The history contains text in every script unchanged",
    needs,
    check: async (session) => {
      const written = "Zoë, 你好, مرحبا, 𝄞";
      const reply = await session.call("SendMessage", {
        message: session.message("unicode", {
          parts: [{ text: `${session.options.message} ${written}` }],
        }),
      });
      const messages = listAt(taskIn(reply.result), "history").filter(
        (message) => member(message, "role") === "ROLE_USER",
      );
      if (messages.length === 0) throw new Inapplicable("the agent returns no history");
      return problemUnless(
        JSON.stringify(messages).includes(written),
        () => `the history has ${short(messages)}`,
      );
    },
  },
];
