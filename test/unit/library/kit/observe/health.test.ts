import { expect, it, onTestFinished, vi } from "vitest";
import { memoryStore } from "../../../../../library/kit/memory/store.js";
import { healthListener } from "../../../../../library/kit/node.js";
import { healthChecks, type HealthOptions } from "../../../../../library/kit/observe/health.js";
import { completed, working } from "../../../../../library/kit/turns/updates.js";
import { taskService } from "../../../../support/bound-kit.js";
import { listen } from "../../../../support/http.js";
import { send } from "../../../../support/raw.js";

/** A service whose store fails as long as there is a reason. */
function fragile() {
  const memory = memoryStore();
  const state: { reason?: Error | "silent"; reads: number } = { reads: 0 };
  const store = {
    ...memory,
    read: (...given: Parameters<typeof memory.read>) => {
      state.reads += 1;
      if (state.reason === "silent") return new Promise<undefined>(() => undefined);
      return state.reason === undefined ? memory.read(...given) : Promise.reject(state.reason);
    },
  };
  const service = taskService({
    store,
    *run() {
      yield working();
      return completed();
    },
  });
  onTestFinished(() => service.close());
  return { service, state };
}

async function serve(options: HealthOptions = {}) {
  const { service, state } = fragile();
  const reasons: unknown[] = [];
  const checks = healthChecks(service, { onUnready: (reason) => reasons.push(reason), ...options });
  const url = await listen(healthListener(checks));
  const get = async (path: string): Promise<unknown> => {
    const { status, text } = await send("GET", `${url}${path}`);
    return [status, text];
  };
  return { service, state, reasons, get, checks };
}

it("a process is ready and alive while its store responds", async () => {
  const { get } = await serve();
  expect(await get("/readyz")).toEqual([200, "ready\n"]);
  expect(await get("/livez?verbose")).toEqual([200, "alive\n"]);
  expect(await get("/other")).toEqual([404, "Not Found\n"]);
});

it("a process is alive but not ready while its store fails, and the reason is reported once", async () => {
  const { get, state, reasons } = await serve();
  state.reason = new Error("connect ECONNREFUSED");
  const probes = [await get("/readyz"), await get("/readyz")];
  expect(probes).toEqual([
    [503, "not ready\n"],
    [503, "not ready\n"],
  ]);
  expect(await get("/livez")).toEqual([200, "alive\n"]);
  expect(reasons).toMatchObject([
    { message: "The task store is not available: connect ECONNREFUSED" },
  ]);
  delete state.reason;
  expect(await get("/readyz")).toEqual([200, "ready\n"]);
  state.reason = new Error("again");
  await get("/readyz");
  expect(reasons).toHaveLength(2);
});

it("a store that does not respond in time is not ready", async () => {
  vi.useFakeTimers();
  onTestFinished(() => {
    vi.useRealTimers();
  });
  const { service, state } = fragile();
  state.reason = "silent";
  const checked = expect(service.ready()).rejects.toThrow(
    "The task store has not responded within 2000 ms",
  );
  await vi.advanceTimersByTimeAsync(2_000);
  await checked;
});

it("health checks that arrive together share one read of the store", async () => {
  const { service, state } = fragile();
  await Promise.all([service.ready(), service.ready(), service.ready()]);
  expect(state.reads).toBe(1);
  await service.ready();
  expect(state.reads).toBe(2);
});

it("a closed service is not ready, so that balancers send no further calls", async () => {
  const { service, get } = await serve();
  await service.close();
  expect(await get("/readyz")).toEqual([503, "not ready\n"]);
});

it("health checks respond to Web requests, to HEAD, and to no other method", async () => {
  const { checks } = await serve({ readyPath: "/up" });
  expect((await checks.fetch(new Request("http://a.test/up", { method: "HEAD" }))).status).toBe(
    200,
  );
  expect((await checks.fetch(new Request("http://a.test/up", { method: "POST" }))).status).toBe(
    405,
  );
});
