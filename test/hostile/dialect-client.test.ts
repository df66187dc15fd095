import type { RequestListener } from "node:http";
import { afterAll, describe, expect, it } from "vitest";
import {
  A2AClient,
  A2AError,
  jsonRpcTransport,
  restTransport,
  TransportError,
  type ClientOptions,
} from "../../generated/0.3.0/index.js";
import { drain, failureOf } from "../support/everywhere.js";
import { events, json, rpcResult, serve, stopServers, textOfDeep } from "./servers.js";
import { v03 } from "./subjects.js";

afterAll(stopServers);

const model = { kind: "task", id: "t1", contextId: "c1", status: { state: "working" } };
const proto = { id: "t1", contextId: "c1", status: { state: "TASK_STATE_WORKING" } };
const update = { taskId: "t1", contextId: "c1", final: false };
const request = { message: v03.samples.message } as never;

const restClient = async (listener: RequestListener) =>
  new A2AClient({ transport: restTransport(await serve(listener)) });
const rpcClient = async (
  listener: RequestListener,
  options: Omit<ClientOptions, "transport"> = {},
) => new A2AClient({ ...options, transport: jsonRpcTransport(await serve(listener)) });

const data = (...values: unknown[]) => values.map((value) => `data: ${JSON.stringify(value)}\n\n`);

const read = (client: A2AClient) =>
  drain(client.sendStreamingMessage(request, { timeoutMs: 5000 }));

function expectFault(thrown: unknown) {
  expect(thrown instanceof A2AError || thrown instanceof TransportError).toBe(true);
}

describe.concurrent("a response over HTTP+JSON", () => {
  it.each<[string, object]>([
    ["ProtoJSON", proto],
    ["the model", model],
    ["ProtoJSON with a kind", { ...proto, kind: "task" }],
    ["ProtoJSON with another kind", { ...proto, kind: "message" }],
    ["ProtoJSON in snake_case", { id: "t1", context_id: "c1", status: { state: 2 } }],
  ])("the client reads the response in either form: %s", async (_, body) => {
    expect(await (await restClient(json(body))).getTask({ id: "t1" })).toEqual(model);
  });

  it.each<[string, unknown]>([
    ["the model with another kind", { ...model, kind: "message" }],
    ["the model with an inherited name as kind", { ...model, kind: "__proto__" }],
    [
      "a state of ProtoJSON in the model",
      { ...model, id: 7, status: { state: "TASK_STATE_WORKING" } },
    ],
    ["an unknown state", { ...proto, status: { state: "TASK_STATE_DONE" } }],
    ["a task in a wrapper", { task: proto }],
    ["both names of a field", { ...proto, context_id: "c2" }],
    ["a part with two contents", { ...proto, artifacts: [{ artifactId: "a", parts: [{ text: "a", data: { data: {} } }] }] }], // prettier-ignore
    ["a list", [proto]],
  ])("the client refuses the response as invalid: %s", async (_, body) => {
    const error = await failureOf((await restClient(json(body))).getTask({ id: "t1" }));
    expect(error).toBeInstanceOf(A2AError);
    expect(error).toMatchObject({ reason: "INVALID_AGENT_RESPONSE" });
  });

  it.each([
    [
      "a task that is nested deeply",
      `{"id":"t1","contextId":"c1","status":{},"metadata":${textOfDeep(50_000)}}`,
    ],
    [
      "an ignored member that is nested deeply, with an invalid state",
      `{"x":${textOfDeep(50_000)},"status":{"state":"none"}}`,
    ],
  ])("the client refuses to read the response: %s", async (_, body) => {
    const error = await failureOf((await restClient(json(body))).getTask({ id: "t1" }));
    expect(error).toBeInstanceOf(TransportError);
    expect(String(error)).toContain("deeply nested values");
  });

  it("the client repeats the call in the JSON of the model once and remembers the form", async () => {
    const bodies: string[] = [];
    const client = await restClient((incoming, response) => {
      let text = "";
      incoming.on("data", (chunk: Buffer) => (text += chunk.toString()));
      incoming.on("end", () => {
        bodies.push(text);
        json({ code: -32602, message: "Who are you?" }, 400)(incoming, response);
      });
    });
    expect(await failureOf(client.sendMessage(request))).toMatchObject({
      reason: "INVALID_PARAMS",
      message: "Who are you?",
    });
    expect(bodies.map((body) => body.includes('"kind"'))).toEqual([false, true]);
    await failureOf(client.sendMessage(request));
    expect(bodies).toHaveLength(4);
  });
});

