import { describe, expect, it } from "vitest";
import { shareAgent, type TestAgent } from "./agent.js";
import { eventsOf } from "./everywhere.js";
import { subjects, v10 } from "./subjects.js";
import { get, headOf, open, post, readAll, rpcOf, send, type HttpReply } from "./wire.js";

describe.each(subjects)("A2A $version", (subject) => {
  const { samples, base } = subject;
  const { message } = samples;
  let agent: TestAgent;

  shareAgent((started) => (agent = started), subject);

  /** The status and the reason of an answer. */
  const briefly = ({ status, json }: HttpReply) => [
    status,
    subject.httpError(json, status)?.reason,
  ];
  describe("an HTTP method that a path does not support", () => {
    const own: Record<string, [path: string, allowed: string[]][]> = {
      "1.0": [
        ["/tasks", ["GET"]],
        ["/extendedAgentCard", ["GET"]],
        ["/acme/message:send", ["POST"]],
        ["/acme/tasks", ["GET"]],
        ["/acme/tasks/t1:cancel", ["POST"]],
      ],
      "0.3.0": [
        ["/card", ["GET"]],
        ["/task/t1/pushNotificationConfigs", ["POST"]],
      ],
    };
    const paths: [path: string, allowed: string[]][] = [
      ["/message:send", ["POST"]],
      ["/message:stream", ["POST"]],
      ["/tasks/t1", ["GET"]],
      ["/tasks/t1:cancel", ["POST"]],
      ["/tasks/t1:subscribe", ["GET", "POST"]],
      ["/tasks/t1/pushNotificationConfigs", ["GET", "POST"]],
      ["/tasks/t1/pushNotificationConfigs/p1", ["GET", "DELETE"]],
      ...(own[subject.version] ?? []),
    ];
    const verbs = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "PROPFIND"];

    it.each(paths)(
      "the method is refused with a list of the supported methods: %s",
      async (path, allowed) => {
        for (const method of verbs.filter((verb) => !allowed.includes(verb))) {
          const reply = await send(agent, { method, path: base + path, headers: subject.headers });
          expect(method === "HEAD" ? [reply.status, "METHOD_NOT_FOUND"] : briefly(reply)).toEqual([
            405,
            "METHOD_NOT_FOUND",
          ]);
          expect(reply.headers.allow?.split(", ").sort()).toEqual([...allowed].sort());
        }
      },
    );

    it.each(["/rpc", "/rpc/", "/rpc?x=y"])(
      "the JSON-RPC endpoint refuses the method: %s",
      async (path) => {
        for (const method of verbs.filter((verb) => verb !== "POST")) {
          const reply = await send(agent, { method, path, headers: subject.headers });
          expect([reply.status, reply.headers.allow]).toEqual([405, "POST"]);
          if (method !== "HEAD")
            expect(reply.json).toMatchObject({ jsonrpc: "2.0", id: null, error: { code: -32600 } });
        }
      },
    );

    it("the agent card refuses the method", async () => {
      for (const method of verbs.filter((verb) => verb !== "GET" && verb !== "HEAD")) {
        const reply = await send(agent, { method, path: "/.well-known/agent-card.json" });
        expect([reply.status, reply.headers.allow, reply.text]).toEqual([405, "GET, HEAD", ""]);
      }
    });
  });

  describe("a path", () => {
    it.each([
      ["t1", "t1"],
      ["t1:other", "t1:other"],
      ["%74%31", "t1"],
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
    ])("a path names a task with any id: %s", async (segment, id) => {
      const reply = await get(agent, `${base}/tasks/${segment}`);
      expect([reply.status, (reply.json as { id?: string }).id]).toEqual([200, id]);
    });

    it("a path may be the whole URL, as proxies send it", async () => {
      for (const path of [
        `http://agent.example${base}/tasks/t1`,
        `HTTP://agent.example:80${base}/tasks/t1?x=y`,
      ]) {
        expect((await get(agent, path)).json).toMatchObject({ id: "t1" });
      }
      expect((await get(agent, "http://agent.example")).status).toBe(404);
    });

    it("a path that exceeds the limits of the server is refused unread", async () => {
      const reply = await get(agent, `${base}/tasks/${"x".repeat(100_000)}`);
      expect(reply.status).toBe(431);
    });

    it("a path may have any length over Web requests", async () => {
      const reply = await agent.fetch(
        new Request(`http://agent${base}/tasks/${"x/".repeat(500_000)}`, {
          headers: subject.headers,
        }),
      );
      expect(reply.status).toBe(404);
    });

    it("a path is read without a fragment, which clients should not send", async () => {
      expect((await get(agent, `${base}/tasks/t1#fragment`)).status).toBe(200);
    });
  });

  describe("the JSON-RPC endpoint", () => {
    it.each(["/rpc", "/rpc/", "/rpc?x=y", "/rpc/?A2A-Version=1.0"])(
      "the endpoint responds on %s",
      async (path) => {
        expect(
          (await post(agent, path, rpcOf(subject, "SendMessage", { message }))).json,
        ).toHaveProperty("result");
      },
    );

    it("the endpoint responds to many requests on one connection in order", async () => {
      const request = (id: number) => {
        const body = JSON.stringify(rpcOf(subject, "SendMessage", { message }, id));
        const last = id === 20 ? ["connection: close"] : [];
        return headOf(agent, "/rpc", `content-length: ${body.length}`, ...last) + body;
      };
      const text = await readAll(
        open(agent, Array.from({ length: 20 }, (_, index) => request(index + 1)).join("")),
      );
      const ids = Array.from(text.matchAll(/"id":(\d+),"result"/g), ([, id]) => Number(id));
      expect(ids).toEqual(Array.from({ length: 20 }, (_, index) => index + 1));
    });

    it("a refusal before the body does not block the connection", async () => {
      const body = "x".repeat(200_000);
      const head = `POST /rpc HTTP/1.1\r\nhost: a\r\ncontent-type: text/plain\r\ncontent-length: ${body.length}\r\n\r\n`;
      const next = `GET ${base}/tasks/t1 HTTP/1.1\r\nhost: a\r\na2a-version: 1.0\r\nconnection: close\r\n\r\n`;
      const text = await readAll(open(agent, head + body + next));
      expect(Array.from(text.matchAll(/HTTP\/1\.1 (\d+)/g), ([, status]) => status)).toEqual([
        "415",
        "200",
      ]);
    });
  });

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

    it.each<[string, object]>([
      ["historyLength=2", { historyLength: 2 }],
      ["history_length=2", { historyLength: 2 }],
      ["historyLength=2&unknown=x&historyLengths=9&&=&a=b=c", { historyLength: 2 }],
      ["historyLength=%32", { historyLength: 2 }],
      ["historyLength=0", { historyLength: 0 }],
      ["", {}],
      ["?", {}],
      ...(own[subject.version] ?? []),
    ])("the query sets fields of the request: %j", async (query, metadata) => {
      const { json } = await get(agent, `${base}/tasks/t1?${query}`);
      expect([
        (json as { id: unknown }).id,
        (json as { metadata?: object }).metadata ?? {},
      ]).toEqual(["t1", metadata]);
    });

    it("a query may have any length over Web requests", async () => {
      const query = "historyLength=1&".repeat(200_000);
      const url = `http://agent${base}/tasks/t1?${query}`;
      expect((await agent.fetch(new Request(url, { headers: subject.headers }))).status).toBe(400);
    });
  });

  describe("a POST without a body", () => {
    it("a POST without a body cancels a task", async () => {
      const path = `${base}/tasks/t1:cancel`;
      expect((await send(agent, { path, headers: subject.headers })).json).toMatchObject({
        id: "t1",
      });
      expect((await post(agent, path, "")).json).toMatchObject({ id: "t1" });
    });

    it("a POST without a body subscribes, and so does a GET or a POST with a body", async () => {
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
    });
  });
});

