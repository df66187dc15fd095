import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startAgent, stopAgents, type TestAgent } from "./agent.js";
import { field, numberField } from "./bytes.js";
import { expectAlive } from "./everywhere.js";
import { v03 } from "./subjects.js";
import { callGrpc, get, post, rpc, type GrpcReply } from "./wire.js";
import { processorTime } from "../support/processor-time.js";

// 0.3.0 names tasks and webhooks by texts such as tasks/{id} over HTTP+JSON and gRPC, and by plain ids over JSON-RPC.

let agent: TestAgent;

beforeAll(async () => {
  agent = await startAgent(v03);
});

afterAll(async () => {
  expect(agent.faults).toEqual([]);
  await expectAlive(agent);
  await stopAgents();
});

const webhooks = "/v1/tasks/t1/pushNotificationConfigs";
const config = { url: "http://127.0.0.1/hook" };
const named = (method: string, name: Uint8Array | string): Promise<GrpcReply> =>
  callGrpc(agent, { method, bytes: field(1, name) });
const { GetTask, CreateTaskPushNotificationConfig } = v03.operations;

describe.concurrent("an id in a path", () => {
  it.each([
    ["..", ".."],
    ["%2e%2e", ".."],
    ["%20", " "],
    ["%E2%82%AC%F0%9F%98%80", "€😀"],
    ["a%00b", "a\0b"],
    ["%0d%0aset-cookie:x", "\r\nset-cookie:x"],
    ["__proto__", "__proto__"],
    ["tasks", "tasks"],
    ["{id}", "{id}"],
    ["*", "*"],
    ["a+b", "a+b"],
    ["x".repeat(7000), "x".repeat(7000)],
    // A name may have several segments, so what stands for a slash in one of them stays as it is.
    ["a%2Fb", "a%2Fb"],
    ["..%2F..%2Fetc", "..%2F..%2Fetc"],
    ["tasks%2Ft2", "tasks%2Ft2"],
    ["%2F", "%2F"],
    ["%252F", "%2F"],
  ])("is what it is, of a task and of a webhook: %s", async (segment, id) => {
    expect((await get(agent, `/v1/tasks/${segment}`)).json).toMatchObject({ id });
    expect((await get(agent, `${webhooks}/${segment}`)).json).toMatchObject({
      name: `tasks/t1/pushNotificationConfigs/${id}`,
      pushNotificationConfig: { id },
    });
    expect((await get(agent, `/v1/tasks/${segment}/pushNotificationConfigs/c`)).json).toMatchObject({
      name: `tasks/${id}/pushNotificationConfigs/c`,
    });
    expect((await get(agent, `/v1/tasks/${segment}`)).headers["set-cookie"]).toBeUndefined();
  });

  it.each(["", "/", "%", "%ff", "%ED%A0%80", "%c0%af", "a/b", "../t1"])("may be none: %j", async (segment) => {
    for (const path of [`/v1/tasks/${segment}`, `${webhooks}/${segment}`]) {
      const reply = await get(agent, path);
      expect([path, reply.status, v03.httpError(reply.json)?.reason]).toEqual([path, 501, "METHOD_NOT_FOUND"]);
    }
  });
});