describe.concurrent("the JSON form that an agent accepts", () => {
  interface Exchange {
    readonly isModel: boolean;
    readonly respond: (response: Response) => void;
    readonly fail: () => void;
  }

  /** A client whose requests wait, each at its turn, until the test responds to them. */
  function heldClient(): { client: A2AClient; next: () => Promise<Exchange> } {
    const sent: Exchange[] = [];
    const waiting: ((exchange: Exchange) => void)[] = [];
    const fetch = (_: string, { body }: RequestInit): Promise<Response> =>
      new Promise((resolve, reject) => {
        const isModel = typeof body === "string" && body.includes('"kind"');
        const exchange = {
          isModel,
          respond: resolve,
          fail: () => reject(new TypeError("connection lost")),
        };
        const taker = waiting.shift();
        if (taker === undefined) sent.push(exchange);
        else taker(exchange);
      });
    const next = async (): Promise<Exchange> =>
      sent.shift() ?? (await new Promise((resolve) => waiting.push(resolve)));
    return {
      client: new A2AClient({ transport: restTransport("http://agent.example", { fetch }) }),
      next,
    };
  }

  const unread = (): Response =>
    Response.json({ code: -32602, message: "Who are you?" }, { status: 400 });

  it("the form is not learned from a call whose retry has no response yet", async () => {
    const { client, next } = heldClient();
    const first = client.sendMessage(request);
    (await next()).respond(unread());
    const retry = await next();
    expect(retry.isModel).toBe(true);
    const second = client.sendMessage(request);
    const other = await next();
    expect(other.isModel).toBe(false);
    other.respond(Response.json({ task: proto }));
    retry.respond(unread());
    expect(await failureOf(first)).toMatchObject({ reason: "INVALID_PARAMS" });
    expect(await second).toEqual(model);
  });

  it("the form is not learned from a call whose retry fails", async () => {
    const { client, next } = heldClient();
    const first = failureOf(client.sendMessage(request));
    (await next()).respond(unread());
    (await next()).fail();
    expect(await first).toBeInstanceOf(TransportError);
    const second = client.sendMessage(request);
    const exchange = await next();
    expect(exchange.isModel).toBe(false);
    exchange.respond(Response.json({ task: proto }));
    expect(await second).toEqual(model);
  });

  it("the form is the model as soon as the agent has accepted a request in it", async () => {
    const { client, next } = heldClient();
    const first = client.sendMessage(request);
    (await next()).respond(unread());
    (await next()).respond(Response.json(model));
    expect(await first).toEqual(model);
    const second = client.sendMessage(request);
    const exchange = await next();
    expect(exchange.isModel).toBe(true);
    exchange.respond(Response.json(model));
    expect(await second).toEqual(model);
  });
});

describe.concurrent("a stream over HTTP+JSON", () => {
  const working = { ...update, status: { state: "working" }, kind: "status-update" };

  it("a stream may change its form with each event", async () => {
    const client = await restClient(
      events(
        ...data(
          { task: proto },
          model,
          { statusUpdate: { ...update, status: { state: "TASK_STATE_WORKING" } } },
          working,
          { status_update: { ...update, status: { state: 2 } } },
          { message: { messageId: "m", role: "ROLE_AGENT", content: [{ text: "a" }] } },
          { kind: "message", messageId: "m", role: "agent", parts: [{ kind: "text", text: "a" }] },
        ),
      ),
    );
    const { elements, failure } = await read(client);
    expect(failure).toBeUndefined();
    const message = {
      kind: "message",
      messageId: "m",
      role: "agent",
      parts: [{ kind: "text", text: "a" }],
    };
    expect(elements).toEqual([model, model, working, working, working, message, message]);
  });

  it.each<[string, unknown]>([
    [
      "two members of the union",
      { task: proto, message: { messageId: "m", role: "ROLE_AGENT", content: [] } },
    ],
    ["no member", {}],
    ["an unknown member", { job: proto }],
    ["the model in the wrapper", { task: { ...model, id: 7 } }],
    ["an unknown kind", { ...model, kind: "job" }],
    ["an inherited name as kind", { ...model, kind: "constructor" }],
    ["a kind that is a list", { ...model, kind: ["task"] }],
    ["null", null],
    ["a list", [{ task: proto }]],
    ["text", "task"],
    ["a response of JSON-RPC", rpcResult(model)],
  ])("a stream ends at an invalid event: %s", async (_, event) => {
    const { elements, failure } = await read(
      await restClient(events(...data({ task: proto }, event, { task: proto }))),
    );
    expect(elements).toEqual([model]);
    expectFault(failure);
  });

  it("a stream ends at an error, with its class", async () => {
    const { elements, failure } = await read(
      await restClient(
        events(...data(model, { code: -32001, message: "Gone", data: { taskId: "t1" } }, model)),
      ),
    );
    expect(elements).toEqual([model]);
    expect(failure).toMatchObject({ reason: "TASK_NOT_FOUND", message: "Gone" });
  });
});

