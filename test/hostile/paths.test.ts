import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { startAgent, stopAgents, type TestAgent } from "./agent.js";
import { eventsOf, expectAlive, message } from "./everywhere.js";
import { get, open, post, readAll, rpc, send, version, type HttpReply } from "./wire.js";

let agent: TestAgent;

beforeAll(async () => {
  agent = await startAgent();
});

afterEach(async () => {
  expect(agent.faults).toEqual([]);
  await expectAlive(agent);
});

afterAll(stopAgents);

/** The status and the reason of an answer. */
function briefly({ status, json }: HttpReply): unknown[] {
  const { error } = (json ?? {}) as { error?: { details?: { reason: string }[] } };
  return [status, error?.details?.[0]?.reason];
}

const wrongVerb = [405, "METHOD_NOT_FOUND"];
const unknown = [404, "METHOD_NOT_FOUND"];
const invalid = [400, "INVALID_PARAMS"];

describe("a method that a path does not have", () => {
  const paths: [path: string, allowed: string[]][] = [
    ["/message:send", ["POST"]],
    ["/message:stream", ["POST"]],
    ["/tasks", ["GET"]],
    ["/tasks/t1", ["GET"]],
    ["/tasks/t1:cancel", ["POST"]],
    ["/tasks/t1:subscribe", ["GET", "POST"]],
    ["/tasks/t1/pushNotificationConfigs", ["GET", "POST"]],
    ["/tasks/t1/pushNotificationConfigs/p1", ["GET", "DELETE"]],
    ["/extendedAgentCard", ["GET"]],
    ["/acme/message:send", ["POST"]],
    ["/acme/tasks", ["GET"]],
    ["/acme/tasks/t1:cancel", ["POST"]],
  ];
  const verbs = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "PROPFIND"];

  it.each(paths)("is refused with the ones that it has: %s", async (path, allowed) => {
    for (const method of verbs.filter((verb) => !allowed.includes(verb))) {
      const reply = await send(agent, { method, path, headers: version });
      expect(method === "HEAD" ? [reply.status, wrongVerb[1]] : briefly(reply)).toEqual(wrongVerb);
      expect(reply.headers.allow?.split(", ").sort()).toEqual([...allowed].sort());
    }
  });

  it.each(["/rpc", "/rpc/", "/rpc?x=y"])("is refused by the JSON-RPC endpoint: %s", async (path) => {
    for (const method of verbs.filter((verb) => verb !== "POST")) {
      const reply = await send(agent, { method, path, headers: version });
      expect([reply.status, reply.headers.allow]).toEqual([405, "POST"]);
      if (method !== "HEAD") expect(reply.json).toMatchObject({ jsonrpc: "2.0", id: null, error: { code: -32600 } });
    }
  });

  it("is refused by the agent card", async () => {
    for (const method of verbs.filter((verb) => verb !== "GET" && verb !== "HEAD")) {
      const reply = await send(agent, { method, path: "/.well-known/agent-card.json" });
      expect([reply.status, reply.headers.allow, reply.text]).toEqual([405, "GET, HEAD", ""]);
    }
  });
});

