import { createServer, type Server } from "node:net";
import { once } from "node:events";
import { inspect } from "node:util";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { delayAfter, failureOf } from "../../../../../library/kit/push/retry.js";
import type { PushOptions } from "../../../../../library/kit/push/push-options.js";
import type { PushTransport } from "../../../../../library/kit/push/push-transport.js";
import type { TaskStore } from "../../../../../library/kit/store.js";
import { ValidationError } from "../../../../../library/runtime/schema/schema.js";
import { posted, startSender, taskWithWebhook } from "../../../../support/push.js";
import { startWebhook } from "../../../../support/webhook.js";

function connectionsOf(server: Server): Promise<number> {
  return new Promise((resolve, reject) => {
    server.getConnections((error, count) => {
      if (error === null) resolve(count);
      else reject(error);
    });
  });
}

describe("the sender of push notifications", () => {
  it("the sender posts the events of a task in order, with credentials, token and version", async () => {
    const webhook = await startWebhook();
    const { store, errors } = startSender();
    const authentication = { scheme: "Bearer", credentials: "secret" };
    const task = await taskWithWebhook(store, "a", {
      url: webhook.url,
      token: "t1",
      authentication,
    });
    await task.append(2);
    await task.append(1);
    await vi.waitFor(() => expect(webhook.deliveries).toHaveLength(3));
    expect(webhook.deliveries.map(({ body }) => posted(body)[1])).toEqual([2, 3, 4]);
    const [{ headers, body } = { headers: {}, body: "" }] = webhook.deliveries;
    expect(headers).toMatchObject({
      "content-type": "application/a2a+json",
      "content-length": String(body.length),
      authorization: "Bearer secret",
      "x-a2a-notification-token": "t1",
      "a2a-version": "1.1",
      "idempotency-key": expect.stringMatching(/^"a\/2\/[\da-f]{16}"$/) as string,
    });
    expect(Object.keys(JSON.parse(body) as object)).toEqual(["statusUpdate"]);
    expect(errors).toEqual([]);
  });

  it("the sender repeats a notification until the webhook accepts it, and then sends the next one", async () => {
    let count = 0;
    const webhook = await startWebhook((_, response) =>
      response.writeHead((count += 1) % 3 === 0 ? 200 : 503).end(),
    );
    const { store } = startSender();
    await (await taskWithWebhook(store, "a", { url: webhook.url })).append(3);
    await vi.waitFor(() => expect(webhook.deliveries).toHaveLength(9));
    expect(webhook.deliveries.map(({ body }) => posted(body)[1])).toEqual([
      2, 2, 2, 3, 3, 3, 4, 4, 4,
    ]);
  });

  it.each([
    { status: 410, attempts: 1 },
    { status: 401, attempts: 3 },
    { status: 302, attempts: 3 },
    { status: 429, attempts: 4 },
    { status: 500, attempts: 4 },
  ])(
    "the sender drops a webhook that responds with $status, after $attempts attempts",
    async ({ status, attempts }) => {
      const webhook = await startWebhook(status);
      const { store, errors } = startSender({ options: { maxAttempts: 4 } });
      const task = await taskWithWebhook(store, "a", { url: webhook.url });
      await task.append(2);
      await vi.waitFor(() => expect(errors).toHaveLength(1));
      expect(String(errors[0])).toBe(
        `WebhookError: The webhook w of the task a at ${webhook.url} was given up after ${attempts} attempts: ` +
          `The webhook responded with HTTP status ${status}`,
      );
      await task.append(1);
      await vi.waitFor(async () =>
        expect((await store.claimWebhooks({ holder: "two", ttlMs: 1 }, 1)).rows).toEqual([]),
      );
      expect(webhook.deliveries).toHaveLength(attempts);
    },
  );

  it("the sender drops a webhook immediately if its version cannot represent an event", async () => {
    const webhook = await startWebhook();
    const cause = new ValidationError("Task", []);
    const { store, errors } = startSender({ bodyOf: () => Promise.reject(cause) });
    await (await taskWithWebhook(store, "a", { url: webhook.url })).append(2);
    await vi.waitFor(() => expect(errors).toHaveLength(1));
    expect(errors).toMatchObject([
      { name: "WebhookError", cause, message: expect.stringContaining("after 1 ") as unknown },
    ]);
    expect(webhook.deliveries).toEqual([]);
  });

  it.each([
    ["the body does not end", (write: (text: string) => void) => write("x".repeat(100_000))],
    ["the body comes slowly", (write: (text: string) => void) => write("x")],
    ["the body does not match its headers", (write: (text: string) => void) => write("")],
  ])("the sender uses the status of a response if %s", async (_, answer) => {
    const webhook = await startWebhook((__, response) => {
      response.writeHead(200, { "content-length": "1000000" }).flushHeaders();
      answer((text) => response.write(text));
    });
    const { store } = startSender();
    await (await taskWithWebhook(store, "a", { url: webhook.url })).append(3);
    await vi.waitFor(() => expect(webhook.deliveries).toHaveLength(3));
  });

  it("the sender gives up on a webhook that sends no response, or half of the headers", async () => {
    const half = createServer((socket) =>
      socket.on("error", () => undefined).write("HTTP/1.1 200 OK\r\nx: "),
    );
    half.listen(0, "127.0.0.1");
    await once(half, "listening");
    onTestFinished(() => void half.close());
    const silent = await startWebhook("never");
    const address = half.address();
    const urls = [
      silent.url,
      `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}/`,
    ];
    const { store, errors } = startSender({ options: { timeoutMs: 50, maxAttempts: 2 } });
    for (const url of urls) await (await taskWithWebhook(store, url, { url })).append(1);
    await vi.waitFor(() => expect(errors).toHaveLength(2));
    expect(errors).toMatchObject(urls.map(() => ({ cause: { name: "TimeoutError" } })));
  });

  it("the sender gives up on a webhook that speaks another protocol", async () => {
    const head = "HTTP/1.1 101 Switching Protocols\r\nupgrade: chat\r\nconnection: upgrade\r\n\r\n";
    const other = createServer((socket) => socket.on("error", () => undefined).write(head)).listen(
      0,
      "127.0.0.1",
    );
    await once(other, "listening");
    onTestFinished(() => void other.close());
    const address = other.address();
    const url = `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}/`;
    const { store, errors } = startSender({ options: { timeoutMs: 60_000, maxAttempts: 1 } });
    await (await taskWithWebhook(store, "a", { url })).append(1);
    await vi.waitFor(() =>
      expect(errors).toMatchObject([
        { cause: { message: "The webhook closed the connection without a response" } },
      ]),
    );
  });

  it("the sender does not call a stored URL that is not allowed", async () => {
    const webhook = await startWebhook();
    const { store, errors } = startSender({ options: { allowPrivateAddresses: false } });
    await (await taskWithWebhook(store, "a", { url: webhook.url })).append(1);
    await vi.waitFor(() => expect(errors).toHaveLength(1));
    expect((errors[0] as Error).cause).toEqual(new Error("The URL is not an HTTPS URL"));
    expect(webhook.deliveries).toEqual([]);
  });

  it.each<[string, Partial<PushOptions>, ((url: string) => string)?]>([
    ["responds with an error", {}],
    ["is down", {}, () => "http://127.0.0.1:9/?key=s3cret"],
    ["does not respond in time", { timeoutMs: 20 }, (url) => `${url}?key=s3cret&never`],
    ["is not allowed", { allowPrivateAddresses: false }],
    ["is not a URL", {}, () => "s3cret:"],
    ["gets headers that fetch refuses", { fetch: (url, init) => fetch(url, init) }],
  ])(
    "the report about a webhook that %s contains no secret",
    async (_, options, urlOf = (url) => `${url}?key=s3cret`) => {
      const webhook = await startWebhook((received, response) => {
        if (received.url?.endsWith("never") !== true) response.writeHead(500).end("s3cret");
      });
      const { store, errors } = startSender({ options: { maxAttempts: 1, ...options } });
      // No caller can register a secret with a character that headers cannot carry; a store may
      // have one.
      const credentials = options.fetch === undefined ? "s3cret" : "s3cret\0";
      const [authentication, token] = [{ scheme: "Bearer", credentials }, "s3cret"];
      const config = { url: urlOf(webhook.url), token, authentication };
      await (await taskWithWebhook(store, "a", config)).append(1);
      await vi.waitFor(() => expect(errors).toHaveLength(1));
      expect(errors[0]).toMatchObject({ name: "WebhookError" });
      expect(inspect(errors, { depth: Infinity, showHidden: true })).not.toContain("s3cret");
    },
  );

  it("the sender serves all other hosts while thousands of webhooks wait for a dead host", async () => {
    const taken: string[] = [];
    const dead = new Set<string>();
    const transport: PushTransport = {
      post({ url, body }) {
        if (url.host !== "dead.example") taken.push(posted(body)[0]);
        else dead.add(posted(body)[0]);
        return url.host === "dead.example"
          ? new Promise(() => undefined)
          : Promise.resolve({ status: 200 });
      },
    };
    const { store } = startSender({ options: { transport, closeWithinMs: 0 } });
    const tasks = Array.from({ length: 5_000 }, (_, index) =>
      taskWithWebhook(store, `d${index}`, { url: `https://dead.example/${index}` }),
    );
    for (const task of await Promise.all(tasks)) await task.append(1);
    for (const index of Array.from({ length: 50 }).keys())
      await (
        await taskWithWebhook(store, `a${index}`, { url: `https://alive${index % 10}.example/` })
      ).append(1);
    await vi.waitFor(() => expect(taken).toHaveLength(50));
    expect(dead.size).toBe(6);
  });

  it.each(["names of one domain", "domains"])(
    "the sender calls the webhook of another owner immediately while thousands below a hundred %s never respond",
    async (kind) => {
      const taken: string[] = [];
      const called = new Set<string>();
      const transport: PushTransport = {
        post({ url, body, signal }) {
          const [id] = posted(body);
          if (url.host === "alive.example") taken.push(id);
          else called.add(id);
          if (url.host === "alive.example") return Promise.resolve({ status: 200 });
          return new Promise((_, reject) => {
            signal.addEventListener("abort", () => {
              reject(signal.reason as Error);
            });
          });
        },
      };
      const { store } = startSender({ options: { transport, closeWithinMs: 0 } });
      const tasks = Array.from({ length: 3_000 }, (_, index) => {
        const host =
          kind === "domains" ? `slow${index % 100}.example` : `h${index % 100}.slow.example`;
        return taskWithWebhook(store, `s${index}`, { url: `https://${host}/` }, "eve");
      });
      for (const task of await Promise.all(tasks)) await task.append(1);
      const since = performance.now();
      for (const id of ["a", "b"])
        await (await taskWithWebhook(store, id, { url: "https://alive.example/" }, id)).append(1);
      await vi.waitFor(() => expect(taken).toHaveLength(2), { interval: 5 });
      // A webhook that does not respond occupies its slot for 10 s.
      expect(performance.now() - since).toBeLessThan(10_000);
      expect(called.size).toBe(kind === "domains" ? 50 : 6);
    },
  );

  it("the sender ends a call if the webhook sends interim responses forever", async () => {
    let sent = 0;
    const server = createServer((socket) => {
      const head = "HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n";
      const send = (): void => {
        sent += 1;
        if (!socket.destroyed) socket.write(head.repeat(10), () => setImmediate(send));
      };
      socket.on("error", () => undefined).once("data", send);
    });
    await once(server.listen(0, "127.0.0.1"), "listening");
    onTestFinished(() => void server.close());
    const address = server.address();
    const url = `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}/`;
    const { store, errors } = startSender({ options: { timeoutMs: 60_000, maxAttempts: 1 } });
    await (await taskWithWebhook(store, "a", { url })).append(1);
    const cause = { message: "The webhook sent too many interim responses" };
    await vi.waitFor(() => expect(errors).toMatchObject([{ cause }]));
    await vi.waitFor(async () => expect(await connectionsOf(server)).toBe(0));
    expect(sent).toBeLessThan(1_000);
  });

  it("the sender accepts a response after a few interim responses", async () => {
    const webhook = await startWebhook((_, response) => {
      for (const link of ["</a>", "</b>"]) response.writeEarlyHints({ link });
      response.end();
    });
    const { store, errors } = startSender();
    await (await taskWithWebhook(store, "a", { url: webhook.url })).append(2);
    await vi.waitFor(() => expect(webhook.deliveries).toHaveLength(2));
    expect(errors).toEqual([]);
  });

  it("the senders of several processes share the webhooks of a store", async () => {
    const webhook = await startWebhook();
    const { store } = startSender();
    startSender({ store, holder: "two" });
    const tasks = await Promise.all(
      ["a", "b", "c"].map((id) => taskWithWebhook(store, id, { url: webhook.url })),
    );
    await Promise.all(tasks.map((task) => task.append(20)));
    await vi.waitFor(() => expect(webhook.deliveries).toHaveLength(60));
    const ids = webhook.deliveries.map(({ body }) => posted(body).join());
    expect(new Set(ids).size).toBe(60);
  });

  it("the sender reports errors of the store and continues", async () => {
    const webhook = await startWebhook();
    const { store } = startSender({
      options: { transport: { post: () => new Promise(() => undefined) } },
    });
    let faults = 2;
    const faulty = <T>(result: () => Promise<T>): Promise<T> =>
      (faults -= 1) >= 0 ? Promise.reject(new Error("no engine")) : result();
    const { sender, errors } = startSender({
      holder: "two",
      store: {
        claimWebhooks: (claim, limit) => faulty(() => store.claimWebhooks(claim, limit)),
        delivered: (lease, outcome) => faulty(() => store.delivered(lease, outcome)),
      },
    });
    await vi.waitFor(() => expect(errors).toHaveLength(1));
    sender.wake();
    await vi.waitFor(() => expect(errors).toHaveLength(2));
    expect(webhook.deliveries).toEqual([]);
  });

  it.each([undefined, {}, [{}], [{ webhook: { config: { url: "" } } }]])(
    "the sender reports a store that returns %j for due webhooks, and can be closed",
    async (leases) => {
      const { sender, errors } = startSender({
        // An invalid store, which a test or an untyped program may pass.
        store: {
          claimWebhooks: async () => leases,
          onDue: () => undefined,
        } as unknown as TaskStore,
      });
      await vi.waitFor(() => expect(errors[0]).toBeInstanceOf(TypeError));
      await sender.close();
    },
  );

  it("a closed sender finishes running calls and leaves the rest in the store", async () => {
    let answer: () => void = () => undefined;
    const webhook = await startWebhook((_, response) => (answer = () => response.end()));
    const { store, sender, errors } = startSender();
    await (await taskWithWebhook(store, "a", { url: webhook.url })).append(3);
    await vi.waitFor(() => expect(webhook.deliveries).toHaveLength(1));
    const closed = sender.close();
    answer();
    await closed;
    const [due] = (await store.claimWebhooks({ holder: "two", ttlMs: 1_000 }, 1)).rows;
    expect(due?.events.map(({ generation }) => generation)).toEqual([3, 4]);
    expect(errors).toEqual([]);
  });

  it("a closed sender aborts calls that take too long, and counts no failure for them", async () => {
    const webhook = await startWebhook("never");
    const { store, sender, errors } = startSender({ options: { closeWithinMs: 10 } });
    await (await taskWithWebhook(store, "a", { url: webhook.url })).append(1);
    await vi.waitFor(() => expect(webhook.deliveries).toHaveLength(1));
    await sender.close();
    expect(errors).toEqual([]);
  });
});

