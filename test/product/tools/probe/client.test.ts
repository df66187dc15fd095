import { describe, expect, it, onTestFinished } from "vitest";
import { connect } from "../../../../generated/1.0/index.js";
import { clientRules } from "../../../../tools/probe/client/rules.js";
import { startClientProbe } from "../../../../tools/probe/client/server.js";
import { all } from "../../../support/everywhere.js";
import { freePort } from "../../../support/free-port.js";
import { runInProcess } from "../../cli/in-process.js";

async function started() {
  const probe = await startClientProbe();
  onTestFinished(() => probe.close());
  return probe;
}

/** A request of a client that keeps all rules. */
interface Request {
  path: string;
  headers: Record<string, string>;
  body: Record<string, unknown> | string;
}

const version = { "a2a-version": "1.0" };
const headers = {
  ...version,
  "content-type": "application/json",
  accept: "text/event-stream, application/json",
};
const message = (messageId: string): object => ({
  messageId,
  role: "ROLE_USER",
  parts: [{ text: "Hello" }],
});

function rightRequests(): Request[] {
  const call = (id: number, method: string, params: object): Request => ({
    path: "/rpc",
    headers: { ...headers },
    body: { jsonrpc: "2.0", id, method, params },
  });
  return [
    { path: "/.well-known/agent-card.json", headers: { ...version }, body: "" },
    {
      path: "/.well-known/agent-card.json",
      headers: { ...version, "if-none-match": '"probe"' },
      body: "",
    },
    call(1, "SendMessage", { message: message("m-1") }),
    call(2, "SendStreamingMessage", { message: message("m-2") }),
    call(3, "GetTask", { id: "probe-task" }),
  ];
}

/** Changes of the requests, each of which breaks one rule. */
const mutants: Readonly<Record<string, (requests: Request[]) => void>> = {
  "client-version": ([, , send]) => Object.assign(send?.headers ?? {}, { "a2a-version": "1.0.1" }),
  "client-card-version": ([card]) => Reflect.deleteProperty(card?.headers ?? {}, "a2a-version"),
  "client-interface": ([, , , , get]) =>
    Object.assign(get ?? {}, { path: "/rest/tasks/probe-task", body: "" }),
  "client-content-type": ([, , send]) =>
    Object.assign(send?.headers ?? {}, { "content-type": "text/plain" }),
  "client-json": ([, , send]) => Object.assign(send ?? {}, { body: "{" }),
  "client-rpc-version": ([, , send]) => Object.assign(send?.body ?? {}, { jsonrpc: "1.0" }),
  "client-rpc-id": ([, , send]) => Object.assign(send?.body ?? {}, { id: 2 }),
  "client-operation": ([, , send]) => Object.assign(send?.body ?? {}, { method: "message/send" }),
  "client-request-type": ([, , send]) =>
    Object.assign(send?.body ?? {}, { params: { message: { ...message("m-1"), parts: [] } } }),
  "client-message-role": ([, , send]) =>
    Object.assign(send?.body ?? {}, {
      params: { message: { ...message("m-1"), role: "ROLE_AGENT" } },
    }),
  "client-message-id": ([, , send]) =>
    Object.assign(send?.body ?? {}, { params: { message: message("m-2") } }),
  "client-stream-accept": ([, , , stream]) =>
    Object.assign(stream?.headers ?? {}, { accept: "application/json" }),
  "client-unknown-members": ([, , , , get]) =>
    Object.assign(get?.body ?? {}, { params: { id: "undefined" } }),
  "client-card-etag": ([, card]) => Reflect.deleteProperty(card?.headers ?? {}, "if-none-match"),
};

async function resultsOf(requests: readonly Request[]): Promise<Readonly<Record<string, string>>> {
  const probe = await started();
  for (const { path, headers: own, body } of requests) {
    const text = typeof body === "string" ? body : JSON.stringify(body);
    const response = await fetch(probe.url + path, {
      headers: own,
      ...(text !== "" && { method: "POST", body: text }),
    });
    await response.text();
  }
  const { results } = await probe.report();
  return Object.fromEntries(results.map(({ id, state }) => [id, state]));
}

describe("a2a-codegen probe --client", () => {
  it("the generated client keeps every rule", async () => {
    const probe = await started();
    const client = await connect(probe.url);
    const parts = [{ text: "Hello" }];
    const { task } = await client.sendMessage({
      message: { messageId: "m-1", role: "ROLE_USER", parts },
    });
    const second = { messageId: "m-2", role: "ROLE_USER" as const, parts };
    expect(await all(client.sendStreamingMessage({ message: second }))).toHaveLength(4);
    await client.getTask({ id: task?.id ?? "" });
    await client.listTasks();
    await expect(client.getTask({ id: "other" })).rejects.toThrow("The probe refuses the call");
    client.close();
    const { results } = await probe.report();
    expect(results.filter(({ state }) => state === "fail" || state === "error")).toEqual([]);
    expect(results.filter(({ state }) => state === "pass").length).toBeGreaterThanOrEqual(12);
  });

  it("each rule passes requests that keep it, and notices the mutant that breaks it", async () => {
    expect(Object.keys(mutants).sort()).toEqual(clientRules.map(({ id }) => id).sort());
    const right = await resultsOf(rightRequests());
    expect(Object.values(right).filter((state) => state !== "pass")).toEqual([]);
    for (const [rule, change] of Object.entries(mutants)) {
      const requests = rightRequests();
      change(requests);
      expect([rule, (await resultsOf(requests))[rule]]).toEqual([rule, "fail"]);
    }
  });

  it("the command prints the report after a number of requests", async () => {
    const port = await freePort();
    const done = runInProcess(["probe", "--client", "--port", String(port), "--count", "1"], ".");
    await untilServed(`http://127.0.0.1:${String(port)}/.well-known/agent-card.json`);
    const { code, stdout, stderr } = await done;
    expect(stderr).toContain(`Connect a client to http://127.0.0.1:${String(port)}`);
    expect(stdout).toContain("client-card-version");
    expect(code).toBe(0);
  });

  it("a probe without a URL is refused", async () => {
    expect(await runInProcess(["probe"], ".")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("either a URL or --client") as string,
    });
  });
});

/** Requests a URL until a server responds. */
async function untilServed(url: string) {
  for (;;) {
    try {
      await (await fetch(url)).text();
      return;
    } catch {
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
}
