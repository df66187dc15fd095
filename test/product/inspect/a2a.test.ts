import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { bearerTokens } from "../../../examples/echo-agent/auth.js";
import { Interrupted } from "../../../generator/inspect/cli/errors.js";
import { a2a, a2aJson, agentWith, cardOf, earlierAgent, echoAgent, folder, serve } from "./command.js";

/** All transports of the example agents, as the option names them. */
const transports = ["JSONRPC", "HTTP+JSON", "GRPC"] as const;

/** Agents of both versions, and the options that a run needs for them. */
const agents = [
  ["1.0", () => echoAgent(), []],
  ["0.3", () => earlierAgent(), ["--a2a-version", "0.3"]],
] as const;

describe.each(agents)("a2a with an agent of %s", (version, start, options) => {
  it.each(transports)(
    "sends, reads and cancels over %s with the same results (A2ACLI_TX_004, TX_005)",
    async (binding) => {
      const more = ["-a", await start(), "--transport", binding, ...options];
      const sent = await a2aJson(["send", "ask Who are you?", ...more]);
      expect(sent).toMatchObject({ code: 0, json: { task: { status: { state: "TASK_STATE_INPUT_REQUIRED" } } } });
      const id = sent.json.task?.id ?? "";
      const answered = await a2aJson(["send", "Ada", "--task-id", id, ...more]);
      expect(answered.json.task).toMatchObject({ id, status: { state: "TASK_STATE_COMPLETED" } });
      expect(await a2aJson(["task", "get", id, ...more])).toMatchObject({ code: 0, json: { id } });
      const refused = await a2aJson(["task", "cancel", id, ...more]);
      expect(refused).toMatchObject({ code: 1, json: { error: { code: "TaskNotCancelableError" } } });
      const missing = await a2aJson(["task", "get", "nowhere", ...more]);
      expect(missing).toMatchObject({ code: 1, json: { error: { code: "TaskNotFoundError", a2aCode: -32001 } } });
    },
  );

  it.each(transports)(
    "streams over %s as JSON Lines that end with the final state (A2ACLI_OUT_003)",
    async (binding) => {
      const args = ["send", "Hello there", "--stream", "-o", "json", "-a", await start(), "--transport", binding];
      const { code, stdout } = await a2a([...args, ...options]);
      const events = stdout
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line) as Record<string, unknown>);
      expect(code).toBe(0);
      expect(events[0]).toHaveProperty("task");
      expect(events.at(-1)).toMatchObject({ statusUpdate: { status: { state: "TASK_STATE_COMPLETED" } } });
      expect(events.filter((event) => "artifactUpdate" in event).length).toBeGreaterThan(0);
    },
  );

  it("shows the card, with all interfaces and their states (A2ACLI_CARD_GET_001)", async () => {
    const { code, stdout } = await a2a(["card", "get", "-a", await start(), "--probe"]);
    expect(code).toBe(0);
    for (const binding of transports) {
      expect(stdout).toContain(`Interface: ${binding} ${version}`);
      expect(stdout).toMatch(new RegExp(`Probe: ${binding.replace("+", "\\+")} ${version}\\S* responds in \\d+ ms`));
    }
  });
});

