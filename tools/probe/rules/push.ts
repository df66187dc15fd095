import { listAt, member, textAt, type Json } from "../../agents/findings.js";
import { short, type Reply } from "../reply.js";
import { Inapplicable, type Rule } from "../rule.js";
import { unknownId, type Session } from "../session.js";
import {
  problemUnless,
  problemUnlessEqual,
  problemUnlessError,
  problemUnlessFailed,
  problemUnlessInvalidParams,
  problemUnlessSuccess,
  problemUnlessText,
} from "./expect.js";

const needs = { sends: true, capability: "pushNotifications" } as const;

/** A webhook that does not exist: the probe only stores it for a task that has ended. */
const url = "https://webhook.a2a.example/probe";

async function createWebhook(session: Session): Promise<Reply> {
  const { id: taskId } = await session.endedTask();
  return session.call("CreateTaskPushNotificationConfig", {
    taskId,
    id: "probe",
    url,
    token: "a2a-probe",
  });
}

/** Returns the stored configuration. */
async function storedWebhook(
  session: Session,
): Promise<Json & { readonly id: string; readonly taskId: string }> {
  const { result } = await createWebhook(session);
  const id = textAt(result, "id");
  if (id === undefined) throw new Inapplicable("the agent did not store the webhook");
  return { ...(result as Json), id, taskId: (await session.endedTask()).id };
}

const idsOf = ({ taskId, id }: { readonly taskId: string; readonly id: string }): object => ({
  taskId,
  id,
});

/** Returns a configuration that has been deleted, and the response. */
async function deleteWebhook(
  session: Session,
): Promise<{ readonly stored: object; readonly reply: Reply }> {
  const { id: taskId } = await session.endedTask();
  const created = await session.call("CreateTaskPushNotificationConfig", {
    taskId,
    id: "probe-deleted",
    url,
  });
  const id = textAt(created.result, "id");
  if (id === undefined) throw new Inapplicable("the agent did not store the webhook");
  return {
    stored: { taskId, id },
    reply: await session.call("DeleteTaskPushNotificationConfig", { taskId, id }),
  };
}

