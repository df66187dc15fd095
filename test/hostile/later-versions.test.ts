import { describe, expect, it, onTestFinished, vi } from "vitest";
import { grpc } from "../../generated/1.0/client/grpc.js";
import {
  connect,
  jsonRpc,
  rest,
  type AgentCard,
  type ConnectOptions,
  type StreamResponse,
} from "../../generated/1.0/index.js";
import * as old from "../../generated/0.3.0/index.js";
import { all, refusal } from "../support/everywhere.js";
import { card } from "./sample.js";

const origin = "https://agent.example";

type Connect = (
  target: string,
  options?: Pick<ConnectOptions, "fetch" | "validate">,
) => Promise<unknown>;

interface Seen {
  readonly url: string;
  readonly init: RequestInit;
}

/** A `fetch` that responds to the card with one value, and to everything else with another. */
function platform(found: object, result?: unknown, seen: Seen[] = []) {
  return (url: string, init: RequestInit): Promise<Response> => {
    seen.push({ url, init });
    if (url.includes("/.well-known/")) return Promise.resolve(Response.json(found));
    const events = Array.isArray(result) ? (result as unknown[]) : undefined;
    if (events === undefined)
      return Promise.resolve(Response.json({ jsonrpc: "2.0", id: 1, result }));
    const body = events.map(
      (event) => `data: ${JSON.stringify({ jsonrpc: "2.0", id: 1, result: event })}\n\n`,
    );
    return Promise.resolve(
      new Response(body.join(""), { headers: { "content-type": "text/event-stream" } }),
    );
  };
}

/** Lists in lists. */
function nested(depth: number): unknown {
  return depth === 0 ? [] : [nested(depth - 1)];
}

const here = {
  ...card,
  supportedInterfaces: [{ url: origin, protocolBinding: "JSONRPC", protocolVersion: "1.0" }],
};
const message = { messageId: "m", role: "ROLE_USER" as const, parts: [{ text: "Hello" }] };
const task = { id: "t", contextId: "c", status: { state: "TASK_STATE_WORKING" } };

describe("a client that reads an agent card with unknown values", () => {
  const flows = { flows: { implicitPlus: { url: "https://a.example" } } };
  it.each<[string, object]>([
    [
      "an unknown kind of security scheme",
      { securitySchemes: { new: { quantumSecurityScheme: { bits: 2 } } } },
    ],
    [
      "a security scheme in the form of 0.3",
      { securitySchemes: { old: { type: "http", scheme: "bearer" } } },
    ],
    ["an unknown OAuth flow", { securitySchemes: { oauth: { oauth2SecurityScheme: flows } } }],
    [
      "an interface without a version",
      {
        supportedInterfaces: [
          ...here.supportedInterfaces,
          { url: origin, protocolBinding: "JSONRPC" },
        ],
      },
    ],
    [
      "a skill without tags",
      { skills: [{ id: "s", name: "S", description: "Stands.", tags: [] }] },
    ],
    ["a skill without a name", { skills: [{ id: "s", description: "Stands.", tags: ["t"] }] }],
  ])("the client accepts %s", async (_what, part) => {
    const told: string[] = [];
    const fetch = platform({ ...here, ...part });
    const client = await connect(origin, {
      fetch,
      onDeviation: (issues) => told.push(...issues.map(String)),
    });
    expect(client.card).toEqual({ ...here, ...part });
    expect(told.length).toBeLessThanOrEqual(1);
  });
});

it("a client reports unknown values in a response, and continues if the callback throws", async () => {
  const found: string[] = [];
  const fault = new Error("not now");
  const reported = vi.spyOn(console, "error").mockReturnValue();
  onTestFinished(() => reported.mockRestore());
  const onDeviation = (issues: readonly { readonly pointer: string }[], name: string): void => {
    found.push(...issues.map(({ pointer }) => `${name} ${pointer}`));
    throw fault;
  };
  const parts = [{ text: "Hello" }, { hologram: { depth: 3 } }];
  const status = { state: "TASK_STATE_DREAMING" };
  const told = { ...task, status, history: [{ ...message, parts }] };
  const client = await connect(here, { fetch: platform(here, told), onDeviation });
  expect(await client.getTask({ id: "t" })).toEqual(told);
  expect(found).toEqual(["GetTask /status/state", "GetTask /history/0/parts/1"]);
  expect(reported.mock.calls).toEqual([[fault]]);
});

