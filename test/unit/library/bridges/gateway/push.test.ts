import { describe, expect, it } from "vitest";
import { createTaskPushNotificationConfig } from "../../../../../generated/1.0/operations.js";
import { operations, protocol } from "../../../../../generated/1.0/operations.js";
import { StreamResponseSchema, TaskSchema } from "../../../../../generated/1.0/validators.js";
import type { CallContext } from "../../../../../library/runtime/server/context.js";
import { webhookCapability } from "../../../../../library/bridges/gateway/card.js";
import {
  type GatewayPushOptions,
  WebhookRelay,
} from "../../../../../library/bridges/gateway/push.js";
import {
  PrivateAddressError,
  type PushRequest,
  type PushResponse,
} from "../../../../../library/kit/push/push-transport.js";
import { fetchHandler } from "../../../../../library/runtime/http/adapters/fetch.js";
import { ValidationError } from "../../../../../library/runtime/schema/schema.js";

const secret = "s".repeat(32);
const url = "https://gateway.test";
const event = {
  statusUpdate: { taskId: "t", contextId: "c", status: { state: "TASK_STATE_COMPLETED" } },
};
const task = { id: "t", contextId: "c", status: { state: "TASK_STATE_COMPLETED" as const } };

/** Returns a relay whose webhook responds as a function does, and what it has posted. */
function relayTo(
  respond: (request: PushRequest) => Promise<PushResponse> = () => Promise.resolve({ status: 204 }),
  options: Partial<GatewayPushOptions> = {},
  parts: Partial<ConstructorParameters<typeof WebhookRelay>[1]> = {},
) {
  const posts: PushRequest[] = [];
  const errors: unknown[] = [];
  const post = (request: PushRequest): Promise<PushResponse> => {
    posts.push(request);
    return respond(request);
  };
  const relay = new WebhookRelay(
    { secret, transport: { post }, ...options },
    {
      url,
      protocol,
      receiver: { protocol, event: StreamResponseSchema, task: TaskSchema },
      capability: webhookCapability(operations),
      received: [],
      formOf: () => undefined,
      taskOf: () => Promise.resolve(task),
      report: (error) => errors.push(error),
      ...parts,
    },
  );
  const handle = fetchHandler(relay.part);
  return {
    relay,
    posts,
    errors,
    /** Posts a body to a URL of the gateway, as the upstream does. */
    post: (to: string, body: unknown = event, headers: Record<string, string> = {}) =>
      handle(
        new Request(to, {
          method: "POST",
          headers: { "content-type": "application/a2a+json", ...headers },
          body: typeof body === "string" ? body : JSON.stringify(body),
        }),
      ),
    sealed: async (config: object = { url: "https://caller.test/hook" }, version = "1.0") => {
      const operation = createTaskPushNotificationConfig;
      const context = { version, tenant: undefined } as CallContext;
      const request = { taskId: "t", ...config };
      const headers = { authorization: "Bearer caller" };
      const sent = (await relay.request(operation, request, context, headers)) as { url: string };
      return sent;
    },
  };
}

