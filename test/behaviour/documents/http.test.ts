import { afterAll, beforeAll, describe, expect, it } from "vitest";
import * as auth from "../../../examples/echo-agent/auth.js";
import * as current from "../../../examples/echo-agent/server.js";
import * as oldAuth from "../../../examples/echo-agent-0.3/auth.js";
import * as old from "../../../examples/echo-agent-0.3/server.js";
import { jsonOf } from "../../support/raw.js";
import { startScripted, type Scripted } from "../../support/scripted.js";
import { openApiOf } from "./documents.js";
import { DocumentedApi, type Saying } from "./exchange.js";
import { aMessage } from "../../support/messages.js";

/** How callers write what they send. */
interface Form {
  readonly send: (text: string) => object;
  readonly webhook: object;
  /** The body of a request whose path says it all. */
  readonly nothing: object;
}

const authorized = { headers: { authorization: "Bearer secret" } };
const owners = new Map([["secret", "owner"]]);
const ignored = () => undefined;
const push = { onError: ignored };
const url = "http://127.0.0.1:9/hook";
const huge = `"${"x".repeat(10 * 1024 * 1024)}"`;
const protoMessage = (text: string): object => ({
  messageId: "m-1",
  role: "ROLE_USER",
  content: [{ text }, { file: { fileWithBytes: "AA==" } }],
});

const subjects = [
  {
    version: "1.0",
    start: () =>
      current.startEchoAgent({
        authenticate: auth.bearerTokens(owners),
        push: { allowPrivateAddresses: true, maxAttempts: 1 },
        onError: ignored,
      }),
    keys: { task: "id", config: "id" },
    forms: {
      ProtoJSON: {
        send: (text: string) => ({
          message: aMessage(text),
          configuration: { returnImmediately: true },
          metadata: { a: [1] },
        }),
        webhook: { url, id: "w-1", authentication: { scheme: "Bearer", credentials: "x" } },
        nothing: { metadata: { why: "test" } },
      },
    } satisfies Readonly<Record<string, Form>>,
    refused: [
      ["getTask", 404, { values: { id: "nothing" } }],
      ["subscribeToTask", 404, { values: { id: "nothing" } }],
      ["sendStreamingMessage", 400, { body: { message: { parts: [] } } }],
      ["sendMessage", 400, { body: "text", headers: { "content-type": "text/plain" } }],
      ["listTasks", 400, { values: { pageSize: "1000" } }],
      ["getTask", 400, { values: { id: "nothing" }, headers: { "a2a-version": "0.3" } }],
    ] as [string, number, Saying][],
  },
  {
    version: "0.3.0",
    start: () => old.startEchoAgent({ authenticate: oldAuth.bearerTokens(owners), push }),
    keys: { task: "taskId", config: "pushNotificationConfigId" },
    forms: {
      ProtoJSON: {
        send: (text: string) => ({
          message: protoMessage(text),
          configuration: { acceptedOutputModes: ["text/plain"], blocking: false },
        }),
        webhook: {
          pushNotificationConfig: { id: "w-1", url, authentication: { schemes: ["Bearer"] } },
        },
        nothing: {},
      },
      "the JSON of the schema": {
        send: (text: string) => ({
          message: {
            kind: "message",
            messageId: "m-1",
            role: "user",
            parts: [
              { kind: "text", text },
              { kind: "file", file: { bytes: "AA==" } },
            ],
          },
          configuration: { acceptedOutputModes: ["text/plain"], blocking: false },
        }),
        webhook: { pushNotificationConfig: { id: "w-1", url } },
        nothing: { metadata: { why: "test" } },
      },
    } satisfies Readonly<Record<string, Form>>,
    refused: [
      ["getTask", 404, { values: { taskId: "nothing" } }],
      ["cancelTask", 404, { values: { taskId: "nothing" }, body: {} }],
      [
        "sendMessage",
        400,
        { body: { message: { messageId: "m-1", role: "ROLE_USER", content: [] } } },
      ],
    ] as [string, number, Saying][],
  },
];