describe("the delay before the next attempt", () => {
  const options = { maxAttempts: 10, maxDelayMs: 60_000, firstDelayMs: 1_000 };
  const failed = { kind: "failed", reason: "", afterMs: 0 } as const;

  it("the delay at most doubles up to a limit, and is random below it", () => {
    const delays = [1, 2, 3, 6, 7, 9].map((failures) =>
      delayAfter(failed, failures, options, () => 1),
    );
    expect(delays).toEqual([1_000, 2_000, 4_000, 32_000, 60_000, 60_000]);
    expect(delayAfter(failed, 3, options, () => 0.25)).toBe(1_000);
    expect(delayAfter(failed, 10, options, () => 1)).toBeUndefined();
  });

  it.each([
    ["5", 5_000],
    ["Thu, 01 Jan 1970 00:00:08 GMT", 7_000],
    ["Thu, 01 Jan 1970 00:00:00 GMT", 0],
    ["86400", 60_000],
    ["soon", 0],
    ["-5", 0],
    [undefined, 0],
  ])("the delay follows `Retry-After: %s` within the limit", (retryAfter, expected) => {
    const failure = failureOf({ status: 503, retryAfter }, 1_000);
    expect(failure && delayAfter(failure, 1, options, () => 0)).toBe(expected);
  });
});