describe("a relay of webhooks", () => {
  it("the upstream gets no data of the caller's webhook", async () => {
    const { sealed } = relayTo();
    const authentication = { scheme: "Bearer", credentials: "key" };
    const sent = await sealed({ url: "https://caller.test/hook", token: "tok", authentication });
    expect(sent).toEqual({
      taskId: "t",
      url: expect.stringMatching(/^https:\/\/gateway\.test\/webhooks\/[\w-]{80,}$/) as string,
    });
  });

  it("an event is passed on with the key of the event, and no other headers", async () => {
    const { sealed, post, posts } = relayTo();
    const { url: to } = await sealed();
    const response = await post(to, event, {
      "idempotency-key": '"t/3"',
      authorization: "Bearer upstream",
      cookie: "a=b",
      "x-a2a-notification-token": "upstream",
    });
    expect(response.status).toBe(204);
    expect(posts).toHaveLength(1);
    expect(posts[0]).toMatchObject({ body: JSON.stringify(event), mayBePrivate: false });
    expect(posts[0]?.url.href).toBe("https://caller.test/hook");
    expect(posts[0]?.headers).toEqual({
      "a2a-version": "1.0",
      "content-type": "application/a2a+json",
      "idempotency-key": '"t/3"',
    });
  });

  it.each([
    [200, 204],
    [299, 204],
    [302, 302],
    [401, 401],
    [410, 410],
    [503, 503],
    [101, 502],
    [0, 502],
  ])("a webhook's status %i is the status %i for the upstream", async (status, expected) => {
    const { sealed, post } = relayTo(() => Promise.resolve({ status, retryAfter: "7" }));
    const response = await post((await sealed()).url);
    expect(response.status).toBe(expected);
    expect(response.headers.get("retry-after")).toBe(expected === 204 ? null : "7");
  });

  it.each([
    [new Error("connect ECONNREFUSED 10.0.0.7"), 502],
    [new PrivateAddressError("10.0.0.7"), 403],
    [new DOMException("10.0.0.7", "TimeoutError"), 504],
    [new ValidationError("Task", []), 410],
  ])("the upstream sees no details of the error %s", async (error, status) => {
    const { sealed, post, errors } = relayTo(() => Promise.reject(error));
    const response = await post((await sealed()).url);
    expect(response.status).toBe(status);
    expect(await response.text()).not.toContain("10.0.0.7");
    expect(errors).toEqual([error]);
  });

  it("a webhook that does not respond has a time-out", async () => {
    const { sealed, post } = relayTo(() => new Promise(() => undefined), { timeoutMs: 10 });
    expect((await post((await sealed()).url)).status).toBe(504);
  });

  it("a seal whose webhook is no longer allowed reaches no address", async () => {
    const lax = relayTo(undefined, { allowPrivateAddresses: true });
    const strict = relayTo();
    const { url: to } = await lax.sealed({ url: "http://127.0.0.1/admin" });
    expect((await strict.post(to)).status).toBe(403);
    expect(strict.posts).toEqual([]);
    const denying = relayTo(undefined, { allow: ({ hostname }) => hostname === "other.test" });
    expect((await denying.post((await strict.sealed()).url)).status).toBe(403);
    expect(denying.posts).toEqual([]);
  });

  it("a forged or foreign seal gets 404, and its body is not read", async () => {
    const { sealed, post, posts } = relayTo();
    const foreign = relayTo(undefined, { secret: "f".repeat(32) });
    const elsewhere = relayTo(undefined, {}, { url: "https://other.test" });
    const { url: own } = await sealed();
    const other = (await elsewhere.sealed()).url.replace("other.test", "gateway.test");
    const changed = own.endsWith("A") ? `${own.slice(0, -1)}E` : `${own.slice(0, -1)}A`;
    const body = "x".repeat(100);
    for (const to of [(await foreign.sealed()).url, other, `${own}AAAA`, changed])
      expect((await post(to, body)).status).toBe(404);
    expect(posts).toEqual([]);
  });

  it.each([
    ["no JSON", "{", {}, 400],
    ["no event", { secret: 1 }, {}, 400],
    ["another type", event, { "content-type": "text/plain" }, 415],
    ["a large body", { ...event, text: "x".repeat(2_000) }, {}, 413],
  ])("a post with %s is refused", async (_, body, headers, status) => {
    const { sealed, post, posts } = relayTo(undefined, { maxBodyBytes: 1_000 });
    expect((await post((await sealed()).url, body, headers)).status).toBe(status);
    expect(posts).toEqual([]);
  });

  it("too many concurrent posts are refused for a while", async () => {
    let release: () => void = () => undefined;
    const waiting = new Promise<PushResponse>((resolve) => {
      release = () => {
        resolve({ status: 204 });
      };
    });
    const { sealed, post } = relayTo(() => waiting, { maxParallel: 1 });
    const { url: to } = await sealed();
    const first = post(to);
    const second = await post(to);
    expect(second.status).toBe(503);
    expect(second.headers.get("retry-after")).toBe("1");
    release();
    expect((await first).status).toBe(204);
    expect((await post(to)).status).toBe(204);
  });

  it("a caller whose version posts tasks gets the task with the status of the event", async () => {
    const form = {
      type: "Task",
      contentType: "application/json",
      bodyOf: (value: unknown) => value,
    };
    const reads: unknown[] = [];
    const { sealed, post, posts } = relayTo(
      undefined,
      {},
      {
        formOf: () => form,
        taskOf: (request, { headers }) => {
          reads.push([request, headers]);
          return Promise.resolve(task);
        },
      },
    );
    const { url: to } = await sealed(undefined, "0.3");
    const status = { state: "TASK_STATE_WORKING" };
    await post(to, { statusUpdate: { ...event.statusUpdate, status } });
    const artifact = { artifactId: "a", parts: [{ text: "x" }] };
    await post(to, { artifactUpdate: { taskId: "t", contextId: "c", artifact } });
    await post(to);
    await post(to, { task });
    expect(posts.map(({ body }) => JSON.parse(body) as unknown)).toMatchObject([
      { id: "t", status },
      // A task that has ended since was still working when the artifact changed.
      { id: "t", status },
      { id: "t", status: { state: "TASK_STATE_COMPLETED" } },
      { id: "t", status: { state: "TASK_STATE_COMPLETED" } },
    ]);
    expect(reads).toEqual(Array(3).fill([{ id: "t" }, { authorization: "Bearer caller" }]));
    expect(posts[0]?.headers).toMatchObject({
      "a2a-version": "0.3",
      "content-type": "application/json",
    });
  });

  it("responses show the caller's webhook, without its credentials", async () => {
    const { relay, sealed } = relayTo();
    const authentication = { scheme: "Bearer", credentials: "key" };
    const config = { url: "https://caller.test/hook", token: "tok", authentication };
    const sent = await sealed(config);
    const shown = {
      taskId: "t",
      id: "w",
      url: config.url,
      token: "tok",
      authentication: { scheme: "Bearer" },
    };
    const foreign = { taskId: "t", id: "o", url: "https://else.test" };
    const operation = createTaskPushNotificationConfig;
    expect(await relay.response(operation, { ...sent, id: "w" })).toEqual(shown);
    expect(
      await relay.response(operation, { configs: [{ ...sent, id: "w" }, foreign], next: "n" }),
    ).toEqual({ configs: [shown, foreign], next: "n" });
  });

  it("requests for other paths and methods are not for the relay", () => {
    const { relay } = relayTo();
    const request = (path: string, method = "POST") =>
      // The relay reads nothing else to decide.
      relay.part({ method, url: path } as never, true);
    expect(request("/webhooks/tasks")).toBeUndefined();
    expect(request("/webhooks/message:send")).toBeUndefined();
    expect(request(`/webhooks/${"A".repeat(80)}`, "GET")).toBeUndefined();
    expect(request(`/x/webhooks/${"A".repeat(80)}`)).toBeUndefined();
    expect(request(`/webhooks/${"A".repeat(80)}`)).toBeDefined();
  });
});