describe("a path", () => {
  it.each([
    "/",
    "//",
    "/task",
    "/tasks/",
    "/tasks//",
    "//tasks",
    "/tasks/t1/",
    "/tasks/t1/x",
    "/TASKS/t1",
    "/tasks/t1/pushNotificationConfigs/",
    "/tasks/t1/pushNotificationConfigs/p1/x",
    "/a/b/tasks/t1",
    "/rpc/x",
    "/rpc//",
    "/extendedAgentCard/",
    "/.well-known/agent.json",
    "/.well-known/agent-card.json/",
    "/tasks%2Ft1",
    "/message%3Asend",
    "/tasks/%",
    "/tasks/%zz",
    "/tasks/%ff",
    "/tasks/%c0%af",
    "/tasks/%ed%a0%80",
    "/%zz/tasks",
    "*",
    "/a".repeat(5000),
  ])("leads nowhere: %j", async (path) => {
    expect(briefly(await get(agent, path)).at(0)).toBe(404);
  });

  it.each([
    ["t1", "t1"],
    ["t1:other", "t1:other"],
    ["%74%31", "t1"],
    ["a%2Fb", "a/b"],
    ["..%2F..%2Fetc%2Fpasswd", "../../etc/passwd"],
    ["%2e%2e", ".."],
    ["..", ".."],
    ["%252F", "%2F"],
    ["a%00b", "a\0b"],
    ["%0d%0aset-cookie:%20x=y", "\r\nset-cookie: x=y"],
    ["%E2%82%AC", "€"],
    ["a+b", "a+b"],
    ["a;b=c", "a;b=c"],
    ["x%3Acancel", "x:cancel"],
    ["__proto__", "__proto__"],
    ["x".repeat(8000), "x".repeat(8000)],
  ])("names a task, whatever it is called: %s", async (segment, id) => {
    const reply = await get(agent, `/tasks/${segment}`);
    expect([reply.status, (reply.json as { id?: string }).id]).toEqual([200, id]);
  });

  it("may name the whole URL, as proxies do", async () => {
    for (const path of ["http://agent.example/tasks/t1", "HTTP://agent.example:80/tasks/t1?x=y"]) {
      expect((await get(agent, path)).json).toMatchObject({ id: "t1" });
    }
    expect((await get(agent, "http://agent.example")).status).toBe(404);
  });

  it("is not looked at above the limits of the server", async () => {
    const reply = await get(agent, `/tasks/${"x".repeat(100_000)}`);
    expect(reply.status).toBe(431);
  });

  it("may be of any length over Web requests", async () => {
    const reply = await agent.fetch(new Request(`http://agent/tasks/${"x/".repeat(500_000)}`, { headers: version }));
    expect(reply.status).toBe(404);
  });

  it("without the fragment that no client should send is what it is", async () => {
    expect((await get(agent, "/tasks/t1#fragment")).status).toBe(200);
  });
});

describe("a tenant", () => {
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

  it("is not confused by values of other types", async () => {
    for (const id of ['{"id":"t1"}', "[]", '["t1"]', "[".repeat(10_000) + "]".repeat(10_000), '{"toString":1}', "2"]) {
      expect(briefly(await post(agent, "/tasks/t1:cancel", `{"id":${id}}`))).toEqual(invalid);
    }
  });
});

describe("a query", () => {
  it.each([
    ["historyLength=2", { historyLength: 2 }],
    ["history_length=2", { historyLength: 2 }],
    ["historyLength=2&unknown=x&historyLengths=9&&=&a=b=c", { historyLength: 2 }],
    ["historyLength=%32", { historyLength: 2 }],
    ["historyLength=0", { historyLength: 0 }],
    ["tenant=a%26b%3Dc", { tenant: "a&b=c" }],
    ["tenant=a+b", { tenant: "a b" }],
    ["A2A-Version=1.0&historyLength=1", { historyLength: 1 }],
    ["", {}],
    ["?", {}],
  ])("fills the request: %j", async (query, metadata) => {
    expect((await get(agent, `/tasks/t1?${query}`)).json).toMatchObject({ id: "t1", metadata });
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
    "tenant=a&tenant=b",
    "tenant=%zz",
  ])("is refused: %s", async (query) => {
    const reply = await get(agent, `/tasks/t1?${query}`);
    expect(briefly(reply)).toEqual(invalid);
    expect(reply.json).toHaveProperty("error.details.1.fieldViolations");
  });

  it.each(["includeArtifacts=1", "includeArtifacts=True", "status=working", "statusTimestampAfter=yesterday"])(
    "is refused by a list: %s",
    async (query) => {
      expect(briefly(await get(agent, `/tasks?${query}`))).toEqual(invalid);
    },
  );

  it("may be of any length over Web requests", async () => {
    const query = "tenant=a,b&".repeat(200_000);
    const reply = await agent.fetch(new Request(`http://agent/tasks/t1?${query}`, { headers: version }));
    expect(reply.status).toBe(400);
  });
});

