import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { startAgent, stopAgents, type TestAgent } from "./agent.js";
import { everywhere, expectAlive, message, type Refusal } from "./everywhere.js";
import { callGrpc, post, rpc } from "./wire.js";

let agent: TestAgent;

beforeAll(async () => {
  agent = await startAgent();
});

afterEach(async () => {
  expect(agent.faults).toEqual([]);
  await expectAlive(agent);
});

afterAll(stopAgents);

interface RpcReply {
  readonly jsonrpc: string;
  readonly id: unknown;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string; readonly data: Refusal["details"] };
}

async function call(body: unknown): Promise<RpcReply> {
  const { status, headers, json } = await post(agent, "/rpc", body);
  expect(status).toBe(200);
  expect(headers["content-type"]).toBe("application/json");
  return json as RpcReply;
}

describe("a JSON-RPC request", () => {
  const good = { jsonrpc: "2.0", id: 1, method: "SendMessage", params: { message } };
  const without = (key: keyof typeof good): object => ({ ...good, [key]: undefined });

  it.each<[string, unknown, unknown]>([
    ["null", null, null],
    ["text", '"hello"', null],
    ["a number", 1, null],
    ["an empty batch", [], null],
    ["a batch", [good, good], null],
    ["an empty object", {}, null],
    ["no jsonrpc", without("jsonrpc"), 1],
    ["jsonrpc 1.0", { ...good, jsonrpc: "1.0" }, 1],
    ["jsonrpc as a number", { ...good, jsonrpc: 2.0 }, 1],
    ["no id", without("id"), null],
    ["id null", { ...good, id: null }, null],
    ["a fraction as id", { ...good, id: 1.5 }, null],
    ["true as id", { ...good, id: true }, null],
    ["an object as id", { ...good, id: {} }, null],
    ["a list as id", { ...good, id: [1] }, null],
    ["an infinite id", JSON.stringify(good).replace('"id":1', '"id":1e999'), null],
    ["no method", without("method"), 1],
    ["a number as method", { ...good, method: 7 }, 1],
    ["a list as method", { ...good, method: ["SendMessage"] }, 1],
    ["a response", { jsonrpc: "2.0", id: 1, result: {} }, 1],
    ["members that hide in __proto__", `{"__proto__":${JSON.stringify(good)}}`, null],
  ])("is invalid: %s", async (_, body, id) => {
    const reply = await call(body);
    expect(reply).toMatchObject({ jsonrpc: "2.0", id, error: { code: -32600 } });
    expect(reply.error?.data[0]).toMatchObject({ reason: "INVALID_REQUEST", domain: "a2a-protocol.org" });
  });

  it.each([
    "",
    "sendMessage",
    "message/send",
    "SendMessage ",
    "constructor",
    "__proto__",
    "toString",
    "undefined",
    "\0",
  ])("names a method that there is not: %j", async (method) => {
    const reply = await call(rpc(method, { message }, "x"));
    expect(reply).toMatchObject({ id: "x", error: { code: -32601, data: [{ reason: "METHOD_NOT_FOUND" }] } });
  });

  it.each([0, -1, 9007199254740991, "", "a\u0000b", "ä€😀", "\ud800", "x".repeat(10_000)])(
    "gets back its id: %j",
    async (id) => {
      expect(await call(rpc("SendMessage", { message }, id))).toEqual({ jsonrpc: "2.0", id, result: { message } });
    },
  );

  it("may have members that nobody knows, and the last of two equal ones counts", async () => {
    expect(await call({ ...good, extra: {}, toString: 1 })).toHaveProperty("result");
    const twice = `{"id":1,"id":2,"jsonrpc":"2.0","method":"Nope","method":"SendMessage","params":${JSON.stringify({ message })}}`;
    expect(await call(twice)).toEqual({ jsonrpc: "2.0", id: 2, result: { message } });
  });

  it.each<[string, unknown]>([
    ["null", null],
    ["text", "hello"],
    ["a number", 1],
    ["a list", [{ message }]],
    ["an empty list", []],
  ])("has params that are no object: %s", async (_, params) => {
    const { error } = await call(rpc("SendMessage", params));
    expect(error?.code).toBe(-32602);
    expect(error?.data).toMatchObject([{ reason: "INVALID_PARAMS" }, { fieldViolations: [{ field: "" }] }]);
  });

  it("may leave out its params where the operation needs none", async () => {
    expect(await call(rpc("ListTasks"))).toHaveProperty("result.tasks");
    expect(await call(rpc("GetTask"))).toMatchObject({
      error: { code: -32602, data: [{}, { fieldViolations: [{ field: "id" }] }] },
    });
  });
});

