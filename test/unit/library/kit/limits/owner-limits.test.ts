import { describe, expect, it } from "vitest";
import { Accounts } from "../../../../../library/kit/limits/accounts.js";
import { type OwnerLimits, limitsOf } from "../../../../../library/kit/limits/limits.js";
import { memoryStore } from "../../../../../library/kit/memory/store.js";
import type { TaskStore, Usage } from "../../../../../library/kit/store.js";
import { completed, inputRequired, working } from "../../../../../library/kit/turns/updates.js";
import { gists, kitAgent, message } from "../../../../support/kit.js";

const nothing: Usage = { openTasks: 0, openBytes: 0, webhooks: 0 };

/** A memory store that returns the usage that a test sets for each owner, and counts queries. */
function storeWith(usageOf: () => Usage = () => nothing) {
  const store: TaskStore & { asked: number } = Object.assign(memoryStore(), { asked: 0 });
  store.usage = () => {
    store.asked += 1;
    return Promise.resolve(usageOf());
  };
  return store;
}

/** An agent whose tasks wait for their callers. */
function agentWith(perOwner: Partial<OwnerLimits>, store: TaskStore = storeWith()) {
  return kitAgent({ store, limits: { perOwner }, run: asking });
}

async function* asking() {
  yield await Promise.resolve(working());
  return inputRequired("And?");
}

function countedWith(usage: Partial<Usage>) {
  return { usage: () => Promise.resolve({ ...nothing, ...usage }) };
}

/** Accounts with a clock that the test sets. */
function accountsWith(perOwner: Partial<OwnerLimits>, store: Partial<Pick<TaskStore, "usage">>) {
  const clock = { ms: 0 };
  const errors: unknown[] = [];
  const { perOwner: limits } = limitsOf({ perOwner });
  const accounts = new Accounts({
    store,
    limits,
    report: (error) => errors.push(error),
    clock: () => clock.ms,
  });
  return { account: accounts.of({ tenant: "", owner: "ada" }), accounts, clock, errors };
}

