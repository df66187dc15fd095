import { describe, expect, it } from "vitest";
import { readCard } from "../../../../tools/agents/index.js";
import { card, taskOf } from "../../../hostile/sample.js";
import { failureOf } from "../../../support/everywhere.js";
import { json, nowhere, serve } from "../../../support/http.js";
import { a2a, a2aJson } from "./command.js";

/**
 * Serves a card, whose interface is the address of the server, and responds to calls with a result.
 */
async function agentWith(result: unknown, path = "/.well-known/agent-card.json") {
  const { url } = await serve(({ method, url: requested, headers, body }, response) => {
    const at = `http://${String(headers.host)}/`;
    const supportedInterfaces = [{ url: at, protocolBinding: "JSONRPC", protocolVersion: "1.0" }];
    if (method === "POST")
      json(response, { jsonrpc: "2.0", id: (JSON.parse(body) as { id: unknown }).id, result });
    else if (requested === path) json(response, { ...card, supportedInterfaces });
    else response.writeHead(404).end();
  });
  return url;
}

const page = { tasks: [taskOf("t-1"), { id: 2 }], nextPageToken: "", pageSize: 2, totalSize: 2 };

describe("agents that deviate from the specification", () => {
  it("a2a finds a card at its own URL", async () => {
    const url = await agentWith({}, "/a2a/v1/card");
    expect((await a2a(`card get -a ${url}/a2a/v1/card`)).stdout).toContain(card.name);
  });

  it("a2a finds a card of an earlier version if the other path requires credentials", async () => {
    const { url } = await serve(({ url: requested }, response) => {
      if (requested === "/.well-known/agent.json")
        json(response, { ...card, url: "http://127.0.0.1/" });
      else response.writeHead(401).end();
    });
    expect((await readCard(url)).url).toBe(`${url}/.well-known/agent.json`);
  });

  it("an error lists the URLs at which a card was expected, and keeps the status 401 of one of them", async () => {
    const { url } = await serve(({ url: requested }, response) => {
      response.writeHead(requested === "/x/.well-known/agent.json" ? 401 : 404).end();
    });
    const error = await failureOf(readCard(`${url}/x`));
    expect(error).toMatchObject({ status: 401 });
    expect(error).toHaveProperty(
      "message",
      expect.stringContaining(`/x/.well-known/agent.json, ${url}/x`),
    );
  });

  it("a2a lists the readable tasks, and notes how many are invalid", async () => {
    const { code, stdout, stderr } = await a2a(`list -a ${await agentWith(page)}`);
    expect([code, stdout]).toEqual([0, expect.stringContaining("t-1")]);
    expect(stderr).toContain(
      "Note: 1 invalid tasks are left out, such as one with /id expected string, got 2",
    );
  });

  it("a2a accepts invalid responses with --lenient", async () => {
    const args = [
      "task",
      "get",
      "2",
      "-a",
      await agentWith({ id: "2", status: { state: "TASK_STATE_WORKING" } }),
    ];
    const odd = [
      "task",
      "get",
      "2",
      "-a",
      await agentWith({ id: "2", status: { state: "TASK_STATE_WORKING" }, history: "none" }),
      "-o",
      "json",
    ];
    expect((await a2a(args)).code).toBe(0);
    expect((await a2a(odd)).code).toBe(1);
    expect(JSON.parse((await a2a([...odd, "--lenient"])).stdout)).toMatchObject({
      history: "none",
    });
  });

  it("a2a says that the card names an address that cannot be reached", async () => {
    const address = await nowhere();
    const supportedInterfaces = [
      { url: address, protocolBinding: "JSONRPC", protocolVersion: "1.0" },
    ];
    const { url } = await serve((_, response) => json(response, { ...card, supportedInterfaces }));
    const { json: found } = await a2aJson(`task get t -a ${url}`);
    expect(found.error).toMatchObject({
      code: "A2ACLI_ERR_UNREACHABLE",
      message: expect.stringContaining(address) as unknown,
      hint: expect.stringContaining(`The card of ${url} names this address`) as unknown,
    });
  });

  it("a2a says that a port does not use TLS", async () => {
    const url = await agentWith({});
    const { json: found } = await a2aJson(["card", "get", "-a", url.replace("http:", "https:")]);
    expect(found.error?.hint).toBe("The port does not use TLS: write http:// instead of https://");
  });

  it("a2a names the reason for which a card of the old form with the version 1.0 is invalid", async () => {
    const rest = { ...card, supportedInterfaces: undefined };
    const { url } = await serve((_request, response) =>
      json(response, { ...rest, url: "http://127.0.0.1/", protocolVersion: "1.0" }),
    );
    const reason = 'the card declares version "1.0", but has the form of 0.3';
    const { stdout } = await a2a(`card get -a ${url} --validate`);
    expect(stdout).toContain(reason);
    expect(stdout).not.toContain("nothing is wrong");
    const { json: found } = await a2aJson(`send hi -a ${url}`);
    expect(found.error?.message).toContain(reason);
  });

  it("a2a reads a card of an earlier version without a version", async () => {
    const rest = { ...card, supportedInterfaces: undefined };
    const skills = [{ id: "a", name: "Answer", description: "Answers.", tags: ["answer"] }];
    const { url } = await serve(({ method, headers, body }, response) => {
      const result = {
        kind: "message",
        messageId: "m",
        role: "agent",
        parts: [{ kind: "text", text: "Hello" }],
      };
      if (method === "POST")
        json(response, { jsonrpc: "2.0", id: (JSON.parse(body) as { id: unknown }).id, result });
      else json(response, { ...rest, skills, url: `http://${String(headers.host)}/` });
    });
    const { code, stdout } = await a2a(`send hi -a ${url}`);
    expect([code, stdout]).toEqual([0, expect.stringContaining("Hello")]);
  });
});
