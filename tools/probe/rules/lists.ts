import { ListTasksResponseSchema, TaskSchema } from "../../../generated/1.0/validators.js";
import { isObject, listAt, member, textAt } from "../../agents/findings.js";
import { short, stateOf, taskIn, type Reply } from "../reply.js";
import { Inapplicable, type Outcome, type Rule } from "../rule.js";
import type { Session } from "../session.js";
import {
  firstProblemIn,
  problemUnlessEqual,
  isSame,
  problemUnlessType,
  problemUnlessInvalidParams,
  problemUnlessSuccess,
  problemUnless,
} from "./expect.js";

const sends = { sends: true } as const;

/**
 * A context without tasks. Other rules send messages to an unknown context, and an agent may accept
 * such a message.
 */
const unusedContext = crypto.randomUUID();

/** The rule for agents whose lists cannot be read at all. */
const follows = ["list-served"];

/**
 * Lists the tasks in the context of the probe's task, if there is such a task. Other contexts may
 * contain malformed messages that the agent has accepted from an earlier probe.
 */
async function listProbeContext(session: Session, params: object = {}): Promise<Reply> {
  const sent = session.options.allowSend ? taskIn((await session.sendMessage()).result) : undefined;
  const contextId = textAt(sent, "contextId");
  return session.call("ListTasks", { ...(contextId !== undefined && { contextId }), ...params });
}

const tasksIn = ({ result }: Reply): readonly unknown[] => listAt(result, "tasks");
const statusTimeOf = (task: unknown): string => textAt(member(task, "status"), "timestamp") ?? "";

/** Returns a list that has at least as many tasks as the check requires. */
async function listAtLeast(
  session: Session,
  minimum: number,
  params: object = {},
): Promise<readonly unknown[]> {
  const tasks = tasksIn(await session.call("ListTasks", params));
  const found = tasks.length === 0 ? "no task" : "only one task";
  if (tasks.length < minimum)
    throw new Inapplicable(
      `the agent lists ${found}: the rule requires a list of ${minimum} or more`,
    );
  return tasks;
}

async function problemUnlessRefused(session: Session, params: object): Promise<Outcome> {
  return problemUnlessInvalidParams(await session.call("ListTasks", params));
}

/** Expects an empty list. */
async function problemUnlessEmpty(session: Session, params: object): Promise<Outcome> {
  const reply = await session.call("ListTasks", params);
  const { length } = tasksIn(reply);
  return (
    problemUnlessSuccess(reply) ??
    problemUnless(length === 0, () => `expected no tasks, got ${length}`)
  );
}

