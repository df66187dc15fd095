import { Server as GrpcServer } from "@grpc/grpc-js";
import { createServer } from "node:http";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { listen, stop } from "../../examples/shared/ports.js";
import type * as grpcClient from "../../generated/1.0/client/grpc.js";
import type * as index from "../../generated/1.0/index.js";
import type * as kit from "../../generated/1.0/kit/index.js";
import type * as grpcServer from "../../generated/1.0/server/grpc.js";
import type * as node from "../../generated/1.0/server/node.js";
import { all, refusal } from "../support/everywhere.js";
import { modulesOf } from "../support/generated.js";
import { gist } from "../support/kit.js";
import { bindings, type Binding } from "../support/scripted.js";
import { aCard, interfacesAt } from "../support/cards.js";
import { aMessage } from "../support/messages.js";

/** The common part of versions with the task kit, as far as this test uses it. */
type Version = typeof index &
  typeof grpcClient &
  typeof kit &
  typeof grpcServer &
  typeof node & {
    readonly speaks: string;
  };

async function versionOf(name: string, speaks: string): Promise<Version> {
  const modules = ["index", "client/grpc", "kit/index", "server/grpc", "server/node"];
  return { ...((await modulesOf(name, modules)) as Version), speaks };
}

const versions = {
  "1.0.0": await versionOf("1.0.0", "1.0"),
  "1.0": await versionOf("1.0", "1.0"),
  "1.1-draft": await versionOf("1.1-draft", "1.1"),
};

/** Starts an agent that works until the test continues it, if its message requests this. */
async function start(version: Version) {
  const {
    artifact,
    completed,
    createAgent,
    grpcService,
    nodeListener,
    taskService,
    textOf,
    working,
  } = version;
  const waiting: (() => void)[] = [];
  const service = taskService({
    async *run({ message, untilAborted }) {
      yield working("Thinking");
      if (textOf(message) === "wait")
        await untilAborted(new Promise<void>((resolve) => waiting.push(resolve)));
      yield* artifact("answer").from(["4", "2"]);
      return completed("Done");
    },
  });
  const [http, grpc] = [createServer(), new GrpcServer()];
  const { url, grpcUrl } = await listen(http, grpc, { host: "127.0.0.1" });
  const card = aCard(interfacesAt(url, grpcUrl, version.speaks));
  const agent = createAgent({ card, service });
  const { definition, implementation } = grpcService(agent);
  grpc.addService(definition, implementation);
  http.on("request", nodeListener(agent));
  return {
    url,
    letGo: () => waiting.splice(0).forEach((go) => go()),
    async close() {
      await service.close();
      await stop(http, grpc);
    },
  };
}

const asking = (text: string, more: object = {}) => ({
  message: aMessage(text),
  ...more,
});

const cases = Object.entries(versions).flatMap(([name, version]) =>
  bindings.map((binding) => ({ name, version: version, binding })),
);

describe.each(cases)("a task service of $name over $binding", ({ version, binding }) => {
  let agent: Awaited<ReturnType<typeof start>>;
  let client: Awaited<ReturnType<typeof version.connect>>;
  const transports = (of: Version): Record<Binding, ReturnType<typeof index.jsonRpc>> => ({
    JSONRPC: of.jsonRpc(),
    "HTTP+JSON": of.rest(),
    GRPC: of.grpc(),
  });

  beforeAll(async () => {
    agent = await start(version);
    client = await version.connect(agent.url, { transports: [transports(version)[binding]] });
  });
  afterAll(async () => {
    client.close();
    await agent.close();
  });

  it("the service responds with the ended task, and lists it", async () => {
    const { task } = await client.sendMessage(asking("now"));
    expect(task).toMatchObject({
      status: { state: "TASK_STATE_COMPLETED" },
      artifacts: [{ artifactId: "answer" }],
    });
    const { tasks, totalSize } = await client.listTasks({
      contextId: task?.contextId ?? "",
      includeArtifacts: true,
    });
    expect([totalSize, tasks]).toEqual([1, [task]]);
    expect(await client.getTask({ id: task?.id ?? "" })).toEqual(task);
  });

  it("the service streams the changes of a task", async () => {
    const events = await all(client.sendStreamingMessage(asking("now")));
    expect(events.map(gist)).toEqual([
      ...["task submitted", "working Thinking", "answer 4", "answer+ 2.", "completed Done"],
    ]);
  });

  it("a caller that lost its stream can subscribe", async () => {
    let id = "";
    for await (const { task } of client.sendStreamingMessage(asking("wait"))) {
      id = task?.id ?? "";
      break;
    }
    const events: string[] = [];
    for await (const event of client.subscribeToTask({ id })) {
      if (events.length === 0) agent.letGo();
      events.push(gist(event));
    }
    expect(events).toEqual(["task working", "answer 4", "answer+ 2.", "completed Done"]);
    expect((await refusal(all(client.subscribeToTask({ id })))).name).toBe(
      "UnsupportedOperationError",
    );
  });

  it("the service cancels a running task once", async () => {
    const { task } = await client.sendMessage(
      asking("wait", { configuration: { returnImmediately: true } }),
    );
    const id = task?.id ?? "";
    expect((await client.cancelTask({ id })).status.state).toBe("TASK_STATE_CANCELED");
    expect((await refusal(client.cancelTask({ id }))).name).toBe("TaskNotCancelableError");
    expect((await refusal(client.getTask({ id: "none" }))).name).toBe("TaskNotFoundError");
  });
});
