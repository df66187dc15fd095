import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createAgent } from "../../../../generated/1.0/index.js";
import { artifact, completed, taskService } from "../../../../generated/1.0/kit/index.js";
import { nodeListener } from "../../../../generated/1.0/server/node.js";
import { v0_3 } from "../../../../generated/1.0/versions/0.3/server.js";
import { describe, expect, it, onTestFinished } from "vitest";
import { startOurs } from "../../../behaviour/interop/ours.js";
import { startOldSdk } from "../../../behaviour/interop/sdk-0.3.js";
import { aCard } from "../../../support/cards.js";
import { openPorts } from "../../../support/ports.js";
import { nowhere } from "../../../support/http.js";
import { temporaryFolder } from "../../../support/temporary-folder.js";
import { a2a, a2aJson, earlierAgent, echoAgent } from "./command.js";

/** Has a chat with an agent, and returns the folder and the name of the file with it. */
async function savedChat(url: string, ...lines: readonly string[]) {
  const cwd = temporaryFolder();
  const { code } = await a2a(`chat -a ${url} --save chat.json`, { cwd, lines });
  expect(code).toBe(0);
  return { cwd, path: join(cwd, "chat.json") };
}

describe("a2a replay", () => {
  it("a2a replay ends with 0 if the agent responds as saved, in another version too", async () => {
    const url = await echoAgent();
    const { cwd } = await savedChat(url, "Hello", "ask Your name?", "Ada");
    const same = "Turn 1: same\nTurn 2: same\nTurn 3: same\n";
    for (const other of [url, await earlierAgent()]) {
      const { code, stdout } = await a2a(`replay chat.json -a ${other}`, { cwd });
      expect([code, stdout]).toEqual([0, same]);
    }
  });

  it("a2a replay ends with 1 and prints the differences of each turn, as JSON too", async () => {
    const url = await echoAgent();
    const { cwd, path } = await savedChat(url, "Hello", "fail Out of paper");
    writeFileSync(path, readFileSync(path, "utf8").replaceAll("Out of paper", "Out of ink"));
    writeFileSync(path, readFileSync(path, "utf8").replace("fail Out of ink", "fail Out of paper"));
    const { code, stdout, stderr } = await a2a(`replay chat.json -a ${url} --events`, { cwd });
    expect([code, stderr]).toEqual([1, ""]);
    expect(stdout).toContain(
      'Turn 1: same\nTurn 2:\n  the reason: the text is "Out of paper" instead of "Out of ink"\n',
    );
    const { json } = await a2aJson(`replay chat.json -a ${url} --save new.json`, { cwd });
    expect(json).toEqual({
      same: false,
      turns: [
        { same: true, differences: [] },
        {
          same: false,
          differences: ['the reason: the text is "Out of paper" instead of "Out of ink"'],
        },
      ],
    });
    expect((await a2a(`replay new.json -a ${url}`, { cwd })).code).toBe(0);
  });

  it("a2a send saves its message and the response", async () => {
    const url = await echoAgent();
    const cwd = temporaryFolder();
    expect((await a2a(`send Hi -a ${url} --save sent.json`, { cwd })).code).toBe(0);
    const { turns } = JSON.parse(readFileSync(join(cwd, "sent.json"), "utf8")) as {
      readonly turns: readonly object[];
    };
    expect(turns).toMatchObject([{ message: { parts: [{ text: "Hi" }] } }]);
    expect((await a2a(`replay sent.json -a ${url}`, { cwd })).stdout).toBe("Turn 1: same\n");
  });

  it("a2a replay refuses a wrong file with 2, and ends with 3 if the agent is unreachable", async () => {
    const { cwd, path } = await savedChat(await echoAgent(), "Hello");
    const missing = await a2a(`replay other.json -a http://127.0.0.1:9`, { cwd });
    expect([missing.code, missing.stderr]).toEqual([
      2,
      expect.stringContaining("other.json cannot be read"),
    ]);
    expect((await a2a(`replay chat.json -a ${await nowhere()}`, { cwd })).code).toBe(3);
    writeFileSync(path, readFileSync(path, "utf8").replace('"version": 1', '"version": 9'));
    const wrong = await a2a(`replay chat.json -a http://127.0.0.1:9`, { cwd });
    expect([wrong.code, wrong.stderr]).toEqual([
      2,
      expect.stringContaining("chat.json: This is not a saved conversation: /version must be 1"),
    ]);
  });

  it("a path of --save that cannot be written is refused before a message is sent", async () => {
    const url = await echoAgent();
    const { cwd } = await savedChat(url, "Hello");
    for (const command of ["send Hi", "chat", "replay chat.json"]) {
      const words = `${command} -a ${url} --save missing/new.json`;
      const { code, stderr } = await a2a(words, { cwd, lines: ["Hi"] });
      expect([code, stderr]).toEqual([
        2,
        expect.stringMatching(/missing\/new\.json cannot be written: .*ENOENT/),
      ]);
    }
    expect((await a2aJson(`task list -a ${url}`)).json["tasks"]).toHaveLength(1);
  });

  it("a2a replay prints the differences even if it cannot save the new conversation", async () => {
    const url = await echoAgent();
    const { cwd } = await savedChat(url, "Hello");
    const words = `replay chat.json -a ${url} --save .`;
    const { code, stdout, stderr } = await a2a(words, { cwd });
    expect([code, stdout]).toEqual([1, "Turn 1: same\n"]);
    expect(stderr).toContain("EISDIR");
  });

  it("a file in a project cannot choose the file to save to", async () => {
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, ".env"), "A2ACLI_SAVE=stolen.json\n");
    const { code, stderr } = await a2a(`send Hi -a ${await echoAgent()}`, { cwd });
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining(".env sets A2ACLI_SAVE (A2ACLI_ERR_USAGE)"),
    ]);
  });

  it("an agent on the official SDK of 0.3 that does the same has no difference to an agent of 1.0", async () => {
    const [ours, sdk] = [await startOurs(), await startOldSdk()];
    onTestFinished(async () => {
      await ours.close();
      await sdk.close();
    });
    const lines = ["answer", "work", "ask", "resume", "auth", "resume", "fail", "reject", "rich"];
    const { cwd } = await savedChat(ours.url, ...lines);
    const { code, json } = await a2aJson(`replay chat.json -a ${sdk.url} --events`, { cwd });
    const turns = json["turns"] as readonly { readonly differences: readonly string[] }[];
    expect([code, turns.flatMap(({ differences }) => differences)]).toEqual([0, []]);
  });

  it("an agent of both versions differs in the media types of texts, which 0.3 does not have", async () => {
    const { url, http } = await openPorts();
    const service = taskService({
      async *run() {
        yield artifact("report.md", "text/markdown").finish("# Tea");
        return completed("Done");
      },
    });
    const interfaces = ["1.0", "0.3"].map((protocolVersion) => ({
      ...{ url, protocolBinding: "JSONRPC", protocolVersion },
    }));
    const options = { card: aCard(interfaces), service, versions: [v0_3] };
    const agent = createAgent({ ...options, authenticate: () => "ada" });
    http.on("request", nodeListener(agent));
    const { cwd } = await savedChat(url, "Tea");
    expect((await a2a(`replay chat.json -a ${url} --events`, { cwd })).code).toBe(0);
    const { code, stdout } = await a2a(`replay chat.json -a ${url} --a2a-version 0.3`, { cwd });
    const difference = 'artifact report.md: the media type is absent instead of "text/markdown"';
    expect([code, stdout]).toEqual([1, `Turn 1:\n  ${difference}\n\n`]);
  });
});
