import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import type { TaskPushNotificationConfig } from "../../../../generated/1.0/models.js";
import { adaptedOutput, type AdaptedOutput } from "../../../support/adapted.js";
import { aCard } from "../../../support/cards.js";
import { failureOf } from "../../../support/everywhere.js";
import { startWebhook } from "../../../support/webhook.js";
import { say } from "./conversation.js";
import { listening } from "./listening.js";

const secret = "s".repeat(32);
const versions = ["1.0", "0.3"];
const pairs = versions.flatMap((upstream) => versions.map((caller) => ({ upstream, caller })));

/** The body of a post in 1.0, or a task of 0.3. */
interface Body {
  readonly kind?: "task";
  readonly status?: { readonly state: string };
  readonly task?: { readonly status: { readonly state: string } };
  readonly statusUpdate?: { readonly status: { readonly state: string } };
  readonly artifactUpdate?: {
    readonly artifact: { readonly parts: readonly { readonly text: string }[] };
  };
}

/** Returns the state or the text of an event. */
function gistOf({ status, task, statusUpdate, artifactUpdate }: Body): string {
  const { state } = status ?? task?.status ?? statusUpdate?.status ?? {};
  const text = artifactUpdate?.artifact.parts[0]?.text;
  return text ?? state?.replace("TASK_STATE_", "").toLowerCase() ?? "";
}

describe("webhooks through a gateway", () => {
  let output: AdaptedOutput;
  beforeAll(async () => {
    output = await adaptedOutput();
  });

  /** Starts an agent of one version, and a gateway in front of it. */
  const started = async (version: string, push: object = {}) => {
    const { own, adapters } = output;
    const { artifact, completed, createAgent, taskService, working } = own;
    const callers = Object.values(adapters).map(({ served }) => served);
    const upstream = Object.values(adapters).map(({ spoken }) => spoken);
    const service = taskService({
      anonymousLists: true,
      push: { allowPrivateAddresses: true, firstDelayMs: 10 },
      async *run() {
        yield working("Reading");
        yield* artifact("answer").from(["one ", "two"]);
        return completed("Done");
      },
    });
    onTestFinished(() => service.close());
    const agentUrl = await listening(output, (at) => {
      const card = aCard([{ url: at, protocolBinding: "JSONRPC", protocolVersion: version }], {
        capabilities: { streaming: true, pushNotifications: true },
      });
      return Promise.resolve(createAgent({ card, service, versions: callers }));
    });
    const url = await listening(output, async (at) => {
      const made = await own.gateway({
        upstream: agentUrl,
        url: at,
        versions: { callers, upstream },
        push: { secret, allowPrivateAddresses: true, ...push },
      });
      onTestFinished(() => {
        made.close();
      });
      return made.handler;
    });
    const connected = async (caller: string) => {
      const card = await own.fetchCard(url);
      const supportedInterfaces = card.supportedInterfaces.filter(
        ({ protocolVersion }) => protocolVersion === caller,
      );
      return own.connect({ ...card, supportedInterfaces }, { versions: upstream });
    };
    return { url, connected, service };
  };

  const config = (url: string): TaskPushNotificationConfig => ({
    url,
    token: "caller-token",
    authentication: { scheme: "Bearer", credentials: "caller-key" },
  });

  it.each(pairs)(
    "a webhook of $caller gets all events of an upstream of $upstream in order, once",
    async ({ upstream, caller }) => {
      const { connected, service } = await started(upstream);
      let failures = 1;
      let ended: () => void = () => undefined;
      const isOver = new Promise<void>((resolve) => (ended = resolve));
      const accepted: { readonly gist: string; readonly key: unknown }[] = [];
      const { url } = await startWebhook(({ headers, body }, response) => {
        if (failures > 0) {
          failures -= 1;
          response.writeHead(503, { "retry-after": "0" }).end();
          return;
        }
        expect(headers).toMatchObject({
          "a2a-version": caller,
          "x-a2a-notification-token": "caller-token",
          authorization: "Bearer caller-key",
          "content-type": caller === "1.0" ? "application/a2a+json" : "application/json",
        });
        const gist = gistOf(JSON.parse(body) as Body);
        accepted.push({ gist, key: headers["idempotency-key"] });
        response.writeHead(204).end();
        if (/completed/i.test(gist)) ended();
      });
      const client = await connected(caller);
      await client.sendMessage({
        message: say("x"),
        configuration: { taskPushNotificationConfig: config(url) },
      });
      await isOver;
      // The agent has received the response to its last post.
      await service.close();
      const keys = accepted.map(({ key }) => key);
      expect(new Set(keys).size).toBe(keys.length);
      const generations = keys.map((key) =>
        Number(/\/(\d+)\/[\da-f]{16}"$/.exec(String(key))?.[1]),
      );
      expect(generations.every(Number.isSafeInteger)).toBe(true);
      expect(generations).toEqual(generations.toSorted((first, second) => first - second));
      // Before 1.0, each event is the whole task.
      const isWhole = caller === "0.3" || upstream === "0.3";
      const pieces = isWhole ? ["working", "working"] : ["one ", "two"];
      expect(accepted.map(({ gist }) => gist)).toEqual(["working", ...pieces, "completed"]);
    },
  );

  it.each(versions)("callers of %s read and delete their own webhook", async (caller) => {
    const { connected } = await started("1.0");
    const { url } = await startWebhook();
    const client = await connected(caller);
    const { task } = await client.sendMessage({ message: say("x") });
    const taskId = task?.id ?? "";
    const shown = { taskId, id: "w", url, token: "caller-token" };
    const made = await client.createTaskPushNotificationConfig({ taskId, id: "w", ...config(url) });
    expect(made).toMatchObject(shown);
    expect(await client.getTaskPushNotificationConfig({ taskId, id: "w" })).toMatchObject(shown);
    const { configs } = await client.listTaskPushNotificationConfigs({ taskId });
    expect(configs).toEqual([expect.objectContaining(shown)]);
    // Credentials are write-only.
    expect(JSON.stringify([made, configs])).not.toContain("caller-key");
    await client.deleteTaskPushNotificationConfig({ taskId, id: "w" });
    expect(await client.listTaskPushNotificationConfigs({ taskId })).toMatchObject({});
  });

  it("a webhook in a private network is refused", async () => {
    const { connected } = await started("1.0", { allowPrivateAddresses: false });
    const client = await connected("1.0");
    for (const url of ["http://127.0.0.1/hook", "https://10.0.0.1/hook", "https://localhost/hook"])
      expect(
        await failureOf(
          client.sendMessage({
            message: say("x"),
            configuration: { taskPushNotificationConfig: { url } },
          }),
        ),
      ).toMatchObject({ name: "InvalidParamsError" });
  });

  it("a webhook that does not fit into a URL is refused", async () => {
    const { connected } = await started("1.0");
    const client = await connected("1.0");
    const url = `https://agent.example/${"x".repeat(1_900)}`;
    expect(
      await failureOf(
        client.sendMessage({
          message: say("x"),
          configuration: { taskPushNotificationConfig: { url } },
        }),
      ),
    ).toMatchObject({
      name: "InvalidParamsError",
      message: expect.stringContaining(
        "configuration.taskPushNotificationConfig.url is too long for this gateway",
      ) as string,
    });
  });

  it("a forged seal gets 404", async () => {
    const { url } = await started("1.0");
    const forged = `${url}/webhooks/${"A".repeat(80)}`;
    const response = await fetch(forged, { method: "POST", body: "{}" });
    expect(response.status).toBe(404);
  });
});
