import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { startAgent, stopAgents, type TestAgent } from "./agent.js";
import { eventsOf, expectAlive } from "./everywhere.js";
import { subjects, v10 } from "./subjects.js";
import { get, post, send, type HttpReply } from "./wire.js";

const invalid = [400, "INVALID_PARAMS"];

describe.each(subjects)("A2A $version", (subject) => {
  const { base } = subject;
  let agent: TestAgent;

  beforeAll(async () => {
    agent = await startAgent(subject);
  });

  afterEach(async () => {
    expect(agent.faults).toEqual([]);
    await expectAlive(agent);
  });

  afterAll(stopAgents);

  /** The status and the reason of an answer. */
  const briefly = ({ status, json }: HttpReply): unknown[] => [status, subject.httpError(json, status)?.reason];

  describe("a query", () => {
    const own: Readonly<Record<string, [string, object][]>> = {
      "1.0": [
        ["tenant=a%26b%3Dc", { tenant: "a&b=c" }],
        ["tenant=a+b", { tenant: "a b" }],
        ["A2A-Version=1.0&historyLength=1", { historyLength: 1 }],
      ],
      "0.3.0": [
        ["tenant=a", {}],
        ["A2A-Version=0.3&historyLength=1", { historyLength: 1 }],
        ["name=tasks/t1", {}],
        ["name=tasks%2Ft1&historyLength=1", { historyLength: 1 }],
        ["id=t1", {}],
      ],
    };
    const ownWrong: Readonly<Record<string, string[]>> = {
      "1.0": ["tenant=a&tenant=b", "tenant=%zz", "id=t2"],
      "0.3.0": ["name=tasks/t2", "name=t1", "name=tasks/t1&name=tasks/t1", "name=%zz", "historyLength=2147483648"],
    };

    it.each<[string, object]>([
      ["historyLength=2", { historyLength: 2 }],
      ["history_length=2", { historyLength: 2 }],
      ["historyLength=2&unknown=x&historyLengths=9&&=&a=b=c", { historyLength: 2 }],
      ["historyLength=%32", { historyLength: 2 }],
      ["historyLength=0", { historyLength: 0 }],
      ["", {}],
      ["?", {}],
      ...(own[subject.version] ?? []),
    ])("fills the request: %j", async (query, metadata) => {
      const { json } = await get(agent, `${base}/tasks/t1?${query}`);
      expect([(json as { id: unknown }).id, (json as { metadata?: object }).metadata ?? {}]).toEqual(["t1", metadata]);
    });

    it.each([
      "historyLength=many",
      "historyLength=",
      "historyLength",
      "historyLength=1.5",
      "historyLength=99999999999",
      "historyLength=1&historyLength=2",
      "historyLength=1&history_length=1",
      "historyLength=%",
      "historyLength=%ff",
      "historyLength=0x10",
      ...(ownWrong[subject.version] ?? []),
    ])("is refused: %s", async (query) => {
      const reply = await get(agent, `${base}/tasks/t1?${query}`);
      expect(briefly(reply)).toEqual(invalid);
      expect(subject.httpError(reply.json)?.fields).toHaveLength(1);
    });

    it("may be of any length over Web requests", async () => {
      const query = "historyLength=1&".repeat(200_000);
      const url = `http://agent${base}/tasks/t1?${query}`;
      expect((await agent.fetch(new Request(url, { headers: subject.headers }))).status).toBe(400);
    });
  });

  describe("a POST without a body", () => {
    it("cancels", async () => {
      const path = `${base}/tasks/t1:cancel`;
      expect((await send(agent, { path, headers: subject.headers })).json).toMatchObject({ id: "t1" });
      expect((await post(agent, path, "")).json).toMatchObject({ id: "t1" });
      expect((await post(agent, path, "{}")).json).toMatchObject({ id: "t1" });
      expect(briefly(await post(agent, path, "null"))).toEqual(invalid);
      expect(briefly(await post(agent, path, "[]"))).toEqual(invalid);
      expect(briefly(await post(agent, path, "", { "content-type": "text/plain" }))).toEqual([
        400,
        "CONTENT_TYPE_NOT_SUPPORTED",
      ]);
    });

    it("subscribes, and so do GET and a body", async () => {
      const path = `${base}/tasks/t1:subscribe`;
      const replies = [
        await get(agent, path),
        await get(agent, `${path}?x=y`),
        await send(agent, { path, headers: subject.headers }),
        await post(agent, path, ""),
        await post(agent, path, { id: "t1" }),
        await post(agent, `${path}?x=y`, "{}"),
      ];
      for (const { text } of replies) {
        expect(subject.operations.SubscribeToTask.read(eventsOf(text)[0])).toMatchObject(
          subject.answers.task({ id: "t1" }),
        );
      }
      expect(briefly(await post(agent, path, { id: "t2" }))).toEqual(invalid);
      expect(briefly(await post(agent, path, "{"))).toEqual([400, "JSON_PARSE"]);
    });

    it("is not confused by values of other types", async () => {
      for (const id of [
        '{"id":"t1"}',
        "[]",
        '["t1"]',
        "[".repeat(10_000) + "]".repeat(10_000),
        '{"toString":1}',
        "2",
      ]) {
        expect([id.slice(0, 20), ...briefly(await post(agent, `${base}/tasks/t1:cancel`, `{"id":${id}}`))]).toEqual([
          id.slice(0, 20),
          ...invalid,
        ]);
      }
    });
  });
});

