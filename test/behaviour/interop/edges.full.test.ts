import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { ClientFactory, ClientFactoryOptions } from "@a2a-js/sdk/client";
import { GrpcTransportFactory } from "@a2a-js/sdk/client/grpc";
import * as current from "../../../generated/1.0/index.js";
import * as old from "../../../generated/0.3.0/index.js";
import { startWebhook } from "../../support/webhook.js";
import { at, plain, textAt } from "./json.js";
import { connectOurOld, connectOurs, startOurs } from "./ours.js";
import {
  bindings,
  everything,
  outcome,
  type Caller,
  type Connect,
  type HostOptions,
  type StartHost,
} from "./peers.js";
import { eventsSeen, user } from "./scenario.js";
import { folded, scenes } from "./scenes.js";
import { connectOldSdk } from "./sdk-0.3-client.js";
import { startOldSdk } from "./sdk-0.3.js";
import { connectSdk } from "./sdk-1.0-client.js";
import { startSdk } from "./sdk-1.0.js";

beforeEach(() => {
  for (const level of ["error", "warn", "info"] as const)
    vi.spyOn(console, level).mockReturnValue(undefined);
});
afterEach(() => {
  vi.restoreAllMocks();
});

async function started(start: StartHost, options?: HostOptions) {
  const host = await start(options);
  onTestFinished(() => host.close());
  return host;
}

/** Sends a message and returns the class of the resulting error. */
async function refusedSend({ call, dialect }: Caller) {
  return at(
    await outcome(call("sendMessage", dialect.sendRequest({ message: user("answer") }))),
    "refused",
  );
}

function capabilities(name: string, connect: Connect, start: StartHost) {
  it.each(bindings)(
    `a capability that the card does not declare is requested before ${name} uses it, over %s`,
    async (binding) => {
      const none = { streaming: false, pushNotifications: false, extendedAgentCard: false };
      const { url } = await started(start, { capabilities: none });
      const { call, stream, close } = await connect(url, binding);
      onTestFinished(close);
      const config = { taskId: "t", id: "c", url: "https://example.org" };
      const [subscribed] = await everything(stream("subscribeToTask", { id: "t" }));
      expect({
        subscribing: at(subscribed, "refused"),
        pushing: at(await outcome(call("createTaskPushNotificationConfig", config)), "refused"),
        card: at(await outcome(call("getExtendedAgentCard", {})), "refused"),
      }).toEqual({
        subscribing: "UnsupportedOperationError",
        pushing: "PushNotificationNotSupportedError",
        card: "UnsupportedOperationError",
      });
    },
  );

  it.each(bindings)(
    `an extension that ${name} must support is required, over %s`,
    async (binding) => {
      const required = { uri: "https://example.org/ext/must", required: true };
      const { url } = await started(start, { capabilities: { extensions: [required] } });
      const caller = await connect(url, binding);
      onTestFinished(caller.close);
      expect(await refusedSend(caller)).toBe("ExtensionSupportRequiredError");
      const request = caller.dialect.sendRequest({ message: user("answer", { contextId: "c" }) });
      const answered = await outcome(
        caller.call("sendMessage", request, { extensions: [required.uri] }),
      );
      expect(at(answered, "message", "messageId")).toBe("answer");
    },
  );
}

describe("capabilities", () => capabilities("the SDK's client", connectSdk, startOurs));
describe("capabilities of the SDK's server", () =>
  capabilities("our client", connectOurs, startSdk));

describe("a version that the server does not support", () => {
  it.each(["JSONRPC", "HTTP+JSON"])(
    "our server refuses the version as unsupported, over %s",
    async (binding) => {
      const { card } = await started(startOurs);
      const url =
        card.supportedInterfaces.find(({ protocolBinding }) => protocolBinding === binding)?.url ??
        "";
      const transport =
        binding === "JSONRPC" ? current.jsonRpcTransport(url) : current.restTransport(url);
      const client = new current.A2AClient({ transport });
      const call = client.getTask({ id: "t" }, { headers: { "a2a-version": "0.3" } });
      expect(await outcome(call)).toMatchObject({ refused: "VersionNotSupportedError" });
    },
  );

  it("the SDK's client of 0.3 does not choose an interface of our card of 1.0", async () => {
    const { url } = await started(startOurs);
    await expect(connectOldSdk(url, "JSONRPC")).rejects.toThrow();
  });
});

