import { afterAll, describe, expect, it, vi } from "vitest";
import { processorTime } from "../support/processor-time.js";
import { shareAgent, startAgent, stopAgents, type TestAgent } from "./agent.js";
import { messageBytes } from "./bytes.js";
import { eventsOf, everywhere } from "./everywhere.js";
import type { Body } from "./subject.js";
import { servedSubjects, v03, v10 } from "./subjects.js";
import { callGrpc, get, headOf, open, post, readAll, rest, rpc, rpcOf, webPost } from "./wire.js";

// Unusual but valid requests. The folder malformed/ contains invalid requests.

/**
 * Objects as lists of entries, so that keys such as `__proto__` are compared too, and order is not.
 */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return entries.map(([key, member]) => [key, sorted(member)]);
}

/** Keys that every object has, each with an object that would do harm. */
const names = [
  "__proto__",
  "constructor",
  "prototype",
  "toString",
  "hasOwnProperty",
  "valueOf",
  "then",
];
const hostile = `{${names.map((name) => `"${name}":{"polluted":true,"get":1}`).join(",")}}`;

describe.each(servedSubjects)("a request of $title", (subject) => {
  const { samples, answers, base, operations } = subject;
  const { message } = samples;
  const method = operations.SendMessage.jsonRpc;
  const sendPath = `${base}/message:send`;
  const [goodRpc, goodRest] = [rpcOf(subject, "SendMessage", { message }), { message }].map(
    (body) => JSON.stringify(body),
  ) as [string, string];
  let agent: TestAgent;

  shareAgent((started) => (agent = started), subject);

  const call = async (body: unknown) => (await post(agent, "/rpc", body)).json;

  /**
   * Posts to the JSON-RPC endpoint and to the same operation over HTTP+JSON, and expects that both
   * are accepted.
   */
  async function expectAccepted(
    rpcBody: string,
    restBody: string,
    headers: Record<string, string> = {},
  ) {
    expect(await post(agent, "/rpc", rpcBody, headers)).toMatchObject({
      status: 200,
      json: { result: {} },
    });
    expect((await post(agent, sendPath, restBody, headers)).status).toBe(200);
  }

  it.each([0, -1, 9007199254740991, "", "a\u0000b", "ä€😀", "\ud800", "x".repeat(1_000)])(
    "the response has the id of the request: %j",
    async (id) => {
      expect(await call(rpc(method, { message }, id))).toEqual({
        jsonrpc: "2.0",
        id,
        result: answers.message(message),
      });
    },
  );

  it("a request may have unknown members, and the last of two equal members counts", async () => {
    expect(
      await call({ jsonrpc: "2.0", id: 1, method, params: { message }, extra: {}, toString: 1 }),
    ).toHaveProperty("result");
    const twice = `{"id":1,"id":2,"jsonrpc":"2.0","method":"Nope","method":"${method}","params":${JSON.stringify({ message })}}`;
    expect(await call(twice)).toEqual({ jsonrpc: "2.0", id: 2, result: answers.message(message) });
  });

  it("a request may omit its params if the operation requires none", async () => {
    expect(await call(rpcOf(subject, "GetExtendedAgentCard"))).toHaveProperty(
      "result",
      samples.card,
    );
  });

  it("the error for a request with many issues names as many as a header can contain", async () => {
    const parts = new Array<object>(5000).fill({});
    const { error } = (await call(rpc(method, { message: { ...message, parts } }))) as {
      error: Body;
    };
    expect(subject.rpcError(error, 200)).toMatchObject({ reason: "INVALID_PARAMS" });
    expect(subject.rpcError(error, 200).fields.length).toBeGreaterThan(5);
    const overRest = await post(agent, sendPath, { message: { ...message, parts } });
    expect(subject.httpError(overRest.json)).toMatchObject({ reason: "INVALID_PARAMS" });
    const emptyParts = messageBytes(subject, ...parts.map(() => new Uint8Array()));
    const overGrpc = await callGrpc(agent, { method: "SendMessage", bytes: emptyParts });
    expect([overGrpc.code, subject.grpcError(overGrpc).reason]).toEqual([3, "INVALID_PARAMS"]);
    for (const told of [error, overRest.text, subject.grpcError(overGrpc)])
      expect(JSON.stringify(told).length).toBeLessThan(6000);
  });

  it("a request is refused quickly even if it has a large number of issues", async () => {
    const parts = new Array<object>(131_000).fill({});
    const body = JSON.stringify(rpc(method, { message: { ...message, parts } }));
    const started = processorTime();
    expect(await call(body)).toMatchObject({ error: { code: -32602 } });
    // The time of this process, which takes a hundredth of the limit on any machine. A quadratic
    // check exceeds it.
    expect(processorTime() - started).toBeLessThan(10_000);
  });

  it("a request with too many objects is refused before it is parsed", async () => {
    const parts = new Array<object>(132_000).fill({});
    const answer = await post(agent, sendPath, { message: { ...message, parts } });
    expect(answer.status).toBe(413);
    expect(answer.text).toContain("131072 objects and arrays");
  });

  it("a request may start with a byte order mark, over every kind of server", async () => {
    await expectAccepted(`\ufeff${goodRpc}`, `\ufeff${goodRest}`);
    const answer = await agent.fetch(webPost(agent, "/rpc", {}, { body: `\ufeff${goodRpc}` }));
    expect(await answer.json()).toHaveProperty("result");
  });

  it.each([
    ...subject.mediaTypes,
    "APPLICATION/JSON",
    "application/json; charset=utf-8",
    "application/json;charset=UTF-8",
    'application/json; charset="utf-8"; x=y',
    "application/json;",
    " application/json ",
  ])("a request may have the media type %j", async (type) => {
    await expectAccepted(goodRpc, goodRest, { "content-type": type });
  });

  it("a request is refused before its body is sent if the announced length is too large", async () => {
    const text = await readAll(open(agent, headOf(agent, "/rpc", "content-length: 99999999")));
    expect(text).toMatch(/^HTTP\/1\.1 413 /);
    expect(text.toLowerCase()).toContain("connection: close");
  });

  it("the refusal of a body that is too large arrives, although the sender is still sending", async () => {
    const headers = { "content-type": "application/json", ...subject.headers };
    const body = " ".repeat(4_400_000);
    for (let count = 0; count < 8; count += 1) {
      const answer = await fetch(`http://127.0.0.1:${agent.port}/rpc`, {
        method: "POST",
        headers,
        body,
      });
      expect([answer.status, await answer.text()]).toEqual([
        413,
        expect.stringContaining("larger than 4194304 bytes"),
      ]);
    }
  });

  it("the refusal arrives even if the sender only reads after it has sent its body, and an endless body is cut off", async () => {
    const chunk = `10000\r\n${" ".repeat(0x10000)}\r\n`;
    const socket = open(
      agent,
      headOf(agent, "/rpc", "transfer-encoding: chunked"),
      chunk.repeat(100),
      "0\r\n\r\n",
    );
    expect(await readAll(socket)).toMatch(/^HTTP\/1\.1 413 [^]*larger than 4194304 bytes/);
    const endless = open(agent, headOf(agent, "/rpc", "transfer-encoding: chunked"));
    const send = () => {
      while (!endless.destroyed && endless.write(chunk));
    };
    endless.on("drain", send).resume();
    send();
    await new Promise((resolve) => endless.once("close", resolve));
  });

  it("a request that is too large is refused over Web requests, and its sender is stopped", async () => {
    let sent = 0;
    let stopped = false;
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        sent += 1_000_000;
        controller.enqueue(new Uint8Array(1_000_000).fill(32));
      },
      cancel() {
        stopped = true;
      },
    });
    const init = {
      method: "POST",
      body,
      duplex: "half",
      headers: { "content-type": "application/json" },
    } as const;
    const answer = await agent.fetch(new Request("http://agent/rpc", init));
    expect(answer.status).toBe(413);
    expect(stopped).toBe(true);
    expect(sent).toBeLessThan(20_000_000);
  });

  it("a request is accepted at exactly the limit of its body", async () => {
    const small = await startAgent(subject, {}, { limits: { maxBodyBytes: 1_000 } });
    for (const [path, body] of [
      ["/rpc", goodRpc],
      [sendPath, goodRest],
    ] as const) {
      expect((await post(small, path, body.padEnd(1_000))).status).toBe(200);
      expect((await post(small, path, body.padEnd(1_001))).status).toBe(413);
    }
  });

  it.each(["/rpc", sendPath, `${subject.base}/tasks/t1:cancel`])(
    "a request whose body is interrupted does not affect the agent: %s",
    async (path) => {
      const { counts } = agent;
      for (const cut of [0, 1, goodRpc.length - 1]) {
        const before = counts.requests;
        const begin = (header: string, body: string) =>
          open(agent, headOf(agent, path, header), body);
        const announced = begin(`content-length: ${goodRpc.length}`, goodRpc.slice(0, cut));
        const chunked = begin("transfer-encoding: chunked", `5\r\n${goodRpc.slice(0, 5)}\r\n`);
        const reset = begin("content-length: 100", "{");
        await vi.waitFor(() => expect(counts.requests).toBe(before + 3));
        announced.destroy();
        chunked.destroy();
        reset.resetAndDestroy();
      }
      await vi.waitFor(() => expect(counts.reports).toBe(counts.requests));
    },
  );

  it("a request gets a response if only the sending half of the connection ends", async () => {
    const socket = open(
      agent,
      headOf(agent, "/rpc", `content-length: ${goodRpc.length}`),
      goodRpc.slice(0, 20),
    );
    socket.end();
    expect(await readAll(socket)).toMatch(/^$|^HTTP\/1\.1 400 /);
  });

  it("a request whose body is too slow is ended by the server", async () => {
    const http = { headersTimeout: 100, requestTimeout: 200 };
    const patient = await startAgent(subject, {}, { http });
    const slow = open(patient, headOf(agent, "/rpc", "content-length: 100"), "{");
    const drip = setInterval(() => slow.write(" "), 20);
    const text = await readAll(slow);
    clearInterval(drip);
    expect(text).toMatch(/^HTTP\/1\.1 (?:400|408) /);
  });

  it.each([
    ["two lengths", "content-length: 5\r\ncontent-length: 6\r\n\r\n{}"],
    ["a length and chunks", "content-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n"],
    ["a negative length", "content-length: -1\r\n\r\n{}"],
    ["a length in hexadecimal", "content-length: 0x10\r\n\r\n{}"],
    ["a broken chunk", "transfer-encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n"],
    ["a header without a colon", "garbage\r\n\r\n{}"],
    ["a header with a null byte", "a2a-version: 1.0\0\r\n\r\n{}"],
  ])("a request with invalid HTTP framing is refused by the server: %s", async (_, rest) => {
    const text = await readAll(
      open(agent, `POST /rpc HTTP/1.1\r\nhost: a\r\nconnection: close\r\n${rest}`),
    );
    expect(text).toMatch(/^HTTP\/1\.1 4\d\d /);
  });

  it("a request may have keys that objects inherit, which are ignored, and remain data in metadata", async () => {
    const metadata: unknown = JSON.parse(hostile);
    const extra = hostile.slice(1, -1);
    const text = JSON.stringify({ ...message, metadata }).replace(/}$/, `,${extra}}`);
    for (const request of [
      `{"message":${text}}`,
      `{${extra},"message":${text},"configuration":${hostile}}`,
    ]) {
      const body = `{"jsonrpc":"2.0","id":1,"method":"${method}",${extra},"params":${request}}`;
      const overRpc = await post(agent, "/rpc", body);
      const overRest = await post(agent, sendPath, request);
      const expected = JSON.stringify(answers.message({ ...message, metadata }));
      expect(sorted((overRpc.json as { result: unknown }).result)).toEqual(
        sorted(JSON.parse(expected)),
      );
      expect(sorted(operations.SendMessage.read(overRest.json))).toEqual(
        sorted(JSON.parse(expected)),
      );
    }
    expect(Object.keys(Object.prototype)).toEqual([]);
    expect(({} as Body)["polluted"]).toBeUndefined();
  });

  it("keys that objects inherit are transferred in the same way over every transport", async () => {
    const metadata = JSON.parse(hostile) as object;
    const { value } = await everywhere(agent, "SendMessage", { message: { ...message, metadata } });
    expect(sorted(value)).toEqual(sorted(answers.message({ ...message, metadata })));
  });

  it("a key that objects inherit is not a query parameter", async () => {
    const query = names
      .map((name) => `${name}=1&${name}.polluted=1&tenant.${name}=1&name.${name}=1`)
      .join("&");
    const webhook = operations.CreateTaskPushNotificationConfig.place(samples.webhook).body;
    for (const [path, body] of [
      [`${base}/tasks/t1:cancel?${query}`, "{}"],
      [`${base}/tasks/t1/pushNotificationConfigs?${query}`, webhook],
    ] as const)
      expect([path, (await post(agent, path, body)).status]).toEqual([path, 200]);
    expect((await get(agent, `${base}/tasks/t1?${query}`)).json).toMatchObject({ id: "t1" });
    expect(({} as Body)["polluted"]).toBeUndefined();
  });

  it.each<[string, string]>([
    ["lone surrogates in JSON", "\ud800"],
    ["null bytes", "a\0b"],
    ["line separators", "a\u2028\r\n\n\ndata: b"],
    ["emoji", "😀".repeat(100)],
  ])("a request may have unusual strings, which pass through a stream: %s", async (_, text) => {
    const parts = [samples.textPart(text)];
    const reply = await rest(agent, "SendStreamingMessage", { message: { ...message, parts } });
    expect(reply.text).toMatch(/^(?:data: [^\r\n]+\n\n){3}$/);
    const event = operations.SendStreamingMessage.read(eventsOf(reply.text)[1]);
    expect(JSON.stringify(event)).toContain(JSON.stringify({ parts }).slice(1, -1));
  });
});

