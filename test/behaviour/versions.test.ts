import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { lastEventOf } from "../../generator/targets/client/last-event.js";
import { hasMembers } from "../../library/runtime/base/json.js";
import { refusal } from "../support/everywhere.js";
import fc, { arbitrary } from "../support/properties.js";
import { Random } from "../support/random/random.js";
import { call } from "../support/raw.js";
import { bindings, startScripted, type Scripted } from "../support/scripted.js";
import { sized } from "../support/size.js";
import { carriedBy } from "./carried.js";
import { errorWith } from "../support/errors.js";

const webhooks = (...verbs: string[]) =>
  verbs.map((verb) => `tasks/pushNotificationConfig/${verb}`);
const tasks = ["tasks/get", "tasks/cancel", "tasks/resubscribe"];
const messages = ["message/send", "message/stream", ...tasks];
const all = [...messages, ...webhooks("set", "get", "list", "delete")];
const extendedCard = "agent/getAuthenticatedExtendedCard";
const first = [
  "tasks/send",
  "tasks/sendSubscribe",
  "tasks/pushNotification/set",
  "tasks/pushNotification/get",
  ...tasks,
  "agent/getCard",
];
const present = [
  ...[
    "SendMessage",
    "SendStreamingMessage",
    "GetTask",
    "ListTasks",
    "CancelTask",
    "SubscribeToTask",
  ],
  ...["Create", "Get", "Delete"].map((verb) => `${verb}TaskPushNotificationConfig`),
  ...["ListTaskPushNotificationConfigs", "GetExtendedAgentCard"],
];

/** The methods of JSON-RPC and the path of the card, as each version publishes them. */
const published = [
  { version: "0.1.0", card: "agent.json", methods: first },
  { version: "0.2.1", card: "agent.json", methods: [...messages, ...webhooks("set", "get")] },
  { version: "0.2.6", card: "agent.json", methods: all },
  { version: "0.3.0", card: "agent-card.json", methods: [...all, extendedCard] },
  { version: "0.4-draft", card: "agent-card.json", methods: [...all, extendedCard, "tasks/list"] },
  { version: "1.0", card: "agent-card.json", methods: present },
];
const everyMethod = new Set(published.flatMap(({ methods }) => methods));

type Call = (options?: object) => Promise<unknown>;

