import { Server as GrpcServer } from "@grpc/grpc-js";
import { createServer } from "node:http";
import { describe, expect, it, onTestFinished } from "vitest";
import { listen, stop } from "../../../../examples/shared/ports.js";
import { adaptedOutput } from "../../../support/adapted.js";
import { converse } from "./conversation.js";
import { startKitPeer, startSdkPeer } from "./peers.js";

const peers = [
  { peer: "an agent of the kit of 1.0", start: startKitPeer, version: "1.0", over: "JSONRPC" },
  { peer: "an agent of the kit of 1.0", start: startKitPeer, version: "1.0", over: "GRPC" },
  { peer: "an agent of the kit of 0.3", start: startKitPeer, version: "0.3", over: "JSONRPC" },
  { peer: "an agent of the kit of 0.3", start: startKitPeer, version: "0.3", over: "GRPC" },
  { peer: "an agent of the official SDK", start: startSdkPeer, version: "1.0", over: "JSONRPC" },
];
const callers = ["1.0", "0.3"].flatMap((caller) =>
  ["JSONRPC", "HTTP+JSON"].map((binding) => ({ caller, binding })),
);

it("a gateway also serves callers over gRPC", async () => {
  const output = await adaptedOutput();
  const { own, adapters } = output;
  const peer = await startKitPeer(output, "0.3", "HTTP+JSON");
  onTestFinished(() => peer.close());
  const upstream = Object.values(adapters).map(({ spoken }) => spoken);
  const direct = await converse(await own.connect(peer.card, { versions: upstream }), own);
  const [http, grpc] = [createServer(), new GrpcServer()];
  const { url, grpcUrl } = await listen(http, grpc, { host: "127.0.0.1" });
  onTestFinished(() => stop(http, grpc));
  const { agent, card } = await own.gateway({
    upstream: peer.card,
    url,
    versions: { upstream },
    card: (changed) => ({
      ...changed,
      supportedInterfaces: [{ url: grpcUrl, protocolBinding: "GRPC", protocolVersion: "1.0" }],
    }),
  });
  const { definition, implementation } = own.grpcService(agent);
  grpc.addService(definition, implementation);
  const client = await own.connect(card, { transports: [own.grpc()] });
  expect(await converse(client, own)).toEqual(direct);
  client.close();
});

describe.each(peers)("a gateway in front of $peer over $over", ({ start, version, over }) => {
  it("each caller has the same conversation as without the gateway", async () => {
    const output = await adaptedOutput();
    const { own, adapters } = output;
    const upstream = Object.values(adapters).map(({ spoken }) => spoken);
    const served = Object.values(adapters).map(({ served: each }) => each);
    const peer = await start(output, version, over);
    onTestFinished(() => peer.close());
    const transports = [own.grpc(), own.jsonRpc(), own.rest()];
    const replies = start !== startSdkPeer;
    const client = await own.connect(peer.card, { versions: upstream, transports });
    const direct = await converse(client, own, { replies });
    client.close();
    const gateway = await own.gateway({
      upstream: peer.card,
      url: "http://gateway.test",
      versions: { callers: served, upstream },
      connect: { transports },
    });
    onTestFinished(() => {
      gateway.close();
    });
    const fetch = (url: string, init: RequestInit) => gateway.fetch(new Request(url, init));
    const card = await own.fetchCard("http://gateway.test", { fetch });
    for (const { caller, binding } of callers) {
      const supportedInterfaces = card.supportedInterfaces.filter(
        (each) => each.protocolVersion === caller && each.protocolBinding === binding,
      );
      const found = { ...card, supportedInterfaces };
      const through = await own.connect(found, { fetch, versions: upstream });
      expect(through.version).toBe(caller);
      expect(await converse(through, own, { replies }), `${caller} ${binding}`).toEqual(direct);
    }
    // Each conversation has canceled one task.
    expect(peer.canceled).toHaveLength(1 + callers.length);
  });
});