/** Rules for ListTasks. */
export const listRules: readonly Rule[] = [
  {
    id: "list-served",
    level: "must",
    section: "3.1.4",
    title: "ListTasks returns a list of tasks",
    check: async (session) => {
      const reply = await listProbeContext(session);
      return (
        problemUnlessSuccess(reply) ??
        problemUnless(
          Array.isArray(member(reply.result, "tasks")),
          () => `expected a list, got ${short(reply.result)}`,
        )
      );
    },
  },
  {
    id: "list-type",
    level: "must",
    section: "5.7",
    title: "The response of ListTasks matches its type",
    follows,
    check: async (session) =>
      problemUnlessType(ListTasksResponseSchema, (await listProbeContext(session)).result),
  },
  {
    id: "list-page-token",
    level: "must",
    section: "3.1.4",
    title: "ListTasks always returns nextPageToken",
    follows,
    needs: { http: true },
    check: async (session) => {
      const token = member((await listProbeContext(session)).result, "nextPageToken");
      return problemUnless(
        typeof token === "string",
        () => `nextPageToken must be a string, got ${short(token)}`,
      );
    },
  },
  {
    id: "list-page-size",
    level: "must",
    section: "3.1.4",
    title: "ListTasks returns the size of its page",
    follows,
    check: async (session) =>
      problemUnlessEqual(
        member((await listProbeContext(session, { pageSize: 3 })).result, "pageSize"),
        3,
      ),
  },
  {
    id: "list-total",
    level: "must",
    section: "3.1.4",
    title: "ListTasks returns the number of all tasks",
    follows,
    check: async (session) => {
      const reply = await listProbeContext(session);
      const total = member(reply.result, "totalSize");
      return problemUnless(
        typeof total === "number" && total >= tasksIn(reply).length,
        () => `totalSize is ${short(total)}`,
      );
    },
  },
  {
    id: "list-default-size",
    level: "must",
    section: "3.1.4",
    title: "A page has at most 50 tasks by default",
    follows,
    check: async (session) => {
      const { length } = tasksIn(await session.call("ListTasks", {}));
      return problemUnless(length <= 50, () => `the page has ${length} tasks`);
    },
  },
  {
    id: "list-limit",
    level: "must",
    section: "3.1.4",
    title: "A page has at most pageSize tasks",
    check: async (session) => {
      const { length } = await listAtLeast(session, 1, { pageSize: 1 });
      return problemUnless(length === 1, () => `the page has ${length} tasks`);
    },
  },
  {
    id: "list-size-large",
    level: "must",
    section: "3.3.2",
    title: "ListTasks refuses a pageSize above 100",
    check: (session) => problemUnlessRefused(session, { pageSize: 101 }),
  },
  {
    id: "list-size-negative",
    level: "must",
    section: "3.3.2",
    title: "ListTasks refuses a negative pageSize",
    check: (session) => problemUnlessRefused(session, { pageSize: -1 }),
  },
  {
    id: "list-size-zero",
    level: "must",
    section: "3.3.2",
    title: "ListTasks refuses the pageSize 0",
    needs: { http: true },
    check: (session) => problemUnlessRefused(session, { pageSize: 0 }),
  },
  {
    id: "list-token-unknown",
    level: "must",
    section: "3.3.2",
    title: "ListTasks refuses an unknown page token",
    check: (session) => problemUnlessRefused(session, { pageToken: "a2a-probe-unknown" }),
  },
  {
    id: "list-status-unknown",
    level: "must",
    section: "3.3.2",
    title: "ListTasks refuses an unknown state",
    needs: { http: true },
    check: (session) => problemUnlessRefused(session, { status: "TASK_STATE_PROBE" }),
  },
  {
    id: "list-time-malformed",
    level: "must",
    section: "3.3.2",
    title: "ListTasks refuses a malformed time",
    needs: { http: true },
    check: (session) => problemUnlessRefused(session, { statusTimestampAfter: "yesterday" }),
  },
  {
    id: "list-history-negative",
    level: "must",
    section: "3.3.2",
    title: "ListTasks refuses a negative historyLength",
    check: (session) => problemUnlessRefused(session, { historyLength: -1 }),
  },
  {
    id: "list-no-artifacts",
    level: "must",
    section: "3.1.4",
    title: "ListTasks omits artifacts by default",
    check: async (session) =>
      firstProblemIn(await listAtLeast(session, 1), "tasks", (task, name) =>
        problemUnless(listAt(task, "artifacts").length === 0, () => `${name} has artifacts`),
      ),
  },
  {
    id: "list-sorted",
    level: "must",
    section: "3.1.4",
    title: "ListTasks returns the task with the latest status first",
    check: async (session) => {
      const times = (await listAtLeast(session, 2))
        .map(statusTimeOf)
        .map((text) => Date.parse(text));
      return problemUnless(
        // An invalid time is NaN, which is not later than any time. Another rule reports it.
        times.every((at, index) => !(at > (times[index - 1] ?? at))),
        () => "the tasks are not sorted by the time of their status",
      );
    },
  },
  {
    id: "list-next-page",
    level: "must",
    section: "3.1.4",
    title: "The next page contains other tasks",
    check: async (session) => {
      const reply = await session.call("ListTasks", { pageSize: 1 });
      const token = textAt(reply.result, "nextPageToken") ?? "";
      if (token === "") throw new Inapplicable("the agent returned only one page");
      const next = await session.call("ListTasks", { pageSize: 1, pageToken: token });
      const firstId = (page: Reply): unknown => member(tasksIn(page)[0], "id");
      return (
        problemUnlessSuccess(next) ??
        problemUnless(
          firstId(reply) !== firstId(next),
          () => "the next page starts with the same task",
        )
      );
    },
  },
  {
    id: "list-empty",
    level: "must",
    section: "3.1.4",
    title: "ListTasks for an unknown context returns an empty list",
    follows,
    check: (session) => problemUnlessEmpty(session, { contextId: unusedContext }),
  },
  {
    id: "list-last-page",
    level: "must",
    section: "3.1.4",
    title: "The last page has an empty nextPageToken",
    follows,
    check: async (session) =>
      problemUnlessEqual(
        member(
          (await session.call("ListTasks", { contextId: unusedContext })).result,
          "nextPageToken",
        ),
        "",
      ),
  },
  {
    id: "list-future",
    level: "must",
    section: "3.1.4",
    title: "ListTasks omits tasks before statusTimestampAfter",
    follows,
    check: (session) =>
      problemUnlessEmpty(session, { statusTimestampAfter: "2999-01-01T00:00:00Z" }),
  },
  {
    id: "list-status",
    level: "must",
    section: "3.1.4",
    title: "ListTasks with a state returns only tasks in that state",
    needs: sends,
    check: async (session) => {
      const state = stateOf(await session.task());
      const tasks = await listAtLeast(session, 1, { status: state });
      return firstProblemIn(tasks, "tasks", (task, name) =>
        problemUnless(stateOf(task) === state, () => `${name} is in the state ${stateOf(task)}`),
      );
    },
  },
  {
    id: "list-context",
    level: "must",
    section: "3.1.4",
    title: "ListTasks with a context returns only tasks in that context",
    follows,
    needs: sends,
    check: async (session) => {
      const { id, contextId } = await session.task();
      const tasks = tasksIn(await session.call("ListTasks", { contextId }));
      const foreignTask = tasks.find((task) => member(task, "contextId") !== contextId);
      return (
        problemUnless(
          foreignTask === undefined,
          () => `a task belongs to the context ${short(member(foreignTask, "contextId"))}`,
        ) ??
        problemUnless(
          tasks.some((task) => member(task, "id") === id),
          () => "the probe's task is missing",
        )
      );
    },
  },
  {
    id: "list-artifacts",
    level: "must",
    section: "3.1.4",
    title: "ListTasks with includeArtifacts returns the artifacts",
    follows: ["list-context"],
    needs: sends,
    check: async (session) => {
      const task = await session.task();
      const { contextId, artifacts } = task;
      if (!Array.isArray(artifacts)) throw new Inapplicable("the probe's task has no artifacts");
      const found = (await listAtLeast(session, 1, { contextId, includeArtifacts: true })).find(
        (candidate) => member(candidate, "id") === task.id,
      );
      return problemUnless(
        isSame(TaskSchema, { ...task, artifacts: member(found, "artifacts") }, task),
        () => "the artifacts differ from the artifacts of the task",
      );
    },
  },
  {
    id: "list-history-zero",
    level: "must",
    section: "3.2.4",
    title: "ListTasks with historyLength 0 omits the history",
    check: async (session) =>
      firstProblemIn(await listAtLeast(session, 1, { historyLength: 0 }), "tasks", (task, name) =>
        problemUnless(
          isObject(task) && listAt(task, "history").length === 0,
          () => `${name} has a history`,
        ),
      ),
  },
];
