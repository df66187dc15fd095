import { describe, expect, it, vi } from "vitest";
import { refusal } from "../../support/everywhere.js";
import type { Received } from "../../support/http.js";
import { startWebhook } from "../../support/webhook.js";
import { at } from "../interop/json.js";
import {
  editions,
  idOf,
  onEveryBinding,
  send,
  stateOf,
  webhook,
  webhooks,
  type Edition,
} from "./editions.js";

const url = "https://example.com/hook";

/**
 * The states that 1.0 posts with each event, and 0.3 with the task after it, while the agent says
 * "very blue".
 */
function statesIn(
  { version, isTask, isEvent }: Edition,
  deliveries: readonly Received[],
): unknown[] {
  const bodies = deliveries.map(({ body }): unknown => JSON.parse(body));
  expect(bodies.every(version === "1.0" ? isEvent : isTask)).toBe(true);
  if (version !== "1.0") return bodies.map(stateOf);
  return bodies.map((body) =>
    at(body, "statusUpdate") === undefined ? "artifact" : stateOf(at(body, "statusUpdate")),
  );
}

const expectedStates = new Map([
  ["1.0", ["working", "artifact", "artifact", "completed"]],
  ["0.3.0", ["working", "working", "working", "completed"]],
]);

describe.each(editions)("$version over every binding", (edition) => {
  const { dialect, version } = edition;
  const states = expectedStates.get(version) ?? [];
  const nested = version === "1.0" ? "taskPushNotificationConfig" : "pushNotificationConfig";

  it("the agent stores, reads and lists webhooks of a task, and deletes them twice", async () => {
    const [first, mine] = [
      {
        taskId: "id-1",
        id: "first",
        url,
        token: "t",
        authentication: { scheme: "Basic", credentials: "YTpi" },
      },
      { taskId: "id-1", id: "mine", url: `${url}/new` },
    ];
    const result = await onEveryBinding(edition, async (side) => {
      const taskId = idOf(await send(side, "done"));
      const stored = await webhook(side, "create", { ...first, taskId });
      await webhook(side, "create", { taskId, id: "mine", url });
      await webhook(side, "create", mine);
      const read = await webhook(side, "get", first);
      const listed = await webhooks(side, taskId);
      await webhook(side, "delete", first);
      await webhook(side, "delete", first);
      return { stored, read, listed, removed: await refusal(webhook(side, "get", first)) };
    });
    // The task kit sends credentials only to the webhook.
    const authentication = version === "1.0" ? { scheme: "Basic" } : first.authentication;
    const written = JSON.parse(
      JSON.stringify(dialect.config({ ...first, authentication })),
    ) as unknown;
    expect([result.stored, result.read]).toMatchObject([written, written]);
    const configs = at(result.listed, "configs") ?? result.listed;
    expect(configs).toHaveLength(2);
    expect(configs).toEqual(
      expect.arrayContaining(
        [written, dialect.config(mine)].map(
          (config) => expect.objectContaining(config as object) as unknown,
        ),
      ),
    );
    expect(result.removed.name).toBe("TaskNotFoundError");
  });

  it("the agent creates an id for a webhook without an id", async () => {
    const stored = await onEveryBinding(edition, async (side) => {
      const taskId = idOf(await send(side, "done"));
      return webhook(side, "create", { taskId, url });
    });
    expect(at(stored, "id") ?? at(stored, "pushNotificationConfig", "id")).toMatch(/^id-[34]$/);
  });

  it("the agent refuses webhooks of an unknown task", async () => {
    const config = { taskId: "none", id: "c", url };
    const refused = await onEveryBinding(edition, (side) =>
      Promise.all([
        refusal(webhook(side, "create", config)),
        refusal(webhook(side, "get", config)),
        refusal(webhook(side, "delete", config)),
        refusal(webhooks(side, "none")),
      ]),
    );
    expect(refused.map(({ name }) => name)).toEqual(Array(4).fill("TaskNotFoundError"));
  });

  it.each(["file:///etc/passwd", "not a url", "http://forbidden.example/"])(
    "the agent refuses a webhook at %s",
    async (wrong) => {
      const push = { allow: ({ hostname }: URL) => hostname !== "forbidden.example" };
      const refused = await onEveryBinding(
        edition,
        async (side) => [
          await refusal(
            webhook(side, "create", {
              taskId: idOf(await send(side, "done")),
              id: "c",
              url: wrong,
            }),
          ),
          await refusal(
            send(
              side,
              "hi",
              {},
              { configuration: { taskPushNotificationConfig: { id: "c", url: wrong } } },
            ),
          ),
        ],
        { push },
      );
      const field = version === "1.0" ? "url" : "pushNotificationConfig[./]url";
      expect(refused).toEqual([
        {
          name: "InvalidParamsError",
          message: expect.stringMatching(`${field} (?:must|expected|is)`) as string,
        },
        {
          name: "InvalidParamsError",
          message: expect.stringMatching(
            `configuration[./]${nested}[./]url (?:must|expected|is)`,
          ) as string,
        },
      ]);
    },
  );

  it("the agent posts every update once, in order, with everything that the webhook needs to verify it", async () => {
    const { headers, posted } = await onEveryBinding(edition, async (side) => {
      const { url: hook, deliveries } = await startWebhook();
      const authentication = { scheme: "Bearer", credentials: "secret" };
      const taskId = idOf(await send(side, "ask"));
      await webhook(side, "create", { taskId, id: "c", url: hook, token: "t-1", authentication });
      await send(side, "very blue", { taskId });
      await vi.waitFor(() => expect(deliveries).toHaveLength(states.length));
      const {
        "content-type": type,
        authorization,
        "x-a2a-notification-token": token,
      } = deliveries[0]?.headers ?? {};
      for (const delivery of deliveries) {
        expect(delivery.headers["content-length"]).toBe(String(Buffer.byteLength(delivery.body)));
      }
      return { headers: { type, authorization, token }, posted: statesIn(edition, deliveries) };
    });
    const type = version === "1.0" ? "application/a2a+json" : "application/json";
    expect(headers).toEqual({ type, authorization: "Bearer secret", token: "t-1" });
    expect(posted).toEqual(states);
  });

  it("the agent posts to the webhook in a message", async () => {
    const posted = await onEveryBinding(edition, async (side) => {
      const { url: hook, deliveries } = await startWebhook();
      await send(
        side,
        "very blue",
        {},
        { configuration: { taskPushNotificationConfig: { url: hook } } },
      );
      await vi.waitFor(() => expect(deliveries).toHaveLength(states.length));
      return statesIn(edition, deliveries);
    });
    expect(posted).toEqual(states);
  });

  it.each([500, 302, "never" as const])(
    "the agent is not delayed by a webhook that responds with %s",
    async (status) => {
      const failed: unknown[] = [];
      const push = { timeoutMs: 50, onError: (error: unknown) => failed.push(error) };
      const state = await onEveryBinding(
        edition,
        async (side) => {
          const { url: hook } = await startWebhook(status);
          const task = await send(
            side,
            "blue",
            {},
            { configuration: { taskPushNotificationConfig: { url: hook } } },
          );
          await vi.waitFor(() => expect(failed.length).toBeGreaterThan(2));
          return stateOf(task);
        },
        { push },
      );
      expect(state).toBe("completed");
    },
  );

  it("the agent does not post to a deleted webhook", async () => {
    const count = await onEveryBinding(edition, async (side) => {
      const [deleted, kept] = await Promise.all([startWebhook(), startWebhook()]);
      const taskId = idOf(await send(side, "ask"));
      await webhook(side, "create", { taskId, id: "deleted", url: deleted.url });
      await webhook(side, "create", { taskId, id: "kept", url: kept.url });
      await webhook(side, "delete", { taskId, id: "deleted" });
      await send(side, "very blue", { taskId });
      await vi.waitFor(() => expect(kept.deliveries).toHaveLength(states.length));
      return deleted.deliveries.length;
    });
    expect(count).toBe(0);
  });
});

describe("webhooks of 0.3.0", () => {
  it("the agent reads a webhook without its id, except over HTTP, whose route contains the id", async () => {
    const edition = editions.find(({ version }) => version === "0.3.0");
    if (edition === undefined) throw new Error("Missing echo agent of 0.3.0");
    const [none, first] = await onEveryBinding(edition, async (side) => {
      const taskId = idOf(await send(side, "done"));
      const read = (request: object) =>
        side.client.call("getTaskPushNotificationConfig", { id: taskId, ...request });
      const isHttp = side.binding === "HTTP+JSON";
      if (isHttp) expect((await refusal(read({}))).name).toBe("InvalidParamsError");
      const named = isHttp ? { pushNotificationConfigId: "mine" } : {};
      const nothing = await refusal(read(named));
      await webhook(side, "create", { taskId, id: "mine", url });
      return [nothing, await read(named)] as const;
    });
    expect(none).toEqual({ name: "TaskNotFoundError", message: "The task has no such webhook" });
    expect(first).toMatchObject({ taskId: "id-1", pushNotificationConfig: { id: "mine" } });
  });
});
