import { expect, it, onTestFinished } from "vitest";
import { grpcTransports } from "../../../../tools/a2a/grpc.js";
import { probeAgent } from "../../../../tools/probe/probe.js";
import { isFailure } from "../../../../tools/probe/result.js";
import { adaptedOutput } from "../../../support/adapted.js";
import { aCard, interfacesAt } from "../../../support/cards.js";
import { openPorts } from "../../../support/ports.js";

it("an agent of 1.0 that also serves 0.3 passes on all six interfaces", async () => {
  const { own, adapters } = await adaptedOutput("1.0", ["0.3.0"]);
  const { url, grpcUrl, serve } = await openPorts();
  const interfaces = (version: string) => interfacesAt(url, grpcUrl, version);
  const service = own.taskService<string, never>({
    async *run() {
      yield own.working();
      yield* own.artifact("result").from(["one ", "two"]);
      return own.completed("Done");
    },
  });
  const agent = own.createAgent({
    card: aCard([...interfaces("1.0"), ...interfaces("0.3")], {
      name: "Both",
      capabilities: { streaming: true, pushNotifications: true },
      skills: [{ id: "both", name: "Both", description: "Responds.", tags: ["test"] }],
    }),
    service,
    authenticate: () => "everybody",
    versions: Object.values(adapters).map(({ served }) => served),
    onError: () => undefined,
  });
  serve(own, agent);
  onTestFinished(() => service.close());
  const { lanes, results } = await probeAgent(url, {
    allowSend: true,
    transports: grpcTransports(),
  });
  expect(lanes).toHaveLength(6);
  expect(
    results.filter(isFailure).map(({ id, lane, reason }) => `${id} on ${lane}: ${reason}`),
  ).toEqual([]);
});
