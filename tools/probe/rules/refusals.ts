import { listAt, member } from "../../agents/findings.js";
import { isInterrupted, isTerminal } from "../../agents/index.js";
import { stateOf, taskIn } from "../reply.js";
import { Inapplicable, type Outcome, type Rule } from "../rule.js";
import { unknownId, type Session } from "../session.js";
import {
  problemUnless,
  problemUnlessEqual,
  problemUnlessError,
  problemUnlessFailed,
  problemUnlessInvalidParams,
  problemUnlessSuccess,
} from "./expect.js";

const needs = { sends: true } as const;
const malformed = { ...needs, malformed: true } as const;

/** Sends a message that differs from a valid one, and expects that the agent refuses it. */
async function problemUnlessRefused(
  session: Session,
  key: string,
  more: object,
  request: object = {},
): Promise<Outcome> {
  return problemUnlessInvalidParams(
    await session.call("SendMessage", { message: session.message(key, more), ...request }),
  );
}

/** Rules for messages that an agent refuses, and for calls on tasks in a certain state. */
export const refusalRules: readonly Rule[] = [
  {
    id: "send-no-message",
    level: "must",
    section: "3.3.2",
    title: "SendMessage without a message fails with InvalidParamsError",
    needs: { ...malformed, http: true },
    check: async (session) => problemUnlessInvalidParams(await session.call("SendMessage", {})),
  },
  {
    id: "send-no-id",
    level: "must",
    section: "3.3.2",
    title: "SendMessage with an empty messageId fails with InvalidParamsError",
    needs: malformed,
    check: (session) => problemUnlessRefused(session, "no-id", { messageId: "" }),
  },
  {
    id: "send-no-role",
    level: "must",
    section: "3.3.2",
    title: "SendMessage with an unspecified role fails with InvalidParamsError",
    needs: malformed,
    check: (session) => problemUnlessRefused(session, "no-role", { role: "ROLE_UNSPECIFIED" }),
  },
  {
    id: "send-no-parts",
    level: "must",
    section: "3.3.2",
    title: "SendMessage without parts fails with InvalidParamsError",
    needs: { ...malformed, http: true },
    check: (session) => problemUnlessRefused(session, "no-parts", { parts: [] }),
  },
  {
    id: "send-empty-part",
    level: "must",
    section: "4.1.6",
    title: "SendMessage with a part without content fails with InvalidParamsError",
    needs: { ...malformed, http: true },
    check: (session) => problemUnlessRefused(session, "empty-part", { parts: [{}] }),
  },
  {
    id: "send-two-contents",
    level: "must",
    section: "4.1.6",
    title: "SendMessage with a part with two contents fails with InvalidParamsError",
    needs: { ...malformed, http: true },
    check: (session) =>
      problemUnlessRefused(session, "two-contents", {
        parts: [{ text: "a", url: "https://a2a.example/" }],
      }),
  },
  {
    id: "send-parts-type",
    level: "must",
    section: "3.3.2",
    title: "SendMessage with a string as parts fails with InvalidParamsError",
    needs: { ...malformed, http: true },
    check: (session) => problemUnlessRefused(session, "parts-type", { parts: "Hello" }),
  },
  {
    id: "send-metadata-type",
    level: "must",
    section: "3.3.2",
    title: "SendMessage with a list as metadata fails with InvalidParamsError",
    needs: { ...malformed, http: true },
    check: (session) => problemUnlessRefused(session, "metadata-type", {}, { metadata: [1] }),
  },
  {
    id: "send-negative-history",
    level: "must",
    section: "3.3.2",
    title: "SendMessage with a negative historyLength fails with InvalidParamsError",
    needs: malformed,
    check: (session) =>
      problemUnlessRefused(
        session,
        "negative-history",
        {},
        { configuration: { historyLength: -1 } },
      ),
  },
  {
    id: "send-unknown-member",
    level: "should",
    section: "5.7",
    title: "SendMessage ignores unknown members of a message",
    needs: { ...needs, http: true },
    check: async (session) =>
      problemUnlessSuccess(
        await session.call("SendMessage", {
          message: session.message("unknown-member", { probeUnknown: { value: 1 } }),
        }),
      ),
  },
  {
    id: "send-snake-case",
    level: "may",
    section: "5.5",
    title: "SendMessage accepts member names in snake_case",
    needs: { ...malformed, http: true },
    check: async (session) => {
      const { messageId, ...message } = session.message("snake-case");
      return problemUnlessSuccess(
        await session.call("SendMessage", { message: { ...message, message_id: messageId } }),
      );
    },
  },
  {
    id: "send-unknown-task",
    level: "must",
    section: "3.4.2",
    earlier: "8.2",
    title: "A message to an unknown task fails with TaskNotFoundError",
    needs,
    check: async (session) => {
      // An agent that accepts the id knows it from then on, so no other check has this id.
      const taskId = crypto.randomUUID();
      const message = session.message("unknown-task", { taskId });
      return problemUnlessError(
        await session.call("SendMessage", { message }),
        "TaskNotFoundError",
      );
    },
  },
  {
    id: "send-ended-task",
    level: "must",
    section: "3.1.1",
    earlier: "7.1",
    title: "A message to an ended task fails (in 1.0 with UnsupportedOperationError)",
    needs,
    check: async (session) => {
      const { id: taskId } = await session.endedTask();
      const reply = await session.call("SendMessage", {
        message: session.message("ended-task", { taskId }),
      });
      // 0.3 does not define which error to return.
      if (!session.lane.isCurrent) return problemUnlessFailed(reply);
      return problemUnlessError(reply, "UnsupportedOperationError");
    },
  },
  {
    id: "send-other-context",
    level: "must",
    section: "3.4.3",
    title: "A message with a different context than its task fails",
    needs,
    check: async (session) => {
      const { id: taskId } = await session.task();
      const reply = await session.call("SendMessage", {
        message: session.message("other-context", { taskId, contextId: unknownId }),
      });
      return problemUnlessFailed(reply);
    },
  },
  {
    id: "continue-task",
    level: "must",
    section: "3.4.3",
    earlier: "9.4",
    title: "A message to a waiting task continues the same task",
    needs,
    check: async (session) => {
      const { id: taskId, status, contextId } = await session.task();
      if (!isInterrupted(stateOf({ status })))
        throw new Inapplicable("the probe's task did not wait for a message");
      const reply = await session.call("SendMessage", {
        message: session.message("continue", { taskId }),
      });
      const task = taskIn(reply.result);
      return (
        problemUnlessSuccess(reply) ??
        problemUnlessEqual([member(task, "id"), member(task, "contextId")], [taskId, contextId])
      );
    },
  },
  {
    id: "cancel-ended",
    level: "must",
    section: "3.1.5",
    earlier: "7.4",
    title: "CancelTask for an ended task fails with TaskNotCancelableError",
    needs,
    check: async (session) =>
      problemUnlessError(
        await session.call("CancelTask", { id: (await session.endedTask()).id }),
        "TaskNotCancelableError",
      ),
  },
  {
    id: "cancel-result",
    level: "must",
    section: "3.1.5",
    earlier: "7.4",
    title: "CancelTask returns the task, or fails with TaskNotCancelableError",
    needs,
    check: async (session) => {
      const started = await session.call("SendMessage", {
        message: session.message("cancel"),
        configuration: { returnImmediately: true },
      });
      const id = member(taskIn(started.result), "id");
      if (typeof id !== "string") throw new Inapplicable("the agent did not create a task");
      const reply = await session.call("CancelTask", { id });
      if (reply.error !== undefined) return problemUnlessError(reply, "TaskNotCancelableError");
      const canceled = taskIn(reply.result);
      const state = stateOf(canceled);
      return (
        problemUnlessEqual(member(canceled, "id"), id) ??
        // The task may have ended in another way before the agent could cancel it.
        problemUnless(isTerminal(state), () => `the state is ${state}`)
      );
    },
  },
  {
    id: "subscribe-ended",
    level: "must",
    section: "3.1.6",
    title: "SubscribeToTask for an ended task fails with UnsupportedOperationError",
    needs: { ...needs, capability: "streaming" },
    check: async (session) =>
      problemUnlessError(
        await session.call("SubscribeToTask", { id: (await session.endedTask()).id }),
        "UnsupportedOperationError",
      ),
  },
  {
    id: "stream-undeclared",
    level: "must",
    section: "3.3.4",
    earlier: "7.2",
    title: "SendStreamingMessage without the capability fails with UnsupportedOperationError",
    needs: { ...needs, without: "streaming" },
    check: async (session) =>
      problemUnlessError(await session.streamMessage(), "UnsupportedOperationError"),
  },
  {
    id: "send-push-undeclared",
    level: "must",
    section: "3.3.4",
    earlier: "8.2",
    title:
      "A webhook in SendMessage without the capability fails with " +
      "PushNotificationNotSupportedError",
    needs: { ...needs, without: "pushNotifications" },
    check: async (session) => {
      const configuration = { taskPushNotificationConfig: { url: "https://a2a.example/webhook" } };
      return problemUnlessError(
        await session.call("SendMessage", {
          message: session.message("push-undeclared"),
          configuration,
        }),
        "PushNotificationNotSupportedError",
      );
    },
  },
  {
    id: "send-data",
    level: "must",
    section: "4.1.6",
    title: "SendMessage accepts a part with data",
    needs,
    check: async (session) => {
      const modes = listAt(session.report.raw, "defaultInputModes");
      if (!modes.includes("application/json"))
        throw new Inapplicable("the card does not accept application/json");
      const parts = [
        { text: session.options.message },
        { data: { list: [1, null, "x"] }, mediaType: "application/json" },
      ];
      return problemUnlessSuccess(
        await session.call("SendMessage", { message: session.message("data", { parts }) }),
      );
    },
  },
];
