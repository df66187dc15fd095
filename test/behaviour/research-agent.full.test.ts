import { readFileSync } from "node:fs";
import { createServer, Server } from "node:http";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { packageFolder } from "../../support/package-folder.js";
import { followTask } from "../../generated/1.0/kit/client/index.js";
import type { taskService } from "../../generated/1.0/kit/index.js";
import { pushReceiver, textOf } from "../../generated/1.0/kit/index.js";
import { pushListener } from "../../generated/1.0/kit/node.js";
import {
  connect,
  rest,
  TransportError,
  type A2AClient,
  type Interceptor,
  type Message,
} from "../../generated/1.0/index.js";
import { all, refusal } from "../support/everywhere.js";
import { gist } from "../support/kit.js";
import { freePort } from "../support/free-port.js";
import { aMessage } from "../support/messages.js";

const made: { readonly service: ReturnType<typeof taskService> }[] = [];
const servers: Server[] = [];

// The agent is the agent of the example, except for the allowed webhook addresses: the webhooks of
// tests are on this machine.
vi.mock("../../generated/1.0/kit/index.js", async (importOriginal) => {
  const kit = await importOriginal<{ taskService: typeof taskService }>();
  const permissive: typeof taskService = (options) => {
    const service = kit.taskService({ ...options, push: { allowPrivateAddresses: true } });
    made.push({ service: service as ReturnType<typeof taskService> });
    return service;
  };
  return { ...kit, taskService: permissive };
});

let url = "";
const clients: A2AClient[] = [];

/** Connects a user by a token. */
async function as(token: string, options: object = {}) {
  const client = await connect(url, { headers: { authorization: `Bearer ${token}` }, ...options });
  clients.push(client);
  return client;
}

const say = (text: string, taskId?: string): Message =>
  aMessage(text, { ...(taskId !== undefined && { taskId }) });

/** Has the agent ask for whom a report is, and returns the task. */
async function asked(client: A2AClient, topic = "tea") {
  const { task } = await client.sendMessage({ message: say(topic) });
  expect(task?.status).toMatchObject({
    state: "TASK_STATE_INPUT_REQUIRED",
    message: { parts: [{ text: "For whom is the report?" }] },
  });
  return task?.id ?? "";
}

const begun = ["task input_required", "working Searching the web", "working Searching the news"];
const written = [
  "report.md # tea, for Ada\n",
  "report.md+ What the web says about tea.",
  "report.md+ What the news says about tea..",
  "completed Here is the report",
];

beforeAll(async () => {
  vi.stubEnv("PORT", String(await freePort()));
  url = `http://127.0.0.1:${process.env["PORT"] ?? ""}`;
  const log = vi.spyOn(console, "log").mockReturnValue();
  const listening = vi.spyOn(Server.prototype, "listen");
  await import("../../examples/research-agent/main.js");
  await vi.waitFor(() => expect(log).toHaveBeenCalledWith(`Researcher listens on ${url}`));
  servers.push(...listening.mock.contexts.filter((each) => each instanceof Server));
  vi.restoreAllMocks();
});

afterAll(async () => {
  for (const client of clients) client.close();
  for (const { service } of made) await service.close();
  for (const server of servers)
    await new Promise((resolve) => (server.close(resolve), server.closeAllConnections()));
  vi.unstubAllEnvs();
});

