import { Server } from "@grpc/grpc-js";
import { createServer } from "node:http";
import { expect, it, onTestFinished } from "vitest";
import { listen, stop } from "../../../../examples/shared/ports.js";
import { grpcTransports } from "../../../../tools/a2a/grpc.js";
import { probeAgent } from "../../../../tools/probe/probe.js";
import { isFailure } from "../../../../tools/probe/result.js";
import { adaptedOutput } from "../../../support/adapted.js";

it("an agent of 1.0 that also serves 0.3 passes on all six interfaces", async () => {
  const { own, adapters } = await adaptedOutput("1.0", ["0.3.0"]);
  const [http, grpc] = [createServer(), new Server()];
  const { url, grpcUrl } = await listen(http, grpc, { host: "127.0.0.1" });
  const modes = ["text/plain"];
  const interfaces = (protocolVersion: string) => [
    { url, protocolBinding: "JSONRPC", protocolVersion },
    { url, protocolBinding: "HTTP+JSON", protocolVersion },
    { url: grpcUrl, protocolBinding: "GRPC", protocolVersion },
  ];
  const service = own.taskService<string, never>({
    async *run() {
      yield own.working();
      yield* own.artifact("result").from(["one ", "two"]);
      return own.completed("Done");
    },
  });
  const agent = own.createAgent({
    card: {
      name: "Both",
      description: "Serves two versions.",
      version: "1.0.0",
      capabilities: { streaming: true, pushNotifications: true },
      defaultInputModes: modes,
      defaultOutputModes: modes,
      skills: [{ id: "both", name: "Both", description: "Responds.", tags: ["test"] }],
      supportedInterfaces: [...interfaces("1.0"), ...interfaces("0.3")],
    },
    service,
    authenticate: () => "everybody",
    versions: Object.values(adapters).map(({ served }) => served),
    onError: () => undefined,
  });
  const { definition, implementation } = own.grpcService(agent);
  grpc.addService(definition, implementation);
  http.on("request", own.nodeListener(agent));
  onTestFinished(async () => {
    await service.close();
    await stop(http, grpc);
  });
  const { lanes, results } = await probeAgent(url, {
    allowSend: true,
    transports: grpcTransports(),
  });
  expect(lanes).toHaveLength(6);
  expect(
    results.filter(isFailure).map(({ id, lane, reason }) => `${id} on ${lane}: ${reason}`),
  ).toEqual([]);
}, 60_000);