/** The fields that an error complains about. */
function fieldsOf(error: Refusal | undefined): unknown[] {
  const badRequest = error?.details.find((detail) => detail["@type"] === "type.googleapis.com/google.rpc.BadRequest");
  const violations = badRequest?.["fieldViolations"] as { field: unknown }[] | undefined;
  return (violations ?? []).map(({ field }) => field).sort();
}

describe("a request that lacks what it needs", () => {
  it.each<[string, object, string[]]>([
    ["no message", {}, ["message"]],
    ["no parts", { message: { ...message, parts: [] } }, ["message.parts"]],
    ["an empty part", { message: { ...message, parts: [{ text: "a" }, {}] } }, ["message.parts.1"]],
  ])("names each field, the same on every transport: %s", async (_, request, fields) => {
    const { error } = await everywhere(agent, "SendMessage", request as Record<string, unknown>);
    expect(error?.codes).toEqual([-32602, 400, 3]);
    expect(error?.details[0]).toMatchObject({ reason: "INVALID_PARAMS", domain: "a2a-protocol.org" });
    expect(fieldsOf(error)).toEqual(fields);
  });

  it("gets the first issues only, as many as a header can carry", async () => {
    const parts = new Array<object>(5000).fill({});
    const { error } = await everywhere(agent, "SendMessage", { message: { ...message, parts } });
    expect(fieldsOf(error).length).toBeGreaterThan(5);
    expect(JSON.stringify(error).length).toBeLessThan(6000);
  });

  it("is refused in time however much is wrong with it", async () => {
    const parts = new Array<object>(1_000_000).fill({});
    const body = JSON.stringify(rpc("SendMessage", { message: { ...message, parts } }));
    const started = performance.now();
    expect((await call(body)).error?.code).toBe(-32602);
    expect(performance.now() - started).toBeLessThan(2000);
  });
});

describe("a request with values of the wrong kind", () => {
  const deepList = `${"[".repeat(10_000)}1${"]".repeat(10_000)}`;
  const deepObject = `${'{"a":'.repeat(10_000)}1${"}".repeat(10_000)}`;
  const webhook = (config: string): string =>
    `{"message":${JSON.stringify(message)},"configuration":{"taskPushNotificationConfig":${config}}}`;
  const withMember = (key: string, value: string): string =>
    JSON.stringify({ message: { ...message, [key]: "@@" } }).replace('"@@"', value);

  it.each<[string, string, string]>([
    ["an empty message", '{"message":{}}', "message.role"],
    ["a webhook without url", webhook("{}"), "configuration.taskPushNotificationConfig.url"],
    ["a number for text", withMember("messageId", "7"), "message.messageId"],
    ["a list for text", withMember("messageId", '["m1"]'), "message.messageId"],
    ["an enum value that is none", withMember("role", '"ROLE_ADMIN"'), "message.role"],
    ["a lower-case enum value", withMember("role", '"user"'), "message.role"],
    ["a number of no enum value", withMember("role", "9"), "message.role"],
    ["an inherited name as enum value", withMember("role", '"constructor"'), "message.role"],
    ["an object for a list", withMember("parts", '{"0":{"text":"a"}}'), "message.parts"],
    ["text for a list", withMember("parts", '"text"'), "message.parts"],
    ["null in a list", withMember("parts", "[null]"), "message.parts.0"],
    ["two members of a oneof", withMember("parts", '[{"text":"a","url":"b"}]'), "message.parts.0"],
    ["both names of a field", withMember("message_id", '"m1"'), "message"],
    ["base64 that is none", withMember("parts", '[{"raw":"a*b="}]'), "message.parts.0.raw"],
    ["a list for an object", withMember("metadata", "[]"), "message.metadata"],
    ["a number beyond the doubles", withMember("metadata", '{"a":1e999}'), "message.metadata"],
    ["metadata nested deep", withMember("metadata", deepObject), "message.metadata"],
    ["data nested deep", withMember("parts", `[{"data":${deepList}}]`), "message.parts.0.data"],
    ["an id nested deep", withMember("messageId", deepList), "message.messageId"],
    ["a message nested deep", `{"message":${deepObject}}`, "message.messageId"],
  ])("names the field, the same on both HTTP bindings: %s", async (_, request, field) => {
    const [overRpc, overRest] = await Promise.all([
      post(agent, "/rpc", `{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":${request}}`),
      post(agent, "/message:send", request),
    ]);
    const { error } = overRpc.json as RpcReply;
    expect([error?.code, overRest.status]).toEqual([-32602, 400]);
    const rest = overRest.json as { error: Refusal };
    expect({ message: rest.error.message, details: rest.error.details }).toEqual({
      message: error?.message,
      details: error?.data,
    });
    expect(fieldsOf(rest.error)).toContain(field);
  });
});

