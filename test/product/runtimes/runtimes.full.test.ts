import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { packageFolder } from "../../../support/package-folder.js";
import { protocol } from "../../../generated/1.0/operations.js";
import { nodeListener } from "../../../generated/1.0/server/node.js";
import { findSource, generateFrom, writeTo } from "../../support/output.js";
import { agentAt, expected, play } from "./app.js";
import { runtimes, type RunningApp } from "./runtimes.js";

const bindings = [protocol.bindings.jsonRpc, protocol.bindings.http];

/** Serves the same agent with `node:http`, for the clients of other runtimes. */
async function startNode() {
  const server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}/`;
  server.on("request", nodeListener(agentAt(url)));
  return url;
}

describe.each(runtimes)("on $name", ({ name, program, start }) => {
  if (program === undefined) {
    it.skip(
      `nothing is tried: node_modules has no program of it that starts on this machine; see .ci/run`,
    );
    return;
  }

  let app: RunningApp;

  beforeAll(async () => {
    const output = await generateFrom(findSource("1.0"), {
      targets: ["client", "server", "jsonrpc", "rest"],
      importExtension: "ts",
    });
    const folder = writeTo(join("runtimes", name, "a2a"), output);
    const text = readFileSync(join(packageFolder, "test", "product", "runtimes", "app.ts"), "utf8");
    const local = text.replaceAll(
      /"\.\.\/\.\.\/\.\.\/generated\/1\.0\/(\w+)\.js"/g,
      '"./a2a/$1.ts"',
    );
    writeTo(join("runtimes", name), { files: [{ path: "app.ts", text: local }] });
    app = await start(program, join(folder, ".."));
  });

  afterAll(() => app.stop());

  it.each(bindings)(`an agent behind fetch serves a client of Node over %s`, async (binding) => {
    expect(await play(app.url, binding)).toEqual(expected);
  });

  it.each(bindings)("a client calls an agent of Node over %s", async (binding) => {
    const query = new URLSearchParams({ url: await startNode(), binding }).toString();
    const response = await fetch(new URL(`play?${query}`, app.url));
    expect(await response.json()).toEqual(expected);
  });
});