/** Rules for the configurations of webhooks. */
export const pushRules: readonly Rule[] = [
  {
    id: "push-create",
    level: "must",
    section: "3.1.7",
    earlier: "7.5",
    title: "CreateTaskPushNotificationConfig stores a webhook",
    needs,
    check: async (session) => problemUnlessSuccess(await createWebhook(session)),
  },
  {
    id: "push-create-id",
    level: "must",
    section: "3.1.7",
    title: "A stored webhook has an id",
    needs,
    check: async (session) =>
      problemUnlessText(member((await createWebhook(session)).result, "id"), "id"),
  },
  {
    id: "push-create-url",
    level: "must",
    section: "3.1.7",
    earlier: "7.5",
    title: "A stored webhook has its URL",
    needs,
    check: async (session) =>
      problemUnlessEqual(member((await createWebhook(session)).result, "url"), url),
  },
  {
    id: "push-create-task",
    level: "must",
    section: "3.1.7",
    earlier: "7.5",
    title: "A stored webhook has the id of its task",
    needs,
    check: async (session) =>
      problemUnlessEqual(
        member((await createWebhook(session)).result, "taskId"),
        (await session.endedTask()).id,
      ),
  },
  {
    id: "push-create-unknown",
    level: "must",
    section: "3.1.7",
    earlier: "8.2",
    title: "A webhook for an unknown task fails with TaskNotFoundError",
    needs,
    check: async (session) =>
      problemUnlessError(
        await session.call("CreateTaskPushNotificationConfig", {
          taskId: unknownId,
          id: "probe",
          url,
        }),
        "TaskNotFoundError",
      ),
  },
  {
    id: "push-relative",
    level: "should",
    section: "13.2",
    earlier: "10.2",
    title: "The agent refuses a webhook without an absolute URL",
    needs,
    check: async (session) => {
      const { id: taskId } = await session.endedTask();
      return problemUnlessInvalidParams(
        await session.call("CreateTaskPushNotificationConfig", {
          taskId,
          id: "probe-relative",
          url: "/webhook",
        }),
      );
    },
  },
  {
    id: "push-private",
    level: "should",
    section: "13.2",
    title: "The agent refuses a webhook at a link-local address",
    needs,
    check: async (session) => {
      const { id: taskId } = await session.endedTask();
      const reply = await session.call("CreateTaskPushNotificationConfig", {
        taskId,
        id: "probe-private",
        url: "http://169.254.0.1/",
      });
      return problemUnlessFailed(reply);
    },
  },
  {
    id: "push-get",
    level: "must",
    section: "3.1.8",
    earlier: "7.6",
    title: "GetTaskPushNotificationConfig returns the stored webhook",
    needs,
    check: async (session) => {
      const stored = await storedWebhook(session);
      const reply = await session.call("GetTaskPushNotificationConfig", idsOf(stored));
      return (
        problemUnlessSuccess(reply) ??
        problemUnlessEqual(
          [member(reply.result, "id"), member(reply.result, "url")],
          [stored.id, url],
        )
      );
    },
  },
  {
    id: "push-get-missing",
    level: "must",
    section: "3.1.8",
    earlier: { section: "7.6", level: "should" },
    title: "GetTaskPushNotificationConfig for an unknown id fails",
    needs,
    check: async (session) => {
      const { id: taskId } = await session.endedTask();
      const reply = await session.call("GetTaskPushNotificationConfig", {
        taskId,
        id: "probe-unknown",
      });
      return problemUnlessFailed(reply);
    },
  },
  {
    id: "push-list",
    level: "must",
    section: "3.1.9",
    title: "ListTaskPushNotificationConfigs contains the stored webhook",
    needs,
    check: async (session) => {
      const { id, taskId } = await storedWebhook(session);
      const reply = await session.call("ListTaskPushNotificationConfigs", { taskId });
      const ids = listAt(reply.result, "configs").map((config) => member(config, "id"));
      return problemUnless(ids.includes(id), () => `the list has the ids ${short(ids)}`);
    },
  },
  {
    id: "push-delete",
    level: "must",
    section: "3.1.10",
    title: "DeleteTaskPushNotificationConfig deletes a webhook",
    needs,
    check: async (session) => problemUnlessSuccess((await deleteWebhook(session)).reply),
  },
  {
    id: "push-deleted",
    level: "must",
    section: "3.1.10",
    title: "GetTaskPushNotificationConfig for a deleted webhook fails",
    needs,
    check: async (session) => {
      const { stored } = await deleteWebhook(session);
      const reply = await session.call("GetTaskPushNotificationConfig", stored);
      return problemUnlessFailed(reply);
    },
  },
  {
    id: "push-delete-twice",
    level: "must",
    section: "3.1.10",
    title: "DeleteTaskPushNotificationConfig for a deleted webhook succeeds",
    needs,
    check: async (session) => {
      const { stored } = await deleteWebhook(session);
      return problemUnlessSuccess(
        await session.call("DeleteTaskPushNotificationConfig", stored, { again: "delete" }),
      );
    },
  },
  {
    id: "push-secret",
    level: "may",
    section: "13.2",
    title: "GetTaskPushNotificationConfig does not return credentials",
    needs,
    check: async (session) => {
      const { id: taskId } = await session.endedTask();
      const authentication = { scheme: "Bearer", credentials: "a2a-probe-credential" };
      await session.call("CreateTaskPushNotificationConfig", {
        taskId,
        id: "probe-secret",
        url,
        authentication,
      });
      const reply = await session.call("GetTaskPushNotificationConfig", {
        taskId,
        id: "probe-secret",
      });
      return problemUnless(
        !JSON.stringify(reply.result ?? "").includes("a2a-probe-credential"),
        () => "the agent returned the credentials",
      );
    },
  },
];
