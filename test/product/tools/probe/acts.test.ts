import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { grpcTransports } from "../../../../tools/a2a/grpc.js";
import { A2AError, openClient, reportOf } from "../../../../tools/agents/index.js";
import { loadSuites } from "../../../../tools/probe/acts/load.js";
import { compareWith, readExpectations } from "../../../../tools/probe/expected.js";
import { probeAgent } from "../../../../tools/probe/probe.js";
import { isFailure } from "../../../../tools/probe/result.js";
import { packageFolder } from "../../../../support/package-folder.js";
import { suiteAgent } from "./agents.js";

// The published suites are not part of the repository.
const folder = process.env["ACTS_SUITES"] ?? join(packageFolder, "..", "shared", "acts");
const master = join(folder, "suite.acts.yaml");
const isThere = existsSync(master);
if (!isThere)
  console.warn(
    `The ACTS suites are not tested: ${master} does not exist; set ACTS_SUITES to their folder`,
  );

const variables = {
  insufficientAuthToken: "poor",
  otherUserTaskId: "unknown",
  webhookUrl: "https://example.com/hook",
};
const users = { good: "ada", poor: "nobody" };

/** Tests that require an agent without optional capabilities. */
const withoutCapabilities = ["CORE-CAP-001", "CORE-CAP-002", "PUSH-CFG-004", "SEC-EXTCARD-003"];

/** Reads a response with the generated client. */
async function parse(operation: string, payload: unknown): Promise<unknown> {
  if (operation.endsWith("agent_card")) {
    const { card, findings } = reportOf(payload);
    if (card === undefined || findings.some(({ severity }) => severity === "error"))
      throw new Error("invalid card");
    return card;
  }
  const target = {
    url: "http://127.0.0.1:9/",
    binding: "JSONRPC",
    version: "1.0",
    tenant: undefined,
  };
  const client = openClient(target, {
    fetch: async (_url, { body }) => {
      const { id } = JSON.parse(typeof body === "string" ? body : "{}") as { id: unknown };
      return Response.json({ ...(payload as object), id });
    },
  });
  try {
    if (operation === "get_task") return await client.getTask({ id: "task" });
    const message = { messageId: "m-1", role: "ROLE_USER", parts: [{ text: "Hello" }] } as const;
    return await client.sendMessage({ message: { ...message, parts: [...message.parts] } });
  } catch (error) {
    if (!(error instanceof A2AError) || error.reason === "INVALID_AGENT_RESPONSE") throw error;
    return { error: { code: error.jsonRpcCode, message: error.message } };
  }
}

async function results(
  { url, grpcUrl }: { readonly url: string; readonly grpcUrl: string },
  more: Parameters<typeof probeAgent>[1],
) {
  const suites = loadSuites([master], packageFolder);
  const options = {
    allowSend: true,
    transports: grpcTransports(),
    suites,
    variables,
    parse,
    trustedOrigins: [grpcUrl],
  };
  return (await probeAgent(url, { ...options, ...more })).results;
}

describe.skipIf(!isThere)("the published ACTS suites", () => {
  it("an agent on the task kit and the generated client pass every test on every binding, except for tests that contradict the specification", async () => {
    const full = await suiteAgent({ users });
    const plain = await suiteAgent({
      capabilities: { streaming: false, pushNotifications: false, extendedAgentCard: false },
    });
    const [most, few] = await Promise.all([
      results(full, { headers: { authorization: "Bearer good" } }),
      results(plain, { only: withoutCapabilities }),
    ]);
    const all = [...most.filter(({ id }) => !withoutCapabilities.includes(id)), ...few];
    const file = join(packageFolder, "test", "product", "tools", "probe", "acts.expected");
    const { results: judged, unmet } = compareWith(
      readExpectations(readFileSync(file, "utf8"), file),
      all,
    );
    const failures = judged.filter((result) => isFailure(result) && result.expected === undefined);
    expect(
      failures.map(({ id, lane, step, reason }) => `${id} on ${lane}, ${step ?? ""}: ${reason}`),
    ).toEqual([]);
    expect(unmet).toEqual([]);
    expect(all.filter(({ state }) => state === "skip")).toEqual([]);
    const count = (lane: string) => all.filter((result) => result.lane === lane).length;
    expect([count("JSONRPC 1.0"), count("HTTP+JSON 1.0"), count("GRPC 1.0")]).toEqual([
      101, 85, 81,
    ]);
  });
});
