import { describe, expect, it } from "vitest";
import { a2a, a2aJson, agentWith, earlierAgent, echoAgent } from "./command.js";

const uris = ["https://example.com/ext/a", "urn:example:b"] as const;
const options = uris.flatMap((uri) => ["--extension", uri]);
const extensions = [{ uri: uris[0], required: true }, { uri: uris[1] }];

describe("a2a --extension", () => {
  it.each(["JSONRPC", "HTTP+JSON", "GRPC"])(
    "a2a requests the extensions of the option over %s, and repeats the option in hints (A2ACLI_VER_002)",
    async (binding) => {
      const url = await echoAgent({ capabilities: { extensions } });
      const args = ["-a", url, "--transport", binding];
      const refused = await a2aJson(["send", "Hello", ...args]);
      expect(refused).toMatchObject({
        code: 1,
        json: { error: { code: "ExtensionSupportRequiredError" } },
      });
      expect(refused.json.error?.hint).toContain("--extension");
      const { code, stdout } = await a2a(["send", "ask Who?", ...args, ...options]);
      expect([code, stdout]).toEqual([
        0,
        expect.stringContaining(`-a ${url} ${options.join(" ")} --task-id`),
      ]);
      const { json } = await a2aJson(["task", "list", ...args], {
        env: { A2ACLI_EXTENSION: uris.join(",") },
      });
      expect(json["tasks"]).toHaveLength(1);
    },
  );

  it("a2a sends the header of the agent's version", async () => {
    const seen: unknown[] = [];
    const url = await agentWith(({ headers }, response) => {
      seen.push([headers["a2a-extensions"], headers["x-a2a-extensions"]]);
      response.writeHead(500).end();
    });
    await a2a(["task", "get", "t", "-a", url, ...options]);
    expect(seen).toEqual([[uris.join(","), undefined]]);
    const { stderr } = await a2a([
      "send",
      "Hi",
      "-a",
      await earlierAgent(),
      "--a2a-version",
      "0.3",
      "--debug",
      ...options,
    ]);
    expect(stderr).toMatch(new RegExp(`x-a2a-extensions: ${uris.join(", ?")}`, "i"));
  });

  it.each(["a b", "https://a,https://b", "no-uri", "https://a\r\nx: y"])(
    "a2a refuses the extension %j",
    async (uri) => {
      const { code, stderr } = await a2a(`send Hi -a ${await echoAgent()} --extension "${uri}"`);
      expect([code, stderr]).toEqual([2, expect.stringContaining("--extension cannot be")]);
    },
  );
});
