import type { Server } from "node:http";
import { setImmediate } from "node:timers/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import * as first from "../../../../generated/1.0/index.js";
import * as firstClient from "../../../../generated/1.0/kit/client/index.js";
import * as firstKit from "../../../../generated/1.0/kit/index.js";
import { nodeListener } from "../../../../generated/1.0/server/node.js";
import * as second from "../../../../generated/1.1-draft/index.js";
import * as secondClient from "../../../../generated/1.1-draft/kit/client/index.js";
import * as secondKit from "../../../../generated/1.1-draft/kit/index.js";
import { nodeListener as secondListener } from "../../../../generated/1.1-draft/server/node.js";
import { openPorts } from "../../../support/ports.js";
import { Random, seedOf } from "../../../support/random/random.js";
import { seed } from "../../../support/seed.js";
import { request } from "./follow-agent.js";
import { aCard } from "../../../support/cards.js";

const output = { ...first, ...firstClient, ...firstKit, nodeListener };
const later = { ...second, ...secondClient, ...secondKit, nodeListener: secondListener };
// As far as this test goes, 1.1 has the types of 1.0.
const versions = { "1.0": output, "1.1": later as unknown as typeof output };

/**
 * Breaks connections before one in six of the events, from the time on that it is told to; counts
 * how often.
 */
function breakConnections(server: Server, random: Random) {
  const breaks = { hasBegun: false, count: 0 };
  server.prependListener("request", (_, outgoing) => {
    const write = outgoing.write.bind(outgoing) as (...given: unknown[]) => boolean;
    outgoing.write = (...given: unknown[]) => {
      if (!breaks.hasBegun || !random.oneIn(6)) return write(...given);
      outgoing.destroy();
      breaks.count += 1;
      return true;
    };
  });
  return breaks;
}

describe.each(["1.0", "1.1"] as const)(
  "a task of %s, whose connections fail repeatedly",
  (protocolVersion) => {
    const { artifact, completed, connect, createAgent, followTask, taskService, ...others } =
      versions[protocolVersion];

    it.each(["JSONRPC", "HTTP+JSON"])(
      "a follower over %s sees the final state of the task and each chunk once",
      async (protocolBinding) => {
        const words = Array.from({ length: 60 }, (_, at) => `${at} `);
        const service = taskService({
          owner: () => "all",
          async *run() {
            const text = artifact("text");
            for (const word of words) {
              yield text.text(word);
              while (!breaks.hasBegun) await setImmediate();
              await setImmediate();
            }
            return completed();
          },
        });
        onTestFinished(() => service.close());
        const { url, http } = await openPorts();
        const card = aCard([{ url, protocolBinding, protocolVersion }], { name: "Breaks" });
        http.on("request", others.nodeListener(createAgent({ card, service })));
        const breaks = breakConnections(
          http,
          new Random(seedOf(seed, protocolVersion + protocolBinding, 1)),
        );

        const following = followTask(await connect(card), request, { delayMs: () => 1 });
        let text = "";
        for await (const { event } of following) {
          // Before that, a follower cannot know whether to send the message again; only the sender
          // can decide this.
          breaks.hasBegun = true;
          text += event.artifactUpdate?.artifact.parts.map((part) => part.text).join("") ?? "";
        }
        const { task } = await following.result();
        expect(text).toBe(words.join(""));
        expect(task?.status.state).toBe("TASK_STATE_COMPLETED");
        expect(breaks.count).toBeGreaterThan(0);
      },
    );
  },
);