const errorBodies: [string, unknown][] = [
  [
    "in the form of 1.0",
    {
      error: {
        code: 404,
        status: "NOT_FOUND",
        message: "no",
        details: [{ reason: "TASK_NOT_FOUND" }],
      },
    },
  ],
  ["in the form of 0.4", { error: { code: "TASK_NOT_FOUND", message: "no", details: {} } }],
  ["in the form of JSON-RPC", { jsonrpc: "2.0", id: null, error: { code: -32001, message: "no" } }],
  ["as problem details", { type: "about:blank", title: "no", status: 404, detail: "none" }],
  ["in the form of a framework", { detail: [{ loc: ["body"], msg: "no" }] }],
  ["a string", "no"],
  ["a code as string", { code: "-32001", message: "no" }],
  ["an unknown code", { code: 7, message: "no" }],
  ["a code that is not an integer", { code: 1.5e300, message: "no" }],
  ["no text", { code: -32001 }],
  ["an invalid text", { code: -32001, message: { toString: "no" } }],
  [
    "data without details",
    { code: -32602, message: "no", data: { details: [null, 7, { "@type": 7 }, []] } },
  ],
  [
    "data with inherited keys",
    '{"code":-32001,"message":"no","data":{"__proto__":{"x":1},"constructor":"a"}}',
  ],
  ["data that is nested deeply", `{"code":-32001,"message":"no","data":${textOfDeep(50_000)}}`],
  ["null", null],
  ["a list", []],
];

describe.concurrent("an error in an unexpected form", () => {
  it.each(errorBodies)("the client throws the error over HTTP+JSON: %s", async (_, body) => {
    for (const status of [400, 404, 500, 501]) {
      const client = await restClient(json(body, status));
      for (const error of [
        await failureOf(client.getTask({ id: "t1" })),
        (await read(client)).failure,
      ]) {
        expectFault(error);
        expect(({} as Record<string, unknown>)["x"]).toBeUndefined();
      }
    }
  });

  it.each(errorBodies)("the client throws the error over JSON-RPC: %s", async (_, body) => {
    const text = typeof body === "string" && body.startsWith("{") ? body : JSON.stringify(body);
    for (const wrapped of [
      `{"jsonrpc":"2.0","id":1,"error":${text}}`,
      `{"jsonrpc":"2.0","id":1,"result":${text}}`,
      text,
    ]) {
      const streamed = events(`data: ${wrapped}\n\n`);
      const calls = [
        failureOf((await rpcClient(json(wrapped))).getTask({ id: "t1" })),
        read(await rpcClient(json(wrapped))).then(({ failure }) => failure),
        read(await rpcClient(streamed)).then(({ failure }) => failure),
      ];
      for (const error of await Promise.all(calls)) {
        expectFault(error);
      }
    }
  });

  it("the error has the class of its code, also in the only event of a stream", async () => {
    const error = { jsonrpc: "2.0", id: 1, error: { code: -32001, message: "Gone" } };
    for (const listener of [
      json(error),
      events(...data(error)),
      events(...data({ ...error, id: null })),
    ]) {
      const { elements, failure } = await read(await rpcClient(listener));
      expect(elements).toEqual([]);
      expect(failure).toMatchObject({ reason: "TASK_NOT_FOUND", message: "Gone" });
    }
  });
});

describe.concurrent("a result over JSON-RPC", () => {
  it.each<[string, unknown]>([
    ["ProtoJSON", proto],
    ["a wrapper of ProtoJSON", { task: proto }],
    ["a wrapper of the model", { task: model }],
    ["another kind", { ...model, kind: "status-update" }],
    ["no kind", { ...model, kind: undefined }],
  ])("a strict client refuses a result in another form: %s", async (_, result) => {
    const strict = { strict: true };
    expect(
      await failureOf((await rpcClient(json(rpcResult(result)), strict)).getTask({ id: "t1" })),
    ).toMatchObject({
      reason: "INVALID_AGENT_RESPONSE",
    });
    const listener = events(...data(rpcResult(model), rpcResult(result)));
    const { elements, failure } = await read(await rpcClient(listener, strict));
    expect(elements).toEqual([model]);
    expect(failure).toMatchObject({ reason: "INVALID_AGENT_RESPONSE" });
  });
});