describe("the limits of an owner", () => {
  it("an owner may have as many open tasks as the limit allows, and ended tasks do not count", async () => {
    const agent = agentWith({ maxOpenTasks: 3 });
    const [first] = [
      await agent.send("a", "ada"),
      await agent.send("b", "ada"),
      await agent.send("c", "ada"),
    ];
    await expect(agent.send("d", "ada")).rejects.toMatchObject({
      name: "UnsupportedOperationError",
      message: expect.stringContaining("limits.perOwner.maxOpenTasks is 3") as string,
      httpStatus: 429,
      grpcStatus: "RESOURCE_EXHAUSTED",
      retryAfterSeconds: 5,
      metadata: { limit: "limits.perOwner.maxOpenTasks", value: "3" },
    });
    await agent.send("a", "bob");
    await agent.cancel(first.id, "ada");
    expect((await agent.send("e", "ada")).status.state).toBe("TASK_STATE_INPUT_REQUIRED");
  });

  it("an owner may have as many bytes in open tasks as the limit allows, including messages to one task", async () => {
    const agent = agentWith({ maxOpenBytes: 15_000 });
    const large = (rest = {}) =>
      message("large", { parts: [{ text: "x".repeat(6_000) }], ...rest });
    const { id: taskId } = await agent.send(large(), "ada");
    await agent.send(large({ taskId }), "ada");
    await expect(agent.send(large({ taskId }), "ada")).rejects.toThrow(/maxOpenBytes is 15000/);
    await expect(agent.send(large(), "ada")).rejects.toThrow(/maxOpenBytes is 15000/);
    await agent.send(large(), "bob");
  });

  it("an owner may open as many streams as the limit allows, and may open another stream when a stream ends", async () => {
    const agent = agentWith({ maxStreams: 2 });
    const { id } = await agent.send("a", "ada");
    const streams = [await agent.subscribe(id, "ada"), await agent.subscribe(id, "ada")];
    await expect(agent.subscribe(id, "ada")).rejects.toThrow(/maxStreams is 2/);
    await expect(agent.stream("b", "ada")).rejects.toThrow(/maxStreams is 2/);
    expect((await agent.list({}, "ada")).totalSize).toBe(1);
    await streams[0]?.[Symbol.asyncIterator]().return?.();
    expect(await gists(await agent.stream("b", "ada"))).toHaveLength(3);
    // A stream that is refused for another reason takes no room.
    const lost = message("c", { taskId: "none" });
    await expect(agent.stream(lost, "ada")).rejects.toMatchObject({ name: "TaskNotFoundError" });
    expect(await gists(await agent.stream("d", "ada"))).toHaveLength(3);
  });

  it("an owner may have as many webhooks as the limit allows", async () => {
    const agent = agentWith({ maxWebhooks: 1 });
    const { id: taskId } = await agent.send("a", "ada");
    const { service, context } = agent;
    const config = { taskId, url: "https://example.com/" };
    await service.createTaskPushNotificationConfig(config, context("ada"));
    const another = service.createTaskPushNotificationConfig(config, context("ada"));
    await expect(another).rejects.toThrow(/maxWebhooks is 1/);
    const configuration = { taskPushNotificationConfig: config };
    await expect(agent.send({ ...message("b"), configuration }, "ada")).rejects.toThrow(
      /maxWebhooks is 1/,
    );
  });

  it("an owner may store as many bytes as the limit allows, and the default is unlimited", async () => {
    const full = storeWith(() => ({ ...nothing, storedBytes: 999 }));
    const agent = agentWith({ maxStoredBytes: 1_000 }, full);
    await expect(agent.send("a", "ada")).rejects.toThrow(/maxStoredBytes is 1000/);
    expect((await agentWith({}, full).send("a", "ada")).id).not.toBe("");
  });

  it("all tenants of an owner share one account, because callers choose the tenant", async () => {
    const agent = agentWith({ maxOpenTasks: 3, maxStreams: 2, maxWebhooks: 1 });
    const { service, context } = agent;
    const inTenant = (tenant: string) => context("ada", { tenant });
    for (const tenant of ["a", "b", "c"]) await service.sendMessage(message("m"), inTenant(tenant));
    await expect(service.sendMessage(message("m"), inTenant("d"))).rejects.toThrow(
      /maxOpenTasks is 3/,
    );
    await service.sendMessage(message("m"), context("bob", { tenant: "d" }));
  });

  it("a failed call returns the room of its webhook, and so does deleting the webhook", async () => {
    const { accounts, clock } = accountsWith({ maxWebhooks: 1 }, countedWith({}));
    const account = accounts.of({ tenant: "", owner: "ada" });
    await account.admitWebhook();
    await expect(account.admitWebhook()).rejects.toThrow(/maxWebhooks/);
    account.cancelWebhook();
    await account.admitWebhook();
    clock.ms = 999;
    account.deleted();
    await expect(account.admitWebhook()).rejects.toThrow(/maxWebhooks/);
    clock.ms = 1_000;
    await account.admitWebhook();
    const agent = agentWith({ maxWebhooks: 1 });
    const { service, context } = agent;
    const { id: taskId } = await agent.send("a", "ada");
    const create = (url: string) =>
      service.createTaskPushNotificationConfig({ taskId, url }, context("ada"));
    for (let count = 0; count < 3; count += 1)
      await expect(create("http://[::1]/")).rejects.toThrow(/url/);
    const configuration = { taskPushNotificationConfig: { url: "https://example.com/" } };
    await expect(
      agent.send({ ...message("b", { taskId: "none" }), configuration }, "ada"),
    ).rejects.toThrow();
    await create("https://example.com/");
  });

  it("a task that is never stored returns its room once", async () => {
    const store = storeWith();
    const agent = agentWith({ maxOpenTasks: 3 }, store);
    await agent.send("a", "ada");
    await agent.send("b", "ada");
    const create = store.create.bind(store);
    store.create = () => Promise.reject(new Error("No"));
    for (let count = 0; count < 3; count += 1)
      await expect(agent.send("c", "ada")).rejects.toThrow();
    store.create = create;
    await agent.send("d", "ada");
    await expect(agent.send("e", "ada")).rejects.toThrow(/maxOpenTasks is 3/);
  });

  it("a refused message returns its room", async () => {
    const agent = agentWith({ maxOpenTasks: 1, maxOpenBytes: 2_000 });
    for (let count = 0; count < 10; count += 1) {
      const lost = agent.send(
        message("a", { parts: [{ text: "x".repeat(1_000) }], taskId: "none" }),
        "ada",
      );
      await expect(lost).rejects.toMatchObject({ name: "TaskNotFoundError" });
    }
    await agent.send("a", "ada");
  });
});