describe("a tenant of version 1.0", () => {
  const { message } = v10.samples;
  let agent: TestAgent;

  shareAgent((started) => (agent = started), v10);

  it("the tenant is read from the path of every route", async () => {
    expect((await get(agent, "/acme/tasks/t1")).json).toMatchObject({
      id: "t1",
      metadata: { tenant: "acme" },
    });
    expect((await get(agent, "/acme%2Fnorth/tasks/t1")).json).toMatchObject({
      metadata: { tenant: "acme/north" },
    });
    expect((await get(agent, "/tasks/tasks")).json).toMatchObject({ id: "tasks" });
    expect((await get(agent, "/tasks/tasks/t1")).json).toMatchObject({
      metadata: { tenant: "tasks" },
    });
    expect((await post(agent, "/acme/tasks/t1:cancel", "")).json).toMatchObject({
      metadata: { tenant: "acme" },
    });
    expect((await post(agent, "/acme/message:send", { message })).json).toEqual({ message });
    const created = await post(agent, "/acme/tasks/t1/pushNotificationConfigs", {
      url: "http://hook",
    });
    expect(created.json).toEqual({ id: "p1", tenant: "acme", taskId: "t1", url: "http://hook" });
  });

  it("the tenant may be repeated", async () => {
    const twice = await post(agent, "/acme/tasks/t1:cancel", {
      tenant: "acme",
      id: "t1",
      metadata: {},
    });
    expect(twice.json).toMatchObject({ metadata: { tenant: "acme" } });
  });

  it("the tenant is read from the query if it is not in the path", async () => {
    const path = "/tasks/t1:subscribe";
    const tenants = [
      await get(agent, `${path}?tenant=acme`),
      await post(agent, path, { tenant: "acme" }),
      await post(agent, `/acme${path}`, { id: "t1" }),
      await post(agent, `${path}?tenant=acme`, "{}"),
    ].map(
      ({ text }) =>
        (eventsOf(text)[0] as { task?: { metadata?: { tenant?: string } } }).task?.metadata?.tenant,
    );
    expect(tenants).toEqual(["acme", "acme", "acme", "acme"]);
    expect(
      (await send(agent, { path: "/acme/tasks/t1:cancel", headers: v10.headers })).json,
    ).toMatchObject({
      metadata: { tenant: "acme" },
    });
  });

  it("a tenant does not prevent a slash in an id", async () => {
    expect((await get(agent, "/tasks/a%2Fb")).json).toMatchObject({ id: "a/b" });
    expect((await get(agent, "/tasks/..%2F..%2Fetc%2Fpasswd")).json).toMatchObject({
      id: "../../etc/passwd",
    });
  });
});