describe("a client that reads a response without a required field, at every depth", () => {
  // JSON leaves the member out.
  const unsigned = { ...message, role: undefined };
  const [status, parts] = [task.status, message.parts];
  it.each<[pointer: string, response: object]>([
    ["/history/0/role", { ...task, history: [unsigned] }],
    ["/status/message/role", { ...task, status: { ...status, message: unsigned } }],
    ["/artifacts/0/artifactId", { ...task, artifacts: [{ parts }] }],
    [
      "/artifacts/1/artifactId",
      {
        ...task,
        artifacts: [
          { artifactId: "a", parts },
          { parts, mood: "good" },
        ],
      },
    ],
    // Next to what is only unknown.
    ["/history/0/role", { ...task, history: [{ ...unsigned, parts: [{ hologram: {} }] }] }],
    [
      "/artifacts/0/parts/0",
      { ...task, artifacts: [{ artifactId: "a", parts: [{ metadata: {} }] }] },
    ],
  ])("the client refuses a response without a required field: %s", async (pointer, response) => {
    const client = await connect(here, { fetch: platform(here, response) });
    const { name, message } = await refusal(client.getTask({ id: "t" }));
    expect(name).toBe("InvalidAgentResponseError");
    expect(message).toContain(`${pointer} expected`);
    expect(message).toContain("set validate to false");
    const trusting = await connect(here, { fetch: platform(here, response), validate: false });
    expect(await trusting.getTask({ id: "t" })).toEqual(response);
  });

  it("the client checks each task of a list and each event of a stream", async () => {
    const list = { tasks: [task, { id: "t" }], nextPageToken: "", pageSize: 2, totalSize: 2 };
    const client = await connect(here, { fetch: platform(here, list) });
    expect((await refusal(client.listTasks({}))).message).toContain("/tasks/1/status expected");
    const events = [{ task: { ...task, history: [unsigned] } }];
    const streaming = await connect(here, { fetch: platform(here, events) });
    expect((await refusal(all(streaming.subscribeToTask({ id: "t" })))).message).toContain(
      "/task/history/0/role",
    );
  });

  it("the client accepts an extended card without a required field, because the rest is usable", async () => {
    const extended = { ...here, skills: [{ id: "s", description: "Stands.", tags: ["t"] }] };
    const client = await connect(here, { fetch: platform(here, extended) });
    expect(await client.getExtendedAgentCard()).toEqual(extended);
  });
});

it("a stream continues after an event of an unknown kind", async () => {
  const events = [{ task }, { thoughtUpdate: { taskId: "t" } }, { task }];
  const client = await connect(here, { fetch: platform(here, events) });
  expect(await all<StreamResponse>(client.subscribeToTask({ id: "t" }))).toEqual(events);
});

it("a client of 0.3 keeps an unknown kind of part at its position", async () => {
  const parts = [
    { kind: "hologram", depth: 3 },
    { kind: "text", text: "Hello" },
  ];
  const told = { kind: "message", messageId: "m", role: "agent", parts };
  const found = { ...card, url: origin, protocolVersion: "0.3.0" };
  const client = await old.connect(origin, { fetch: platform(found, told) });
  const sent = {
    kind: "message" as const,
    messageId: "m",
    role: "user" as const,
    parts: [{ kind: "text" as const, text: "Hi" }],
  };
  expect(await client.sendMessage({ message: sent })).toEqual(told);
});

it.each<[string, unknown]>([
  ["a task without a status", { id: "t" }],
  ["a number in place of a string", { ...task, id: 1 }],
  [
    "an unknown part that is nested too deeply",
    { ...task, history: [{ ...message, parts: [{ deep: nested(200) }] }] },
  ],
  [
    "two members of a oneof",
    { ...task, history: [{ ...message, parts: [{ text: "a", url: "b" }] }] },
  ],
])("a client refuses %s", async (_what, told) => {
  const client = await connect(here, { fetch: platform(here, told) });
  expect(await refusal(client.getTask({ id: "t" }))).toMatchObject({
    name: "InvalidAgentResponseError",
  });
});