describe("keys that objects inherit", () => {
  const names = ["__proto__", "constructor", "prototype", "toString", "hasOwnProperty", "valueOf", "then"];
  const hostile = `{${names.map((name) => `"${name}":{"polluted":true,"get":1}`).join(",")}}`;

  it("mean nothing where fields are expected, and stay data in metadata", async () => {
    const metadata: unknown = JSON.parse(hostile);
    const extra = hostile.slice(1, -1);
    const text = JSON.stringify({ ...message, metadata }).replace(/}$/, `,${extra}}`);
    for (const request of [`{"message":${text}}`, `{${extra},"message":${text},"configuration":${hostile}}`]) {
      const overRpc = await post(
        agent,
        "/rpc",
        `{"jsonrpc":"2.0","id":1,"method":"SendMessage",${extra},"params":${request}}`,
      );
      const overRest = await post(agent, "/message:send", request);
      const expected = JSON.stringify({ message: { ...message, metadata } });
      expect(JSON.stringify((overRpc.json as RpcReply).result)).toBe(expected);
      expect(overRest.text).toBe(expected);
    }
    expect(Object.keys(Object.prototype)).toEqual([]);
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
  });

  it("arrive the same over every transport", async () => {
    const metadata = JSON.parse(hostile) as object;
    const outcome = await everywhere(agent, "SendMessage", { message: { ...message, metadata } });
    expect(JSON.stringify(outcome.value)).toBe(JSON.stringify({ message: { ...message, metadata } }));
  });

  it("are no parameters of a query", async () => {
    const query = names.map((name) => `${name}=1&${name}.polluted=1&tenant.${name}=1`).join("&");
    const reply = await post(agent, `/tasks/t1:cancel?${query}`, "{}");
    expect(reply.json).toMatchObject({ id: "t1" });
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
  });
});

describe("names in snake_case", () => {
  const snake = {
    message: {
      message_id: "m1",
      role: 1,
      parts: [{ text: "hi", media_type: "text/plain" }],
      reference_task_ids: ["t0"],
    },
    configuration: { return_immediately: true, accepted_output_modes: [], history_length: null },
  };
  const camel = {
    message: {
      messageId: "m1",
      role: "ROLE_USER",
      parts: [{ text: "hi", mediaType: "text/plain" }],
      referenceTaskIds: ["t0"],
    },
  };

  it("are taken on both HTTP bindings, and never given", async () => {
    expect((await call(rpc("SendMessage", snake))).result).toEqual(camel);
    expect((await post(agent, "/message:send", snake)).json).toEqual(camel);
  });

  it("are taken in queries", async () => {
    const query = "context_id=c9&page_size=7&include_artifacts=true&status=TASK_STATE_WORKING";
    const { json } = await post(agent, "/rpc", rpc("ListTasks", { context_id: "c9", page_size: "7" }));
    expect(json).toMatchObject({ result: { pageSize: 7, tasks: [{ metadata: { contextId: "c9" } }] } });
    const overRest = await fetch(`http://127.0.0.1:${agent.port}/tasks?${query}`, {
      headers: { "a2a-version": "1.0" },
    });
    expect(await overRest.json()).toMatchObject({
      pageSize: 7,
      tasks: [{ metadata: { contextId: "c9", includeArtifacts: true, status: "TASK_STATE_WORKING" } }],
    });
  });
});

describe("a value that only one side could lose", () => {
  it.each<[string, unknown]>([
    ["lone surrogates in JSON", "\ud800"],
    ["null bytes", "a\0b"],
    ["line separators", "a\u2028\r\n\n\ndata: b"],
    ["emoji", "😀".repeat(100)],
  ])("passes through a stream unharmed: %s", async (_, text) => {
    const request = { message: { ...message, parts: [{ text }] } };
    const reply = await post(agent, "/message:stream", request);
    const event = reply.text.split("\n\n")[1] ?? "";
    expect(event).toMatch(/^data: [^\r\n]+$/);
    expect(JSON.parse(event.slice(6))).toMatchObject({ artifactUpdate: { artifact: { parts: [{ text }] } } });
  });

  it("is refused by gRPC where bytes are no request", async () => {
    for (const bytes of [[0xff, 0xff, 0xff], [0x12, 0x7f, 0x00], [0x00], [0x0a, 0x02, 0xff, 0xfe, 0x07]]) {
      const { code, status } = await callGrpc(agent, "SendMessage", Uint8Array.from(bytes));
      expect(code).toBe(3);
      expect(status.details).toMatchObject([{ reason: "INVALID_PARAMS" }, { fieldViolations: [{}] }]);
    }
  });
});