describe.each(published)("$version", ({ version, card, methods }) => {
  const { operations, protocol, request, response, sends, arrives, lacks } = carriedBy(version);
  const cases = operations.flatMap((operation) =>
    bindings.flatMap((over) => {
      const isCarried = {
        JSONRPC: operation.jsonRpc,
        "HTTP+JSON": operation.http[0],
        GRPC: operation.rpc,
      }[over];
      return isCarried === undefined ? [] : [{ operation, over, method: operation.method }];
    }),
  );
  const served = bindings.filter((binding) =>
    cases.some((one) => one.over === binding && one.method === "getTask"),
  );
  const isProtoJson = protocol.wire?.isProtoJson === true;
  let agent: Scripted;

  beforeAll(async () => {
    agent = await startScripted(version);
  });

  afterAll(() => agent.close());

  it.each(cases)(
    "$method over $over transfers everything except for the reported losses",
    async ({ operation, over }) => {
      const { request: asked, response: replied, streaming, method } = operation;
      const exchange = arbitrary((random) => ({
        given: request(operation, random),
        reply:
          streaming === "none"
            ? response(operation, random)
            : Array.from({ length: 1 + random.below(3) }, () => response(operation, random)),
      }));
      const property = fc.asyncProperty(exchange, async ({ given, reply }) => {
        agent.response = reply;
        const result = agent.call(over, method, given);
        if (lacks(operation, given, over)) {
          await expect(result).rejects.toThrow(errorWith({ name: "InvalidParamsError" }));
          return;
        }
        const sent = Array.isArray(reply) && streaming !== "none" ? reply : [reply];
        const arrived = sent.map((one: unknown) => arrives(replied, one, over));
        // A stream ends after the event that is marked as the last event.
        const last = lastEventOf(operation, protocol);
        const end = last === undefined ? -1 : arrived.findIndex((event) => hasMembers(event, last));
        const expected = end < 0 ? arrived : arrived.slice(0, end + 1);
        expect([await result].flat(streaming === "none" ? 0 : 1)).toEqual(expected);
        expect(agent.request).toEqual(arrives(asked, sends(operation, given, over), over));
      });
      await fc.assert(property, { numRuns: sized(4, 8) });
    },
  );

  describe.each(served)("over %s", (over) => {
    const [unary, stream] = ["getTask", "subscribeToTask"].map((name) => {
      const operation = operations.find(({ method }) => method === name);
      if (operation === undefined) throw new Error(`${version} has no ${name}`);
      // The first seed whose request any binding can send.
      const random = [1, 2, 3, 4, 5, 6, 7, 8].map((seed) => new Random(seed));
      const given = random
        .map((one) => request(operation, one))
        .find((one) => !lacks(operation, one, "HTTP+JSON"));
      return (options?: object) => agent.call(over, name, given, options);
    }) as [Call, Call];
    const TaskNotFoundError = () =>
      Reflect.construct(Reflect.get(agent.output, "TaskNotFoundError") as new () => Error, []);

    it("a client throws the protocol error of the service, before a stream and within it", async () => {
      const unknown = { name: "TaskNotFoundError", message: "Task not found" };
      agent.response = TaskNotFoundError();
      expect([await refusal(unary()), await refusal(stream())]).toEqual([unknown, unknown]);
      const [event] = operations.filter(({ method }) => method === "subscribeToTask");
      if (event === undefined) throw new Error("The stream ended without an event");
      const made = [1, 2, 3, 4, 5, 6, 7, 8].map((seed) => response(event, new Random(seed)));
      const last = lastEventOf(event, protocol);
      // After a marked event, the client would not receive the error.
      const first = made.find((one) => last === undefined || !hasMembers(one, last));
      agent.response = [first, TaskNotFoundError()];
      expect(await refusal(stream())).toEqual(unknown);
    });

    it("a client sends the requested extensions to the service in the header of the version", async () => {
      const extensions = ["https://example.com/ext/1", "urn:b"];
      agent.response = undefined;
      await unary({ extensions }).catch(() => undefined);
      expect(agent.context?.extensions).toEqual(extensions);
      const { headers } = protocol.binding ?? {};
      expect(agent.context?.headers.get(headers?.extensions ?? "")).toMatch(
        /^https:\/\/example\.com\/ext\/1, ?urn:b$/,
      );
    });

    it("a client does not see the text of other errors of the service", async () => {
      agent.response = new Error("The password is 1234");
      const hidden = {
        name: "InternalError",
        message: expect.stringMatching(/^Internal ?error\.?$/i) as string,
      };
      expect([await refusal(unary()), await refusal(stream())]).toEqual([hidden, hidden]);
    });

    it.each([
      ["nothing", undefined],
      ["an unknown state", { id: "t", contextId: "c", kind: "task", status: { state: "STATE" } }],
      ["a task with a number as its id", { id: 7, contextId: "c", kind: "task", status: {} }],
    ])("a response with %s is an error of the agent, also as an event", async (_what, wrong) => {
      agent.response = wrong;
      expect((await refusal(unary())).name).toMatch(/^(Internal|InvalidAgentResponse)Error$/);
      agent.response = [wrong];
      expect((await refusal(stream())).name).toMatch(/^(Internal|InvalidAgentResponse)Error$/);
    });

    it.each([[[]], [undefined], [[{ kind: "video", type: "video", url: 7 }]]])(
      "a message with the parts %j is refused by the client or the agent",
      async (parts) => {
        agent.request = undefined;
        const message = { kind: "message", messageId: "m", role: "user", parts };
        const given = {
          id: "t",
          message: isProtoJson ? { ...message, role: "ROLE_USER" } : message,
        };
        const method = version === "0.1.0" ? "sendTask" : "sendMessage";
        expect((await refusal(agent.call(over, method, given))).name).toBe("InvalidParamsError");
        expect(agent.request).toBeUndefined();
      },
    );
  });

  const uncarried = operations.flatMap(({ name, method }) =>
    served.flatMap((over) =>
      cases.some((one) => one.over === over && one.method === method)
        ? []
        : [{ name, method, over }],
    ),
  );

  it.each(uncarried)(
    "$method is not sent over $over, which does not support it",
    async ({ name, method, over }) => {
      await expect(agent.call(over, method, {})).rejects.toThrow(name);
    },
  );

  it("the agent serves exactly the published methods over JSON-RPC", async () => {
    const headers = { "a2a-version": protocol.binding?.wireVersion ?? "" };
    const replies = [...everyMethod].map(async (method) => ({
      method,
      ...(await call(agent.url, method, [], headers)),
    }));
    const found = (await Promise.all(replies)).filter(
      ({ text }) => !text.includes('"code":-32601'),
    );
    expect(found.map(({ method }) => method).toSorted()).toEqual([...methods].toSorted());
  });

  it("the card is at the path that the version publishes, and not at the other path", async () => {
    for (const name of ["agent.json", "agent-card.json"]) {
      const found = await fetch(new URL(`.well-known/${name}`, agent.url));
      expect([name, found.ok]).toEqual([name, name === card]);
      if (found.ok) expect(await found.json()).toEqual(agent.card);
    }
  });
});
