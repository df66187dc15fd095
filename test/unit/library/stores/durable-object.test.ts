import { afterAll, afterEach, describe, expect, it, vi } from "vitest";
import { createAgent, fetchHandler, type Agent } from "../../../../generated/1.0/index.js";
import {
  asleep,
  authRequired,
  completed,
  taskService,
} from "../../../../generated/1.0/kit/index.js";
import { remoteAgent } from "../../../../generated/1.0/kit/client/index.js";
import { TaskState } from "../../../../generated/1.1-draft/models.js";
import { durableObjectStore } from "../../../../library/stores/sqlite.js";
import {
  Bench,
  chunkEntry,
  start as firstTime,
  statusEntry,
  statusOf,
  working,
} from "../../../../library/stores/testing/contract/bench.js";
import { storeContract } from "../../../../library/stores/testing/store-contract.js";
import { objectStorage } from "../../../support/object-storage.js";
import { Databases, sqliteLibrary } from "../../../support/sqlite.js";

const { missing } = sqliteLibrary;
const about =
  missing === undefined ? "durableObjectStore" : `durableObjectStore (skipped: ${missing})`;

const minute = 60_000;

describe.skipIf(missing !== undefined)(about, () => {
  const databases = new Databases();
  afterAll(() => databases.remove());
  afterEach(() => vi.useRealTimers());

  /** Opens a store whose clock begins at a full minute. */
  const open = (storage = objectStorage(databases.open(":memory:"))) => {
    let now = firstTime;
    const store = durableObjectStore(storage, { now: () => now });
    const pass = (ms: number) => {
      now += ms;
    };
    /** Alarms that were set since the last call, in milliseconds after the first time. */
    const alarms = () => storage.alarms.splice(0).map((at) => at - firstTime);
    return { storage, store, pass, alarms, bench: new Bench(store, 10_000, pass) };
  };

  let clock = Date.now();
  storeContract(
    { describe, it },
    () => durableObjectStore(objectStorage(databases.open(":memory:")), { now: () => clock }),
    { advance: (ms) => void (clock += ms), timeoutMs: 100_000 },
  );

  it("the alarm goes off when a lease expires, and is only set again after it has gone off", async () => {
    const { store, pass, alarms, bench } = open();
    const { lease } = await bench.open({}, { claim: { holder: "a", ttlMs: 30_000 } });
    expect(alarms()).toEqual([30_000]);
    pass(20_000);
    await store.renew([lease], { holder: "a", ttlMs: 30_000 });
    expect(alarms()).toEqual([]);
    pass(9_999);
    // The clock of the alarm can be ahead.
    store.resetAlarm?.();
    expect(alarms()).toEqual([50_000]);
  });

  it("an alarm that was lost is replaced by the next write after its time", async () => {
    const { store, pass, alarms, bench } = open();
    const { lease } = await bench.open({}, { claim: { holder: "a", ttlMs: 30_000 } });
    pass(10_000);
    await store.renew([lease], { holder: "a", ttlMs: 60_000 });
    alarms();
    pass(20_000);
    await store.renew([lease], { holder: "a", ttlMs: 60_000 });
    expect(alarms()).toEqual([90_000]);
  });

  it("the alarm goes off for an expired lease that this process does not claim", async () => {
    const { store, pass, alarms, bench } = open();
    await bench.open({}, { claim: { holder: "a", ttlMs: 30_000 } });
    alarms();
    pass(30_000);
    store.resetAlarm?.();
    expect(alarms()).toEqual([40_000]);
  });

  it("the alarm goes off when a task wakes, and no alarm is set without work", async () => {
    const { store, alarms, bench } = open();
    await bench.rest();
    expect(alarms()).toEqual([]);
    const { lease } = await bench.open();
    alarms();
    store.resetAlarm?.();
    expect(alarms()).toEqual([600_000]);
    await store.append(lease, [], { release: true, wakeInMs: 5_000 });
    expect(alarms()).toEqual([5_000]);
  });

  it("the alarm goes off for webhooks only if this process delivers them", async () => {
    const { store, alarms, bench } = open();
    const { id } = await bench.rest();
    await store.putWebhook(bench.scope, bench.webhook(id, "hook", { after: 0 }));
    expect(alarms()).toEqual([]);
    store.onDue?.(() => true);
    expect(alarms()).toEqual([10_000]);
    await store.claimWebhooks(bench.claim, 10);
    store.resetAlarm?.();
    expect(alarms()).toEqual([600_000]);
  });

  it("the alarm goes off when ended tasks expire, once for all tasks of a minute", async () => {
    const { store, pass, alarms, bench } = open();
    const end = async () => {
      const { task, lease } = await bench.open();
      await store.append(lease, [statusEntry(task, 2, statusOf(TaskState.Completed, 2))], {
        release: true,
      });
    };
    pass(10_000);
    await end();
    pass(10_000);
    await end();
    store.resetAlarm?.();
    alarms();
    expect(await store.deleteExpired({ maxAgeMs: 10 * minute })).toBe(0);
    expect(alarms()).toEqual([11 * minute]);
    pass(11 * minute);
    expect(await store.deleteExpired({ maxAgeMs: 10 * minute })).toBe(2);
    store.resetAlarm?.();
    expect(alarms()).toEqual([]);
  });

  it("no character of a text is lost where the text is split", async () => {
    const { storage, bench } = open();
    const { store, scope } = bench;
    const text = `a${"😀".repeat(1_500_000)}`;
    const { id, task, lease } = await bench.open({}, { checkpoint: { text } });
    const chunk = chunkEntry(task, 2, { artifactId: "a", parts: [{ text }] });
    await store.append(lease, [chunk]);
    const stored = await store.read(scope, id);
    expect(stored?.checkpoint).toEqual({ text });
    expect(stored?.task.artifacts?.[0]?.parts).toEqual([{ text }]);
    await store.append(lease, [working(task, 3)], { checkpoint: { text: "short" } });
    expect((await store.read(scope, id))?.checkpoint).toEqual({ text: "short" });
    const slots = () =>
      storage.sql.exec("SELECT DISTINCT slot FROM a2a_chunks WHERE task_id = ?", id).toArray();
    expect(slots()).toEqual([{ slot: "entry 2 0" }]);
    await store.erase({ ...scope, taskId: id }, 10);
    expect(slots()).toEqual([]);
  });

  const card = {
    name: "W",
    description: "Works",
    version: "1",
    supportedInterfaces: [
      { url: "http://agent.test/", protocolBinding: "JSONRPC", protocolVersion: "1.0" },
    ],
    capabilities: { streaming: true, pushNotifications: true },
    defaultInputModes: ["text/plain"],
    defaultOutputModes: ["text/plain"],
    skills: [],
  };

  const clientOf = (agent: Agent) => {
    const handler = fetchHandler(agent);
    return remoteAgent("http://agent.test", {
      fetch: (url, init) => handler(new Request(url, init)),
    });
  };

  it("an idle process has no timers, and works when the alarm goes off", async () => {
    vi.useFakeTimers({
      shouldAdvanceTime: true,
      toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval"],
    });
    const { store, pass } = open();
    const service = taskService({
      store,
      *run({ woken }) {
        if (woken !== undefined) return completed("Woken");
        yield authRequired("Approve");
        return asleep({ until: new Date(Date.now() + minute) });
      },
    });
    const agent = clientOf(createAgent({ card, service }));
    const asked = agent.ask("hello").result();
    await vi.advanceTimersByTimeAsync(1_000);
    const { task } = await asked;
    await vi.waitFor(() => {
      expect(vi.getTimerCount()).toBe(0);
    });

    pass(minute + 1_000);
    const due = service.workDue();
    await vi.advanceTimersByTimeAsync(1_000);
    await due;
    const [stored] = (await store.list({ tenant: "", owner: "" }, { limit: 1 })).tasks;
    expect([stored?.task.id, stored?.task.status.state]).toEqual([task?.id, TaskState.Completed]);
    await vi.waitFor(() => {
      expect(vi.getTimerCount()).toBe(0);
    });
  });

  it("workDue resolves after its time although a turn is running", async () => {
    const { store } = open();
    let end = (): void => undefined;
    const service = taskService({
      store,
      async *run() {
        await new Promise<void>((resolve) => (end = resolve));
        yield* [];
        return completed();
      },
    });
    const agent = clientOf(createAgent({ card, service }));
    const asked = agent.ask("hello").result();
    await vi.waitFor(() => expect(end.name).not.toBe("end"));
    await service.workDue({ withinMs: 1 });
    end();
    await service.workDue();
    expect((await asked).state).toBe(TaskState.Completed);
  });

  it("workDue refuses a service without an agent, and an invalid time", async () => {
    const { store } = open();
    const service = taskService({
      store,
      *run() {
        yield* [];
        return completed();
      },
    });
    await expect(service.workDue()).rejects.toThrow(TypeError);
    createAgent({ card, service });
    await expect(service.workDue({ withinMs: -1 })).rejects.toThrow("withinMs must be");
  });
});
