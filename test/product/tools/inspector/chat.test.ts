import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { json as jsonOf } from "node:stream/consumers";
import { describe, expect, it, onTestFinished } from "vitest";
import { createAgent } from "../../../../generated/1.0/index.js";
import {
  completed,
  inputRequired,
  taskService,
  textOf,
  working,
} from "../../../../generated/1.0/kit/index.js";
import { nodeListener } from "../../../../generated/1.0/server/node.js";
import { packageFolder } from "../../../../support/package-folder.js";
import { aCard } from "../../../support/cards.js";
import { openPorts } from "../../../support/ports.js";
import { a2a, a2aJson, agentWith, echoAgent } from "./command.js";
import { temporaryFolder } from "../../../support/temporary-folder.js";

const program = join(packageFolder, "dist", "tools", "a2a", "main.js");
/** Runs a command in a pseudo-terminal. */
const pty = "/usr/bin/script";

describe("a2a chat with a pipe", () => {
  it("a chat keeps its context, and answers a task that waits (A2ACLI_CHAT_001)", async () => {
    const url = await echoAgent();
    const lines = ["Hello", "", "ask Who?", "Ada"];
    const { code, stdout, stderr } = await a2a(`chat -a ${url}`, { lines });
    expect(code, stderr).toBe(0);
    const tasks = [...stdout.matchAll(/^Task: (\S+)$/gm)].map(([, id]) => id);
    const contexts = new Set([...stdout.matchAll(/^Context: (\S+)$/gm)].map(([, id]) => id));
    expect([...stdout.matchAll(/^State: (\S+)$/gm)].map(([, state]) => state)).toEqual([
      "COMPLETED",
      "INPUT_REQUIRED",
      "COMPLETED",
    ]);
    expect([contexts.size, tasks.length, tasks[1] === tasks[2], tasks[0] === tasks[1]]).toEqual([
      1,
      3,
      true,
      false,
    ]);
    expect((await a2aJson(`task list -a ${url}`)).json["tasks"]).toHaveLength(2);
  });

  it("a chat sends piped lines as text, even if they look like commands, because another program may write them", async () => {
    const { stdout } = await a2a(`chat -a ${await echoAgent()}`, {
      lines: ["/file /etc/hostname"],
    });
    expect(stdout).toContain("Text:\n  /file /etc/hostname\n");
  });

  it("a chat prints one event per line with -o json --stream, and refuses -o json alone (A2ACLI_OUT_003)", async () => {
    const url = await echoAgent();
    const { stdout } = await a2a(`chat -a ${url} -o json --stream`, {
      lines: ["one", "two"],
    });
    const last = stdout
      .trimEnd()
      .split("\n")
      .filter((line) => "statusUpdate" in (JSON.parse(line) as object))
      .at(-1);
    expect(last).toContain("TASK_STATE_COMPLETED");
    const refused = await a2aJson(`chat -a ${url}`, { lines: ["one"] });
    expect(refused).toMatchObject({ code: 2, json: { error: { code: "A2ACLI_ERR_USAGE" } } });
  });

  it("a chat with a pipe ends at the first error", async () => {
    const { code, stderr } = await a2a(`chat -a ${await echoAgent()} --task-id nowhere`, {
      lines: ["a", "b"],
    });
    expect([code, stderr.match(/TaskNotFoundError/g)?.length]).toEqual([1, 1]);
  });

  it("a chat does not read a credential from standard input, which has the messages", async () => {
    const { code, stderr } = await a2a(`chat -a ${await echoAgent()} --bearer -`, {
      lines: ["a"],
    });
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining("--bearer - reads the messages of the chat"),
    ]);
  });
});

/** Starts an agent that asks a question once the test calls `finish`. */
async function travelAgent(): Promise<{ readonly url: string; readonly finish: () => void }> {
  const { url, http } = await openPorts();
  let finish = (): void => undefined;
  const finished = new Promise<void>((resolve) => (finish = resolve));
  const service = taskService<string, "asked">({
    async *run({ message, state, signal }) {
      const text = textOf(message);
      if (state === "asked") {
        if (text !== "Anywhere") return completed(`A trip to ${text}`);
        yield working();
        await new Promise((_, reject) => signal.addEventListener("abort", reject));
      }
      if (text === "Thanks") return completed("You are welcome");
      yield working();
      await finished;
      return inputRequired("Where to?", { state: "asked" });
    },
  });
  http.on(
    "request",
    nodeListener(createAgent({ card: aCard(url), service, authenticate: () => "everybody" })),
  );
  return { url, finish };
}

