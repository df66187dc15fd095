import { afterAll, describe, expect, it } from "vitest";
import { TaskNotFoundError as OldNotFound } from "../../generated/0.3.0/errors.js";
import { type AgentCard, createAgent, TaskNotFoundError } from "../../generated/1.0/index.js";
import {
  completed,
  taskService,
  type TurnGenerator,
  working,
} from "../../generated/1.0/kit/index.js";
import { fetchHandler } from "../../generated/1.0/server/index.js";
import { startAgent, stopAgents } from "./agent.js";
import { v03, v10 } from "./subjects.js";
import { rpcOf, post } from "./wire.js";
import { aCard } from "../support/cards.js";

afterAll(stopAgents);

const long = "x".repeat(1_000_000);
const message = { messageId: "m1", role: "ROLE_USER", parts: [{ text: "hi" }] };
const config = { taskId: long, id: long, url: "https://a.test/" };

/** Calls with values of a million characters: the name of the method, and its parameters. */
const calls: Readonly<Record<string, readonly [method: string, params: unknown]>> = {
  "the id of a task": ["GetTask", { id: long }],
  "the id of a task to cancel": ["CancelTask", { id: long }],
  "the id of a task to follow": ["SubscribeToTask", { id: long }],
  "the task of a message": ["SendMessage", { message: { ...message, taskId: long } }],
  "the context of a message": ["SendMessage", { message: { ...message, contextId: long } }],
  "the id of a message": ["SendMessage", { message: { ...message, messageId: long } }],
  "the role of a message": ["SendMessage", { message: { ...message, role: long } }],
  "the name of an unknown field": [
    "SendMessage",
    { message: { ...message, parts: [{ [long]: 1 }] } },
  ],
  "bytes that are not Base64": [
    "SendMessage",
    { message: { ...message, parts: [{ raw: `${long}!` }] } },
  ],
  "the media type of a part": [
    "SendMessage",
    { message: { ...message, parts: [{ text: "hi", mediaType: long }] } },
  ],
  "a page token": ["ListTasks", { pageToken: long }],
  "the state in a list": ["ListTasks", { status: long }],
  "a time": ["ListTasks", { statusTimestampAfter: long }],
  "a webhook of a task": ["CreateTaskPushNotificationConfig", config],
  "the address of a webhook": [
    "CreateTaskPushNotificationConfig",
    { ...config, id: "w", url: `https://${long}/` },
  ],
  "the id of a webhook": ["GetTaskPushNotificationConfig", { taskId: long, id: long }],
  "a webhook to delete": ["DeleteTaskPushNotificationConfig", { taskId: long, id: long }],
  "the webhooks of a task": ["ListTaskPushNotificationConfigs", { taskId: long }],
  "the name of a method": [long, {}],
};

function* run(): TurnGenerator {
  yield working("Begun");
  return completed();
}

const card: AgentCard = aCard("http://agent.test/", {
  capabilities: { streaming: true, pushNotifications: true },
});
const agent = createAgent({ card, service: taskService({ run, push: {} }) });
const handler = fetchHandler(agent, { jsonRpc: { path: "/" } });
const headers = { "content-type": "application/json", "a2a-version": "1.0" };

describe("errors about long values", () => {
  // `it.each` would take half a minute to format the longest values for the titles.
  for (const [name, [method, params]] of Object.entries(calls)) {
    it(`an error about ${name} does not repeat the value`, async () => {
      const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
      const response = await handler(
        new Request("http://agent.test/", { method: "POST", headers, body }),
      );
      const text = await response.text();
      expect(text).toMatch(/"error":\{"code":-32/);
      expect(text.length).toBeLessThan(3_000);
    });
  }

  it.each([
    { version: "1.0", subject: v10, NotFound: TaskNotFoundError },
    { version: "0.3", subject: v03, NotFound: OldNotFound },
  ])(
    "an error of a service of $version does not repeat a long value in its metadata",
    async ({ subject, NotFound }) => {
      const served = await startAgent(subject, {
        getTask: ({ id }: { readonly id: string }) => {
          throw new NotFound(undefined, { metadata: { taskId: id } });
        },
      });
      const { text } = await post(served, "/rpc", rpcOf(subject, "GetTask", { id: long }));
      expect(text.includes(`${"x".repeat(999)}…`)).toBe(true);
      expect(text.length).toBeLessThan(3_000);
    },
  );
});