describe("the research agent", () => {
  it.each([["JSON-RPC", {}] as const, ["HTTP+JSON", { transports: [rest()] }] as const])(
    "the agent asks a question, and streams its progress and its report in chunks over %s",
    async (_, options) => {
      const client = await as("secret", options);
      const taskId = await asked(client);
      const events = await all(client.sendStreamingMessage({ message: say("Ada", taskId) }));
      expect(events.map(gist)).toEqual([...begun, ...written]);
      const task = await client.getTask({ id: taskId });
      expect(task.artifacts?.map(textOf)).toEqual([
        "# tea, for Ada\nWhat the web says about tea.What the news says about tea.",
      ]);
      expect(task.history?.map(textOf)).toEqual(
        expect.arrayContaining(["tea", "For whom is the report?", "Ada"]),
      );
    },
  );

  it("the agent stops if its task is canceled", async () => {
    const client = await as("secret");
    const taskId = await asked(client);
    const seen: string[] = [];
    for await (const event of client.sendStreamingMessage({ message: say("Ada", taskId) })) {
      seen.push(gist(event));
      if (seen.length === begun.length) await client.cancelTask({ id: taskId });
    }
    expect(seen).toEqual([...begun, "canceled"]);
    expect((await refusal(client.cancelTask({ id: taskId }))).name).toBe("TaskNotCancelableError");
  });

  it("a caller whose connection was cut continues without gaps", async () => {
    const opened: string[] = [];
    const tunnel: Interceptor = {
      async *stream(call, next) {
        opened.push(call.operation.name);
        for await (const event of next(call)) {
          yield event;
          if (opened.length <= 2) throw new TransportError("The train is in a tunnel", { url });
        }
      },
    };
    const client = await as("secret", { interceptors: [tunnel] });
    const taskId = await asked(client);
    const texts: string[] = [];
    for await (const { event } of followTask(
      client,
      { message: say("Ada", taskId) },
      { delayMs: () => 0 },
    )) {
      if (event.artifactUpdate !== undefined)
        texts.push(...event.artifactUpdate.artifact.parts.map((p) => p.text ?? ""));
    }
    expect(texts.join("")).toBe(
      "# tea, for Ada\nWhat the web says about tea.What the news says about tea.",
    );
    // A task that has ended before the caller is connected again is read instead.
    const [first, ...later] = opened;
    expect(first).toBe("SendStreamingMessage");
    expect(["", "SubscribeToTask", "SubscribeToTask,SubscribeToTask"]).toContain(String(later));
  });

  it("the agent identifies callers by their tokens, and shows each caller its own tasks", async () => {
    const [ada, bob] = [await as("secret"), await as("other")];
    const taskId = await asked(bob, "coffee");
    expect((await bob.listTasks({})).tasks.map(({ id }) => id)).toEqual([taskId]);
    expect((await ada.listTasks({ pageSize: 100 })).tasks.map(({ id }) => id)).not.toContain(
      taskId,
    );
    expect((await refusal(ada.getTask({ id: taskId }))).name).toBe("TaskNotFoundError");
    expect((await refusal((await as("guess")).listTasks({}))).name).toBe("UnauthenticatedError");
  });

  it("the agent posts the events of a task to a webhook", async () => {
    const receiver = pushReceiver({ token: "t-1" });
    const server = createServer(pushListener(receiver));
    servers.push(server);
    const hook = await new Promise<string>((resolve) => {
      server.listen(0, "127.0.0.1", () => {
        const address = server.address();
        resolve(`http://127.0.0.1:${String(typeof address === "object" ? address?.port : "")}/`);
      });
    });
    const client = await as("secret");
    const taskId = await asked(client);
    await client.createTaskPushNotificationConfig({ taskId, url: hook, token: "t-1" });
    await client.sendMessage({
      message: say("Ada", taskId),
      configuration: { returnImmediately: true },
    });
    const seen: string[] = [];
    for await (const { event } of receiver.events) {
      seen.push(gist(event));
      if (event.statusUpdate?.status.state === "TASK_STATE_COMPLETED") break;
    }
    expect(seen).toEqual([...begun.slice(1), ...written]);
  });

  it("the agent is the agent of the README, with at most 95 lines", () => {
    const text = (...path: string[]) => readFileSync(join(packageFolder, ...path), "utf8");
    const example = text("examples", "research-agent", "main.ts");
    const plain = (code: string) =>
      code
        .replaceAll("../../generated/1.0/", "./a2a/")
        .replaceAll(/\s+/g, " ")
        .replaceAll(", }", " }");
    const shown = /```ts file=agent\.ts\n([^]*?)```/.exec(text("README.md"))?.[1] ?? "";
    expect(plain(example)).toBe(plain(shown));
    expect(example.trimEnd().split("\n").length).toBeLessThanOrEqual(95);
  });
});
