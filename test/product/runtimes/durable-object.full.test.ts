import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import { join } from "node:path";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { connect } from "../../../generated/1.0/index.js";
import { storeContract } from "../../../library/stores/testing/store-contract.js";
import { memoryStore } from "../../../library/kit/memory/store.js";
import { findSource, generateFrom, writeTo } from "../../support/output.js";
import { bundleWorker, startObjects } from "./durable-objects.js";
import { runtimes, type RunningApp } from "./runtimes.js";

/** An object that runs the contract of stores, and responds with the results. */
const contract = `
import { DurableObject } from "cloudflare:workers";
import { durableObjectStore } from "./a2a/kit/stores/sqlite.ts";
import { storeContract } from "./a2a/kit/testing/store-contract.ts";

export class Contract extends DurableObject {
  async fetch() {
    const { storage } = this.ctx;
    const cases = [];
    let now = Date.now();
    const open = async () => {
      await storage.deleteAll();
      return durableObjectStore(storage, { now: () => now });
    };
    const damage = (_, { taskId, webhookId = "" }, text) => {
      if (webhookId === "")
        storage.sql.exec("UPDATE a2a_texts SET body = ? WHERE kind = 0 AND task_id = ?", text, taskId);
      else
        storage.sql.exec("UPDATE a2a_webhooks SET body = ? WHERE task_id = ? AND id = ?", text, taskId, webhookId);
    };
    const describe = (_, body) => body();
    const it = (name, body) => cases.push([name, body]);
    storeContract({ describe, it }, open, {
      advance: (ms) => { now += ms; },
      close: (store) => store.close(),
      damage,
      timeoutMs: 60_000,
    });
    const failed = [];
    for (const [name, body] of cases)
      try {
        await body();
      } catch (error) {
        failed.push(name + ": " + error);
      }
    return Response.json({ count: cases.length, failed });
  }
  // The clock of the cases is ahead, so no alarm has work.
  alarm() {}
}
export default { fetch: (request, env) => env.AGENTS.get(env.AGENTS.idFromName("")).fetch(request) };
`;

/**
 * An agent whose turns ask the test what to do: they post to it, and wait for its response. With the
 * message "sleep", a turn sleeps first.
 */
const agent = `
import { DurableObject } from "cloudflare:workers";
import { createAgent, fetchHandler } from "./a2a/index.ts";
import { asleep, completed, taskService, textOf, working } from "./a2a/kit/index.ts";
import { durableObjectStore } from "./a2a/kit/stores/sqlite.ts";

const card = (url) => ({
  name: "W", description: "Works", version: "1",
  supportedInterfaces: [{ url, protocolBinding: "JSONRPC", protocolVersion: "1.0" }],
  capabilities: { streaming: true, pushNotifications: true },
  defaultInputModes: ["text/plain"], defaultOutputModes: ["text/plain"], skills: [],
});

export class Agent extends DurableObject {
  constructor(ctx, env) {
    super(ctx, env);
    this.service = taskService({
      store: durableObjectStore(ctx.storage),
      leaseMs: 3_000,
      push: { allowPrivateAddresses: true, timeoutMs: 1_000 },
      async *run({ message, task, state, resumed, woken, checkpoint }) {
        const tell = (step) =>
          fetch(env.TEST + step + "?" + new URLSearchParams({ task: task.id, resumed, state: JSON.stringify(state ?? null), woken: woken?.by ?? "" }));
        if (textOf(message) === "sleep" && woken === undefined) {
          await tell("sleeps");
          return asleep({ until: new Date(Date.now() + 3_000), state: { slept: true } });
        }
        if (state === undefined) {
          yield working("Begun");
          await checkpoint({ begun: true });
        }
        await tell("works");
        return completed("Done");
      },
    });
    const onError = (error) => void fetch(env.TEST + "error", { method: "POST", body: String(error?.stack ?? error) });
    this.handle = fetchHandler(createAgent({ card: card("http://agent.test/"), service: this.service, authenticate: () => "ada", onError }));
  }
  fetch(request) {
    return this.handle(request);
  }
  async alarm() {
    await fetch(this.env.TEST + "alarm");
    await this.service.workDue();
    await fetch(this.env.TEST + "idle");
  }
}
export default { fetch: (request, env) => env.AGENTS.get(env.AGENTS.idFromName("ada")).fetch(request) };
`;