/** A chat on a pseudo-terminal. */
class TerminalChat {
  readonly #child;
  #printed = "";
  readonly closed: Promise<number | null>;

  constructor(url: string, cwd: string) {
    const command = `'${process.execPath}' '${program}' chat -a ${url}`;
    const env = { PATH: process.env["PATH"], HOME: cwd, TERM: "dumb", COLUMNS: "200" };
    this.#child = spawn(pty, ["-qefc", command, "/dev/null"], { cwd, env });
    this.#child.stdout.on("data", (chunk: Buffer) => (this.#printed += chunk.toString()));
    this.closed = once(this.#child, "close").then(([code]) => code as number | null);
    onTestFinished(() => void this.#child.kill("SIGKILL"));
  }

  /** Writes keys, and returns what is printed until a pattern matches. */
  async type(keys: string, pattern: RegExp): Promise<string> {
    this.#printed = "";
    if (keys !== "") this.#child.stdin.write(keys);
    await expect.poll(() => this.#printed).toMatch(pattern);
    return this.#printed;
  }
}

describe.skipIf(!existsSync(pty))(`a2a chat on a terminal (skipped without ${pty})`, () => {
  it("a chat on a terminal prints answers without identifiers, attaches files, and names the command that resumes it", async () => {
    const [url, cwd] = [await echoAgent(), temporaryFolder()];
    writeFileSync(join(cwd, "note.txt"), "note");
    const chat = new TerminalChat(url, cwd);
    expect(await chat.type("", /> $/)).toContain("Chat with Echo agent over JSONRPC 1.0");
    const answer = await chat.type("Hello there\r", /Text:\r\n {2}Hello there\r\n\r\n[^>]*> $/);
    expect(answer).not.toMatch(/^(?:Task|Context|State):/m);
    await chat.type("/file note.txt\r", /\(1 attached\) > $/);
    await chat.type("Look\r", /File: note\.txt \(text\/plain, 4 bytes\)[^>]*> $/);
    await chat.type("/file nowhere.txt\r", /Error: the file "nowhere\.txt" cannot be read[^]*> $/);
    await chat.type("ask Who?\r", /Who\?[^]*State: INPUT_REQUIRED\r\n[^>]*reply > $/);
    await chat.type("Ada\r", /Text:\r\n {2}Ada\r\n\r\n[^>]*> $/);
    await chat.type("\u0004", /Resume: a2a chat -a \S+ --context-id \S+/);
    expect(await chat.closed).toBe(0);
  });

  it("Ctrl-C stops waiting for an answer, /cancel cancels its task, and Ctrl-C at the prompt ends the chat with 130", async () => {
    const chat = new TerminalChat(await echoAgent(), temporaryFolder());
    await chat.type("", /> $/);
    await chat.type("slow 60000 a b\r", /Waiting for task \S+\. \/cancel cancels it, and Ctrl-C/);
    await chat.type("\u0003", /Interrupted; task \S+ continues[^]*> $/);
    await chat.type("/cancel\r", /State: CANCELED\r\n[^>]*> $/);
    await chat.type("\u0003", /Resume: /);
    expect(await chat.closed).toBe(130);
  });

  it("/cancel and /task act at once while the agent responds, and lines that wait are not sent after /cancel", async () => {
    const url = await echoAgent();
    const chat = new TerminalChat(url, temporaryFolder());
    await chat.type("", /> $/);
    await chat.type("slow 60000 a b\r", /Waiting for task/);
    await chat.type("/task\r", /State: WORKING/);
    await chat.type("Hello\r", /This line waits for the end of the response/);
    const printed = await chat.type("/cancel\r", /State: CANCELED\r\n[^>]*> $/);
    expect(printed).toContain("Not sent: Hello");
    expect(printed.match(/State: CANCELED/g)).toHaveLength(1);
    expect((await a2aJson(`task list -a ${url}`)).json["tasks"]).toHaveLength(1);
  });

  it("/cancel ends the response even if the agent names the task late and does not end the stream", async () => {
    const taskIn = (state: string) => ({ id: "t", contextId: "c", status: { state } });
    let start = (_: () => void): void => undefined;
    const started = new Promise<() => void>((resolve) => (start = resolve));
    const url = await agentWith((request, response) => {
      void jsonOf(request).then((call) => {
        const { id, method } = call as Readonly<Record<string, unknown>>;
        const resultOf = (result: object) => JSON.stringify({ jsonrpc: "2.0", id, result });
        if (method === "CancelTask") response.end(resultOf(taskIn("TASK_STATE_CANCELED")));
        else {
          response.writeHead(200, { "content-type": "text/event-stream" }).flushHeaders();
          start(() =>
            response.write(`data: ${resultOf({ task: taskIn("TASK_STATE_WORKING") })}\n\n`),
          );
        }
      });
    });
    const chat = new TerminalChat(url, temporaryFolder());
    await chat.type("", /> $/);
    await chat.type("Hello\r", /Hello/);
    await started;
    await chat.type("/cancel\r", /The task is canceled as soon as the agent has created it/);
    (await started)();
    await chat.type("", /State: CANCELED\r\n[^>]*> $/);
  });

  it("after Ctrl-C during a reply, the next message begins a new task, without the files that the agent has received", async () => {
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, "note.txt"), "note");
    const { url, finish } = await travelAgent();
    finish();
    const chat = new TerminalChat(url, cwd);
    await chat.type("", /> $/);
    await chat.type("Plan a trip\r", /Where to\?[^]*reply > $/);
    await chat.type("/file note.txt\r", /\(1 attached\) reply > $/);
    await chat.type("Anywhere\r", /Waiting for task/);
    expect(await chat.type("\u0003", /Interrupted; task \S+ continues[^]*> $/)).not.toMatch(
      /attached|reply >/,
    );
    await chat.type("Thanks\r", /You are welcome[^]*> $/);
  });

  it("the response continues after the agent has refused a /cancel that waited for its task", async () => {
    let start = (_: () => void): void => undefined;
    const started = new Promise<() => void>((resolve) => (start = resolve));
    let complete = (): void => undefined;
    const url = await agentWith((request, response) => {
      void jsonOf(request).then((call) => {
        const { id, method } = call as Readonly<Record<string, unknown>>;
        const send = (member: object) => JSON.stringify({ jsonrpc: "2.0", id, ...member });
        if (method === "CancelTask")
          return response.end(send({ error: { code: -32002, message: "It is too late" } }));
        const sendTask = (state: string) => {
          const task = { id: "t", contextId: "c", status: { state } };
          response.write(`data: ${send({ result: { task } })}\n\n`);
        };
        complete = () => sendTask("TASK_STATE_COMPLETED");
        response.writeHead(200, { "content-type": "text/event-stream" }).flushHeaders();
        return start(() => sendTask("TASK_STATE_WORKING"));
      });
    });
    const chat = new TerminalChat(url, temporaryFolder());
    await chat.type("", /> $/);
    await chat.type("Hello\r", /Hello/);
    const work = await started;
    await chat.type("/cancel\r", /The task is canceled as soon as the agent has created it/);
    work();
    expect(await chat.type("", /Error: It is too late/)).not.toContain("Stopped");
    complete();
    await chat.type("", /> $/);
  });

  it("lines that are typed while the agent responds are sent after the response, and answer its question", async () => {
    const { url, finish } = await travelAgent();
    const chat = new TerminalChat(url, temporaryFolder());
    await chat.type("", /> $/);
    await chat.type("Plan a trip\r", /Waiting for task/);
    await chat.type("Rome\r", /This line waits for the end of the response/);
    await chat.type("Thanks\r", /2 lines wait for the end of the response/);
    finish();
    const printed = await chat.type("", /A trip to Rome[^]*> Thanks[^]*You are welcome[^]*> $/);
    expect(printed).toMatch(/Where to\?[^]*reply > Rome/);
  });

  it("/quit ends the chat at once while the agent responds, and names the task that continues", async () => {
    const chat = new TerminalChat(await echoAgent(), temporaryFolder());
    await chat.type("", /> $/);
    await chat.type("slow 60000 a b\r", /Waiting for task/);
    await chat.type("/quit\r", /Interrupted; task \S+ continues[^]*Resume: /);
    expect(await chat.closed).toBe(0);
  });
});
