import express from "express";
import { describe, expect, it, vi } from "vitest";
import { pushListener } from "../../../../../library/kit/node.js";
import { bodyOf, headersOf } from "../../../../../library/kit/push/notification.js";
import { keyOf, type PushEvent } from "../../../../../library/kit/push/push-event.js";
import type { PushReceiverOptions } from "../../../../../library/kit/push/receiver-options.js";
import type { EventEntry } from "../../../../../library/kit/store.js";
import { pushReceiver, serviceFacts } from "../../../../support/bound-kit.js";
import { listen } from "../../../../support/http.js";
import { nobodies } from "../../../../support/nobodies.js";
import fc from "../../../../support/properties.js";
import { entryOf, startSender, taskWithWebhook } from "../../../../support/push.js";
import { sized } from "../../../../support/size.js";

const headers = { "content-type": "application/a2a+json", "x-a2a-notification-token": "t1" };

/**
 * A receiver that keeps what it gets, and a function that posts to it and returns status and text.
 */
function receiving(options: Partial<PushReceiverOptions> = {}) {
  const events: PushEvent[] = [];
  const errors: unknown[] = [];
  const receiver = pushReceiver({
    token: "t1",
    onEvent: (event) => events.push(event),
    onError: (error) => errors.push(error),
    ...options,
  });
  const post = async (
    body: unknown,
    change: Record<string, string> = {},
    init: RequestInit = {},
  ) => {
    const text = typeof body === "string" ? body : JSON.stringify(body);
    const request = { method: "POST", headers: { ...headers, ...change }, body: text, ...init };
    const response = await receiver.fetch(new Request("https://example.com/hook", request));
    return [response.status, await response.text()] as const;
  };
  return { receiver, post, events, errors };
}

const own = { "x-a2a-notification-token": "t1" };

const { event: working } = entryOf("a", 2);

/** A chunk of an artifact, as versions without generations post it. */
const piece = {
  artifactUpdate: {
    taskId: "a",
    contextId: "c",
    artifact: { artifactId: "x", parts: [{ text: "ha" }] },
    append: true,
  },
};

/** Tasks, generations and texts of events. The few values let events share some of them. */
const artifactEvents: fc.Arbitrary<EventEntry> = fc
  .record({
    taskId: fc.constantFrom("a", "a/b", 'a"/1'),
    generation: fc.integer({ min: 1, max: 3 }),
    text: fc.oneof(fc.constantFrom("", "ha"), fc.string({ unit: "binary" })),
    append: fc.boolean(),
  })
  .map(({ taskId, generation, text, append }) => ({
    generation,
    event: {
      artifactUpdate: {
        taskId,
        contextId: "c",
        artifact: { artifactId: "x", parts: [{ text }] },
        append,
      },
    },
  }));

/** Returns the headers and the body that an agent on the task kit posts for an event. */
async function postOf(entry: EventEntry) {
  const { protocol } = serviceFacts;
  const taskId = "artifactUpdate" in entry.event ? entry.event.artifactUpdate.taskId : "";
  const webhook = { taskId, config: { taskId, url: "https://a.example", token: "t1" } };
  const body = bodyOf(entry, protocol);
  return {
    text: body.body,
    headers: await headersOf(webhook, entry.generation, body, protocol),
  };
}