const targets = ["server", "jsonrpc", "tasks", "store-sqlite", "store-tests"];

const workerd = runtimes.find(({ name }) => name === "workerd")?.program;

/** Writes a Worker with its output, and bundles it. */
async function workerOf(name: string, text: string, className: string) {
  const output = await generateFrom(findSource("1.0"), { targets, importExtension: "ts" });
  const folder = join(writeTo(join("runtimes", name, "a2a"), output), "..");
  writeTo(join("runtimes", name), { files: [{ path: "app.ts", text }] });
  const worker = { folder, entry: "app.ts", className };
  await bundleWorker(worker);
  return worker;
}

/** Number of cases of the contract. */
function caseCount() {
  let count = 0;
  const describe = (_: string, body: () => void) => {
    body();
  };
  const it = () => (count += 1);
  storeContract({ describe, it }, () => memoryStore(), { damage: () => undefined });
  return count;
}

/** A request that an agent has sent to the test. It waits until the test responds. */
interface Notice {
  readonly step: string;
  readonly query: Readonly<Record<string, string>>;
  readonly body: string;
  respond(): void;
}

/** Receives the requests of an agent, in order. */
async function receiver() {
  const notices: Notice[] = [];
  const waiting: { step: string; resolve: (notice: Notice) => void }[] = [];
  const errors: string[] = [];
  const add = (notice: Notice) => {
    const at = waiting.findIndex(({ step }) => step === notice.step);
    if (at < 0) notices.push(notice);
    else waiting.splice(at, 1)[0]?.resolve(notice);
  };
  const server = createServer((request, response: ServerResponse) => {
    const url = new URL(request.url ?? "", "http://127.0.0.1");
    const step = url.pathname.slice(1);
    let body = "";
    request.setEncoding("utf8").on("data", (text: string) => (body += text));
    request.on("end", () => {
      if (step === "error") errors.push(body);
      const respond = () => response.end();
      if (step === "error" || step === "alarm" || step === "idle") respond();
      if (step !== "error")
        add({ step, query: Object.fromEntries(url.searchParams), body, respond });
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  const port = typeof address === "object" ? (address?.port ?? 0) : 0;
  return {
    url: `http://127.0.0.1:${port}/`,
    errors,
    /** Number of requests of a step for which the test has not waited. */
    waiting: (step: string) => notices.filter((notice) => notice.step === step).length,
    /** Waits for the next request of a step. */
    next: (step: string) =>
      new Promise<Notice>((resolve) => {
        const at = notices.findIndex((notice) => notice.step === step);
        const found = at < 0 ? undefined : notices.splice(at, 1)[0];
        if (found === undefined) waiting.push({ step, resolve });
        else resolve(found);
      }),
  };
}

/** Connects to a started agent, whose card has another address. */
const clientOf = ({ url }: RunningApp) =>
  connect(url, {
    fetch: (target, init) => fetch(target.replace("http://agent.test/", url), init),
  });

const messageOf = (text: string) => ({
  message: { messageId: "m-1", role: "ROLE_USER" as const, parts: [{ text }] },
  configuration: { returnImmediately: true },
});

describe("Durable Objects", () => {
  if (workerd === undefined) {
    it.skip(
      "nothing is tried: node_modules has no workerd that starts on this machine; see .ci/run",
    );
    return;
  }

  it("a store in a Durable Object fulfills the contract of stores", async () => {
    const worker = await workerOf("object-contract", contract, "Contract");
    const app = await startObjects(workerd, worker);
    onTestFinished(() => app.stop());
    const results: unknown = await (await fetch(app.url)).json();
    expect(results).toEqual({ count: caseCount(), failed: [] });
  }, 300_000);

  describe("an agent in a Durable Object", () => {
    let worker: Awaited<ReturnType<typeof workerOf>>;
    let count = 0;
    beforeAll(async () => {
      worker = await workerOf("object-agent", agent, "Agent");
    });

    /** Starts the agent with an empty disk. */
    async function start() {
      const test = await receiver();
      const state = `state-${process.pid}-${(count += 1)}`;
      const vars = { TEST: test.url };
      const begin = async (): Promise<RunningApp> => {
        const app = await startObjects(workerd ?? "", { ...worker, state, vars });
        onTestFinished(() => app.stop());
        return app;
      };
      return { test, begin };
    }

    it("the alarm resumes a turn after its process was killed, without a request", async () => {
      const { test, begin } = await start();
      const first = await begin();
      const client = await clientOf(first);
      const { task } = await client.sendMessage(messageOf("work"));
      const killed = await test.next("works");
      expect(killed.query).toMatchObject({ task: task?.id, resumed: "false" });
      await first.stop("SIGKILL");

      const second = await begin();
      await test.next("alarm");
      const resumed = await test.next("works");
      expect(resumed.query).toMatchObject({
        task: task?.id,
        resumed: "true",
        state: '{"begun":true}',
      });
      resumed.respond();
      await test.next("idle");
      const again = await clientOf(second);
      const { status } = await again.getTask({ id: task?.id ?? "" });
      expect(status.state).toBe("TASK_STATE_COMPLETED");
      expect(test.errors).toEqual([]);
    }, 120_000);

    it("workDue waits until the turns of the object have ended, and claims none of them", async () => {
      const { test, begin } = await start();
      const client = await clientOf(await begin());
      const { task } = await client.sendMessage(messageOf("work"));
      const working = await test.next("works");
      // The lease of the turn expires at this time, unless it was renewed.
      await test.next("alarm");
      let hasEnded = false;
      const idle = test.next("idle").then(() => expect(hasEnded).toBe(true));
      await client.getTask({ id: task?.id ?? "" });
      hasEnded = true;
      working.respond();
      await idle;
      const { status } = await client.getTask({ id: task?.id ?? "" });
      expect(status.state).toBe("TASK_STATE_COMPLETED");
      expect(test.waiting("works")).toBe(0);
      expect(test.errors).toEqual([]);
    }, 120_000);

    it("the alarm begins the next turn of a task that sleeps, without a request", async () => {
      const { test, begin } = await start();
      const client = await clientOf(await begin());
      const { task } = await client.sendMessage(messageOf("sleep"));
      (await test.next("sleeps")).respond();
      await test.next("alarm");
      const woken = await test.next("works");
      expect(woken.query).toMatchObject({ task: task?.id, woken: "time", state: '{"slept":true}' });
      woken.respond();
      await test.next("idle");
      const { status } = await client.getTask({ id: task?.id ?? "" });
      expect(status.state).toBe("TASK_STATE_COMPLETED");
      expect(test.errors).toEqual([]);
    }, 120_000);

    it("the alarm posts an event whose process was killed during the post", async () => {
      const { test, begin } = await start();
      const first = await begin();
      const client = await clientOf(first);
      const { configuration, ...request } = messageOf("work");
      const taskPushNotificationConfig = { id: "hook", url: `${test.url}hook` };
      await client.sendMessage({
        ...request,
        configuration: { ...configuration, taskPushNotificationConfig },
      });
      const { body } = await test.next("hook");
      await first.stop("SIGKILL");

      await begin();
      (await test.next("works")).respond();
      const repeated = await test.next("hook");
      expect(JSON.parse(repeated.body)).toEqual(JSON.parse(body));
      repeated.respond();
      expect(test.errors).toEqual([]);
    }, 120_000);
  });
});
