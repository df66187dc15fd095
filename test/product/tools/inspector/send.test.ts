import { writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { join } from "node:path";
import { json as jsonOf } from "node:stream/consumers";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { Interrupted } from "../../../../tools/a2a/errors.js";
import { freePort } from "../../../support/free-port.js";
import { nowhere } from "../../../support/http.js";
import { a2a, a2aJson, agentWith, echoAgent } from "./command.js";
import { temporaryFolder } from "../../../support/temporary-folder.js";

/** Responds to a call over JSON-RPC with a result, and returns the parameters of the call. */
async function respond(
  request: IncomingMessage,
  response: ServerResponse,
  result: object,
): Promise<unknown> {
  const { id, params } = (await jsonOf(request)) as Readonly<Record<string, unknown>>;
  response.setHeader("content-type", "application/json");
  response.end(JSON.stringify({ jsonrpc: "2.0", id, result }));
  return params;
}

/** Starts an agent whose card names another address, and returns the URL of the card. */
function agentAt(url: string): Promise<string> {
  return agentWith(() => undefined, {
    capabilities: {},
    supportedInterfaces: [{ url, protocolBinding: "JSONRPC", protocolVersion: "1.0" }],
  });
}

describe("a2a send", () => {
  it("a2a send prints task, context, state and artifacts, one field per line (A2ACLI_SEND_004, OUT_001, OUT_005)", async () => {
    const { code, stdout } = await a2a(`send -a ${await echoAgent()} "Hello there"`);
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /^Task: \S+\nContext: \S+\nState: COMPLETED\nUpdated: \S+\nArtifact: echo \(echo-1\)\nText:\n {2}Hello there\n\n$/,
    );
  });

  it("a2a send prints the command that continues a task that waits, and warns on standard error (A2ACLI_INTERACT_004)", async () => {
    const url = await echoAgent();
    const { code, stdout, stderr } = await a2a(`send -a ${url} "ask Who?"`);
    const [, id = ""] = /^Task: (\S+)$/m.exec(stdout) ?? [];
    expect(code).toBe(0);
    expect(stdout).toContain(`Resume: a2a send -a ${url} --task-id ${id} "<reply>"\n`);
    expect(stderr).toContain("Warning: The task waits for you (INPUT_REQUIRED)");
  });

  it("a2a send ends with 0 if the task fails, because it did its own work (A2ACLI_EXIT_002)", async () => {
    const { code, stdout, stderr } = await a2a(`send -a ${await echoAgent()} "fail Out of paper"`);
    expect([code, /^State: FAILED$/m.test(stdout)]).toEqual([0, true]);
    expect(stderr).toContain("Warning: The task has ended without success (FAILED)");
  });

  it("a2a send prints a message of an agent that creates no task (A2ACLI_SEND_003)", async () => {
    const url = await echoAgent();
    const { code, stdout } = await a2a(`send --stream -a ${url} "message: hi"`);
    expect([
      code,
      /^Message: \S+\nRole: AGENT\n(?:Context: \S+\n)?Text:\n {2}hi\n\n$/.test(stdout),
    ]).toEqual([0, true]);
    const { json } = await a2aJson(`send -a ${url} "message: hi"`);
    expect(Object.keys(json)).toEqual(["message"]);
  });

  it("a2a send prints the artifacts before the question that a task asks about them, with and without a stream", async () => {
    const task = {
      id: "t",
      contextId: "c",
      status: {
        state: "TASK_STATE_INPUT_REQUIRED",
        message: { messageId: "q", role: "ROLE_AGENT", parts: [{ text: "Which one?" }] },
      },
      artifacts: [{ artifactId: "flights", parts: [{ text: "Two flights" }] }],
    };
    const url = await agentWith((request, response) => void respond(request, response, { task }), {
      capabilities: {},
    });
    for (const options of ["", "--stream"]) {
      const { stdout } = await a2a(`send Hello -a ${url} ${options}`);
      expect(stdout).toMatch(
        /Artifact: flights\nText:\n {2}Two flights\n\nMessage: q\nText:\n {2}Which/,
      );
    }
  });

  it("a2a send does not wait with --async and with --no-wait, and prints how to follow the task (A2ACLI_SEND_002, OUT_006)", async () => {
    const url = await echoAgent();
    for (const option of ["--async", "--no-wait", "--return-immediately"]) {
      const { stdout } = await a2a(`send -a ${url} "slow 60000 Hello" ${option}`);
      const [, id = ""] = /^Task: (\S+)$/m.exec(stdout) ?? [];
      expect(stdout).toContain(`Follow: a2a task get -a ${url} --wait ${id}\n`);
      expect((await a2aJson(`task cancel ${id} -a ${url}`)).json["status"]).toMatchObject({
        state: "TASK_STATE_CANCELED",
      });
    }
  });

  it("a2a send tries an agent that refuses connections a few times, notes each attempt, and fails", async () => {
    const { code, stderr } = await a2a(
      `send Hello -a ${await agentAt(await nowhere())} --poll-interval 50ms`,
    );
    expect(code).toBe(3);
    expect(stderr).toMatch(
      /^No response yet: attempt 2 of 4\n.* 3 of 4\n.* 4 of 4\nError: No response from .* \(A2ACLI_ERR_UNREACHABLE\)\nHint: The card of .* names this address/,
    );
  });

  it("a2a send sends the message once if the agent accepts connections at a later attempt", async () => {
    const received: unknown[] = [];
    const server = createServer((request, response) => {
      const message = { messageId: "m", role: "ROLE_AGENT", parts: [{ text: "Here" }] };
      received.push(respond(request, response, { message }));
    });
    onTestFinished(() => void server.close());
    const port = await freePort();
    const write = vi.spyOn(process.stderr, "write");
    onTestFinished(() => write.mockRestore());
    const running = a2a(
      `send Hello -a ${await agentAt(`http://127.0.0.1:${port}/`)} --poll-interval 300ms`,
    );
    await vi.waitFor(() => expect(write.mock.calls.join()).toContain("attempt 3"));
    server.listen(port, "127.0.0.1");
    const { code, stdout } = await running;
    expect([code, stdout]).toEqual([0, expect.stringContaining("Here")]);
    expect(received).toHaveLength(1);
  });

  it("a2a send keeps the order of parts, and the media type of each (A2ACLI_SEND_005, SEND_006)", async () => {
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, "report.bin"), "%PDF");
    writeFileSync(join(cwd, "data.json"), '{"answer": 42}');
    const parts = [
      "--data",
      "data.json",
      "--text",
      "note",
      "--file",
      "report.bin",
      "--media-type",
      "application/pdf",
    ];
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
    [
      "two media types for a part",
      ["--text", "a", "--media-type", "text/plain", "--media-type", "text/html"],
    ],
    ["a media type that is not one", ["--text", "a", "--media-type", "text"]],
    ["a file that does not exist", ["--file", "nowhere.txt"]],
    ["metadata that is not an object", ["hi", "--metadata", "[1]"]],
    ["a time-out that is not a duration", ["hi", "--timeout", "soon"]],
    ["an option that is given twice", ["hi", "--task-id", "a", "--task-id", "b"]],
    ["an unknown option", ["hi", "--unknown"]],
    ["an unknown output", ["hi", "--output", "yaml"]],
  ])(
    "a2a send refuses %s with exit code 2, and a hint (A2ACLI_EXIT_001, OUT_004)",
    async (_what, args) => {
      const { code, stderr } = await a2a(["send", "-a", "http://127.0.0.1:9", ...args]);
      expect(code).toBe(2);
      expect(stderr).toMatch(/^Error: .+ \(A2ACLI_ERR_USAGE\)\nHint: .+\n$/);
    },
  );

  it("a2a send fails if a task or its context is invalid, and creates no task (A2ACLI_INTERACT_002)", async () => {
    const url = await echoAgent();
    const unknown = await a2aJson(`send hi -a ${url} --task-id nowhere`);
    expect(unknown).toMatchObject({ code: 1, json: { error: { code: "TaskNotFoundError" } } });
    expect(unknown.json.error?.hint).toContain("--debug");
    const { json } = await a2aJson(`send "ask Who?" -a ${url}`);
    const more = ["--task-id", json.task?.id ?? "", "--context-id", "another"];
    expect((await a2aJson(["send", "hi", "-a", url, ...more])).code).toBe(1);
    expect((await a2aJson(`task list -a ${url}`)).json["tasks"]).toHaveLength(1);
  });

  it("a2a send continues a context (A2ACLI_INTERACT_001)", async () => {
    const url = await echoAgent();
    const { json } = await a2aJson(`send hi -a ${url}`);
    const contextId = json.task?.contextId ?? "";
    expect(
      (await a2aJson(`send hi -a ${url} --context-id "${contextId}"`)).json.task?.contextId,
    ).toBe(contextId);
  });

  it("a2a send polls if the agent does not stream, also with --stream (A2ACLI_TASK_POLL_001)", async () => {
    const url = await echoAgent({ capabilities: { streaming: false } });
    const args = ["-a", url, "--poll-interval", "50ms"];
    expect((await a2aJson(["send", "slow 20 a b", ...args])).json.task?.status.state).toBe(
      "TASK_STATE_COMPLETED",
    );
    const { code, stdout } = await a2a(["send", "slow 20 a b", "--stream", "-o", "json", ...args]);
    expect([code, stdout.trimEnd().split("\n").at(-1)]).toEqual([
      0,
      expect.stringContaining("TASK_STATE_COMPLETED"),
    ]);
  });

  it("a2a send ends with 5 after the time limit, and names the task that continues (A2ACLI_TASK_POLL_002)", async () => {
    const { code, stdout, stderr } = await a2a(
      `send "slow 60000 a b" -a ${await echoAgent()} --timeout 1s`,
    );
    expect(code).toBe(5);
    expect(stdout).toMatch(/^Follow: a2a task get .* --wait \S+$/m);
    expect(stderr).toMatch(/^Stopped; task \S+ continues/m);
    expect(stderr).toContain("(A2ACLI_ERR_TIMEOUT)");
  });

  it("a2a send ends with 130 after an interruption, and cancels the call but not the task", async () => {
    const url = await echoAgent();
    const controller = new AbortController();
    const running = a2a(`send "slow 60000 a b" -a ${url}`, { signal: controller.signal });
    // The task exists from here on.
    await expect
      .poll(async () => (await a2aJson(`task list -a ${url}`)).json["tasks"])
      .toHaveLength(1);
    controller.abort(new Interrupted());
    const { code, stderr } = await running;
    expect([
      code,
      /^Interrupted; task \S+ continues \((?:WORKING|SUBMITTED)\)/m.test(stderr),
    ]).toEqual([130, true]);
  });
});