describe("a receiver of push notifications", () => {
  it("the receiver refuses a body whose members are in the key __proto__", async () => {
    const { post, events } = receiving();
    const [status] = await post('{"__proto__":{"task":{"id":["b"],"status":{"state":7}}}}');
    expect([status, events]).toEqual([400, []]);
  });

  it("the receiver passes the URL of a post to accepts, which compares it with the task", async () => {
    const accepts = (taskId: string, { url }: { readonly url: string }) =>
      url === `/hook?task=${taskId}`;
    const { receiver } = receiving({ accepts });
    const send = async (task: string): Promise<number> => {
      const init = { method: "POST", headers, body: JSON.stringify(working) };
      return (await receiver.fetch(new Request(`https://example.com/hook?task=${task}`, init)))
        .status;
    };
    expect([await send("a"), await send("b")]).toEqual([204, 404]);
  });

  it("the receiver yields an event with its task and generation", async () => {
    const { post, events } = receiving();
    expect(await post(working)).toEqual([204, ""]);
    expect(events).toEqual([
      {
        taskId: "a",
        generation: 2,
        event: working,
        key: expect.stringMatching(/^\["statusUpdate","a",2,"[\da-f]{16}"\]$/) as string,
      },
    ]);
  });

  it("the receiver accepts an event with the number of a lost event, and still drops repeated events", async () => {
    const { post, events } = receiving();
    const other = {
      statusUpdate: { ...working.statusUpdate, status: { state: "TASK_STATE_COMPLETED" } },
    };
    const idempotent = { "idempotency-key": "a/2" };
    for (const change of [{}, idempotent])
      for (const body of [working, other, working, other])
        expect(await post(body, change)).toEqual([204, ""]);
    expect(events.map(({ event }) => event)).toEqual([working, other]);
  });

  it("the receiver delivers each event of an agent once, whatever generations and contents the events share", async () => {
    const sequences = fc.array(artifactEvents, { minLength: 1, maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(sequences, async (entries) => {
        const { post, events } = receiving();
        const posts = await Promise.all(entries.map(postOf));
        // Each event arrives a second time, after all other events.
        for (const { text, headers: sent } of [...posts, ...posts])
          expect(await post(text, sent)).toEqual([204, ""]);
        const distinct = new Set(entries.map((entry) => JSON.stringify(entry)));
        expect(events).toHaveLength(distinct.size);
        expect(new Set(events.map(({ key }) => key)).size).toBe(distinct.size);
      }),
      { numRuns: sized(50, 1_000) },
    );
  });

  it("the receiver drops a repeated event whose body is a later snapshot of the task", async () => {
    const { post, events } = receiving();
    const key = { "idempotency-key": '"a/7/0123456789abcdef"' };
    const snapshot = (timestamp: string) => ({
      task: { id: "a", contextId: "c", status: { state: "TASK_STATE_WORKING", timestamp } },
    });
    await post(snapshot("2026-01-01T00:00:00Z"), key);
    await post(snapshot("2026-01-01T00:00:01Z"), key);
    await post(snapshot("2026-01-01T00:00:00Z"), { "idempotency-key": '"a/7/123456789abcdef0"' });
    expect(events).toHaveLength(2);
  });

  it("the receiver knows a webhook by its URL, and refuses other senders before it reads their bodies", async () => {
    const events: PushEvent[] = [];
    const receiver = pushReceiver({
      tokenForUrl: (url) => (url === "/hook?id=42" ? "t1" : undefined),
      onEvent: (event) => events.push(event),
    });
    const post = async (url: string, token: string) => {
      let isRead = false;
      const request = new Request(`https://example.com${url}`, {
        method: "POST",
        headers: { ...headers, "x-a2a-notification-token": token },
        body: new ReadableStream(
          {
            pull(controller) {
              isRead = true;
              controller.enqueue(new TextEncoder().encode(JSON.stringify(working)));
              controller.close();
            },
          },
          { highWaterMark: 0 },
        ),
        duplex: "half",
      });
      return [(await receiver.fetch(request)).status, isRead];
    };
    expect(await post("/hook?id=42", "t2")).toEqual([401, false]);
    expect(await post("/hook?id=43", "t1")).toEqual([401, false]);
    expect(await post("/hook?id=43", "")).toEqual([401, false]);
    expect(await post("/hook?id=42", "t1")).toEqual([204, true]);
    expect(events).toHaveLength(1);
  });

  it.each([
    ["nested lists", "[".repeat(200_000)],
    ["empty lists", `[${"[],".repeat(200_000)}[]]`],
    ["numbers", `[${"1,".repeat(1_100_000)}1]`],
  ])(
    "the receiver refuses a body with too many values before it parses the body: %s",
    async (_, body) => {
      const { post } = receiving({ token: () => "t1" });
      expect(await post(body)).toEqual([
        413,
        expect.stringMatching(/^The body contains more than \d+ /),
      ]);
    },
  );

  it("the receiver accepts a task, which earlier versions send", async () => {
    const { post, events } = receiving();
    const task = { id: "a", contextId: "c", status: { state: "TASK_STATE_COMPLETED" } };
    expect(await post(task, { "content-type": "application/json" })).toEqual([204, ""]);
    expect(events).toMatchObject([{ taskId: "a", event: { task } }]);
    expect(events[0]).not.toHaveProperty("generation");
  });

  it("the receiver reads the other versions that its options name", async () => {
    const read = (body: unknown) =>
      typeof body === "object" && body !== null && "kind" in body
        ? { task: { id: "b", status: { state: "TASK_STATE_WORKING" as const } } }
        : undefined;
    const { post, events } = receiving({ read });
    await post({ kind: "task", id: "b", status: { state: "working" } });
    await post(working);
    expect(events.map(({ taskId }) => taskId)).toEqual(["b", "a"]);
  });

  it.each([
    ["no secret", {}, {}, 401],
    ["another token", { "x-a2a-notification-token": "t2" }, {}, 401],
    ["the token as other SDKs send it", { "a2a-notification-token": "t1" }, {}, 204],
    ["another token as other SDKs send it", { "a2a-notification-token": "t2" }, {}, 401],
    [
      "the token of the task as other SDKs send it",
      { "a2a-notification-token": "for a" },
      { token: (id: string) => `for ${id}` },
      204,
    ],
    [
      "a scheme in another case",
      { ...own, authorization: "bearer S" },
      { authorization: "Bearer S" },
      204,
    ],
    [
      "credentials in another case",
      { ...own, authorization: "Bearer s" },
      { authorization: "Bearer S" },
      401,
    ],
    [
      "a secret without a scheme in another case",
      { ...own, authorization: "s" },
      { authorization: "S" },
      401,
    ],
    ["a longer token", { "x-a2a-notification-token": "t11" }, {}, 401],
    ["the token", { "x-a2a-notification-token": "t1" }, {}, 204],
    ["the token alone", { "x-a2a-notification-token": "t1" }, { authorization: "Bearer s" }, 401],
    [
      "credentials as well",
      { "x-a2a-notification-token": "t1", authorization: "Bearer s" },
      { authorization: "Bearer s" },
      204,
    ],
    [
      "a hook that returns false",
      { "x-a2a-notification-token": "t1" },
      { authenticate: () => false },
      401,
    ],
    [
      "a hook that throws",
      { "x-a2a-notification-token": "t1" },
      { authenticate: () => Promise.reject(new Error("expired")) },
      401,
    ],
    [
      "the token of the task",
      { "x-a2a-notification-token": "for a" },
      { token: async (id: string) => `for ${id}` },
      204,
    ],
    [
      "the token of another task",
      { "x-a2a-notification-token": "for b" },
      { token: async (id: string) => `for ${id}` },
      401,
    ],
    [
      "no token for a task without one",
      { "x-a2a-notification-token": "" },
      { token: () => undefined },
      401,
    ],
  ])(
    "the receiver checks the sender: %s",
    async (_, given: Record<string, string>, options: Partial<PushReceiverOptions>, status) => {
      const { post, events } = receiving(options);
      const response = await post(working, given, {
        headers: { "content-type": "application/json", ...given },
      });
      expect(response[0]).toBe(status);
      expect(events).toHaveLength(status === 204 ? 1 : 0);
    },
  );

  it.each([
    ["Basic YTpi", "Basic"],
    ["a-secret-alone", "Bearer"],
    [undefined, "Bearer"],
  ])(
    "the challenge for a refused sender names the scheme of %s and nothing of its secret",
    async (authorization, scheme) => {
      const { receiver } = receiving(authorization === undefined ? {} : { authorization });
      const response = await receiver.fetch(
        new Request("https://example.com/", { method: "POST" }),
      );
      expect([response.status, response.headers.get("www-authenticate")]).toEqual([401, scheme]);
    },
  );

  it("pushReceiver throws if no option checks the sender", () => {
    expect(() => pushReceiver({})).toThrow(
      "`token`, `tokenForUrl`, `authorization` or `authenticate`",
    );
  });

  it.each<[options: PushReceiverOptions, problem: string]>([
    [{ token: "" }, "`token` of pushReceiver is an empty string"],
    [{ token: "  ", authenticate: () => true }, "`token` of pushReceiver is an empty string"],
    [{ token: "t1", authorization: "" }, "`authorization` of pushReceiver is an empty string"],
    [
      { authorization: "Bearer " },
      '`authorization` of pushReceiver is "Bearer ", without credentials',
    ],
  ])("pushReceiver throws if a secret is publicly known: %j", (options, problem) => {
    expect(() => pushReceiver(options)).toThrow(problem);
    expect(() => pushReceiver(options)).toThrow("an environment variable may be missing");
  });

  it.each<[result: unknown]>([
    ...nobodies.map((user): [unknown] => [user]),
    ["yes"],
    [1],
    [{}],
    [{ id: "ada" }],
  ])("the receiver refuses a notification if `authenticate` returns %j", async (result) => {
    for (const authenticate of [() => result as boolean, async () => result as boolean]) {
      const { post, events } = receiving({ authenticate });
      expect((await post(working))[0]).toBe(401);
      expect(events).toEqual([]);
    }
  });

  it("the receiver accepts a notification if `authenticate` returns true", async () => {
    expect((await receiving({ authenticate: async () => true }).post(working))[0]).toBe(204);
  });

  it.each([
    ["another method", 405, "", {}, { method: "PUT" }],
    ["another media type", 415, "{}", { "content-type": "text/plain" }, {}],
    ["a compressed body", 415, "{}", { "content-encoding": "gzip" }, {}],
    ["a large body", 413, "x".repeat(2_000), {}, {}],
    ["no JSON", 400, "{", {}, {}],
    ["no event", 400, "[]", {}, {}],
    ["an empty event", 400, "{}", {}, {}],
    [
      "no task",
      400,
      JSON.stringify({ message: { messageId: "m", role: "ROLE_AGENT", parts: [] } }),
      {},
      {},
    ],
    ["a deep body", 400, `${"[".repeat(900)}${"]".repeat(900)}`, {}, {}],
    ["a task that is not expected", 404, JSON.stringify(entryOf("b", 1).event), {}, {}],
  ])("the receiver refuses %s with %i", async (_, status, body, change, init) => {
    const { post, events, errors } = receiving({
      maxBodyBytes: 1_900,
      accepts: (id) => id === "a",
    });
    expect((await post(body, change, init))[0]).toBe(status);
    expect([...events, ...errors]).toEqual([]);
  });

  it.each([
    [
      "the same generation",
      [working, { statusUpdate: { ...working.statusUpdate, metadata: {} } }],
      [{}, {}],
      1,
    ],
    ["another generation", [working, entryOf("a", 3).event], [{}, {}], 2],
    ["the same generation of another task", [working, entryOf("b", 2).event], [{}, {}], 2],
    ["the same key", [piece, piece], [{ "idempotency-key": "k" }, { "idempotency-key": "k" }], 1],
    ["another key", [piece, piece], [{ "idempotency-key": "k" }, { "idempotency-key": "l" }], 2],
    ["a chunk like the previous chunk", [piece, piece], [{}, {}], 2],
    [
      "the same artifact",
      [{ artifactUpdate: { ...piece.artifactUpdate, append: false } }],
      [{}, {}],
      1,
    ],
  ])("the receiver recognizes a repeated event: %s", async (_, bodies, changes, count) => {
    const { post, events } = receiving();
    for (const [index, change] of changes.entries())
      expect((await post(bodies[index] ?? bodies[0], change))[0]).toBe(204);
    expect(events).toHaveLength(count);
  });

  it.each([
    ["generation", { generation: 2 }, undefined],
    ["key", {}, "k".repeat(10_000)],
    ["text", {}, undefined],
  ])("the receiver remembers little of a large event, by its %s", async (_, known, key) => {
    const eventOf = (taskId: string) => ({ taskId, event: working, ...known });
    const keys = ["a", "b"].map((id) => keyOf(eventOf(id.repeat(10_000)), key, id.repeat(10_000)));
    const [one, other] = await Promise.all(keys);
    expect(one?.length).toBeLessThan(300);
    expect(one).not.toBe(other);
  });

  it("two receivers give an event the same key if the agent sends a key or the content determines it", async () => {
    const keys = async (...posts: Parameters<ReturnType<typeof receiving>["post"]>[]) => {
      const { post, events } = receiving();
      for (const each of posts) await post(...each);
      return events.map(({ key }) => key);
    };
    const named = [piece, { "idempotency-key": '"a/7"' }] as const;
    const status = {
      statusUpdate: { taskId: "a", contextId: "c", status: { state: "TASK_STATE_WORKING" } },
    };
    const first = await keys([...named], [status], [piece]);
    expect(await keys([status], [...named], [piece])).toEqual([first[1], first[0], undefined]);
    expect(first[2]).toBeUndefined();
    expect(new Set(first).size).toBe(3);
  });

  it("the receiver refuses events that are too old, unless they were accepted before", async () => {
    const { post, events } = receiving({ maxAgeMs: 60_000 });
    const at = (ms: number, state = "TASK_STATE_WORKING") => ({
      state,
      timestamp: new Date(Date.now() - ms).toISOString(),
    });
    const update = (ms: number) => ({
      statusUpdate: { taskId: "a", contextId: "c", status: at(ms) },
    });
    const task = (ms: number, state?: string) => ({
      id: "a",
      contextId: "c",
      status: at(ms, state),
    });
    expect((await post(update(1_000)))[0]).toBe(204);
    expect(await post(update(61_000))).toEqual([400, "The event is more than 60000 ms old\n"]);
    expect((await post(task(61_000)))[0]).toBe(204);
    expect((await post(task(61_000, "TASK_STATE_COMPLETED")))[0]).toBe(400);
    expect((await post(piece))[0]).toBe(204);
    expect(events).toHaveLength(3);
    const taken = update(30_000);
    await post(taken);
    const now = vi.spyOn(Date, "now").mockReturnValue(Date.now() + 120_000);
    expect((await post(taken))[0]).toBe(204);
    now.mockRestore();
    expect(events).toHaveLength(4);
  });

  it("the receiver reports what it refuses, with the reason and the source", async () => {
    const refused: unknown[] = [];
    const { post, errors } = receiving({
      accepts: (id) => id === "a",
      onRefused: ({ headers: given, ...rest }) => {
        refused.push({ ...rest, from: given.get("x-forwarded-for") });
        if (refused.length === 3) throw new Error("no log");
      },
      onEvent: () => Promise.reject(new Error("no disk")),
    });
    await post(working, { "x-a2a-notification-token": "t2", "x-forwarded-for": "192.0.2.7" });
    await post(entryOf("b", 1).event);
    await post("{");
    await post(working);
    const url = "/hook";
    expect(refused).toEqual([
      {
        status: 401,
        reason: "The credentials of the request are missing or invalid",
        url,
        from: "192.0.2.7",
      },
      {
        status: 404,
        reason: "The webhook does not accept events of the task",
        url,
        taskId: "b",
        from: undefined,
      },
      {
        status: 400,
        reason: expect.stringContaining("The body is not JSON") as unknown,
        url,
        from: undefined,
      },
      {
        status: 500,
        reason: "The event could not be processed",
        url,
        taskId: "a",
        from: undefined,
      },
    ]);
    expect(errors).toEqual([new Error("no log"), new Error("no disk")]);
  });

  it("the receiver forgets the keys of old events", async () => {
    const { post, events } = receiving({ maxSeen: 2 });
    for (const generation of [1, 2, 3, 1, 3]) await post(entryOf("a", generation).event);
    expect(events.map(({ generation }) => generation)).toEqual([1, 2, 3, 1]);
  });

  it("the receiver accepts a repetition of an event that it could not process", async () => {
    let isBroken = true;
    const { post, events, errors } = receiving({
      onEvent: (event) => (isBroken ? Promise.reject(new Error("no disk")) : events.push(event)),
    });
    expect((await post(working))[0]).toBe(500);
    expect(errors).toEqual([new Error("no disk")]);
    isBroken = false;
    expect((await post(working))[0]).toBe(204);
    expect(events).toHaveLength(1);
  });

  it("a repeated event waits for the copy that is being processed", async () => {
    let finish: (() => void) | undefined;
    const onEvent = vi.fn(() => new Promise<void>((resolve) => (finish = resolve)));
    const { post } = receiving({ onEvent });
    const answers = [post(working), post(working)];
    await vi.waitFor(() => expect(finish).toBeDefined());
    finish?.();
    expect((await Promise.all(answers)).map(([status]) => status)).toEqual([204, 204]);
    expect(onEvent).toHaveBeenCalledTimes(1);
  });

  it.each([true, false])(
    "the receiver responds that it is busy if too many events are being processed or wait (a hook: %s)",
    async (hasHook) => {
      const onEvent = () => new Promise(() => undefined);
      const receiver = pushReceiver({ token: "t1", maxWaiting: 2, ...(hasHook && { onEvent }) });
      const answers = [1, 2, 3].map((generation) => {
        const body = JSON.stringify(entryOf("a", generation).event);
        return receiver.fetch(
          new Request("https://example.com/", { method: "POST", headers, body }),
        );
      });
      const { status, headers: answer } = await Promise.race(answers);
      expect([status, answer.get("retry-after")]).toEqual([503, "1"]);
      receiver.close();
    },
  );

  it("a closed receiver ends its events and refuses notifications", async () => {
    const receiver = pushReceiver({ token: "t1" });
    const reader = receiver.events[Symbol.asyncIterator]();
    const next = reader.next();
    receiver.close();
    expect(await next).toEqual({ done: true, value: undefined });
    const request = new Request("https://a/", {
      method: "POST",
      headers,
      body: JSON.stringify(working),
    });
    expect((await receiver.fetch(request)).status).toBe(503);
  });

  it.each(["/hooks/a2a", "/"])(
    "a receiver with the path %s can be mounted in Express at /hooks/a2a",
    async (path) => {
      const receiver = pushReceiver({ token: "t1", path, onEvent: () => undefined });
      const app = express();
      app.use("/hooks/a2a", pushListener(receiver));
      const origin = await listen(app);
      const post = (url: string) =>
        fetch(url, { method: "POST", headers, body: JSON.stringify(working) });
      expect((await post(`${origin}/hooks/a2a`)).status).toBe(204);
      expect((await post(`${origin}/hooks/a2a/other`)).status).toBe(404);
      expect((await post(`${origin}/hooks`)).status).toBe(404);
    },
  );

  it("the receiver gets the notifications of a sender in order, over a socket of Node", async () => {
    const receiver = pushReceiver({ token: "t1", path: "/hook" });
    const origin = await listen(pushListener(receiver));
    expect((await fetch(`${origin}/other`, { method: "POST" })).status).toBe(404);
    const { store } = startSender();
    await (await taskWithWebhook(store, "a", { url: `${origin}/hook`, token: "t1" })).append(20);
    const found: unknown[] = [];
    for await (const { generation } of receiver.events) if (found.push(generation) === 20) break;
    expect(found).toEqual(Array.from({ length: 20 }, (_, index) => index + 2));
  });
});
