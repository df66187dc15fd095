import { errorInfoOf } from "../errors.js";
import { isObject, member, textAt } from "../../agents/findings.js";
import { outline, short, type Reply } from "../reply.js";
import { Inapplicable, type Rule } from "../rule.js";
import { unknownId, type Session } from "../session.js";
import {
  firstProblem,
  problemUnlessError,
  problemUnlessInvalidParams,
  problemUnlessText,
  problemUnless,
} from "./expect.js";

/** Lines of a stack trace in common languages. */
const trace =
  /\n\s+at \S+ \(|\n\s+at .*\.(?:js|ts|java):\d|Traceback \(most recent call last\)|\bgoroutine \d+ \[|File ".*", line \d+/;

async function errorOf(session: Session): Promise<NonNullable<Reply["error"]>> {
  const reply = await session.getUnknownTask();
  if (reply.error === undefined)
    throw new Inapplicable(`the agent returned no error: ${outline(reply)}`);
  return reply.error;
}

/** Rules for errors on all bindings. */
export const errorRules: readonly Rule[] = [
  {
    id: "get-unknown",
    level: "must",
    section: "3.1.3",
    earlier: "8.2",
    title: "GetTask for an unknown task fails with TaskNotFoundError",
    check: async (session) =>
      problemUnlessError(await session.getUnknownTask(), "TaskNotFoundError"),
  },
  {
    id: "cancel-unknown",
    level: "must",
    section: "3.1.5",
    earlier: "8.2",
    title: "CancelTask for an unknown task fails with TaskNotFoundError",
    check: async (session) =>
      problemUnlessError(await session.call("CancelTask", { id: unknownId }), "TaskNotFoundError"),
  },
  {
    id: "subscribe-unknown",
    level: "must",
    section: "3.1.6",
    earlier: "8.2",
    title: "SubscribeToTask for an unknown task fails with TaskNotFoundError",
    needs: { capability: "streaming" },
    check: async (session) =>
      problemUnlessError(
        await session.call("SubscribeToTask", { id: unknownId }),
        "TaskNotFoundError",
      ),
  },
  {
    id: "subscribe-undeclared",
    level: "must",
    section: "3.3.4",
    earlier: "8.2",
    title: "SubscribeToTask without the capability fails with UnsupportedOperationError",
    needs: { without: "streaming" },
    check: async (session) =>
      problemUnlessError(
        await session.call("SubscribeToTask", { id: unknownId }),
        "UnsupportedOperationError",
      ),
  },
  {
    id: "push-get-unknown",
    level: "must",
    section: "3.1.8",
    earlier: "8.2",
    title: "GetTaskPushNotificationConfig for an unknown task fails with TaskNotFoundError",
    needs: { capability: "pushNotifications" },
    check: async (session) =>
      problemUnlessError(
        await session.call("GetTaskPushNotificationConfig", { taskId: unknownId, id: "unknown" }),
        "TaskNotFoundError",
      ),
  },
  {
    id: "push-list-unknown",
    level: "must",
    section: "3.1.9",
    title: "ListTaskPushNotificationConfigs for an unknown task fails with TaskNotFoundError",
    needs: { capability: "pushNotifications" },
    check: async (session) =>
      problemUnlessError(
        await session.call("ListTaskPushNotificationConfigs", { taskId: unknownId }),
        "TaskNotFoundError",
      ),
  },
  {
    id: "push-undeclared",
    level: "must",
    section: "3.3.4",
    earlier: "8.2",
    title: "Push operations without the capability fail with PushNotificationNotSupportedError",
    needs: { without: "pushNotifications" },
    check: async (session) =>
      problemUnlessError(
        await session.call("GetTaskPushNotificationConfig", { taskId: unknownId, id: "unknown" }),
        "PushNotificationNotSupportedError",
      ),
  },
  {
    id: "get-negative-history",
    level: "must",
    section: "3.3.2",
    title: "GetTask refuses a negative historyLength",
    needs: { sends: true },
    check: async (session) => {
      // A task that exists: for an unknown task, TaskNotFoundError would also be right.
      const { id } = await session.task();
      return problemUnlessInvalidParams(await session.call("GetTask", { id, historyLength: -1 }));
    },
  },
  {
    id: "error-message",
    level: "must",
    section: "3.3.2",
    earlier: "8",
    title: "An error has a message",
    check: async (session) =>
      problemUnlessText((await errorOf(session)).message, "the message of the error"),
  },
  {
    id: "error-details",
    level: "should",
    section: "9.5",
    over: { "HTTP+JSON": { section: "11.6", level: "must" } },
    title: "An error has a list of details",
    needs: { http: true },
    check: async (session) => {
      const { details } = await errorOf(session);
      return problemUnless(
        Array.isArray(details) && details.length > 0,
        () => `expected a list of details, got ${short(details)}`,
      );
    },
  },
  {
    id: "error-detail-type",
    level: "must",
    section: "9.5",
    title: "Each detail of an error has an @type",
    needs: { http: true },
    check: async (session) => {
      const { details } = await errorOf(session);
      const list: unknown[] = Array.isArray(details) ? details : [];
      return firstProblem(
        list.map((detail) => problemUnlessText(member(detail, "@type"), "@type of a detail")),
      );
    },
  },
  {
    id: "error-info",
    level: "should",
    section: "9.5",
    over: {
      "HTTP+JSON": { section: "11.6", level: "must" },
      GRPC: { section: "10.6", level: "must" },
    },
    title: "The details of an error contain an ErrorInfo with its reason",
    follows: ["error-details"],
    check: async (session) => {
      const reason = textAt(errorInfoOf((await errorOf(session)).details), "reason");
      return problemUnless(
        reason === "TASK_NOT_FOUND",
        () => `the reason is ${reason ?? "missing"}`,
      );
    },
  },
  {
    id: "error-domain",
    level: "should",
    section: "9.5",
    over: { "HTTP+JSON": { section: "11.6", level: "must" } },
    title: "The ErrorInfo has the domain of the protocol",
    follows: ["error-details"],
    needs: { http: true },
    check: async (session) => {
      const domain = textAt(errorInfoOf((await errorOf(session)).details), "domain");
      return problemUnless(
        domain === "a2a-protocol.org",
        () => `the domain is ${domain ?? "missing"}`,
      );
    },
  },
  {
    id: "error-metadata",
    level: "should",
    section: "9.5",
    title: "The metadata of an ErrorInfo contains only strings",
    needs: { http: true },
    check: async (session) => {
      const metadata = member(errorInfoOf((await errorOf(session)).details), "metadata");
      const isMap =
        metadata === undefined ||
        (isObject(metadata) && Object.values(metadata).every((value) => typeof value === "string"));
      return problemUnless(isMap, () => `expected strings, got ${short(metadata)}`);
    },
  },
  {
    id: "error-same",
    level: "should",
    section: "3.3.1",
    earlier: "3.4.1",
    title: "The same call fails with the same error",
    check: async (session) => {
      const again = await session.call("GetTask", { id: unknownId }, { again: "same" });
      const { name } = await errorOf(session);
      return problemUnless(
        name === again.error?.name,
        () => `the first error is ${short(name)}, the second ${short(again.error?.name)}`,
      );
    },
  },
  {
    id: "error-no-trace",
    level: "should",
    section: "3.3.2",
    earlier: "10.2",
    title: "An error contains no stack trace",
    check: async (session) => {
      const { message, details } = await errorOf(session);
      return problemUnless(
        !trace.test(message) && !trace.test(JSON.stringify(details ?? "").replaceAll("\\n", "\n")),
        () => "the error contains a stack trace",
      );
    },
  },
];
