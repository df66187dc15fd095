import { once } from "node:events";
import { createServer } from "node:http";
import { listen } from "../../examples/shared/ports.js";
import { createAgent } from "../../generated/1.0/index.js";
import {
  artifact,
  completed,
  message as reply,
  taskService,
  textOf,
  working,
  type Turn,
  type TurnGenerator,
} from "../../generated/1.0/kit/index.js";
import { nodeListener } from "../../generated/1.0/server/node.js";
import { v0_3 } from "../../generated/1.0/versions/0.3/server.js";
import { Server as GrpcServer } from "@grpc/grpc-js";
import {
  answer,
  card,
  Gate,
  gated,
  names,
  paths,
  talks,
  textsFor,
  wishIn,
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
    asked,
    askedBy03: asked,
  };
  const run = runs[kind];
  const isAsked = run === asked;
  const replies = isAsked && {
    reply: ({ message }: Pick<Turn, "message">) =>
      wishIn(textOf(message)) === "message" ? reply(answer) : undefined,
  };
  const agent = createAgent({
    card,
    // Only known users can list tasks.
    ...(isAsked && { authenticate: () => "somebody" }),
    service: taskService({ run, ...replies, limits }),
    versions: kind === "askedBy03" ? [v0_3] : [],
  });
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

/** Does what the message asks for. */
async function* asked(turn: Turn): TurnGenerator {
  const wish = wishIn(textOf(turn.message));
  yield working();
  if (wish === "wait") await once(turn.signal, "abort");
  const writer = artifact(names.artifactName, undefined, { id: names.artifactId });
  const [...texts] = textsFor(wish);
  const last = texts.pop() ?? "";
  for (const text of texts) yield writer.text(text);
  yield writer.finish(last);
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
