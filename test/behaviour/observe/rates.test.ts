import { describe, expect, it, onTestFinished } from "vitest";
import {
  connect,
  createAgent,
  fetchHandler,
  jsonRpc,
  rest,
  type RateOptions,
} from "../../../generated/1.0/index.js";
import { grpc } from "../../../generated/1.0/client/grpc.js";
import { withRetryAfter } from "../../../generated/1.0/kit/client/index.js";
import { json, serve } from "../../support/http.js";
import { call } from "../../support/raw.js";
import { byToken, cardAt, observedAgent } from "./agent.js";

const transports = { JSONRPC: jsonRpc(), "HTTP+JSON": rest(), GRPC: grpc() };
const bindings = ["JSONRPC", "HTTP+JSON", "GRPC"] as const;
const task = { id: "t-1", status: { state: "TASK_STATE_WORKING" } } as const;
const service = { getTask: () => task };
const slow = { perSecond: 0.001, burst: 1 };

const start = (rates: RateOptions) => observedAgent({ authenticate: byToken, rates, service });

async function clientOf(
  { card }: { card: ReturnType<typeof cardAt> },
  binding: (typeof bindings)[number],
  user: string,
) {
  const headers = { authorization: `Bearer ${user}` };
  const client = await connect(card, { transports: [transports[binding]], headers });
  onTestFinished(() => {
    client.close();
  });
  return client;
}

const tooMany = {
  httpStatus: 429,
  message: "Too many requests: repeat the request after 1000 seconds",
  retryAfterSeconds: 1_000,
};

describe.each(bindings)("a rate over %s", (binding) => {
  // JSON-RPC sends all errors of calls with status 200, and gRPC has no HTTP status.
  const received =
    binding === "HTTP+JSON" ? tooMany : { retryAfterSeconds: 1_000, message: tooMany.message };

  it("the agent limits each user, and tells the client when to retry", async () => {
    const agent = await start({ perCaller: slow });
    const [ada, bob] = [
      await clientOf(agent, binding, "ada"),
      await clientOf(agent, binding, "bob"),
    ];
    await ada.getTask({ id: "t-1" });
    await expect(ada.getTask({ id: "t-1" })).rejects.toMatchObject({ retryAfterSeconds: 1_000 });
    await expect(ada.getTask({ id: "t-1" })).rejects.toMatchObject(
      binding === "GRPC"
        ? { ...received, grpcStatus: "RESOURCE_EXHAUSTED" }
        : { message: received.message },
    );
    await bob.getTask({ id: "t-1" });
    expect(agent.reports.map(({ outcome }) => outcome)).toEqual(["ok", "refused", "refused", "ok"]);
    expect(agent.reports[1]?.error).toMatchObject(tooMany);
  });

  it("the agent limits each address before credentials are checked", async () => {
    const agent = await start({ perAddress: slow });
    const ada = await clientOf(agent, binding, "ada");
    await ada.getTask({ id: "t-1" });
    await expect((await clientOf(agent, binding, "")).getTask({ id: "t-1" })).rejects.toMatchObject(
      {
        retryAfterSeconds: 1_000,
      },
    );
  });
});

describe("an address behind a proxy", () => {
  const ask = async (url: string, forwarded: string) => {
    const headers = {
      "a2a-version": "1.0",
      authorization: "Bearer ada",
      "x-forwarded-for": forwarded,
    };
    return (await call(url, "GetTask", { id: "t" }, headers)).headers.get("retry-after") === null;
  };

  it("the caller's address is the last address in the named header, so callers cannot choose it", async () => {
    const { url } = await start({ perAddress: slow, forwarded: { header: "X-Forwarded-For" } });
    expect(await ask(url, "192.0.2.1")).toBe(true);
    expect(await ask(url, "198.51.100.7, 192.0.2.1")).toBe(false);
    expect(await ask(url, "192.0.2.1, 192.0.2.2")).toBe(true);
  });

  it("the caller's address is the second last address behind two proxies", async () => {
    const { url } = await start({
      perAddress: slow,
      forwarded: { header: "x-forwarded-for", proxies: 2 },
    });
    expect(await ask(url, "192.0.2.1, 10.0.0.1")).toBe(true);
    expect(await ask(url, "1.1.1.1, 192.0.2.1, 10.0.0.2")).toBe(false);
  });

  it("the header of a proxy is ignored without the option", async () => {
    const { url } = await start({ perAddress: slow });
    expect(await ask(url, "192.0.2.1")).toBe(true);
    expect(await ask(url, "192.0.2.2")).toBe(false);
  });
});

it("requests without an address count together, and the agent reports once that they cannot be told apart", async () => {
  const errors: unknown[] = [];
  const agent = createAgent({
    card: cardAt("http://127.0.0.1/", ""),
    rates: { perAddress: { perSecond: 0.001, burst: 2 } },
    onError: (error) => errors.push(error),
    service,
  });
  const handle = fetchHandler(agent);
  const ask = async (address?: string) => {
    const headers = { "a2a-version": "1.0" };
    return (
      await handle(new Request("http://127.0.0.1/tasks/t", { headers }), { peer: { address } })
    ).status;
  };
  expect([await ask(), await ask(), await ask(), await ask()]).toEqual([200, 200, 429, 429]);
  expect(errors).toMatchObject([
    { message: expect.stringContaining("pass `{ peer }` to the handler") as string },
  ]);
  expect(await ask("192.0.2.1")).toBe(200);
});

