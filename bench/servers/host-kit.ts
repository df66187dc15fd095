import { createServer } from "node:http";
import { listen } from "../../examples/shared/ports.js";
import { createAgent } from "../../generated/1.0/index.js";
import {
  artifact,
  completed,
  taskService,
  working,
  type TurnGenerator,
} from "../../generated/1.0/kit/index.js";
import { nodeListener } from "../../generated/1.0/server/node.js";
import { Server as GrpcServer } from "@grpc/grpc-js";
import {
  answer,
  card,
  Gate,
  gated,
  names,
  paths,
  talks,
  type Kind,
  type Ready,
  type Talk,
} from "./work.js";

/** All callers are anonymous, so they share the limits of one caller. */
const limits = { perOwner: { maxStreams: 100_000 } };

/** Serves an agent on the task kit, with the behavior that the other hosts implement by hand. */
export async function start(kind: Kind): Promise<Ready> {
  const gate = new Gate();
  const runs = {
    task: weather,
    message: weather,
    stream: () => words(talks.stream),
    fanOut: () => words(talks.fanOut, gate),
    slowFanOut: () => words(talks.slowFanOut, gate),
    shortFanOut: () => words(talks.shortFanOut, gate),
    timedFanOut: () => words(talks.timedFanOut, gate),
  };
  const agent = createAgent({ card, service: taskService({ run: runs[kind], limits }) });
  const listener = nodeListener(agent, {
    jsonRpc: { path: paths.jsonRpc },
    rest: { path: paths.rest },
  });
  const http = createServer(gated(gate, listener));
  const { url, grpcUrl } = await listen(http, new GrpcServer(), { host: "127.0.0.1" });
  return { httpPort: Number(new URL(url).port), grpcPort: Number(grpcUrl.split(":")[1]) };
}

function* weather(): TurnGenerator {
  yield artifact(names.artifactName, undefined, { id: names.artifactId }).finish(answer);
  return completed();
}

/** Yields its words immediately, or after a gate has opened. */
async function* words({ count, word }: Talk, gate?: Gate): TurnGenerator {
  if (gate !== undefined) {
    yield working();
    await gate.opened();
  }
  const writer = artifact(names.artifactName, undefined, { id: names.artifactId });
  for (let index = 0; index < count - 1; index += 1) yield writer.text(await word(index));
  yield writer.finish(await word(count - 1));
  return completed();
}