describe("the account of an owner", () => {
  it("the account queries the store only after a share of the limit is used, so that most owners cost no round trip", async () => {
    const store = storeWith();
    const agent = kitAgent({ store, run: () => asking() });
    for (let count = 0; count < 100; count += 1) await agent.send(`m-${String(count)}`, "ada");
    expect(store.asked).toBe(0);
    const quick = kitAgent({ store, limits: { perOwner: { maxOpenTasks: 20 } }, run: ending });
    for (let count = 0; count < 100; count += 1) await quick.send(`m-${String(count)}`, "ada");
    expect(store.asked).toBe(0);
  });

  it("the account learns from the store what other processes have started", async () => {
    const store = storeWith(() => ({ ...nothing, openTasks: 160 }));
    const { account } = accountsWith({ maxOpenTasks: 160 }, store);
    for (let count = 0; count < 10; count += 1) expect(account.admit(10, 1)).toBeUndefined();
    await expect(account.admit(10, 1)).rejects.toThrow(/maxOpenTasks/);
    expect(store.asked).toBe(1);
  });

  it("the account waits 5 seconds between queries, or a hundred times the duration of the last query", async () => {
    let usage: Usage = { ...nothing, openTasks: 10 };
    let tookMs = 0;
    const clocked: Pick<TaskStore, "usage"> = {
      usage: () => {
        asked += 1;
        clock.ms += tookMs;
        return Promise.resolve(usage);
      },
    };
    let asked = 0;
    const { account, clock } = accountsWith({ maxOpenTasks: 10 }, clocked);
    const refused = async () => {
      await expect(account.admit(1, 1)).rejects.toThrow(/maxOpenTasks/);
    };
    await refused();
    clock.ms = 4_999;
    await refused();
    expect(asked).toBe(1);
    clock.ms = 5_000;
    tookMs = 200;
    await refused();
    expect(asked).toBe(2);
    usage = nothing;
    clock.ms = 5_200 + 19_999;
    await refused();
    clock.ms += 1;
    await account.admit(1, 1);
    expect(asked).toBe(3);
  });

  it("the account is refreshed after at most a minute, for all tenants of the owner", async () => {
    const asked: string[] = [];
    const slow: Pick<TaskStore, "usage"> = {
      usage: ({ tenant }) => {
        asked.push(tenant);
        clock.ms += 2_000;
        return Promise.resolve({ ...nothing, openTasks: 1 });
      },
    };
    const { accounts, clock } = accountsWith({ maxOpenTasks: 3 }, slow);
    const inTenant = (tenant: string) => accounts.of({ tenant, owner: "ada" });
    await inTenant("a").admit(1, 1);
    expect(asked).toEqual(["a"]);
    clock.ms += 60_000;
    await inTenant("b").admit(1, 1);
    await expect(inTenant("c").admit(1, 1)).rejects.toThrow(/maxOpenTasks/);
    clock.ms += 60_000;
    await expect(inTenant("c").admit(1, 1)).rejects.toThrow(/maxOpenTasks/);
    expect(asked).toEqual(["a", "b", "a", "c", "b", "a"]);
  });

  it("the account of a tenant with tasks is kept if the owner has many other tenants", () => {
    const { accounts } = accountsWith({ maxOpenTasks: 1_000 }, countedWith({}));
    const inTenant = (tenant: string) => accounts.of({ tenant, owner: "ada" });
    const busy = inTenant("busy");
    expect(busy.admit(1, 1)).toBeUndefined();
    const idle = inTenant("idle");
    for (let count = 0; count < 1_000; count += 1) inTenant(`t${String(count)}`);
    expect(inTenant("busy")).toBe(busy);
    expect(inTenant("idle")).not.toBe(idle);
  });

  it("the account shares one query between all calls that arrive at the same time", async () => {
    const store = storeWith(() => ({ ...nothing, openTasks: 5 }));
    const { account } = accountsWith({ maxOpenTasks: 10 }, store);
    const admissions = Array.from({ length: 8 }, async () => account.admit(1, 1));
    const settled = await Promise.allSettled(admissions);
    expect(settled.filter(({ status }) => status === "fulfilled")).toHaveLength(5);
    expect(store.asked).toBe(1);
  });

  it("the account refuses no call while the store cannot count, and reports the error", async () => {
    const { account, errors } = accountsWith(
      { maxOpenTasks: 1 },
      { usage: () => Promise.reject(new Error("No")) },
    );
    await account.admit(1, 1);
    expect(errors).toEqual([new Error("No")]);
    const { account: other } = accountsWith({ maxOpenTasks: 1 }, {});
    for (let count = 0; count < 3; count += 1) expect(other.admit(1, 1)).toBeUndefined();
  });

  it("the account is dropped if many exist and its owner has no running work", () => {
    const { accounts } = accountsWith({}, storeWith());
    const idle = accounts.of({ tenant: "", owner: "idle" });
    const busy = accounts.of({ tenant: "", owner: "busy" });
    busy.openStream();
    for (let count = 0; count < 20_000; count += 1)
      accounts.of({ tenant: "", owner: String(count) });
    expect(accounts.of({ tenant: "", owner: "idle" })).not.toBe(idle);
    expect(accounts.of({ tenant: "", owner: "busy" })).toBe(busy);
  });
});

it.each([
  [{ perOwner: { maxStreams: 0 } }, "limits.perOwner.maxStreams must be a number of at least 1"],
  [
    { perOwner: { maxOpenBytes: NaN } },
    "limits.perOwner.maxOpenBytes must be a number of at least 1",
  ],
  [{ maxTaskBytes: -1 }, "limits.maxTaskBytes must be a number of at least 1"],
  [{ maxTextBytes: "long" as never }, "limits.maxTextBytes must be a number of at least 1"],
  [{ perOwner: { maxOpenTask: 1 } as never }, "limits.perOwner.maxOpenTask is unknown"],
])("the limits %j are refused at the start", (limits, text) => {
  expect(() => kitAgent({ run: () => asking(), limits })).toThrow(text);
});

async function* ending() {
  yield await Promise.resolve(working());
  return completed();
}
