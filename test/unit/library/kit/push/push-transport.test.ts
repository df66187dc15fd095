import { createSocket } from "node:dgram";
import { lookup, promises } from "node:dns";
import { once } from "node:events";
import { createServer, type Socket } from "node:net";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { LookUps } from "../../../../../library/kit/push/look-ups.js";
import { type NodeModules, platformModules } from "../../../../../library/kit/push/node-modules.js";
import { nodeTransport } from "../../../../../library/kit/push/node-transport.js";
import { startSender, taskWithWebhook } from "../../../../support/push.js";
import { startWebhook } from "../../../../support/webhook.js";

type Resolver = InstanceType<NodeModules["Resolver"]>;

function modulesWith(Resolver: NodeModules["Resolver"]): NodeModules {
  const modules = platformModules();
  if (modules === undefined) throw new Error("These tests run on Node");
  return { ...modules, Resolver };
}

/** Returns the class of resolvers that find some addresses, or do what a function does. */
function finding(
  answer: readonly string[] | (() => Promise<readonly string[]>),
): NodeModules["Resolver"] {
  const find = async (family: number) => {
    const addresses = typeof answer === "function" ? await answer() : answer;
    const found = addresses.filter((address) => address.includes(":") === (family === 6));
    if (found.length === 0) throw new Error("no such name");
    return found;
  };
  return class {
    resolve4 = () => find(4);
    resolve6 = () => find(6);
    cancel = () => undefined;
  };
}

/**
 * Starts a name server that responds to names below `quick.example` that they do not exist, and
 * never to other names. Returns the class of resolvers that ask it, and the number of queries for
 * each name.
 */
async function startNameServer() {
  const queries = new Map<string, number>();
  const socket = createSocket("udp4", (query, { port, address }) => {
    const name = nameOf(query);
    queries.set(name, (queries.get(name) ?? 0) + 1);
    if (!name.endsWith("quick.example")) return;
    const response = Buffer.from(query);
    // A response, recursion available, no such name.
    response.writeUInt16BE(0x8183, 2);
    socket.send(response, port, address);
  });
  socket.bind(0, "127.0.0.1");
  await once(socket, "listening");
  onTestFinished(() => void socket.close());
  const server = `127.0.0.1:${socket.address().port}`;
  class Local extends promises.Resolver {
    constructor(options: { readonly timeout: number; readonly tries: number }) {
      super(options);
      this.setServers([server]);
    }
  }
  return { Resolver: Local as NodeModules["Resolver"], queries };
}

/** Returns the name that a query asks for. */
function nameOf(query: Buffer): string {
  const labels: string[] = [];
  for (let at = 12; query.readUInt8(at) !== 0; at += query.readUInt8(at) + 1)
    labels.push(query.toString("latin1", at + 1, at + 1 + query.readUInt8(at)));
  return labels.join(".").toLowerCase();
}

const asker = (owner = "ada", signal = new AbortController().signal) => ({ owner, signal });

describe("the look-up of a webhook", () => {
  const post = (url: string, Resolver: NodeModules["Resolver"], { signal } = asker()) => {
    const transport = nodeTransport(modulesWith(Resolver));
    onTestFinished(() => transport.close?.());
    return transport.post({
      url: new URL(url),
      headers: {},
      body: "{}",
      mayBePrivate: false,
      owner: "ada",
      signal,
    });
  };

  it.each([
    [["127.0.0.1"]],
    [["8.8.8.8", "127.0.0.1"]],
    [["8.8.8.8", "::1"]],
    [["::ffff:127.0.0.1"]],
  ])("a look-up that finds %j leads to no connection", async (addresses) => {
    const webhook = await startWebhook();
    const { port } = new URL(webhook.url);
    const refusal = { name: "PrivateAddressError" };
    const Resolver = vi.fn(finding(addresses));
    await expect(post(`http://rebound.example:${port}/`, Resolver)).rejects.toMatchObject(refusal);
    expect(Resolver).toHaveBeenCalledTimes(1);
    await expect(post(webhook.url, Resolver)).rejects.toMatchObject(refusal);
    expect(webhook.deliveries).toEqual([]);
  });

  it("a look-up may fail or never end", async () => {
    const message = "The look-up of gone.example failed";
    await expect(post("https://gone.example/", finding([]))).rejects.toMatchObject({
      name: "LookupError",
      message,
    });
    const never = finding(() => new Promise(() => undefined));
    const asking = asker("ada", AbortSignal.timeout(500));
    await expect(post("https://hanging.example/", never, asking)).rejects.toMatchObject({
      name: "AbortError",
    });
  });

  it("a connection goes to the addresses that the look-up checked", async () => {
    const signal = AbortSignal.timeout(100_000);
    const lookUps = new LookUps(finding(["2606:4700::1111", "1.1.1.1"]), 2);
    expect(await lookUps.find("a.example", asker("ada", signal))).toEqual([
      { address: "1.1.1.1", family: 4 },
      { address: "2606:4700::1111", family: 6 },
    ]);
  });

  it("a look-up ends with its call and cancels its queries", async () => {
    const { Resolver, queries } = await startNameServer();
    const cancel = vi.spyOn(Resolver.prototype as Resolver, "cancel");
    const controller = new AbortController();
    const lookUps = new LookUps(Resolver, 1);
    lookUps.find("slow.example", asker("ada", controller.signal)).catch(() => undefined);
    await vi.waitFor(() => expect(queries.get("slow.example")).toBe(2));
    expect(cancel).not.toHaveBeenCalled();
    controller.abort();
    await vi.waitFor(() => expect(cancel).toHaveBeenCalled());
    // The slot is free again.
    await expect(lookUps.find("a.quick.example", asker())).rejects.toThrow(
      "The look-up of a.quick.example failed",
    );
  });

  it("a name is not skipped because its look-up was aborted with its call", async () => {
    const { Resolver, queries } = await startNameServer();
    const controller = new AbortController();
    const lookUps = new LookUps(Resolver, 2);
    lookUps.find("slow.example", asker("ada", controller.signal)).catch(() => undefined);
    await vi.waitFor(() => expect(queries.get("slow.example")).toBe(2));
    controller.abort();
    // The slot of the look-up is free when it has ended.
    await expect(lookUps.find("a.quick.example", asker("ada"))).rejects.toThrow("failed");
    const other = new AbortController();
    const failed = vi.fn();
    lookUps.find("slow.example", asker("bob", other.signal)).catch(failed);
    await vi.waitFor(() => expect(queries.get("slow.example")).toBeGreaterThan(2));
    expect(failed).not.toHaveBeenCalled();
    other.abort();
  });

  it("a name whose look-up failed is skipped for some time, and longer after each failure", async () => {
    vi.useFakeTimers({ toFake: ["performance"] });
    onTestFinished(() => void vi.useRealTimers());
    const Resolver = vi.fn(finding([]));
    const lookUps = new LookUps(Resolver, 4);
    for (const [attempt, pauseMs] of [10_000, 20_000, 40_000].entries()) {
      const failed = {
        name: "LookupError",
        message: "The look-up of gone.example failed",
        afterMs: pauseMs,
      };
      await expect(lookUps.find("gone.example", asker())).rejects.toMatchObject(failed);
      vi.advanceTimersByTime(pauseMs - 1);
      await expect(lookUps.find("gone.example", asker())).rejects.toMatchObject({ afterMs: 1 });
      vi.advanceTimersByTime(1);
      expect(Resolver).toHaveBeenCalledTimes(attempt + 1);
    }
  });

  it("the next attempt waits until the name may be looked up again", async () => {
    const { store, errors } = startSender({
      options: {
        transport: nodeTransport(modulesWith(finding([]))),
        allowPrivateAddresses: false,
        maxDelayMs: 50,
        maxAttempts: 2,
      },
    });
    await (await taskWithWebhook(store, "a", { url: "https://gone.example/" })).append(1);
    await vi.waitFor(() => expect(errors).toHaveLength(1));
    expect(errors).toMatchObject([
      { name: "WebhookError", cause: { message: "The look-up of gone.example failed recently" } },
    ]);
  });
});