it("a client reads a card without validation if the option disables it", async () => {
  const found = { supportedInterfaces: here.supportedInterfaces, name: 1 };
  const client = await connect(origin, { fetch: platform(found), validate: false });
  expect(client.card).toEqual(found);
});

it("a client names its version when it requests the card", async () => {
  const seen: Seen[] = [];
  await connect(origin, { fetch: platform(here, undefined, seen) });
  expect(new Headers(seen[0]?.init.headers).get("a2a-version")).toBe("1.0");
});

describe("a client that reads a card of another version", () => {
  const { supportedInterfaces, ...shared } = card;
  const older = { ...shared, url: origin, protocolVersion: "0.3.0", preferredTransport: "JSONRPC" };

  it.each<[string, Connect, object, string]>([
    [
      "1.0",
      connect,
      older,
      "0.3.0, but this client supports 1.0: generate with --versions 0.3, and pass",
    ],
    [
      "0.3",
      old.connect,
      here,
      "1.0, but this client supports 0.3: generate with --versions 1.0, and pass",
    ],
  ])(
    "the error names the version of the card and contains a hint: %s",
    async (_, open, foreign, advice) => {
      const fetch = platform(foreign);
      for (const options of [{ fetch }, { fetch, validate: false }]) {
        for (const target of [origin, foreign as never]) {
          const { message } = await refusal(open(target, options));
          expect(message).toContain(`the card has version ${advice}`);
        }
      }
    },
  );

  it("the error lists all issues of an invalid card", async () => {
    const broken = { ...shared, name: 7, supportedInterfaces };
    const { message } = await refusal(connect(origin, { fetch: platform(broken) }));
    expect(message).toContain("/name expected string");
  });
});

describe("a client accepts deviations of deployed agents", () => {
  it("the client accepts an absent result of an operation without result", async () => {
    const client = await connect(here, { fetch: platform(here) });
    expect(await client.deleteTaskPushNotificationConfig({ taskId: "t", id: "c" })).toBeUndefined();
    expect(await refusal(client.getTask({ id: "t" }))).toMatchObject({ name: "TransportError" });
  });

  it("the client accepts null in place of an empty list", async () => {
    const told = { tasks: null, nextPageToken: "", pageSize: 50, totalSize: 0 };
    const client = await connect(here, { fetch: platform(here, told) });
    expect(await client.listTasks({})).toEqual({ ...told, tasks: [] });
  });

  it("the client accepts the id of its request as a string", async () => {
    const fetch = (): Promise<Response> =>
      Promise.resolve(Response.json({ jsonrpc: "2.0", id: "1", result: task }));
    expect(await (await connect(here, { fetch })).getTask({ id: "t" })).toEqual(task);
  });
});

describe("a client follows no address that a card must not name", () => {
  const at = (url: string, protocolBinding = "JSONRPC"): AgentCard => ({
    ...card,
    supportedInterfaces: [{ url, protocolBinding, protocolVersion: "1.0" }],
  });

  it.each([
    ["data", at("data:application/json,{}")],
    ["a file", at("file:///etc/hostname", "HTTP+JSON")],
    ["a socket", at("unix:/run/docker.sock", "GRPC")],
    ["a socket that looks like a host", at("http://unix:1234", "GRPC")],
  ])("the client does not connect to %s", async (_what, told) => {
    const transports = [jsonRpc(), rest(), grpc()];
    expect(await refusal(connect(told, { transports }))).toMatchObject({ name: "TransportError" });
  });

  it("the client does not connect to more than ten addresses", async () => {
    const many = Array.from(
      { length: 50 },
      (_, index) => at(`https://a${String(index)}.example`).supportedInterfaces,
    );
    const seen: string[] = [];
    const fetch = (url: string): Promise<Response> => {
      seen.push(url);
      return Promise.reject(new Error("nobody there"));
    };
    const client = await connect({ ...card, supportedInterfaces: many.flat() }, { fetch });
    await refusal(client.getTask({ id: "t" }));
    expect(seen).toHaveLength(10);
  });
});
