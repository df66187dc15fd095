import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { a2a, a2aJson, agentWith, cardOf, echoAgent } from "./command.js";
import { temporaryFolder } from "../../../support/temporary-folder.js";
import { listen } from "../../../support/http.js";

describe("a2a task", () => {
  it("a2a task waits for the end of a task, and shows its history on request (A2ACLI_TASK_GET_001)", async () => {
    const url = await echoAgent();
    const { json } = await a2aJson(`send "slow 50 Hello there" --async -a ${url}`);
    const args = ["task", "get", json.task?.id ?? "", "-a", url];
    const { stdout } = await a2a([...args, "--wait", "--history", "1"]);
    expect(stdout).toMatch(/^State: COMPLETED$/m);
    expect(stdout).toMatch(/^Role: USER$/m);
    expect((await a2a(args)).stdout).not.toMatch(/^Role: USER$/m);
  });

  it("a2a task lists tasks by state and in pages, and as one task per line (A2ACLI_TASK_LIST_001)", async () => {
    const url = await echoAgent();
    for (const text of ["a", "b", "ask c"]) await a2a(`send "${text}" -a ${url}`);
    const { stdout } = await a2a(`list -a ${url} --status completed --page-size 1`);
    const [, token = ""] = /^Tasks: 1 of 2\nNext-Page: (\S+)$/m.exec(stdout) ?? [];
    const next = await a2a(`list -a ${url} --status COMPLETED --page-size 1 --page-token ${token}`);
    expect(next.stdout).toMatch(/^Tasks: 1 of 2$/m);
    const lines = (await a2a(`list -a ${url} -o json --stream`)).stdout.trimEnd().split("\n");
    expect(lines.map((line) => (JSON.parse(line) as { id: string }).id)).toHaveLength(3);
    expect((await a2a(`list -a ${url} --status DONE`)).code).toBe(2);
  });

  it("a2a task list explains an empty list if no credentials were sent, except in JSON", async () => {
    const url = await echoAgent();
    const note = "Note: No credentials were sent, and an agent may only list tasks to their owner";
    const { stdout, stderr } = await a2a(`list -a ${url}`);
    expect([stdout, stderr]).toEqual(["Tasks: 0 of 0\n", expect.stringContaining(note)]);
    expect((await a2a(`list -a ${url} -o json`)).stderr).toBe("");
    expect((await a2a(`list -a ${url} --svc-param x-key:1`)).stderr).toBe("");
    await a2a(`send a -a ${url}`);
    expect((await a2a(`list -a ${url}`)).stderr).toBe("");
  });

  it("the command subscribes to a task, and ends with it (A2ACLI_TASK_SUBSCRIBE_001)", async () => {
    const url = await echoAgent();
    const { json } = await a2aJson(`send "slow 50 Hello there" --async -a ${url}`);
    const { code, stdout } = await a2a([
      "subscribe",
      json.task?.id ?? "",
      "--stream",
      "-o",
      "json",
      "-a",
      url,
    ]);
    const lines = stdout.trimEnd().split("\n");
    expect([code, lines[0], lines.at(-1)]).toEqual([
      0,
      expect.stringContaining('{"task":'),
      expect.stringContaining("TASK_STATE_COMPLETED"),
    ]);
  });

  it("creates, shows, lists and deletes webhooks (A2ACLI_PUSH_001)", async () => {
    const url = await echoAgent({ push: { allowPrivateAddresses: true } });
    const { json } = await a2aJson(`send "ask Who?" -a ${url}`);
    const [id, at] = [json.task?.id ?? "", ["-a", url]];
    const created = await a2a([
      "task",
      "push-config",
      "create",
      id,
      "--url",
      "http://127.0.0.1:9/hook",
      "--token",
      "t0psecret",
      ...at,
    ]);
    const [, hook = ""] = /^Webhook: (\S+)$/m.exec(created.stdout) ?? [];
    expect(created.stdout).not.toContain("t0psecret");
    expect((await a2aJson(["push", "get", id, hook, ...at])).json).toMatchObject({ id: hook });
    expect((await a2a(["push", "list", id, ...at])).stdout).toMatch(/^Webhooks: 1$/m);
    expect((await a2a(["push", "delete", id, hook, ...at])).stdout).toBe(`Deleted: ${hook}\n`);
    expect((await a2a(["push", "list", id, ...at])).stdout).toMatch(/^Webhooks: 0$/m);
  });

  it("a2a task saves artifacts under plain names, whatever names the agent chooses (A2ACLI_DOWNLOAD_001)", async () => {
    const names = [
      "../../evil.sh",
      "/etc/passwd",
      ".bashrc",
      "a\u001b[2J.txt",
      "C:\\x\\con.txt",
      "same.txt",
      "SAME.txt",
      "",
    ];
    const parts = names.map((filename) => ({ raw: "aGk=", filename }));
    const task = { id: "t-1", contextId: "c-1", status: { state: "TASK_STATE_COMPLETED" } };
    const result = {
      ...task,
      artifacts: [{ artifactId: "a-1", parts: [...parts, { url: "http://127.0.0.1:9/secret" }] }],
    };
    const url = await agentWith((_request, response) =>
      response
        .setHeader("content-type", "application/json")
        .end(JSON.stringify({ jsonrpc: "2.0", id: 1, result })),
    );
    const cwd = temporaryFolder();
    const { code, stderr } = await a2a(`download t-1 -a ${url} --dir out`, { cwd });
    expect([code, stderr]).toEqual([0, expect.stringContaining("is not fetched")]);
    expect(readdirSync(join(cwd, "out")).sort()).toEqual(
      [
        "SAME-2.txt",
        "a-1-5.bin",
        "a-1-8.bin",
        "a_[2J.txt".replace("[", "_"),
        "bashrc",
        "evil.sh",
        "passwd",
        "same.txt",
      ].sort(),
    );
    expect(readdirSync(cwd)).toEqual(["out"]);
    expect((await a2a(`download t-1 -a ${url} --dir out`, { cwd })).code).toBe(1);
    expect((await a2a(`download t-1 -a ${url} --dir out --force`, { cwd })).code).toBe(0);
  });
});

