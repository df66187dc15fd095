import { describe, expect, it } from "vitest";
import * as old from "../../../generated/0.3.0/index.js";
import { adaptedOutput } from "../../support/adapted.js";
import { failureOf } from "../../support/everywhere.js";
import { call, jsonOf } from "../../support/raw.js";
import { scriptedFor } from "../../support/scripted.js";

/**
 * Starts an agent that passes the errors of another agent on, which a client of the same output
 * receives.
 */
async function proxyFor(version: "0.3" | "1.0") {
  const { own, adapters } = await adaptedOutput();
  const { served, spoken } = adapters["0.3"] ?? expect.unreachable("no adapter for 0.3");
  const upstream = await scriptedFor(
    version === "1.0" ? "1.0" : "0.3.0",
    version === "1.0" ? { output: own } : {},
  );
  const client = await own.connect(upstream.url, {
    versions: [spoken],
    allowPrivateAddresses: true,
  });
  const proxy = await scriptedFor("1.0", { output: own, versions: [served] });
  return {
    own,
    proxy,
    fail: async (thrown: unknown) => {
      upstream.response = thrown;
      proxy.response = await failureOf(client.getTask({ id: "t" }));
    },
  };
}

describe("an error that an agent passes on from another agent", () => {
  it("a caller of 0.3 gets the data of 0.3 for an error of 1.0", async () => {
    const { own, proxy, fail } = await proxyFor("1.0");
    await fail(new own.TaskNotFoundError("gone", { metadata: { taskId: "t" } }));
    const answer = jsonOf(
      await call(proxy.url, "tasks/get", { id: "t" }, { "a2a-version": "0.3" }),
    );
    expect(answer).toMatchObject({
      error: { code: -32001, message: "gone", data: { taskId: "t" } },
    });
    const client = new old.A2AClient({ transport: old.jsonRpcTransport(proxy.url) });
    const error = await failureOf(client.getTask({ id: "t" }));
    expect(error).toBeInstanceOf(old.TaskNotFoundError);
    expect(error).toMatchObject({ metadata: { taskId: "t" }, details: [] });
  });

  it("a caller of 0.3 also gets further details of an error of 1.0", async () => {
    const { own, proxy, fail } = await proxyFor("1.0");
    const detail = { "@type": "type.googleapis.com/google.rpc.Help", links: [] };
    await fail(new own.TaskNotFoundError("gone", { metadata: { taskId: "t" }, details: [detail] }));
    const answer = jsonOf(
      await call(proxy.url, "tasks/get", { id: "t" }, { "a2a-version": "0.3" }),
    );
    expect(answer).toMatchObject({ error: { data: { taskId: "t", details: [detail] } } });
  });

  it("a caller of 1.0 gets the details of 1.0 for an error of 0.3", async () => {
    const { proxy, fail } = await proxyFor("0.3");
    await fail(new old.TaskNotFoundError("gone", { data: { taskId: "t" } }));
    const answer = jsonOf(await call(proxy.url, "GetTask", { id: "t" }, { "a2a-version": "1.0" }));
    expect(answer).toMatchObject({
      error: {
        code: -32001,
        message: "gone",
        data: [{ reason: "TASK_NOT_FOUND", metadata: { taskId: "t" } }],
      },
    });
  });
});