describe("a POST without a body", () => {
  it.each(["/tasks/t1:cancel", "/acme/tasks/t1:cancel"])("cancels: %s", async (path) => {
    expect((await send(agent, { path, headers: version })).json).toMatchObject({ id: "t1" });
    expect((await post(agent, path, "")).json).toMatchObject({ id: "t1" });
    expect((await post(agent, path, "{}")).json).toMatchObject({ id: "t1" });
    expect(briefly(await post(agent, path, "null"))).toEqual(invalid);
    expect(briefly(await post(agent, path, "", { "content-type": "text/plain" }))).toEqual([
      400,
      "CONTENT_TYPE_NOT_SUPPORTED",
    ]);
  });

  it("subscribes, and so do GET and a body", async () => {
    const path = "/tasks/t1:subscribe";
    const replies = [
      await get(agent, path),
      await get(agent, `${path}?tenant=acme`),
      await send(agent, { path, headers: version }),
      await post(agent, path, ""),
      await post(agent, path, { tenant: "acme" }),
      await post(agent, `/acme${path}`, { id: "t1" }),
      await post(agent, `${path}?tenant=acme`, "{}"),
    ];
    const tenants = replies.map(({ text }) => {
      const [first] = eventsOf(text) as { task?: { id: string; metadata?: { tenant?: string } } }[];
      expect(first?.task?.id).toBe("t1");
      return first?.task?.metadata?.tenant;
    });
    expect(tenants).toEqual([undefined, "acme", undefined, undefined, "acme", "acme", "acme"]);
    expect(briefly(await post(agent, path, { id: "t2" }))).toEqual(invalid);
    expect(briefly(await post(agent, path, "{"))).toEqual([400, "JSON_PARSE"]);
  });
});

describe("the JSON-RPC endpoint", () => {
  it.each(["/rpc", "/rpc/", "/rpc?x=y", "/rpc/?A2A-Version=1.0"])("answers on %s", async (path) => {
    expect((await post(agent, path, rpc("SendMessage", { message }))).json).toHaveProperty("result");
  });

  it("answers many requests on one connection, in order", async () => {
    const request = (id: number): string => {
      const body = JSON.stringify(rpc("SendMessage", { message }, id));
      const head = `POST /rpc HTTP/1.1\r\nhost: a\r\na2a-version: 1.0\r\ncontent-type: application/json`;
      return `${head}\r\ncontent-length: ${body.length}\r\n${id === 20 ? "connection: close\r\n" : ""}\r\n${body}`;
    };
    const text = await readAll(open(agent, Array.from({ length: 20 }, (_, index) => request(index + 1)).join("")));
    const ids = Array.from(text.matchAll(/"id":(\d+),"result"/g), ([, id]) => Number(id));
    expect(ids).toEqual(Array.from({ length: 20 }, (_, index) => index + 1));
  });

  it("is not left waiting by a refusal that came before the body", async () => {
    const body = "x".repeat(200_000);
    const head = `POST /rpc HTTP/1.1\r\nhost: a\r\ncontent-type: text/plain\r\ncontent-length: ${body.length}\r\n\r\n`;
    const next = `GET /tasks/t1 HTTP/1.1\r\nhost: a\r\na2a-version: 1.0\r\nconnection: close\r\n\r\n`;
    const text = await readAll(open(agent, head + body + next));
    expect(Array.from(text.matchAll(/HTTP\/1\.1 (\d+)/g), ([, status]) => status)).toEqual(["415", "200"]);
  });
});

describe("a route that nobody knows", () => {
  it("is answered in the words of the protocol", async () => {
    expect(briefly(await get(agent, "/nowhere"))).toEqual(unknown);
    expect((await get(agent, "/nowhere")).headers["content-type"]).toBe("application/a2a+json");
  });
});