describe.concurrent("a name in a body or query", () => {
  const name = "tasks/t1/pushNotificationConfigs/c";

  it.each<[string, unknown]>([
    ["another task", "tasks/t2/pushNotificationConfigs/c"],
    ["the task above", "tasks/../pushNotificationConfigs/.."],
    ["no name", ".."],
    ["a plain id", "c"],
    ["a task", "tasks/t1"],
    ["empty ids", "tasks//pushNotificationConfigs/"],
    ["a name that goes on", `${name}/x`],
    ["a name in another case", name.toUpperCase()],
    ["a name with a slash in front", `/${name}`],
    ["an escaped slash", "tasks%2Ft1%2FpushNotificationConfigs%2Fc"],
    ["a long one", `tasks/${"x".repeat(500_000)}/pushNotificationConfigs/c`],
    ["one that repeats itself", "tasks/".repeat(100_000)],
    ["a number", 7],
    ["a list", [name]],
    ["an object", { toString: name }],
    ["true", true],
  ])("is refused where it is not that of the path: %s", async (_, wrong) => {
    const started = processorTime();
    const replies = [await post(agent, webhooks, { name: wrong, pushNotificationConfig: config })];
    replies.push(await post(agent, "/v1/tasks/t1:cancel", { name: wrong === "tasks/t1" ? "tasks/t2" : wrong }));
    for (const { status, json, text } of replies) {
      expect([status, v03.httpError(json)?.reason]).toEqual([400, "INVALID_PARAMS"]);
      expect(text.length).toBeLessThan(2000);
    }
    expect(processorTime() - started).toBeLessThan(2000);
  });

  it.each<[string, object]>([
    ["it is the same", { name, pushNotificationConfig: config }],
    ["it is null", { name: null, pushNotificationConfig: config }],
    ["it is empty", { name: "", pushNotificationConfig: config }],
    ["the task is the same", { taskId: "t1", pushNotificationConfig: config }],
  ])("is taken where %s", async (_, body) => {
    const { json } = await post(agent, webhooks, body);
    expect(json).toMatchObject({ name: expect.stringMatching(/^tasks\/t1\/pushNotificationConfigs\/./) as unknown });
  });

  it.each<[string, object]>([
    ["a task beside the name", { name, taskId: "t2", pushNotificationConfig: config }],
    ["a task", { taskId: "t2", pushNotificationConfig: config }],
    ["a list", { taskId: ["t1"], pushNotificationConfig: config }],
  ])("may not be contradicted: %s", async (_, body) => {
    expect((await post(agent, webhooks, body)).status).toBe(400);
  });

  it("may not be contradicted by the query either", async () => {
    for (const path of [
      "/v1/tasks/t1?name=tasks/t2",
      `${webhooks}?parent=tasks/t2`,
      `${webhooks}/c?name=tasks/t1/pushNotificationConfigs/d`,
      `${webhooks}/c?name=tasks/t1`,
      "/v1/tasks/t1:subscribe?name=tasks/t2",
    ]) {
      expect([path, (await get(agent, path)).status]).toEqual([path, 400]);
    }
    const created = await post(agent, `${webhooks}?parent=tasks/t2`, { pushNotificationConfig: config });
    expect(created.status).toBe(400);
  });
});