describe.each(subjects)(
  "an agent of $version over HTTP+JSON",
  ({ version, start, keys, forms, refused }) => {
    let agent: { readonly url: string; close(): Promise<void> };
    let api: DocumentedApi;

    beforeAll(async () => {
      agent = await start();
      api = new DocumentedApi(await openApiOf(version), agent.url);
    });

    afterAll(() => agent.close());

    /** How to come by a request for each operation, by the id of its first route. */
    function sayings(
      { send, webhook, nothing }: Form,
      tenant: object,
    ): Record<string, () => Promise<Saying> | Saying> {
      const begin = async (text: string) => {
        const body = { ...send(text), ...tenant };
        const { answer } = await api.call("sendMessage", { body, ...authorized });
        return (jsonOf(answer) as { task: { id: string } }).task.id;
      };
      const asked = begin("ask who?");
      const on = async (text: string, more: object = {}): Promise<Record<string, string>> => ({
        [keys.task]: await begin(text),
        ...more,
      });
      const config = async (): Promise<Saying> => ({
        values: { taskId: await asked, [keys.config]: "w-1" },
      });
      const filter = {
        status: "TASK_STATE_COMPLETED",
        statusTimestampAfter: "2026-01-01T00:00:00Z",
      };
      return {
        sendMessage: () => ({ body: send("hello there") }),
        sendStreamingMessage: () => ({ body: send("one two three") }),
        getTask: async () => ({ values: await on("hello", { historyLength: "1" }) }),
        listTasks: () => ({ values: { ...filter, pageSize: "2", includeArtifacts: "true" } }),
        cancelTask: async () => ({ values: await on("ask what?"), body: nothing }),
        subscribeToTask: async () => ({ values: await on("slow 30 one two three") }),
        createTaskPushNotificationConfig: async () => ({
          values: { taskId: await asked, ...(version === "0.3.0" && { configId: "w-1" }) },
          body: webhook,
        }),
        getTaskPushNotificationConfig: config,
        listTaskPushNotificationConfigs: async () => ({ values: { taskId: await asked } }),
        deleteTaskPushNotificationConfig: config,
        getExtendedAgentCard: () => ({}),
        discoverAgentCard: () => ({}),
      };
    }

    it.each(Object.entries<Form>(forms))(
      "the agent accepts %s on every route and responds as the document describes",
      async (_, form) => {
        const ways = [{}, { tenant: "t-1" }].map((tenant) => ({
          tenant,
          all: sayings(form, tenant),
        }));
        expect(api.operations.length).toBeGreaterThan(10);
        // The routes of a webhook come after that which makes it.
        const order = Object.keys(ways[0]?.all ?? {});
        const baseOf = (id: string) => id.replace(/ForTenant|ByPost|Alternative/g, "");
        const ids = api.operations.map(({ operationId }) => operationId);
        for (const id of ids.toSorted(
          (a, b) => order.indexOf(baseOf(a)) - order.indexOf(baseOf(b)),
        )) {
          const { tenant = {}, all } = ways[id.includes("ForTenant") ? 1 : 0] ?? {};
          const make = all?.[baseOf(id)];
          if (make === undefined) throw new Error(`Missing request for ${id}`);
          const { values = {}, ...saying } = await make();
          const headers = { ...authorized.headers, "a2a-extensions": "urn:a,urn:b" };
          const { answer, problems } = await api.call(id, {
            ...saying,
            values: { ...values, ...tenant },
            headers,
          });
          expect([id, answer.status, problems]).toEqual([id, 200, []]);
        }
      },
    );

    it.each<[string, number, Saying]>([
      ...refused,
      ["sendMessage", 400, { body: "{" }],
      ["sendMessage", 401, { body: {}, headers: { authorization: "Bearer wrong" } }],
      ["sendMessage", 413, { body: huge }],
    ])("the agent refuses %s with %i as the document describes", async (id, status, saying) => {
      const { answer, problems } = await api.say(id, saying);
      expect([answer.status, problems]).toEqual([status, []]);
      if (status === 401) expect(answer.headers.get("www-authenticate")).not.toBeNull();
    });

    it("the agent responds that the card is unchanged", async () => {
      const { answer } = await api.call("discoverAgentCard");
      const headers = { "if-none-match": answer.headers.get("etag") ?? "" };
      const again = await api.call("discoverAgentCard", { headers });
      expect([again.answer.status, again.problems]).toEqual([304, []]);
    });

    it("the document does not allow requests that neither form allows", () => {
      const wrong = { message: { messageId: "m-1", role: "user", content: [{ text: "x" }] } };
      expect(api.requestProblems(api.operation("sendMessage"), { body: wrong })).not.toEqual([]);
      expect(api.requestProblems(api.operation("sendMessage"), {})).not.toEqual([]);
    });
  },
);

describe("an agent of 1.0 over HTTP+JSON whose service fails", () => {
  let agent: Scripted;
  let api: DocumentedApi;

  beforeAll(async () => {
    agent = await startScripted("1.0", { card: { capabilities: { streaming: true } } });
    api = new DocumentedApi(await openApiOf("1.0"), agent.url);
  });

  afterAll(() => agent.close());

  const errorOf = (name: string, ...given: unknown[]) =>
    Reflect.construct(Reflect.get(agent.output, name) as new () => Error, given) as Error;
  const body = { message: aMessage("hello", { messageId: "m-1" }) };

  it.each([
    ["sendMessage", 500, { body }, "InternalError"],
    ["getTask", 403, { values: { id: "t-1" } }, "PermissionDeniedError"],
    ["listTasks", 400, {}, "UnsupportedOperationError"],
    ["cancelTask", 409, { values: { id: "t-1" } }, "TaskNotCancelableError"],
    // The card declares neither.
    ["getExtendedAgentCard", 400, {}, "InternalError"],
    ["listTaskPushNotificationConfigs", 400, { values: { taskId: "t-1" } }, "InternalError"],
  ] as const)(
    "the agent responds to %s with %i as the document describes",
    async (id, status, saying, error) => {
      agent.response = errorOf(error, undefined, {
        metadata: { taskId: "t-1" },
        ...(status === 409 && { httpStatus: 409 }),
      });
      const { answer, problems } = await api.call(id, saying);
      expect([answer.status, problems]).toEqual([status, []]);
    },
  );

  it("the agent ends a started stream with an event that the document defines", async () => {
    agent.response = [
      { task: { id: "t-1", status: { state: "TASK_STATE_WORKING" } } },
      new Error("The stream is broken"),
    ];
    const { answer, problems } = await api.call("sendStreamingMessage", { body });
    expect([answer.status, problems]).toEqual([200, []]);
    expect(answer.text).toContain('data: {"error":{"code":500');
  });

  it.each([
    ["a status", { status: 304 }],
    ["a media type", { headers: new Headers({ "content-type": "application/json" }) }],
    ["a body", { text: '{"id":1,"status":{"state":"TASK_STATE_WORKING"}}' }],
    ["a state", { text: '{"id":"1","status":{"state":"working"}}' }],
  ])("the test detects a response with an invalid part: %s", (_, wrong) => {
    const right = {
      status: 200,
      headers: new Headers({ "content-type": "application/a2a+json" }),
      text: '{"id":"1","status":{"state":"TASK_STATE_WORKING"}}',
    };
    expect(api.answerProblems(api.operation("getTask"), right)).toEqual([]);
    expect(api.answerProblems(api.operation("getTask"), { ...right, ...wrong })).not.toEqual([]);
  });
});