describe("a version that the SDK's server does not support", () => {
  it("our client of 0.3 does not choose an interface of its card", async () => {
    const { url } = await started(startSdk);
    await expect(connectOurOld(url, "JSONRPC")).rejects.toMatchObject({
      name: "InvalidAgentResponseError",
    });
  });
});

describe("the card of our server", () => {
  it("the SDK's client uses the first interface of our card that it supports, or the interface that it prefers", async () => {
    const { url } = await started(startOurs);
    const transports = [...ClientFactoryOptions.default.transports, new GrpcTransportFactory()];
    const chosen = async (...preferredTransports: ("GRPC" | "HTTP+JSON")[]) =>
      (await new ClientFactory({ transports, preferredTransports }).createFromUrl(url)).transport
        .protocolName;
    expect(await chosen()).toBe("JSONRPC");
    expect(await chosen("HTTP+JSON")).toBe("HTTP+JSON");
    expect(await chosen("GRPC", "HTTP+JSON")).toBe("GRPC");
  });
});

describe("the card of the SDK's server", () => {
  it("our client reads the card of the SDK's server although it is not ProtoJSON if it has a security scheme", async () => {
    const { url, card } = await started(startSdk);
    const raw: unknown = await (await fetch(new URL("/.well-known/agent-card.json", url))).json();
    // Deviation: in section 8.2 of 1.0.1, the AgentCard is JSON, with the member of a oneof under
    // its name.
    expect(at(raw, "securitySchemes", "bearer", "scheme", "$case")).toBe("httpAuthSecurityScheme");
    expect(current.isAgentCard(raw)).toBe(false);
    const client = await connectOurs(url, "JSONRPC");
    expect(plain(client.card)).toEqual(plain(card));
    client.close();
  });
});

describe("a webhook that our client has registered with the SDK's server", () => {
  const authentication = { scheme: "Bearer", credentials: "s3cret" };

  async function delivered(start: StartHost, connect: Connect, more: object, count: number) {
    const webhook = await startWebhook();
    const { url } = await started(start);
    const caller = await connect(url, "JSONRPC");
    onTestFinished(caller.close);
    const message = user("work");
    const taskPushNotificationConfig = { id: "c", url: webhook.url, ...more };
    const request = {
      message,
      configuration: { returnImmediately: false, taskPushNotificationConfig },
    };
    const result = await caller.call("sendMessage", caller.dialect.sendRequest(request));
    await vi.waitFor(() => expect(webhook.deliveries).toHaveLength(count));
    const task = at(result, "task") ?? result;
    const [taskId, contextId] = [textAt(task, "id"), textAt(task, "contextId")];
    return {
      deliveries: webhook.deliveries,
      stage: { taskId, contextId, message: { ...message, taskId, contextId } },
    };
  }

  it("the webhook gets each event of 1.0 once and in order", async () => {
    const { deliveries, stage } = await delivered(startSdk, connectOurs, { authentication }, 7);
    const bodies = deliveries.map(({ body }) => JSON.parse(body) as unknown);
    expect(bodies.every((body) => current.isStreamResponse(body))).toBe(true);
    expect(plain(bodies)).toEqual(plain(eventsSeen(scenes.work(stage))));
    for (const { headers } of deliveries) {
      expect(headers).toMatchObject({
        "content-type": "application/a2a+json",
        authorization: "Bearer s3cret",
      });
    }
  });

  it("the webhook gets the token of 1.0 if it has no authentication", async () => {
    const { deliveries } = await delivered(startSdk, connectOurs, { token: "t-1" }, 7);
    for (const { headers } of deliveries)
      expect(headers).toMatchObject({ "x-a2a-notification-token": "t-1" });
  });

  it("the webhook gets the task of 0.3 at each event", async () => {
    const { deliveries, stage } = await delivered(startOldSdk, connectOurOld, { token: "t-1" }, 7);
    const bodies = deliveries.map(({ body }) => JSON.parse(body) as unknown);
    expect(bodies.every((body) => old.isTask(body))).toBe(true);
    const task = folded(scenes.work(stage));
    expect(at(bodies.at(-1), "id")).toBe(task.id);
    expect(at(bodies.at(-1), "status", "state")).toBe("completed");
    for (const { headers } of deliveries)
      expect(headers).toMatchObject({ "x-a2a-notification-token": "t-1" });
  });
});
