import fc from "../../support/properties.js";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createServer, type Server } from "node:http";
import { once } from "node:events";
import { agentCard } from "../../../examples/echo-agent-0.3/card.js";
import {
  createAgent,
  type Message,
  type MessageSendParams,
  type Part,
  type TaskPushNotificationConfig,
} from "../../../generated/0.3.0/index.js";
import {
  CreateTaskPushNotificationConfigRequestJson,
  SendMessageRequestJson,
  toProtoJson,
} from "../../../generated/0.3.0/protojson.js";
import { nodeListener } from "../../../generated/0.3.0/server/node.js";
import { send } from "../../support/raw.js";

const text = fc.string({ minLength: 1, unit: "grapheme" });
const id = fc.stringMatching(/^[a-zA-Z0-9:_.~-]{1,12}$/).filter((given) => given !== "." && given !== "..");

/** Base64 as bytes are written: bits that stand for nothing are 0. */
const base64 = fc.uint8Array().map((bytes) => Buffer.from(bytes).toString("base64"));

/** Objects that use the words of either form, so that the forms are hard to tell apart. */
const object = fc.dictionary(
  fc.constantFrom("kind", "data", "text", "parts", "content", "file", "role", "taskId", "task_id", "name"),
  fc.oneof(
    fc.string(),
    fc.boolean(),
    fc.constant(null),
    fc.integer(),
    fc.array(fc.string()),
    fc.constant({ data: {} }),
  ),
);

const part: fc.Arbitrary<Part> = fc.oneof(
  fc.record({ kind: fc.constant("text" as const), text: fc.string({ unit: "grapheme" }) }),
  fc.record({ kind: fc.constant("data" as const), data: object }),
  fc.record({
    kind: fc.constant("file" as const),
    file: fc.oneof(fc.record({ uri: fc.webUrl() }), fc.record({ bytes: base64, mimeType: text })),
  }),
);

const message: fc.Arbitrary<Message> = fc.record(
  {
    kind: fc.constant("message" as const),
    messageId: text,
    role: fc.constantFrom("user" as const, "agent" as const),
    parts: fc.array(part, { minLength: 1, maxLength: 4 }),
    contextId: text,
    taskId: text,
    metadata: object,
    extensions: fc.array(text, { minLength: 1 }),
  },
  { requiredKeys: ["kind", "messageId", "role", "parts"] },
);

const webhook = fc.record(
  { id, url: fc.webUrl(), token: text, authentication: fc.record({ schemes: fc.array(text), credentials: text }) },
  { requiredKeys: ["id", "url"] },
);

const params: fc.Arbitrary<MessageSendParams> = fc.record(
  {
    message,
    metadata: object,
    configuration: fc.record(
      {
        blocking: fc.boolean(),
        historyLength: fc.nat(1000),
        acceptedOutputModes: fc.array(text, { minLength: 1 }),
        pushNotificationConfig: webhook,
      },
      // The forms differ in what its absence means.
      { requiredKeys: ["blocking"] },
    ),
  },
  { requiredKeys: ["message"] },
);

let server: Server;
let url: string;
let received: unknown;

beforeAll(async () => {
  server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  url = `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}/`;
  const card = agentCard({ url, grpcUrl: "", hasExtendedCard: false, hasUsers: false });
  const service = {
    sendMessage(request: MessageSendParams) {
      received = request;
      return request.message;
    },
    createTaskPushNotificationConfig(request: TaskPushNotificationConfig) {
      received = request;
      return request;
    },
  };
  server.on("request", nodeListener(createAgent({ card, service })));
});

afterAll(() => {
  server.closeAllConnections();
  server.close();
});

/** Posts a body, and gives what the service got; fails where it is refused. */
async function got(path: string, body: unknown): Promise<unknown> {
  received = undefined;
  const answer = await send("POST", new URL(path, url), body);
  expect(answer.status, answer.text).toBe(200);
  return received;
}

/** What JSON says of a value. */
const json = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

describe("a request over HTTP+JSON", () => {
  it("is the same to the service in either form", async () => {
    await fc.assert(
      fc.asyncProperty(params, async (request) => {
        const expected = json(request);
        expect(await got("v1/message:send", request)).toEqual(expected);
        expect(await got("v1/message:send", toProtoJson(SendMessageRequestJson, request))).toEqual(expected);
      }),
      { numRuns: 150 },
    );
  });

  it("is the same in either form where path and body make it up", async () => {
    await fc.assert(
      fc.asyncProperty(id, webhook, async (taskId, pushNotificationConfig) => {
        const request = { taskId, pushNotificationConfig };
        const path = `v1/tasks/${taskId}/pushNotificationConfigs`;
        const { config } = toProtoJson(CreateTaskPushNotificationConfigRequestJson, request) as { config: unknown };
        for (const body of [request, { pushNotificationConfig }, config]) {
          expect(await got(path, body)).toEqual(json(request));
        }
      }),
      { numRuns: 100 },
    );
  });

  it("never makes a service get what its types forbid", async () => {
    const junk = fc.oneof(fc.string(), fc.constant(null), fc.constant(99), fc.constant([]), fc.constant({}));
    await fc.assert(
      fc.asyncProperty(
        params,
        fc.constantFrom("kind", "role", "parts", "messageId"),
        junk,
        async (request, key, value) => {
          const wrong = { ...request, message: { ...request.message, [key]: value } };
          received = undefined;
          const { status } = await send("POST", new URL("v1/message:send", url), wrong);
          if (status === 200)
            expect(received).toMatchObject({ message: { kind: "message", parts: request.message.parts } });
          else expect([status, received]).toEqual([400, undefined]);
        },
      ),
      { numRuns: 150 },
    );
  });
});
