import { describe, expect, it, onTestFinished } from "vitest";
import type { A2AClient } from "../../../../generated/1.0/index.js";
import { adaptedOutput } from "../../../support/adapted.js";
import { processorTime } from "../../../support/processor-time.js";
import { say } from "./conversation.js";
import { startKitPeer } from "./peers.js";
import { listening } from "./listening.js";

const rounds = 500;

/** Returns the time of a call in milliseconds: the median of many calls. */
async function medianOf(client: A2AClient): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const before = processorTime();
    await client.sendMessage({ message: say("ping") });
    times.push(processorTime() - before);
  }
  return times.toSorted((first, second) => first - second)[rounds / 2] ?? Infinity;
}

describe("the latency of a gateway", () => {
  it.each(["1.0", "0.3"])(
    "a call of version %s over loopback takes less than 1 ms more than without the gateway",
    async (caller) => {
      const output = await adaptedOutput();
      const { own, adapters } = output;
      const peer = await startKitPeer(output, "1.0", "JSONRPC");
      onTestFinished(() => peer.close());
      const callers = Object.values(adapters).map(({ served }) => served);
      const versions = Object.values(adapters).map(({ spoken }) => spoken);
      const url = await listening(output, async (at) => {
        const gateway = await own.gateway({
          upstream: peer.card,
          url: at,
          versions: { callers },
        });
        return gateway.handler;
      });
      const card = await own.fetchCard(url);
      const supportedInterfaces = card.supportedInterfaces.filter(
        ({ protocolVersion }) => protocolVersion === caller,
      );
      const direct = await own.connect(peer.card);
      const through = await own.connect({ ...card, supportedInterfaces }, { versions });
      // Compilers optimize the code during the first rounds.
      await medianOf(direct);
      await medianOf(through);
      const alone = await medianOf(direct);
      const added = (await medianOf(through)) - alone;
      // On a slow machine, the call alone may take a large part of the limit.
      expect(added).toBeLessThan(Math.max(1, 2 * alone));
    },
  );
});
