import { once } from "node:events";
import { createServer } from "node:http";
import { onTestFinished } from "vitest";
import type { AgentsByPath } from "../../../../generated/1.0/index.js";
import type { AdaptedOutput } from "../../../support/adapted.js";
import { portOf } from "../../../support/ports.js";

/** Serves an agent or a handler on a free port for one test. Returns its URL. */
export async function listening(
  { own }: Pick<AdaptedOutput, "own">,
  handlerAt: (url: string) => Promise<AgentsByPath[string]>,
): Promise<string> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${portOf(server)}`;
  server.on("request", own.nodeListener({ "/": await handlerAt(url) }));
  return url;
}
