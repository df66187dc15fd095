import { createServer } from "node:http";
import { listen } from "../../examples/shared/ports.js";
import { createAgent } from "../../generated/1.0/index.js";
import { artifact, completed, taskService, type TurnGenerator } from "../../generated/1.0/kit/index.js";
import { nodeListener } from "../../generated/1.0/server/node.js";
import { Server as GrpcServer } from "@grpc/grpc-js";
import { answer, card, names, paths, wordAt, wordCount, type Kind, type Ready } from "./work.js";

/** Serves an agent on the task kit, which does what the others do by hand. */
export async function start(kind: Kind): Promise<Ready> {
  const service = taskService({ run: kind === "stream" ? words : weather });
  const http = createServer(
    nodeListener(createAgent({ card, service }), { jsonRpc: { path: paths.jsonRpc }, rest: { path: paths.rest } }),
  );
  const { url, grpcUrl } = await listen(http, new GrpcServer(), { host: "127.0.0.1" });
  return { httpPort: Number(new URL(url).port), grpcPort: Number(grpcUrl.split(":")[1]) };
}

function* weather(): TurnGenerator {
  yield artifact(names.artifactName, undefined, { id: names.artifactId }).last(answer);
  return completed();
}

async function* words(): TurnGenerator {
  const writer = artifact(names.artifactName, undefined, { id: names.artifactId });
  for (let index = 0; index < wordCount; index += 1) yield writer.text(await wordAt(index));
  return completed();
}
