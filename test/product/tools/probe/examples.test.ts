import { once } from "node:events";
import { createServer, Server } from "node:http";
import { join, relative } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { grpcTransports } from "../../../../tools/a2a/grpc.js";
import { probeAgent, type ProbeOptions } from "../../../../tools/probe/probe.js";
import { isFailure } from "../../../../tools/probe/result.js";
import type { Report } from "../../../../tools/probe/result.js";
import { packageFolder } from "../../../../support/package-folder.js";
import { withSlashes } from "../../../../support/paths.js";
import { findSource, generateFrom, outFolder, writeTo } from "../../../support/output.js";
import { freePort } from "../../../support/free-port.js";
import { portOf } from "../../../support/ports.js";
import { draftAgent } from "./draft-agent.js";

/**
 * Maximum duration of a probe. The documentation promises 10 s on an ordinary machine. A busy machine
 * takes several times as long.
 */
const limitMs = 60_000;

/** Probes an agent. Returns the report, and its failures of all levels. */
async function probed(
  url: string,
  options: ProbeOptions = {},
): Promise<Report & { readonly failures: string[] }> {
  const report = await probeAgent(url, {
    allowSend: true,
    transports: grpcTransports(),
    ...options,
  });
  const failures = report.results
    .filter(isFailure)
    .map(({ id, lane, level, reason }) => `${id} on ${lane} (${level}): ${reason}`);
  return { ...report, failures };
}

afterEach(() => void vi.restoreAllMocks());

/** Imports an agent that listens as soon as it is imported, and returns its URL. */
async function imported(load: () => Promise<unknown>) {
  const port = await freePort();
  const opened = vi.spyOn(Server.prototype, "listen");
  vi.stubEnv("PORT", String(port));
  vi.spyOn(console, "log").mockImplementation(() => undefined);
  vi.resetModules();
  await load();
  const server = opened.mock.instances[0] as Server;
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
    vi.unstubAllEnvs();
  });
  return `http://127.0.0.1:${port}`;
}

/** Starts the research agent of the examples. */
function researchAgent() {
  return imported(() => import("../../../../examples/research-agent/main.js"));
}

/** Starts the agent skeleton that `init` writes, without any changes. */
async function skeleton() {
  const folder = join(outFolder, "skeleton");
  const agentImport = withSlashes(relative(folder, join(packageFolder, "generated", "1.0")));
  const { agent = "" } = await generateFrom(findSource("1.0"), { agentImport });
  writeTo("skeleton", { files: [{ path: "agent.ts", text: agent }] });
  return imported(() => import(pathToFileURL(join(folder, "agent.ts")).href));
}

describe("a probe of our agents", () => {
  it("the research agent passes every rule", async () => {
    const options = { headers: { authorization: "Bearer secret" }, message: "Tea" };
    const { lanes, failures, durationMs } = await probed(await researchAgent(), options);
    expect([lanes, failures]).toEqual([["JSONRPC 1.0", "HTTP+JSON 1.0"], []]);
    expect(durationMs).toBeLessThan(limitMs);
  });

  it("the research agent passes every rule that a probe without credentials can check", async () => {
    const { failures, results, durationMs } = await probed(await researchAgent());
    expect(failures).toEqual([]);
    expect(results.filter(({ state }) => state === "pass").length).toBeGreaterThan(80);
    expect(durationMs).toBeLessThan(limitMs);
  });

  it("the agent skeleton passes every rule without any changes", async () => {
    const { lanes, failures, results } = await probed(await skeleton());
    expect([lanes, failures]).toEqual([["JSONRPC 1.0", "HTTP+JSON 1.0"], []]);
    expect(results.find(({ id }) => id === "list-token-unknown")?.state).toBe("pass");
  });

  it("an agent of 1.1-draft passes every rule on each transport, for callers of 1.1 and of 1.0", async () => {
    const { lanes, notes, failures, durationMs } = await probed(await draftAgent());
    const bindings = ["JSONRPC", "HTTP+JSON", "GRPC"];
    expect(lanes).toEqual(
      ["1.1", "1.0"].flatMap((version) => bindings.map((binding) => `${binding} ${version}`)),
    );
    expect([failures, notes]).toEqual([[], []]);
    expect(durationMs).toBeLessThan(limitMs);
  });

  it("a note names the interfaces of a version that the probe does not know", async () => {
    const card = {
      supportedInterfaces: [
        { url: "http://127.0.0.1:9", protocolBinding: "GRPC", protocolVersion: "7.0" },
      ],
    };
    const http = createServer((_request, response) => response.end(JSON.stringify(card))).listen(
      0,
      "127.0.0.1",
    );
    await once(http, "listening");
    onTestFinished(() => void http.close());
    const { notes } = await probed(`http://127.0.0.1:${portOf(http)}`);
    expect(notes).toEqual([
      "GRPC 7.0 at http://127.0.0.1:9 was not called: the probe has no client for it",
    ]);
  });
});
