import { spawn, type ChildProcess } from "node:child_process";
import { existsSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { join } from "node:path";
import { onTestFinished, describe, expect, it } from "vitest";
import { packageFolder } from "../../../../support/package-folder.js";
import { ended } from "../../cli/command.js";
import { a2a, a2aJson, agentWith, cardOf, echoAgent } from "./command.js";
import { temporaryFolder } from "../../../support/temporary-folder.js";
import { listen } from "../../../support/http.js";

const cli = join(packageFolder, "dist", "tools", "a2a", "main.js");

if (!existsSync(cli)) throw new Error("There is no build: run `npm run build` first");

/** Starts `a2a`, as it is built, in a process of its own. */
function start(args: readonly string[], env: Readonly<Record<string, string>> = {}): ChildProcess {
  const cwd = temporaryFolder();
  const child = spawn(process.execPath, [cli, ...args], {
    cwd,
    env: { ...process.env, HOME: cwd, ...env },
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  return child;
}

/**
 * Text that would clear a terminal, set its title, reverse the direction of text, or write into its
 * input.
 */
const evil =
  "\u001b[2J\u001b]0;pwned\u0007\u009b31m\u202egnp.exe\u2028<script>alert(1)</script>\r\nTask: forged\n\nState: COMPLETED";

/** Characters that control a terminal, besides the line feeds of the tool itself. */
const control = /(?!\n)\p{Cc}|\p{Bidi_Control}|[\u2028\u2029]/u;

const task = {
  id: `t\u001b[1m'; rm -rf ~ #`,
  contextId: evil,
  status: {
    state: "TASK_STATE_INPUT_REQUIRED",
    message: { messageId: evil, role: "ROLE_AGENT", parts: [{ text: evil }] },
  },
  artifacts: [
    {
      artifactId: evil,
      name: evil,
      parts: [{ text: evil }, { data: { [evil]: evil } }, { raw: "aGk=", filename: evil }],
    },
    {
      artifactId: "u",
      parts: [{ url: `https://x.example/${evil}`, filename: evil, mediaType: evil }],
    },
  ],
};

/** Responds to a call of JSON-RPC with a result. */
function respond(response: ServerResponse, result: unknown) {
  response.setHeader("content-type", "application/json");
  response.end(JSON.stringify({ jsonrpc: "2.0", id: 1, result }));
}

const event = (text: string): object => ({
  artifactUpdate: {
    taskId: "t",
    contextId: "c",
    artifact: { artifactId: "a", parts: [{ text }] },
    append: true,
  },
});
const frame = (value: unknown) =>
  `data: ${JSON.stringify({ jsonrpc: "2.0", id: 1, result: value })}\n\n`;
const working = { task: { id: "t", contextId: "c", status: { state: "TASK_STATE_WORKING" } } };

/** Writes to a response forever, as fast as its reader reads. */
function flood(response: ServerResponse, text: string) {
  const write = () => {
    while (!response.destroyed && response.write(text));
    response.once("drain", write);
  };
  write();
}

/** An agent that streams events forever. */
const endless = () =>
  agentWith((_request, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write(frame(working));
    flood(response, frame(event("x".repeat(1_000))));
  });

describe("a2a with a hostile agent", () => {
  it.each([
    ["task get", ["task", "get", "t"], task],
    ["send", ["send", "hi"], { task }],
    [
      "task list",
      ["task", "list"],
      { tasks: [task], nextPageToken: evil, pageSize: 1, totalSize: 1 },
    ],
  ])("%s prints escape sequences and markup as text", async (_name, args, result) => {
    const url = await agentWith((_request, response) => respond(response, result), {
      capabilities: {},
    });
    for (const more of [[], ["--verbose"], ["--debug"], ["-o", "json"]]) {
      const { code, stdout, stderr } = await a2a([...args, "-a", url, ...more]);
      expect(code).toBe(0);
      expect(stdout).not.toMatch(control);
      expect(stderr).not.toMatch(control);
      if (more[0] === "-o") expect(JSON.parse(stdout)).toEqual(result);
    }
  });

  it("a2a quotes ids of the agent in the command that it prints, so that copying the command runs nothing else", async () => {
    const url = await agentWith((_request, response) => respond(response, task), {
      capabilities: {},
    });
    const { stdout } = await a2a(`task get t -a ${url}`);
    expect(stdout).toContain(`--task-id 't\\u001b[1m'\\''; rm -rf ~ #' "<reply>"`);
  });

  it("a2a indents texts of the agent, so that no line of them looks like a field", async () => {
    const url = await agentWith((_request, response) => respond(response, task), {
      capabilities: {},
    });
    const { stdout } = await a2a(`task get t -a ${url}`);
    expect(stdout.match(/^State: .*$/gm)).toEqual(["State: INPUT_REQUIRED"]);
    expect(stdout.match(/^Task: .*$/gm)).toHaveLength(1);
  });

  it("a2a prints a card and errors with escape sequences as text", async () => {
    const more = {
      name: evil,
      description: evil,
      skills: [{ id: evil, name: evil, description: evil, tags: [evil] }],
    };
    const url = await agentWith(
      (_request, response) =>
        response.end(
          JSON.stringify({
            jsonrpc: "2.0",
            id: 1,
            error: { code: -32603, message: evil, data: evil },
          }),
        ),
      { ...more, securitySchemes: { [evil]: { httpAuthSecurityScheme: { scheme: evil } } } },
    );
    for (const args of [
      ["card", "get", "--validate"],
      ["card", "get", "--probe", "-o", "json"],
      ["task", "get", "t"],
    ]) {
      const { stdout, stderr } = await a2a([...args, "-a", url]);
      expect(stdout + stderr).not.toMatch(control);
    }
  });

  it("a2a shortens a text of 20 MB with a note, and prints all of it as JSON", async () => {
    const artifacts = [{ artifactId: "a", parts: [{ text: "x".repeat(20_000_000) }] }];
    const big = { id: "t", contextId: "c", status: { state: "TASK_STATE_COMPLETED" }, artifacts };
    const url = await agentWith((_request, response) => respond(response, big));
    const { stdout } = await a2a(`task get t -a ${url}`);
    expect(stdout.length).toBeLessThan(60_000);
    expect(stdout).toContain("(19,950,000 more characters; -o json prints all)");
    expect((await a2a(`task get t -a ${url} -o json`)).stdout.length).toBeGreaterThan(20_000_000);
  });

  it("a2a stops at a response of 50 MB if --max-bytes is lower, and names the option", async () => {
    const url = await agentWith((_request, response) => {
      response.setHeader("content-type", "application/json");
      response.end(`{"jsonrpc": "2.0", "id": 1, "result": "${"x".repeat(50_000_000)}"}`);
    });
    const found = await a2aJson(`task get t -a ${url} --max-bytes 1000000`);
    expect(found).toMatchObject({
      code: 1,
      json: { error: { hint: "Increase the limit with --max-bytes" } },
    });
  });

  it("a2a stops at a stream that never ends: after --max-bytes, and after --timeout", async () => {
    const url = await endless();
    const large = await a2a(`send hi --stream -a ${url} --max-bytes 3000000`);
    expect(large.code).not.toBe(0);
    expect(large.stderr).toContain("--max-bytes");
    const silent = await agentWith((_request, response) =>
      response.writeHead(200, { "content-type": "text/event-stream" }).flushHeaders(),
    );
    expect(await a2aJson(`send hi -a ${silent} --timeout 300ms`)).toMatchObject({
      code: 5,
    });
  });

  it("a2a stops at a card that never ends", async () => {
    const url = await listen((_request, response) => flood(response, " ".repeat(65_536)));
    expect((await a2a(`card get -a ${url}`)).code).not.toBe(0);
    const slow = await listen((_request, response) => response.write("{"));
    expect((await a2a(`card get -a ${slow} --timeout 300ms`)).code).toBe(5);
  });

  it("a2a does not call interfaces at files or sockets of this machine", async () => {
    const listed = ["file:///etc/passwd", "unix:/var/run/docker.sock", "javascript:alert(1)"].map(
      (url) => ({
        url,
        protocolBinding: "JSONRPC",
        protocolVersion: "1.0",
      }),
    );
    for (const each of listed) {
      const url = await agentWith((_request, response) => response.end(), {
        supportedInterfaces: [each],
      });
      expect((await a2a(`send hi -a ${url}`)).code).toBeGreaterThan(0);
    }
    const grpc = {
      url: "unix:/var/run/docker.sock",
      protocolBinding: "GRPC",
      protocolVersion: "1.0",
    };
    const url = await listen((_request, response) =>
      response.end(JSON.stringify(cardOf("", { supportedInterfaces: [grpc] }))),
    );
    expect((await a2a(`send hi -a ${url}`)).code).toBeGreaterThan(0);
  });
});

describe("the process of a2a", () => {
  it("the process ends with 130 after Ctrl-C in an endless stream", async () => {
    const child = start(["send", "hi", "--stream", "-a", await endless()]);
    child.stdout?.once("data", () => child.kill("SIGINT"));
    const { code, stderr } = await ended(child);
    expect([code, stderr]).toEqual([130, expect.stringContaining("Interrupted; task t continues")]);
  });

  it("the process ends quietly if its reader closes the pipe", async () => {
    const child = start(["send", "hi", "--stream", "-a", await endless()]);
    child.stdout?.once("data", () => child.stdout?.destroy());
    const { code, stderr } = await ended(child);
    expect([code, stderr]).toEqual([0, ""]);
  });

  it("the process reads a token from standard input", async () => {
    const seen: unknown[] = [];
    const url = await agentWith((request, response) => {
      seen.push(request.headers.authorization);
      respond(response, { id: "t", contextId: "c", status: { state: "TASK_STATE_COMPLETED" } });
    });
    const child = start(["task", "get", "t", "-a", url, "--bearer", "-"]);
    child.stdin?.end("s3cret\n");
    expect([(await ended(child)).code, seen]).toEqual([0, ["Bearer s3cret"]]);
  });

  it("the process receives webhooks of its own agent, and refuses requests without the token (A2ACLI_PUSH_002)", async () => {
    const agent = await echoAgent({ push: { allowPrivateAddresses: true } });
    const child = start(["listen", "--count", "1", "--token", "s3cret", "-o", "json"]);
    const listening = new Promise<string>((resolve) => {
      child.stderr?.on("data", (chunk: Buffer) => {
        const [, url] = /Listening at (\S+)/.exec(chunk.toString()) ?? [];
        if (url !== undefined) resolve(url);
      });
    });
    const done = ended(child);
    const url = await listening;
    expect((await fetch(url, { method: "POST", body: "{}" })).status).toBe(401);
    const { json } = await a2aJson(`send "ask Who?" -a ${agent}`);
    const id = json.task?.id ?? "";
    await a2a(`push create ${id} --url ${url} --token s3cret -a ${agent}`);
    await a2a(`send Ada --task-id ${id} -a ${agent}`);
    const { code, stdout } = await done;
    expect([code, JSON.stringify(JSON.parse(stdout))]).toEqual([0, expect.stringContaining(id)]);
  });
});