describe("a connection to a webhook", () => {
  it("a connection is closed if it receives data that no request asked for", async () => {
    const server = createServer();
    await once(server.listen(0, "127.0.0.1"), "listening");
    onTestFinished(() => void server.close());
    const address = server.address();
    const url = new URL(`http://127.0.0.1:${typeof address === "object" ? address?.port : ""}/`);
    const transport = nodeTransport(modulesWith(finding([])));
    onTestFinished(() => transport.close?.());
    const socket = once(server, "connection") as Promise<[Socket]>;
    const request = { url, headers: {}, body: "{}", mayBePrivate: true, ...asker() };
    const response = transport.post(request);
    const [connection] = await socket;
    const closed = once(connection, "close");
    connection.on("error", () => undefined).write("HTTP/1.1 204 No Content\r\n\r\n");
    expect(await response).toEqual({ status: 204, retryAfter: undefined });
    // The connection is idle, and is used again.
    await new Promise((resolve) => setImmediate(resolve));
    const next = transport.post(request);
    await once(connection, "data");
    connection.write("HTTP/1.1 204 No Content\r\n\r\n");
    expect(await next).toEqual({ status: 204, retryAfter: undefined });
    await new Promise((resolve) => setImmediate(resolve));
    const send = (): void => {
      if (connection.writable) connection.write("x".repeat(10_000), () => setImmediate(send));
    };
    send();
    await closed;
  });
});

describe("webhooks at names whose name server never responds", () => {
  it("unresponsive name servers delay neither other look-ups of the process nor webhooks of other owners", async () => {
    const { Resolver, queries } = await startNameServer();
    const webhook = await startWebhook();
    const transport = nodeTransport(modulesWith(Resolver));
    const allowPrivateAddresses = ({ hostname }: URL): boolean => hostname === "127.0.0.1";
    const { store } = startSender({
      options: { transport, allowPrivateAddresses, closeWithinMs: 0 },
    });
    for (const index of Array.from({ length: 40 }).keys())
      await (
        await taskWithWebhook(
          store,
          `s${index}`,
          { url: `https://h${index}.slow${index}.example/` },
          "eve",
        )
      ).append(1);
    await vi.waitFor(() => expect(queries.size).toBeGreaterThan(4));
    const since = performance.now();
    await new Promise((resolve) => lookup("localhost", resolve));
    await (await taskWithWebhook(store, "a", { url: webhook.url }, "ada")).append(1);
    await (await taskWithWebhook(store, "b", { url: "https://b.quick.example/" }, "bob")).append(1);
    await vi.waitFor(() => expect(webhook.deliveries).toHaveLength(1));
    await vi.waitFor(() => expect(queries.get("b.quick.example")).toBe(2));
    // A single query takes 2 s before it is repeated.
    expect(performance.now() - since).toBeLessThan(2_000);
    const slow = [...queries.keys()].filter((name) => !name.endsWith("quick.example"));
    // An owner gets half of the 16 slots.
    expect(slow.length).toBe(8);
  });
});
