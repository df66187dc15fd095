import { describe, expect, it, onTestFinished } from "vitest";
import type {
  Message,
  SendMessageRequest,
  TaskPushNotificationConfig,
} from "../../../../../generated/1.1-draft/models.js";
import { memoryStore } from "../../../../../library/kit/memory/store.js";
import { PushConfigs, withDefaultId } from "../../../../../library/kit/push/push-configs.js";
import { completed, inputRequired, working } from "../../../../../library/kit/turns/updates.js";
import { kitAgent, message } from "../../../../support/kit.js";
import { scope, taskWithWebhook } from "../../../../support/push.js";

const url = "https://example.com/hook";

/** The operations on webhooks, and a task with the id `a` and the webhook `w`. */
async function withTask() {
  const store = memoryStore();
  let ids = 0;
  const configs = new PushConfigs({
    store,
    options: { maxWebhooks: 3 },
    newId: () => `id${(ids += 1)}`,
  });
  const task = await taskWithWebhook(store, "a", { url });
  const create = (config: Partial<TaskPushNotificationConfig>) =>
    configs.create(scope, { url, taskId: "a", ...config }, "1.0");
  return { store, configs, task, create };
}

describe("a webhook", () => {
  it("a webhook gets an id and its task, and receives the events after its registration", async () => {
    const { store, configs, task, create } = await withTask();
    await task.append(2);
    expect(await create({})).toEqual({ url, taskId: "a", id: "id1" });
    expect(await configs.get(scope, { taskId: "a", id: "id1" })).toEqual({
      url,
      taskId: "a",
      id: "id1",
    });
    expect((await store.webhooks(scope, "a"))?.[0]).toMatchObject({
      id: "id1",
      version: "1.0",
      after: 3,
    });
  });

  it("a webhook replaces the webhook with the same id", async () => {
    const { configs, create } = await withTask();
    await create({ id: "w", url: `${url}2` });
    expect(await configs.list(scope, { taskId: "a" })).toEqual({
      configs: [{ url: `${url}2`, taskId: "a", id: "w" }],
    });
  });

  it("a webhook of a caller before 1.0 updates the webhook that was set without an id, also by a message", async () => {
    const { configs, task, create } = await withTask();
    const named = (id: string) => ({ url: `${url}2`, taskId: "a", id });
    await configs.create(scope, { url, taskId: "a" }, "0.3");
    expect(await configs.create(scope, { url: `${url}2`, taskId: "a", id: "" }, "0.3")).toEqual(
      named("default"),
    );
    expect((await configs.list(scope, { taskId: "a" })).configs.map(({ id }) => id)).toEqual([
      "default",
      "w",
    ]);
    expect(await configs.get(scope, { taskId: "a", id: "default" })).toEqual(named("default"));
    expect(withDefaultId({ url }, "0.3")).toEqual({ url, id: "default" });
    expect(withDefaultId({ url, id: "mine" }, "0.3")).toEqual({ url, id: "mine" });
    await task.append(1);
    expect(await create({})).toMatchObject({ id: "id1" });
  });

  it("a webhook names the tenant of its task, regardless of the tenant in its request", async () => {
    const { store, configs } = await withTask();
    const config = { url, taskId: "a", tenant: "other" };
    const maker = await configs.ofMessage({ tenant: "t", owner: "ada" }, config, undefined, "1.1");
    expect(maker.make("b", 1)).toMatchObject({
      taskId: "b",
      after: 1,
      config: { taskId: "b", tenant: "t", id: "id1" },
    });
    const untenanted = await configs.ofMessage(
      { tenant: "", owner: "ada" },
      config,
      undefined,
      "1.1",
    );
    expect(untenanted.make("b", 1).config).toEqual({ url, taskId: "b", id: "id2" });
    expect(await store.webhooks(scope, "b")).toBeUndefined();
  });

  it("a webhook is returned with its token and without its credentials", async () => {
    const { configs, create } = await withTask();
    const config = { token: "t", authentication: { scheme: "Bearer", credentials: "secret" } };
    const shown = { url, taskId: "a", id: "id1", token: "t", authentication: { scheme: "Bearer" } };
    expect(await create(config)).toEqual(shown);
    expect(await configs.get(scope, { taskId: "a", id: "id1" })).toEqual(shown);
    expect((await configs.list(scope, { taskId: "a" })).configs[0]).toEqual(shown);
  });

  it("webhooks are listed in pages", async () => {
    const { configs, create } = await withTask();
    await create({ id: "b" });
    await create({ id: "c" });
    const ids = async (pageSize: number, pageToken?: string) => {
      const page = await configs.list(scope, {
        taskId: "a",
        pageSize,
        ...(pageToken !== undefined && { pageToken }),
      });
      return [page.configs.map(({ id }) => id).join(), page.nextPageToken];
    };
    expect(await ids(2)).toEqual(["b,c", "c"]);
    expect(await ids(2, "c")).toEqual(["w", undefined]);
    expect(await ids(3)).toEqual(["b,c,w", undefined]);
    expect(await ids(0)).toEqual(["b,c,w", undefined]);
  });

  it("a webhook may be deleted twice", async () => {
    const { configs } = await withTask();
    expect(await configs.delete(scope, { taskId: "a", id: "w" })).toEqual({});
    expect(await configs.delete(scope, { taskId: "a", id: "w" })).toEqual({});
    await expect(configs.get(scope, { taskId: "a", id: "w" })).rejects.toThrow(
      "The task has no such webhook",
    );
  });

  it("a webhook is not found by other owners, and its task is not found either", async () => {
    const { configs } = await withTask();
    const other = { tenant: "", owner: "eve" };
    const refusal = { reason: "TASK_NOT_FOUND", metadata: { taskId: "a" } };
    await expect(configs.create(other, { url, taskId: "a" }, "1.0")).rejects.toMatchObject(refusal);
    await expect(configs.get(other, { taskId: "a", id: "w" })).rejects.toMatchObject(refusal);
    await expect(configs.list(other, { taskId: "a" })).rejects.toMatchObject(refusal);
    await expect(configs.delete(other, { taskId: "a", id: "w" })).rejects.toMatchObject(refusal);
  });

  it("a webhook is refused if the task has too many, unless it replaces another webhook", async () => {
    const { configs, create } = await withTask();
    await create({ id: "b" });
    await create({ id: "c" });
    const refusal = {
      reason: "UNSUPPORTED_OPERATION",
      message: "The task has the maximum number of webhooks, 3: delete one of them",
    };
    await expect(create({})).rejects.toMatchObject(refusal);
    await expect(configs.ofMessage(scope, { url }, "a", "1.0")).rejects.toMatchObject(refusal);
    await expect(create({ id: "c" })).resolves.toMatchObject({ id: "c" });
  });

  it("a webhook is refused if concurrent webhooks exceed the limit, and only then", async () => {
    const { store, create } = await withTask();
    const made = await Promise.allSettled(Array.from({ length: 200 }, () => create({})));
    expect(made.filter(({ status }) => status === "fulfilled")).toHaveLength(2);
    expect(await store.webhooks(scope, "a")).toHaveLength(3);
    await expect(create({ id: "w" })).resolves.toMatchObject({ id: "w" });
  });

  it("a webhook is refused if its message is one of too many concurrent messages to a task", async () => {
    const store = memoryStore();
    const agent = kitAgent({
      store,
      push: { maxWebhooks: 3, transport: { post: () => Promise.resolve({ status: 204 }) } },
      async *run({ untilAborted }) {
        yield working();
        await untilAborted(new Promise(() => undefined));
        return completed();
      },
    });
    onTestFinished(() => agent.close());
    const configuration = { returnImmediately: true, taskPushNotificationConfig: { url } };
    const { id } = await agent.send({ ...message("first"), configuration }, "ada");
    const sent = Array.from({ length: 50 }, (_, index) =>
      agent.send({ ...message(`m${index}`, { taskId: id }), configuration }, "ada"),
    );
    const refused = (await Promise.allSettled(sent)).filter(({ status }) => status === "rejected");
    expect(refused).toHaveLength(48);
    expect(refused[0]).toMatchObject({
      reason: { message: "The task has the maximum number of webhooks, 3: delete one of them" },
    });
    expect(await store.webhooks(scope, id)).toHaveLength(3);
    // A caller whose message was refused may send it again.
    const { history = [] } = await agent.get(id, "ada");
    expect(history.filter(({ role }) => role === "ROLE_USER")).toHaveLength(3);
  });

  /** An agent with an open task of `ada` that has the webhook `w`, and the store of it. */
  async function withOpenTask() {
    const store = memoryStore();
    const agent = kitAgent({
      store,
      push: { transport: { post: () => Promise.resolve({ status: 204 }) } },
      async *run() {
        yield working();
        return inputRequired("Which one?");
      },
    });
    onTestFinished(() => agent.close());
    const { id } = await agent.send(asking("first", { id: "w", url }), "ada");
    const configs = async () =>
      (await store.webhooks({ tenant: "", owner: "ada" }, id))?.map(({ config }) => config);
    return { store, agent, id, configs };
  }

  function asking(
    text: string,
    config: TaskPushNotificationConfig,
    rest: Partial<Message> = {},
  ): SendMessageRequest {
    return { ...message(text, rest), configuration: { taskPushNotificationConfig: config } };
  }

  it("a refused message removes its webhook and restores the webhook that it had replaced", async () => {
    const { agent, id, configs } = await withOpenTask();
    for (const hook of ["w", "other"]) {
      const refused = asking(
        "again",
        { id: hook, url: `${url}2` },
        { taskId: id, contextId: "another" },
      );
      await expect(agent.send(refused, "ada")).rejects.toMatchObject({ reason: "INVALID_PARAMS" });
      expect(await configs()).toEqual([{ id: "w", taskId: id, url }]);
    }
    expect(agent.errors).toEqual([]);
  });

  it("a webhook is stored before its message, and once for a repeated call", async () => {
    const { store, agent, id, configs } = await withOpenTask();
    const post = store.post.bind(store);
    store.post = () => Promise.reject(new Error("The process has ended"));
    const again = asking("again", { url: `${url}2` }, { taskId: id });
    for (let count = 0; count < 2; count += 1)
      await expect(agent.send(again, "ada")).rejects.toMatchObject({
        cause: { message: "The process has ended" },
      });
    store.post = post;
    await agent.send(again, "ada");
    expect((await configs())?.map((config) => config.url)).toEqual([`${url}2`, url]);
    const { history = [] } = await agent.get(id, "ada");
    expect(history.filter(({ role }) => role === "ROLE_USER")).toHaveLength(2);
  });

  it("a message is not posted if its webhook cannot be stored", async () => {
    const { store, agent, id } = await withOpenTask();
    store.putWebhook = () => Promise.reject(new Error("The store is full"));
    const lost = agent.send(asking("again", { url }, { taskId: id }), "ada");
    await expect(lost).rejects.toMatchObject({ cause: { message: "The store is full" } });
    const { history = [] } = await agent.get(id, "ada");
    expect(history.filter(({ role }) => role === "ROLE_USER")).toHaveLength(1);
  });

  it("a webhook is stored without unknown fields", async () => {
    const { store, create } = await withTask();
    const config = { id: "w", tenant: "t", more: "x" };
    await create(config);
    expect((await store.webhooks(scope, "a"))?.[0]?.config).toEqual({ url, taskId: "a", id: "w" });
  });

  it.each<[string, Partial<TaskPushNotificationConfig>]>([
    ["taskId", { taskId: "" }],
    ["url", { url: "http://example.com/" }],
    ["url", { url: "https://169.254.169.254/latest" }],
    ["id", { id: "x".repeat(257) }],
    ["token", { token: "a\r\nb: c" }],
    ["token", { token: "x".repeat(4_097) }],
    ["authentication.scheme", { authentication: { scheme: "a b" } }],
    ["authentication.scheme", { authentication: { scheme: "x".repeat(257) } }],
    ["authentication.credentials", { authentication: { scheme: "Bearer", credentials: "ä" } }],
  ])("a webhook with an invalid field %s is refused: %j", async (field, config) => {
    const { configs, create } = await withTask();
    const refusal = (name: string) => ({
      reason: "INVALID_PARAMS",
      details: [{ fieldViolations: [{ field: name }] }],
    });
    await expect(create(config)).rejects.toMatchObject(refusal(field));
    if (field === "taskId") return;
    const within = `configuration.taskPushNotificationConfig.${field}`;
    await expect(
      configs.ofMessage(scope, { url, ...config }, undefined, "1.0"),
    ).rejects.toMatchObject(refusal(within));
  });
});
