import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { UnauthenticatedError } from "../../../../generated/1.0/index.js";
import { listen, nowhere } from "../../../support/http.js";
import { temporaryFolder } from "../../../support/temporary-folder.js";
import { a2a, a2aJson, agentWith, echoAgent } from "./command.js";

describe("advice of a2a after a failed call", () => {
  it("a2a says where the address of an unreachable agent is from", async () => {
    const address = await nowhere();
    const cwd = temporaryFolder();
    const hintOf = async (words: string, env: Readonly<Record<string, string>> = {}) =>
      (await a2aJson(`card get ${words}`, { cwd, env })).json.error?.hint;
    expect(await hintOf(`-a ${address}`)).toBe(
      "Check that the agent is running, and the address, which is from --agent-card",
    );
    expect(await hintOf("", { A2ACLI_AGENT_CARD: address })).toMatch(/from A2ACLI_AGENT_CARD$/);
    const file = join(cwd, ".env");
    writeFileSync(file, `A2ACLI_AGENT_CARD=${address}\n`);
    expect(await hintOf("")).toContain(`from A2ACLI_AGENT_CARD in ${file}`);
  });

  it("a2a says that no agent responds at the URL in the card", async () => {
    const url = await agentWith((_, response) => response.writeHead(404).end("Not Found"));
    const { json } = await a2aJson(`task get t -a ${url}`);
    expect(json.error?.hint).toContain(
      `The card of ${url} names this address: check that its path is right`,
    );
  });

  it("a2a repeats a short text of a server without an agent, such as the paths of its agents", async () => {
    const text = "Not Found: agents are at /billing, /support\n";
    const url = await listen((_, response) => {
      response.writeHead(404, { "content-type": "text/plain" }).end(text);
    });
    const { json } = await a2aJson(`send Hello -a ${url}`);
    expect(json.error?.message).toContain(`instead of an agent card: ${text.trim()}; a card was`);
  });

  it("a2a prints the reason of a TLS error without the line of OpenSSL", async () => {
    const url = await listen((_, response) => void response.end());
    const { json } = await a2aJson(`card get -a ${url.replace("http:", "https:")}`);
    expect(json.error?.message).toMatch(/agent-card\.json: TLS error "wrong version number"$/);
  });

  it("a2a also asks to check the URL if it has no credentials, because agents reject unknown paths", async () => {
    const url = await listen((_, response) => void response.writeHead(401).end());
    const { json } = await a2aJson(`card get -a ${url}`);
    expect(json.error).toMatchObject({ code: "A2ACLI_ERR_CREDENTIALS_MISSING" });
    expect(json.error?.hint).toContain("Check the URL too");
  });

  it("a2a says in a call and in a chat that the agent rejected the credentials that were sent", async () => {
    const authenticate = () => Promise.reject(new UnauthenticatedError());
    const agent = `-a ${await echoAgent({ authenticate })} --bearer wrong`;
    const rejected = "Error: The agent rejected the credentials (A2ACLI_ERR_AUTH_FAILED)";
    expect((await a2a(`send Hello ${agent}`)).stderr).toContain(rejected);
    expect((await a2a(`chat ${agent}`, { lines: ["Hello"] })).stderr).toContain(rejected);
  });
});
