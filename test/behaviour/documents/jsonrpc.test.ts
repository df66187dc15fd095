import { afterAll, beforeAll, describe, expect, it } from "vitest";
import * as older from "../../../examples/echo-agent-0.3/server.js";
import * as current from "../../../examples/echo-agent/server.js";
import { openRpcOf, type Json } from "./documents.js";
import { DocumentedMethods } from "./methods.js";

type Params = Readonly<Record<string, () => Promise<Json> | Json>>;

interface Subject {
  readonly version: string;
  readonly start: () => Promise<{ readonly url: string; close(): Promise<void> }>;
  readonly headers: Readonly<Record<string, string>>;
  readonly params: (methods: DocumentedMethods) => Params;
  /** A method that reads a task, and the error data for an unknown task. */
  readonly read: string;
  readonly data: unknown;
}

const ignored = () => undefined;

function paramsOf1(methods: DocumentedMethods): Params {
  const message = (text: string) => ({
    messageId: "m-1",
    role: "ROLE_USER",
    parts: [{ text }, { data: [1] }],
  });
  const send = async (text: string) => {
    const { results } = await methods.call("SendMessage", {
      message: message(text),
      configuration: { returnImmediately: true },
    });
    return (results as { task: { id: string } }[])[0]?.task.id ?? "";
  };
  const asked = send("ask who?");
  return {
    SendMessage: () => ({ message: message("hello"), metadata: { a: 1 }, tenant: "t-1" }),
    SendStreamingMessage: () => ({ message: message("one two three") }),
    GetTask: async () => ({ id: await send("hello"), historyLength: 1 }),
    ListTasks: () => ({ pageSize: 2, status: "TASK_STATE_COMPLETED", includeArtifacts: true }),
    CancelTask: async () => ({ id: await send("ask what?") }),
    SubscribeToTask: async () => ({ id: await send("slow 30 one two three") }),
    CreateTaskPushNotificationConfig: async () => ({
      taskId: await asked,
      id: "w-1",
      url: "http://127.0.0.1:9/hook",
    }),
    GetTaskPushNotificationConfig: async () => ({ taskId: await asked, id: "w-1" }),
    ListTaskPushNotificationConfigs: async () => ({ taskId: await asked }),
    DeleteTaskPushNotificationConfig: async () => ({ taskId: await asked, id: "w-1" }),
    GetExtendedAgentCard: () => ({}),
  };
}

function paramsOf03(methods: DocumentedMethods): Params {
  const message = (text: string) => ({
    kind: "message",
    messageId: "m-1",
    role: "user",
    parts: [
      { kind: "text", text },
      { kind: "data", data: { a: 1 } },
    ],
  });
  const send = async (text: string) => {
    const { results } = await methods.call("message/send", {
      message: message(text),
      configuration: { blocking: false },
    });
    return (results as { id: string }[])[0]?.id ?? "";
  };
  const asked = send("ask who?");
  const pushNotificationConfig = { id: "w-1", url: "http://127.0.0.1:9/hook" };
  return {
    "message/send": () => ({ message: message("hello"), metadata: { a: 1 } }),
    "message/stream": () => ({ message: message("one two three") }),
    "tasks/get": async () => ({ id: await send("hello"), historyLength: 1 }),
    "tasks/cancel": async () => ({ id: await send("ask what?") }),
    "tasks/resubscribe": async () => ({ id: await send("slow 30 one two three") }),
    "tasks/pushNotificationConfig/set": async () => ({
      taskId: await asked,
      pushNotificationConfig,
    }),
    "tasks/pushNotificationConfig/get": async () => ({
      id: await asked,
      pushNotificationConfigId: "w-1",
    }),
    "tasks/pushNotificationConfig/list": async () => ({ id: await asked }),
    "tasks/pushNotificationConfig/delete": async () => ({
      id: await asked,
      pushNotificationConfigId: "w-1",
    }),
    "agent/getAuthenticatedExtendedCard": () => ({}),
  };
}

const subjects: readonly Subject[] = [
  {
    version: "1.0",
    start: () =>
      current.startEchoAgent({
        push: { allowPrivateAddresses: true, maxAttempts: 1 },
        onError: ignored,
      }),
    headers: { "a2a-version": "1.0" },
    params: paramsOf1,
    read: "GetTask",
    data: [{ reason: "TASK_NOT_FOUND" }],
  },
  {
    version: "0.3.0",
    start: () => older.startEchoAgent({ push: { onError: ignored } }),
    headers: {},
    params: paramsOf03,
    read: "tasks/get",
    data: undefined,
  },
];

describe.each(subjects)(
  "an agent of $version over JSON-RPC",
  ({ version, start, headers, params, read, data }) => {
    let agent: Awaited<ReturnType<Subject["start"]>>;
    let methods: DocumentedMethods;

    beforeAll(async () => {
      agent = await start();
      methods = new DocumentedMethods(await openRpcOf(version), agent.url, headers);
    });

    afterAll(async () => {
      await agent.close();
    });

    it("the agent accepts and returns what the document describes, in every method", async () => {
      const all = params(methods);
      const names = methods.document.methods
        .filter(({ deprecated }) => deprecated !== true)
        .map(({ name }) => name);
      expect(Object.keys(all).toSorted()).toEqual(names.toSorted());
      for (const [name, make] of Object.entries(all)) {
        const { problems } = await methods.call(name, await make());
        expect([name, problems]).toEqual([name, []]);
      }
      expect([...methods.answered].toSorted()).toEqual(names.toSorted());
    });

    it("the agent refuses requests with the errors of the document", async () => {
      const { error, described } = await methods.refused(read, { id: "nothing" });
      expect(described).toMatchObject({
        code: -32001,
        message: error?.message,
        ...(data === undefined ? {} : { data }),
      });
      expect(error?.data === undefined).toBe(false);
      const invalid = await methods.refused(read, {});
      expect(invalid.described).toMatchObject({ code: -32602 });
    });

    it("the document does not allow requests that the agent refuses", () => {
      expect(methods.paramProblems(methods.method(read), {})).not.toEqual([]);
      expect(methods.paramProblems(methods.method(read), { id: 1 })).not.toEqual([]);
      expect(methods.paramProblems(methods.method(read), { id: "1", more: true })).not.toEqual([]);
    });
  },
);
