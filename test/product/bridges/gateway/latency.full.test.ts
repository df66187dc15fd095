import { describe, expect, it, onTestFinished } from "vitest";
import type { A2AClient } from "../../../../generated/1.0/index.js";
import { adaptedOutput } from "../../../support/adapted.js";
import { processorTime } from "../../../support/processor-time.js";
import { say } from "./conversation.js";
import { startKitPeer } from "./peers.js";
import { listening } from "./listening.js";

const rounds = 500;

/**
 * Returns the times of a call of each client in milliseconds: the median of many calls, which take
 * turns, so that a busy machine affects all clients alike.
 */
async function mediansOf(clients: readonly A2AClient[]): Promise<number[]> {
  const times = clients.map((): number[] => []);
  for (let round = 0; round < rounds; round += 1) {
    for (const [at, client] of clients.entries()) {
      const before = processorTime();
      await client.sendMessage({ message: say("ping") });
      times[at]?.push(processorTime() - before);
    }
  }
  return times.map((ofClient) => {
    const ordered = ofClient.toSorted((first, second) => first - second);
    return ordered[rounds / 2] ?? Infinity;
  });
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
      await mediansOf([direct, through]);
      const [alone = 0, both = Infinity] = await mediansOf([direct, through]);
      const added = both - alone;
      // On a slow machine, the call alone may take a large part of the limit.
      expect(added).toBeLessThan(Math.max(1, 2 * alone));
    },
  );
});