describe("a2a send", () => {
  it("prints task, context, state and artifacts, one field per line (A2ACLI_SEND_004, OUT_001, OUT_005)", async () => {
    const { code, stdout } = await a2a(["send", "-a", await echoAgent(), "Hello there"]);
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /^Task: \S+\nContext: \S+\nState: COMPLETED\nUpdated: \S+\nArtifact: echo \(echo-1\)\nText:\n {2}Hello there\n\n$/,
    );
  });

  it("prints the command that continues a task that waits, and warns on standard error (A2ACLI_INTERACT_004)", async () => {
    const url = await echoAgent();
    const { code, stdout, stderr } = await a2a(["send", "-a", url, "ask Who?"]);
    const [, id = ""] = /^Task: (\S+)$/m.exec(stdout) ?? [];
    expect(code).toBe(0);
    expect(stdout).toContain(`Resume: a2a send -a ${url} --task-id ${id} "<reply>"\n`);
    expect(stderr).toContain("Warning: The task waits for you (INPUT_REQUIRED)");
  });

  it("ends with 0 if the task fails, because it did its own work (A2ACLI_EXIT_002)", async () => {
    const { code, stdout, stderr } = await a2a(["send", "-a", await echoAgent(), "fail Out of paper"]);
    expect([code, /^State: FAILED$/m.test(stdout)]).toEqual([0, true]);
    expect(stderr).toContain("Warning: The task has ended without success (FAILED)");
  });

  it("prints a message of an agent that creates no task (A2ACLI_SEND_003)", async () => {
    const url = await echoAgent();
    const { code, stdout } = await a2a(["send", "--stream", "-a", url, "message: hi"]);
    expect([code, /^Message: \S+\nRole: AGENT\n(?:Context: \S+\n)?Text:\n {2}hi\n\n$/.test(stdout)]).toEqual([0, true]);
    const { json } = await a2aJson(["send", "-a", url, "message: hi"]);
    expect(Object.keys(json)).toEqual(["message"]);
  });

  it("does not wait with --async and with --no-wait, and prints how to follow the task (A2ACLI_SEND_002, OUT_006)", async () => {
    const url = await echoAgent();
    for (const option of ["--async", "--no-wait", "--return-immediately"]) {
      const { stdout } = await a2a(["send", "-a", url, "slow 60000 Hello", option]);
      const [, id = ""] = /^Task: (\S+)$/m.exec(stdout) ?? [];
      expect(stdout).toContain(`Follow: a2a task get -a ${url} --wait ${id}\n`);
      expect((await a2aJson(["task", "cancel", id, "-a", url])).json["status"]).toMatchObject({
        state: "TASK_STATE_CANCELED",
      });
    }
  });

  it("keeps the order of parts, and the media type of each (A2ACLI_SEND_005, SEND_006)", async () => {
    const cwd = folder();
    writeFileSync(join(cwd, "report.bin"), "%PDF");
    writeFileSync(join(cwd, "data.json"), '{"answer": 42}');
    const parts = ["--data", "data.json", "--text", "note", "--file", "report.bin", "--media-type", "application/pdf"];
    const more = ["--file=https://files.example/a.png", "--media-type=image/png", "--text", "end"];
    const { json } = await a2aJson(["send", "-a", await echoAgent(), ...parts, ...more], { cwd });
    const [artifact] = (json.task as unknown as { artifacts: { parts: object[] }[] }).artifacts;
    expect(artifact?.parts).toEqual([
      { data: { answer: 42 } },
      { text: "note" },
      { raw: "JVBERg==", filename: "report.bin", mediaType: "application/pdf" },
      { url: "https://files.example/a.png", mediaType: "image/png" },
      { text: "end" },
    ]);
  });

  it.each([
    ["no part", []],
    ["a media type before any part", ["--media-type", "text/plain"]],
    ["two media types for a part", ["--text", "a", "--media-type", "text/plain", "--media-type", "text/html"]],
    ["a media type that is not one", ["--text", "a", "--media-type", "text"]],
    ["a file that does not exist", ["--file", "nowhere.txt"]],
    ["metadata that is not an object", ["hi", "--metadata", "[1]"]],
    ["a time-out that is not a duration", ["hi", "--timeout", "soon"]],
    ["an option that is given twice", ["hi", "--task-id", "a", "--task-id", "b"]],
    ["an unknown option", ["hi", "--unknown"]],
    ["an unknown output", ["hi", "--output", "yaml"]],
  ])("refuses %s with exit code 2, and a hint (A2ACLI_EXIT_001, OUT_004)", async (_what, args) => {
    const { code, stderr } = await a2a(["send", "-a", "http://127.0.0.1:9", ...args]);
    expect(code).toBe(2);
    expect(stderr).toMatch(/^Error: .+ \(A2ACLI_ERR_USAGE\)\nHint: .+\n$/);
  });

  it("fails if a task or its context is wrong, and creates no task (A2ACLI_INTERACT_002)", async () => {
    const url = await echoAgent();
    const unknown = await a2aJson(["send", "hi", "-a", url, "--task-id", "nowhere"]);
    expect(unknown).toMatchObject({ code: 1, json: { error: { code: "TaskNotFoundError" } } });
    expect(unknown.json.error?.hint).toContain("--debug");
    const { json } = await a2aJson(["send", "ask Who?", "-a", url]);
    const more = ["--task-id", json.task?.id ?? "", "--context-id", "another"];
    expect((await a2aJson(["send", "hi", "-a", url, ...more])).code).toBe(1);
    expect((await a2aJson(["task", "list", "-a", url])).json["tasks"]).toHaveLength(1);
  });

  it("continues a context (A2ACLI_INTERACT_001)", async () => {
    const url = await echoAgent();
    const { json } = await a2aJson(["send", "hi", "-a", url]);
    const contextId = json.task?.contextId ?? "";
    expect((await a2aJson(["send", "hi", "-a", url, "--context-id", contextId])).json.task?.contextId).toBe(contextId);
  });

  it("polls if the agent does not stream, also with --stream (A2ACLI_TASK_POLL_001)", async () => {
    const url = await echoAgent({ capabilities: { streaming: false } });
    const args = ["-a", url, "--poll-interval", "50ms"];
    expect((await a2aJson(["send", "slow 20 a b", ...args])).json.task?.status.state).toBe("TASK_STATE_COMPLETED");
    const { code, stdout } = await a2a(["send", "slow 20 a b", "--stream", "-o", "json", ...args]);
    expect([code, stdout.trimEnd().split("\n").at(-1)]).toEqual([0, expect.stringContaining("TASK_STATE_COMPLETED")]);
  });

  it("ends with 5 after the time limit, and names the task that continues (A2ACLI_TASK_POLL_002)", async () => {
    const { code, stdout, stderr } = await a2a(["send", "slow 60000 a b", "-a", await echoAgent(), "--timeout", "1s"]);
    expect(code).toBe(5);
    expect(stdout).toMatch(/^Follow: a2a task get .* --wait \S+$/m);
    expect(stderr).toMatch(/^Stopped; task \S+ continues/m);
    expect(stderr).toContain("(A2ACLI_ERR_TIMEOUT)");
  });

  it("ends with 130 after an interruption, and cancels the call but not the task", async () => {
    const url = await echoAgent();
    const controller = new AbortController();
    const running = a2a(["send", "slow 60000 a b", "-a", url], { signal: controller.signal });
    // The task exists from here on.
    await expect.poll(async () => (await a2aJson(["task", "list", "-a", url])).json["tasks"]).toHaveLength(1);
    controller.abort(new Interrupted());
    const { code, stderr } = await running;
    expect([code, /^Interrupted; task \S+ continues \((?:WORKING|SUBMITTED)\)/m.test(stderr)]).toEqual([130, true]);
  });
});

