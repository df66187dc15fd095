import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { adaptedOutput } from "../../../support/adapted.js";
import { findSource, generateFrom, writeTo } from "../../../support/output.js";
import { startWebhook } from "../../../support/webhook.js";
import { runtimes } from "../../runtimes/runtimes.js";
import { converse, say } from "./conversation.js";
import { startKitPeer } from "./peers.js";

const app = `
import { gateway } from "./a2a/server/gateway.ts";
import { v0_3 } from "./a2a/versions/0.3/server.ts";

let started;
export default {
  async fetch(request) {
    started ??= await gateway({
      upstream: "UPSTREAM",
      url: new URL(request.url).origin,
      versions: { callers: [v0_3] },
      push: { secret: "${"s".repeat(32)}", allowPrivateAddresses: true },
    });
    return started.fetch(request);
  },
};
`;

describe("a gateway in a Worker", () => {
  const runtime = runtimes.find(({ name }) => name === "workerd");
  const program = runtime?.program;
  if (runtime === undefined || program === undefined) {
    it.skip(
      "nothing is tried: node_modules has no workerd that starts on this machine; see .ci/run",
    );
    return;
  }

  it("callers of each version have the same conversation, and webhooks arrive in order", async () => {
    const output = await adaptedOutput();
    const { own, adapters } = output;
    const peer = await startKitPeer(output, "1.0", "JSONRPC");
    onTestFinished(() => peer.close());
    const upstream = peer.card.supportedInterfaces[0]?.url ?? "";
    const source = { ...findSource("1.0"), versions: [findSource("0.3.0")] };
    const targets = ["client", "server", "jsonrpc", "rest", "gateway"];
    const generated = await generateFrom(source, { targets, importExtension: "ts" });
    const folder = writeTo(join("gateway-worker", "a2a"), generated);
    const files = [{ path: "app.ts", text: app.replace("UPSTREAM", upstream) }];
    writeTo("gateway-worker", { files });
    const running = await runtime.start(program, join(folder, ".."));
    onTestFinished(() => running.stop());
    const versions = Object.values(adapters).map(({ spoken }) => spoken);
    const direct = await converse(await own.connect(peer.card), own);
    const card = await own.fetchCard(running.url);
    for (const { url, protocolBinding, protocolVersion } of card.supportedInterfaces) {
      expect(`${url}/`).toBe(running.url);
      const supportedInterfaces = [{ url, protocolBinding, protocolVersion }];
      const client = await own.connect({ ...card, supportedInterfaces }, { versions });
      const name = `${protocolVersion} over ${protocolBinding}`;
      expect(await converse(client, own), name).toEqual(direct);
    }

    let ended: () => void = () => undefined;
    const isOver = new Promise<void>((resolve) => (ended = resolve));
    const states: string[] = [];
    const webhook = await startWebhook(({ body }, response) => {
      states.push(/TASK_STATE_(\w+)/.exec(body)?.[1] ?? "artifact");
      response.writeHead(204).end();
      if (states.at(-1) === "COMPLETED") ended();
    });
    const client = await own.connect(running.url);
    await client.sendMessage({
      message: say("hello"),
      configuration: { taskPushNotificationConfig: { url: webhook.url } },
    });
    await isOver;
    expect(states).toEqual([
      "WORKING",
      "artifact",
      "artifact",
      "artifact",
      "artifact",
      "COMPLETED",
    ]);
  });
});