describe("a tenant of version 1.0", () => {
  const { message } = v10.samples;
  const briefly = ({ status, json }: HttpReply): unknown[] => [status, v10.httpError(json, status)?.reason];
  let agent: TestAgent;

  beforeAll(async () => {
    agent = await startAgent(v10);
  });

  afterAll(stopAgents);

  it("is read from the path of every route", async () => {
    expect((await get(agent, "/acme/tasks/t1")).json).toMatchObject({ id: "t1", metadata: { tenant: "acme" } });
    expect((await get(agent, "/acme%2Fnorth/tasks/t1")).json).toMatchObject({ metadata: { tenant: "acme/north" } });
    expect((await get(agent, "/tasks/tasks")).json).toMatchObject({ id: "tasks" });
    expect((await get(agent, "/tasks/tasks/t1")).json).toMatchObject({ metadata: { tenant: "tasks" } });
    expect((await post(agent, "/acme/tasks/t1:cancel", "")).json).toMatchObject({ metadata: { tenant: "acme" } });
    expect((await post(agent, "/acme/message:send", { message })).json).toEqual({ message });
    const created = await post(agent, "/acme/tasks/t1/pushNotificationConfigs", { url: "http://hook" });
    expect(created.json).toEqual({ id: "p1", tenant: "acme", taskId: "t1", url: "http://hook" });
  });

  it("may be said twice, but not in two ways", async () => {
    const twice = await post(agent, "/acme/tasks/t1:cancel", { tenant: "acme", id: "t1", metadata: {} });
    expect(twice.json).toMatchObject({ metadata: { tenant: "acme" } });
    expect(briefly(await post(agent, "/acme/tasks/t1:cancel", { tenant: "other" }))).toEqual(invalid);
    expect(briefly(await post(agent, "/tasks/t1:cancel", { id: "t2" }))).toEqual(invalid);
    expect(briefly(await post(agent, "/tasks/t1/pushNotificationConfigs", { task_id: "t2", url: "u" }))).toEqual(
      invalid,
    );
    expect(briefly(await get(agent, "/acme/tasks/t1?tenant=other"))).toEqual(invalid);
    expect(briefly(await get(agent, "/tasks/t1?id=t2"))).toEqual(invalid);
  });

  it("is in the query where it is not in the path", async () => {
    const path = "/tasks/t1:subscribe";
    const tenants = [
      await get(agent, `${path}?tenant=acme`),
      await post(agent, path, { tenant: "acme" }),
      await post(agent, `/acme${path}`, { id: "t1" }),
      await post(agent, `${path}?tenant=acme`, "{}"),
    ].map(({ text }) => (eventsOf(text)[0] as { task?: { metadata?: { tenant?: string } } }).task?.metadata?.tenant);
    expect(tenants).toEqual(["acme", "acme", "acme", "acme"]);
    expect((await send(agent, { path: "/acme/tasks/t1:cancel", headers: v10.headers })).json).toMatchObject({
      metadata: { tenant: "acme" },
    });
  });

  it("does not keep a slash out of an id", async () => {
    expect((await get(agent, "/tasks/a%2Fb")).json).toMatchObject({ id: "a/b" });
    expect((await get(agent, "/tasks/..%2F..%2Fetc%2Fpasswd")).json).toMatchObject({ id: "../../etc/passwd" });
  });

  it.each(["includeArtifacts=1", "includeArtifacts=True", "status=working", "statusTimestampAfter=yesterday"])(
    "does not help a list that is wrong: %s",
    async (query) => expect(briefly(await get(agent, `/acme/tasks?${query}`))).toEqual(invalid),
  );
});