describe("a2a task", () => {
  it("waits for the end of a task, and shows its history on request (A2ACLI_TASK_GET_001)", async () => {
    const url = await echoAgent();
    const { json } = await a2aJson(["send", "slow 50 Hello there", "--async", "-a", url]);
    const args = ["task", "get", json.task?.id ?? "", "-a", url];
    const { stdout } = await a2a([...args, "--wait", "--history", "1"]);
    expect(stdout).toMatch(/^State: COMPLETED$/m);
    expect(stdout).toMatch(/^Role: USER$/m);
    expect((await a2a(args)).stdout).not.toMatch(/^Role: USER$/m);
  });

  it("lists tasks by state and in pages, and as one task per line (A2ACLI_TASK_LIST_001)", async () => {
    const url = await echoAgent();
    for (const text of ["a", "b", "ask c"]) await a2a(["send", text, "-a", url]);
    const { stdout } = await a2a(["list", "-a", url, "--status", "completed", "--page-size", "1"]);
    const [, token = ""] = /^Tasks: 1 of 2\nNext-Page: (\S+)$/m.exec(stdout) ?? [];
    const next = await a2a(["list", "-a", url, "--status", "COMPLETED", "--page-size", "1", "--page-token", token]);
    expect(next.stdout).toMatch(/^Tasks: 1 of 2$/m);
    const lines = (await a2a(["list", "-a", url, "-o", "json", "--stream"])).stdout.trimEnd().split("\n");
    expect(lines.map((line) => (JSON.parse(line) as { id: string }).id)).toHaveLength(3);
    expect((await a2a(["list", "-a", url, "--status", "DONE"])).code).toBe(2);
  });

  it("subscribes to a task, and ends with it (A2ACLI_TASK_SUBSCRIBE_001)", async () => {
    const url = await echoAgent();
    const { json } = await a2aJson(["send", "slow 50 Hello there", "--async", "-a", url]);
    const { code, stdout } = await a2a(["subscribe", json.task?.id ?? "", "--stream", "-o", "json", "-a", url]);
    const lines = stdout.trimEnd().split("\n");
    expect([code, lines[0], lines.at(-1)]).toEqual([
      0,
      expect.stringContaining('{"task":'),
      expect.stringContaining("TASK_STATE_COMPLETED"),
    ]);
  });

  it("creates, shows, lists and deletes webhooks (A2ACLI_PUSH_001)", async () => {
    const url = await echoAgent({ push: { allowPrivate: true } });
    const { json } = await a2aJson(["send", "ask Who?", "-a", url]);
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

  it("saves artifacts under plain names, whatever names the agent chooses (A2ACLI_DOWNLOAD_001)", async () => {
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
      response.setHeader("content-type", "application/json").end(JSON.stringify({ jsonrpc: "2.0", id: 1, result })),
    );
    const cwd = folder();
    const { code, stderr } = await a2a(["download", "t-1", "-a", url, "--dir", "out"], { cwd });
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
    expect((await a2a(["download", "t-1", "-a", url, "--dir", "out"], { cwd })).code).toBe(1);
    expect((await a2a(["download", "t-1", "-a", url, "--dir", "out", "--force"], { cwd })).code).toBe(0);
  });
});

describe("a2a card get", () => {
  it("reads a card from a file, a file URL, and the URL of a card (A2ACLI_CARD_GET_001)", async () => {
    const cwd = folder();
    const card = cardOf("https://agent.example/");
    writeFileSync(join(cwd, "card.json"), JSON.stringify(card));
    const url = await serve((_request, response) => response.end(JSON.stringify(card)));
    for (const reference of ["card.json", `file://${join(cwd, "card.json")}`, `${url}/any/card.json`])
      expect((await a2aJson(["card", "get", "-a", reference], { cwd })).json).toEqual(card);
  });

  it("lists everything that is wrong with a card, and ends with 1 (A2ACLI_CARD_GET_002)", async () => {
    const cwd = folder();
    const wrong = { ...cardOf("agent.example"), documentatonUrl: "https://agent.example", skills: [{ id: "s" }] };
    writeFileSync(join(cwd, "card.json"), JSON.stringify(wrong));
    const { code, stdout, stderr } = await a2a(["card", "get", "-a", "./card.json", "--validate"], { cwd });
    expect(code).toBe(1);
    expect(stdout).toContain("Error: /supportedInterfaces/0/url:");
    expect(stdout).toContain('Warning: /documentatonUrl: unknown member "documentatonUrl" (write "documentationUrl")');
    expect(stdout).toContain("Error: /skills/0/name:");
    expect(stderr).toContain("(A2ACLI_ERR_CARD_INVALID)");
  });

  it.each([
    ["a host that does not exist", "http://nowhere.invalid", 3, "A2ACLI_ERR_UNREACHABLE"],
    ["a closed port", "127.0.0.1:9", 3, "A2ACLI_ERR_UNREACHABLE"],
    ["a file that does not exist", "./nowhere.json", 3, "A2ACLI_ERR_CARD_NOT_FOUND"],
    ["a scheme that is not HTTP", "ftp://agent.example", 3, "A2ACLI_ERR_CARD_NOT_FOUND"],
  ])("ends with the code for %s (A2ACLI_EXIT_001)", async (_what, reference, code, error) => {
    expect(await a2aJson(["card", "get", "-a", reference])).toMatchObject({ code, json: { error: { code: error } } });
  });

  it("ends with 3 if there is no card, and with 1 if there is something else", async () => {
    const none = await serve((_request, response) => response.writeHead(404).end());
    expect(await a2aJson(["card", none])).toMatchObject({
      code: 3,
      json: { error: { code: "A2ACLI_ERR_CARD_NOT_FOUND" } },
    });
    const page = await serve((_request, response) => response.end("<html>"));
    expect(await a2aJson(["card", page])).toMatchObject({
      code: 1,
      json: { error: { code: "A2ACLI_ERR_CARD_INVALID" } },
    });
  });

  it("fetches the extended card for callers who have signed in (A2ACLI_CARD_GET_003)", async () => {
    const { stdout } = await a2a(["card", "get", "-a", await echoAgent(), "--extended"]);
    expect(stdout).toContain("Skill: Private echo");
  });
});

describe("a2a versions", () => {
  it("calls no version before 1.0 unless it is named, and says how to name it (A2ACLI_VER_001)", async () => {
    const { code, json } = await a2aJson(["send", "hi", "-a", await earlierAgent()]);
    expect([code, json.error?.hint]).toEqual([1, "Add --a2a-version 0.3"]);
  });

  it("prefers transports in the order of the options, and skips those that the agent lacks (A2ACLI_TX_001, TX_002)", async () => {
    const url = await echoAgent();
    const { stderr } = await a2a([
      "send",
      "hi",
      "-a",
      url,
      "--transport",
      "soap",
      "--transport",
      "http+json",
      "--debug",
    ]);
    expect(stderr).toContain("Interface: HTTP+JSON 1.0 at");
    expect((await a2a(["send", "hi", "-a", url, "--debug"])).stderr).toContain("Interface: JSONRPC 1.0 at");
  });
});

describe("a2a credentials", () => {
  const users = new Map([["s3cret-token", "ada"]]);

  it("sends a bearer token from a flag, a variable, a file or the environment (A2ACLI_AUTH_001, AUTH_002)", async () => {
    const url = await echoAgent({ authenticate: bearerTokens(users) });
    const cwd = folder();
    writeFileSync(join(cwd, "token"), "s3cret-token\n");
    for (const given of ["s3cret-token", "env:TOKEN", "@token"])
      expect(
        (await a2a(["send", "hi", "-a", url, "--bearer", given], { cwd, env: { TOKEN: "s3cret-token" } })).code,
      ).toBe(0);
    expect((await a2a(["send", "hi", "-a", url], { cwd, env: { A2ACLI_BEARER: "s3cret-token" } })).code).toBe(0);
  });

  it("ends with 4 if the agent rejects the token, and never prints it (A2ACLI_AUTH_004)", async () => {
    const url = await echoAgent({ authenticate: bearerTokens(users) });
    const { code, stdout, stderr } = await a2a([
      "send",
      "hi",
      "-a",
      url,
      "--bearer",
      "wr0ng-token",
      "--debug",
      "--verbose",
    ]);
    expect([code, stderr]).toEqual([4, expect.stringContaining("A2ACLI_ERR_AUTH_FAILED")]);
    expect(stdout + stderr).not.toContain("wr0ng-token");
    expect(stderr).toContain("authorization: Bearer <authorization>");
  });

  it.each(["header", "cookie", "query"])("sends an API key in the %s that the card declares", async (location) => {
    const seen: string[] = [];
    const schemes = { key: { apiKeySecurityScheme: { location, name: "X-Agent-Code" } } };
    const url = await agentWith(
      (request, response) => {
        seen.push(
          `${String(request.headers["x-agent-code"])} ${String(request.headers.cookie)} ${String(request.url)}`,
        );
        response.end("{}");
      },
      { securitySchemes: schemes, securityRequirements: [{ schemes: { key: { list: [] } } }] },
    );
    const { stderr } = await a2a(["task", "get", "t", "-a", url, "--api-key", "k3y", "--debug"]);
    expect(seen[0]).toContain("k3y");
    expect(stderr).not.toContain("k3y");
  });

  it("sends no credentials to another origin than that of the card, unless it is named", async () => {
    const seen: (string | undefined)[] = [];
    const other = await serve((request, response) => {
      seen.push(request.headers.authorization);
      response.writeHead(401).end();
    });
    const listed = [{ url: other, protocolBinding: "JSONRPC", protocolVersion: "1.0" }];
    const url = await agentWith((_request, response) => response.end(), { supportedInterfaces: listed });
    const args = ["task", "get", "t", "-a", url, "--bearer", "s3cret"];
    expect((await a2a(args)).code).toBe(4);
    await a2a([...args, "--origin", other]);
    expect(seen).toEqual([undefined, "Bearer s3cret"]);
  });

  it("refuses to send the user's token to an agent that a file in the project names", async () => {
    const cwd = folder();
    writeFileSync(join(cwd, ".env"), "A2ACLI_AGENT_CARD=https://evil.example\n");
    const refused = await a2aJson(["send", "hi"], { cwd, env: { A2ACLI_BEARER: "s3cret" } });
    expect(refused).toMatchObject({ code: 2, json: { error: { code: "A2ACLI_ERR_USAGE" } } });
    expect(refused.json.error?.message).toContain("A2ACLI_AGENT_CARD");
  });

  it("refuses credentials that no scheme of the card accepts", async () => {
    const url = await agentWith((_request, response) => response.end(), {
      securitySchemes: { key: { apiKeySecurityScheme: { location: "header", name: "X-Key" } } },
    });
    expect((await a2a(["task", "get", "t", "-a", url, "--bearer", "x"])).stderr).toContain("It declares key");
  });
});

describe("a2a config show", () => {
  it("prints each setting with its source: flag, environment, file, global file, default (A2ACLI_CONFIG_002)", async () => {
    const cwd = folder();
    mkdirSync(join(cwd, ".config", "a2a-cli"), { recursive: true });
    mkdirSync(join(cwd, "below"));
    writeFileSync(join(cwd, ".config", "a2a-cli", ".env"), "A2ACLI_TIMEOUT=1s\nA2ACLI_OUTPUT=text\n");
    writeFileSync(join(cwd, ".env"), '# settings\nexport A2ACLI_TIMEOUT="2s"\nOTHER=1\nA2ACLI_TRANSPORT=GRPC # fast\n');
    const options = { cwd: join(cwd, "below"), env: { HOME: cwd, A2ACLI_DEBUG: "true", A2ACLI_BEARER: "s3cret" } };
    const { stdout } = await a2a(["config", "show", "--a2a-version", "0.3"], options);
    expect(stdout).toContain("a2a-version: 0.3 (flag)\n");
    expect(stdout).toContain("debug: true (environment)\n");
    expect(stdout).toContain(`timeout: 2s (file ${join(cwd, ".env")})\n`);
    expect(stdout).toContain("transport: GRPC (file");
    expect(stdout).toContain(`output: text (global file ${join(cwd, ".config", "a2a-cli", ".env")})\n`);
    expect(stdout).toContain("poll-interval: 2s (default)\n");
    expect(stdout).not.toContain("s3cret");
  });
});

describe("a2a itself", () => {
  it.each([
    [["--version"]],
    [["--help"]],
    [["help"]],
    [["help", "send"]],
    [["send", "--help"]],
    [["task", "get", "-h"]],
  ])("prints help or version with %j, and ends with 0 (A2ACLI_CLI_001)", async (args) => {
    const { code, stdout, stderr } = await a2a(args);
    expect([code, stdout.length > 3, stderr]).toEqual([0, true, ""]);
    expect(Math.max(...stdout.split("\n").map(({ length }) => length))).toBeLessThanOrEqual(80);
  });

  it("suggests a similar command or option", async () => {
    expect((await a2a(["snd"])).stderr).toContain("Did you mean send?");
    expect((await a2a(["send", "hi", "--straem"])).stderr).toContain("Did you mean --stream?");
  });

  it("stores nothing between runs (A2ACLI_INTERACT_005)", async () => {
    const cwd = folder();
    await a2a(["send", "hi", "-a", await echoAgent()], { cwd });
    expect(readdirSync(cwd)).toEqual([]);
    expect(existsSync(join(cwd, ".config"))).toBe(false);
  });
});