describe("a2a task download without --dir", () => {
  const agentOf = (count: number) => {
    const status = { state: "TASK_STATE_COMPLETED" };
    const parts = Array.from({ length: count }, () => ({ text: "x", filename: "package.json" }));
    const result = { id: "t/1", contextId: "c-1", status, artifacts: [{ artifactId: "a", parts }] };
    return agentWith((_request, response) =>
      response
        .setHeader("content-type", "application/json")
        .end(JSON.stringify({ jsonrpc: "2.0", id: 1, result })),
    );
  };

  it("a2a task download writes into a folder of the task, with a name for each of many parts with the same name", async () => {
    const cwd = temporaryFolder();
    expect((await a2a(`download t/1 -a ${await agentOf(900)}`, { cwd })).code).toBe(0);
    expect(readdirSync(cwd)).toEqual(["task-t_1"]);
    const names = readdirSync(join(cwd, "task-t_1"));
    expect([
      names.length,
      names.includes("package.json"),
      names.includes("package-900.json"),
    ]).toEqual([900, true, true]);
  });

  it("a2a task download refuses a task with too many files", async () => {
    const { code, stderr } = await a2a(`download t/1 -a ${await agentOf(1_001)}`, {
      cwd: temporaryFolder(),
    });
    expect([code, stderr]).toEqual([2, expect.stringContaining("at most 1000 are saved")]);
  });
});

describe("a2a card get", () => {
  it("a2a card get reads a card from a file, a file URL, and the URL of a card (A2ACLI_CARD_GET_001)", async () => {
    const cwd = temporaryFolder();
    const card = cardOf("https://agent.example/");
    writeFileSync(join(cwd, "card.json"), JSON.stringify(card));
    const url = await listen((_request, response) => response.end(JSON.stringify(card)));
    for (const reference of [
      "card.json",
      `file://${join(cwd, "card.json")}`,
      `${url}/any/card.json`,
    ])
      expect((await a2aJson(`card get -a ${reference}`, { cwd })).json).toEqual(card);
  });

  it("a2a card get does not read a file instead of a host with the same name", async () => {
    const cwd = temporaryFolder();
    const url = await echoAgent();
    const host = url.replace("http://", "").replace("/", "");
    writeFileSync(join(cwd, host), JSON.stringify(cardOf("https://evil.example")));
    expect((await a2aJson(`card get -a ${host}`, { cwd })).json).toMatchObject({
      name: "Echo agent",
    });
    const other = temporaryFolder();
    mkdirSync(join(other, host));
    writeFileSync(join(other, host, "card.json"), JSON.stringify(cardOf("https://evil.example")));
    expect((await a2a(`card get -a ${host}/card.json`, { cwd: other })).code).toBe(3);
  });

  it("a2a card get lists all issues of a card, and ends with 1 (A2ACLI_CARD_GET_002)", async () => {
    const cwd = temporaryFolder();
    const wrong = {
      ...cardOf("agent.example"),
      documentatonUrl: "https://agent.example",
      skills: [{ id: "s" }],
    };
    writeFileSync(join(cwd, "card.json"), JSON.stringify(wrong));
    const { code, stdout, stderr } = await a2a("card get -a ./card.json --validate", {
      cwd,
    });
    expect(code).toBe(1);
    expect(stdout).toContain("Error: /supportedInterfaces/0/url:");
    expect(stdout).toContain(
      'Warning: /documentatonUrl: unknown member "documentatonUrl" (write "documentationUrl")',
    );
    expect(stdout).toContain("Error: /skills/0/name:");
    expect(stderr).toContain("(A2ACLI_ERR_CARD_INVALID)");
  });

  it.each([
    ["a closed port", "127.0.0.1:9", 3, "A2ACLI_ERR_UNREACHABLE"],
    ["a file that does not exist", "./nowhere.json", 3, "A2ACLI_ERR_CARD_NOT_FOUND"],
    ["a scheme that is not HTTP", "ftp://agent.example", 3, "A2ACLI_ERR_CARD_NOT_FOUND"],
  ])(
    "a2a card get ends with the code for %s (A2ACLI_EXIT_001)",
    async (_what, reference, code, error) => {
      expect(await a2aJson(`card get -a ${reference}`)).toMatchObject({
        code,
        json: { error: { code: error } },
      });
    },
  );

  it("a2a card get ends with 3 if the card is missing, and with 1 if the response is not a card", async () => {
    const none = await listen((_request, response) => response.writeHead(404).end());
    expect(await a2aJson(`card ${none}`)).toMatchObject({
      code: 3,
      json: { error: { code: "A2ACLI_ERR_CARD_NOT_FOUND" } },
    });
    const page = await listen((_request, response) => response.end("<html>"));
    expect(await a2aJson(`card ${page}`)).toMatchObject({
      code: 1,
      json: { error: { code: "A2ACLI_ERR_CARD_INVALID" } },
    });
  });

  it("a2a card get fetches the extended card for callers who have signed in (A2ACLI_CARD_GET_003)", async () => {
    const { stdout } = await a2a(`card get -a ${await echoAgent()} --extended`);
    expect(stdout).toContain("Skill: Private echo");
  });
});