it("a limiter may be asynchronous, such as one in a database", async () => {
  const keys: string[] = [];
  const take = async (key: string): Promise<number> => (keys.push(key) > 1 ? 1_500 : 0);
  const agent = await start({ perCaller: { take } });
  const ada = await clientOf(agent, "JSONRPC", "ada");
  await ada.getTask({ id: "t-1" });
  await expect(ada.getTask({ id: "t-1" })).rejects.toMatchObject({ retryAfterSeconds: 2 });
  expect(keys).toEqual(["ada", "ada"]);
});

it("a limiter that fails rejects the call, and the error is reported", async () => {
  const errors: unknown[] = [];
  const agent = await observedAgent({
    authenticate: byToken,
    rates: { perCaller: { take: () => Promise.reject(new Error("no database")) } },
    onError: (error) => errors.push(error),
    service,
  });
  const ada = await clientOf(agent, "JSONRPC", "ada");
  await expect(ada.getTask({ id: "t-1" })).rejects.toMatchObject({ reason: "INTERNAL" });
  expect(errors).toMatchObject([{ message: "no database" }]);
});

it("a user without a name is an error of the options, not a caller without a limit", async () => {
  const errors: unknown[] = [];
  const agent = await observedAgent({
    authenticate: () => ({ name: "ada" }),
    rates: { perCaller: slow },
    onError: (error) => errors.push(error),
    service,
  });
  await expect((await clientOf(agent, "JSONRPC", "ada")).getTask({ id: "t-1" })).rejects.toThrow();
  expect(errors).toMatchObject([
    { message: expect.stringContaining("set `rates.callerOf`") as string },
  ]);
});

it.each([
  [{ perCaller: { perSecond: 0 } }, "`rates.perCaller.perSecond` must be a positive number, got 0"],
  [
    { perAddress: { perSecond: 1, burst: NaN } },
    "`rates.perAddress.burst` must be a positive number, got NaN",
  ],
  [{ forwarded: { header: "" } }, "`rates.forwarded.header` must be the name of a header"],
  [
    { forwarded: { header: "a", proxies: 0 } },
    "`rates.forwarded.proxies` must be an integer of at least 1",
  ],
])("createAgent rejects the rates %j", (rates, problem) => {
  expect(() => createAgent({ card: cardAt("http://127.0.0.1/", ""), rates, service })).toThrow(
    problem,
  );
});

describe("withRetryAfter", () => {
  const agentOf = async (retry: string, failures: number) => {
    const { url, requests } = await serve((_, response) => {
      response.setHeader("retry-after", retry);
      if (requests.length <= failures)
        json(response, { error: { code: 429, message: "Later" } }, 429);
      else json(response, task);
    });
    const client = await connect(cardAt(url, ""), {
      transports: [rest()],
      interceptors: [withRetryAfter({ maxRetries: 3 })],
    });
    return { client, requests };
  };

  it("the client repeats a call that changes nothing after the time that the agent specifies", async () => {
    const { client, requests } = await agentOf("0", 2);
    expect(await client.getTask({ id: "t-1" })).toMatchObject({ id: "t-1" });
    expect(requests).toHaveLength(3);
  });

  it("the client accepts a date, which may have passed", async () => {
    const { client, requests } = await agentOf("Wed, 21 Oct 2015 07:28:00 GMT", 1);
    await client.getTask({ id: "t-1" });
    expect(requests).toHaveLength(2);
  });

  it("the client does not repeat a call that may change something", async () => {
    const { client, requests } = await agentOf("0", 1);
    await expect(client.cancelTask({ id: "t-1" })).rejects.toMatchObject({ retryAfterSeconds: 0 });
    expect(requests).toHaveLength(1);
  });

  it.each(["31", "soon"])(
    "the client fails immediately if the agent asks for %s",
    async (retry) => {
      const { client, requests } = await agentOf(retry, 1);
      await expect(client.getTask({ id: "t-1" })).rejects.toThrow();
      expect(requests).toHaveLength(1);
    },
  );

  it("the client gives up after its maximum number of retries", async () => {
    const { client, requests } = await agentOf("0", 9);
    await expect(client.getTask({ id: "t-1" })).rejects.toThrow();
    expect(requests).toHaveLength(4);
  });

  it("the client ends its wait if the call is aborted", async () => {
    const { client, requests } = await agentOf("20", 9);
    const controller = new AbortController();
    const asked = client.getTask({ id: "t-1" }, { signal: controller.signal });
    await expect.poll(() => requests.length).toBe(1);
    controller.abort(new Error("enough"));
    await expect(asked).rejects.toThrow("enough");
    expect(requests).toHaveLength(1);
  });
});