describe.concurrent("a name over gRPC", () => {
  const methods = ["GetTask", "CancelTask", "TaskSubscription", "ListTaskPushNotificationConfig"];
  const deeper = ["GetTaskPushNotificationConfig", "DeleteTaskPushNotificationConfig"];

  it.each([
    ["nothing", ""],
    ["a plain id", "t1"],
    ["an empty id", "tasks/"],
    ["empty ids", "tasks//pushNotificationConfigs/"],
    ["a path", "tasks/../x"],
    ["another case", "TASKS/t1"],
    ["a slash in front", "/tasks/t1"],
    ["a slash at the end", "tasks/t1/"],
    ["a longer one", "tasks/t1/pushNotificationConfigs/c/d"],
    ["one that repeats itself", "tasks/".repeat(300_000)],
  ])("is refused where it is none: %s", async (_, name) => {
    for (const method of [...methods, ...deeper]) {
      const reply = await named(method, name);
      expect([method, reply.code, v03.grpcError(reply).reason]).toEqual([method, 3, "INVALID_PARAMS"]);
      expect(reply.message.length).toBeLessThan(1000);
    }
  });

  it("may not be that of something else", async () => {
    for (const method of deeper) expect((await named(method, "tasks/t1")).code).toBe(3);
    for (const method of methods) expect((await named(method, "tasks/t1/pushNotificationConfigs/c")).code).toBe(3);
    for (const bytes of [
      [0xff, 0xfe],
      [0xed, 0xa0, 0x80],
      [0xc0, 0xaf],
    ]) {
      expect((await named("GetTask", Buffer.from([...Buffer.from("tasks/"), ...bytes]))).code).toBe(3);
    }
  });

  it.each(["..", "a%2Fb", "a b", "ä€😀", "a\n", "a\0", "{id}", "__proto__", "*", "x".repeat(1_000_000)])(
    "has the id as it is: %s",
    async (id) => {
      const [bytes = new Uint8Array()] = (await named("GetTask", `tasks/${id}`)).messages;
      expect((GetTask.decode(bytes) as { id: string }).id === id).toBe(true);
      const both = await named("GetTaskPushNotificationConfig", `tasks/${id}/pushNotificationConfigs/${id}`);
      expect(CreateTaskPushNotificationConfig.decode(both.messages[0] ?? new Uint8Array())).toMatchObject({
        taskId: id,
        pushNotificationConfig: { id },
      });
    },
  );

  it("may be said twice where it says the same", async () => {
    const twice = (first: string, second: string) =>
      callGrpc(agent, { method: "GetTask", bytes: Buffer.concat([field(1, first), field(1, second)]) });
    expect((await twice("tasks/a", "tasks/a")).code).toBe(0);
    expect((await twice("tasks/a", "tasks/b")).code).toBe(3);
    expect((await twice("tasks/a", "x")).code).toBe(3);
  });

  it.each([
    ["tasks/a", "c", "tasks/a/pushNotificationConfigs/c", 0],
    ["tasks/a", "c", "", 0],
    ["tasks/a", "..", "", 0],
    ["tasks/a", "c", "tasks/b/pushNotificationConfigs/c", 3],
    ["tasks/a", "c", "tasks/a/pushNotificationConfigs/d", 3],
    ["tasks/a", "c", "c", 3],
    ["tasks/a/b", "c", "", 3],
    ["a", "c", "", 3],
    ["", "c", "", 3],
  ])("agrees with the others of a request: %j, %j, %j", async (parent, id, name, code) => {
    const given = [field(1, name), field(2, field(2, "http://127.0.0.1/hook"))];
    const bytes = Buffer.concat([field(1, parent), field(2, id), field(3, Buffer.concat(given))]);
    expect((await callGrpc(agent, { method: "CreateTaskPushNotificationConfig", bytes })).code).toBe(code);
  });

  it("leaves other fields as they are: a limit beyond int32, below 0, or as text", async () => {
    const limits: [Uint8Array, number | undefined][] = [
      [numberField(2, 2n ** 40n + 5n), 5],
      [numberField(2, -1n), -1],
      [numberField(2, 2n ** 31n), -(2 ** 31)],
      [field(2, "5"), undefined],
    ];
    for (const [limit, historyLength] of limits) {
      const bytes = Buffer.concat([field(1, "tasks/t1"), limit]);
      const { messages } = await callGrpc(agent, { method: "GetTask", bytes });
      const metadata = historyLength === undefined ? {} : { historyLength };
      expect(GetTask.decode(messages[0] ?? new Uint8Array())).toMatchObject({ metadata });
    }
  });
});

describe("an id of a webhook that fits into no name", () => {
  const given = { pushNotificationConfig: { ...config, id: "a/b" } };

  // The service may keep what it is given, and then its answer cannot be written.
  const keeping = (): Promise<TestAgent> =>
    startAgent(v03, { createTaskPushNotificationConfig: (request: unknown) => request });

  it("is refused before the service sees it, over HTTP+JSON", async () => {
    const other = await keeping();
    expect((await post(other, webhooks, given)).status).toBe(400);
    expect((await post(other, `${webhooks}?configId=a/b`, { pushNotificationConfig: config })).status).toBe(400);
  });

  it("is refused before the service sees it, over gRPC", async () => {
    const webhook = field(3, field(2, field(2, config.url)));
    const bytes = Buffer.concat([field(1, "tasks/t1"), field(2, "a/b"), webhook]);
    const { code } = await callGrpc(await keeping(), { method: "CreateTaskPushNotificationConfig", bytes });
    expect(code).toBe(3);
  });

  it("does no harm, and what went wrong is not told", async () => {
    const other = await keeping();
    const reply = await post(other, webhooks, given);
    expect(v03.httpError(reply.json)).toBeDefined();
    expect(reply.text).not.toMatch(/\.[jt]s:\d/);
    await expectAlive(other);
  });
});

describe.concurrent("an id over JSON-RPC", () => {
  it.each(["a/b", "..", "", "ä€😀", "\ud800", "a\0\r\nb", "__proto__", "tasks/t1", "x".repeat(1_000_000)])(
    "is what it is: %j",
    async (id) => {
      const read = await post(agent, "/rpc", rpc("tasks/get", { id }));
      expect((read.json as { result: { id: string } }).result.id === id).toBe(true);
      const asked = { id, pushNotificationConfigId: id };
      const webhook = await post(agent, "/rpc", rpc("tasks/pushNotificationConfig/get", asked));
      expect(webhook.json).toMatchObject({ result: { taskId: id, pushNotificationConfig: { id } } });
    },
  );
});