describe("names in snake_case", () => {
  afterAll(stopAgents);

  it("a name in snake_case is read over both HTTP transports and is never written", async () => {
    const agent = await startAgent(v10);
    const parts = [{ text: "hi", media_type: "text/plain" }];
    const configuration = {
      return_immediately: true,
      accepted_output_modes: [],
      history_length: null,
    };
    const snake = {
      message: { message_id: "m1", role: 1, parts, reference_task_ids: ["t0"] },
      configuration,
    };
    const read = [{ text: "hi", mediaType: "text/plain" }];
    const camel = {
      message: { messageId: "m1", role: "ROLE_USER", parts: read, referenceTaskIds: ["t0"] },
    };
    expect((await post(agent, "/rpc", rpcOf(v10, "SendMessage", snake))).json).toMatchObject({
      result: camel,
    });
    expect((await post(agent, "/message:send", snake)).json).toEqual(camel);
  });

  it("a name in snake_case is read in ProtoJSON of 0.3.0, with numbers for enum values", async () => {
    const agent = await startAgent(v03);
    const message = { message_id: "m1", role: 1, content: [{ text: "hi" }], context_id: null };
    const configuration = { push_notification: { url: "http://hook" }, history_length: 1 };
    expect((await post(agent, "/v1/message:send", { message, configuration })).json).toEqual({
      message: { messageId: "m1", role: "ROLE_USER", content: [{ text: "hi" }] },
    });
    const parts = [v03.samples.textPart("hi")];
    const named = { kind: "message", message_id: "m1", role: "user", parts, task_id: null };
    const { json } = await post(agent, "/rpc", rpcOf(v03, "SendMessage", { message: named }));
    expect(json).toMatchObject({ result: { messageId: "m1" } });
  });

  it("a name in snake_case is read in queries", async () => {
    const agent = await startAgent(v10);
    const query = "context_id=c9&page_size=7&include_artifacts=true&status=TASK_STATE_WORKING";
    const params = { context_id: "c9", page_size: "7" };
    const { json } = await post(agent, "/rpc", {
      jsonrpc: "2.0",
      id: 1,
      method: "ListTasks",
      params,
    });
    expect(json).toMatchObject({
      result: { pageSize: 7, tasks: [{ metadata: { contextId: "c9" } }] },
    });
    expect((await get(agent, `/tasks?${query}`)).json).toMatchObject({
      pageSize: 7,
      tasks: [
        { metadata: { contextId: "c9", includeArtifacts: true, status: "TASK_STATE_WORKING" } },
      ],
    });
  });
});
