import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, rmSync, watch, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { connect, type Message, type Task } from "../../../../generated/1.0/index.js";
import { followTask } from "../../../../generated/1.0/kit/client/index.js";
import { textOf } from "../../../../generated/1.0/kit/index.js";
import { packageFolder } from "../../../../support/package-folder.js";
import { engines } from "../../../cluster/engines/engines.js";
import type { Engine } from "../../../cluster/engines/engine.js";
import { aMessage } from "../../../support/messages.js";
import { freePort } from "../../../support/free-port.js";
import { Random } from "../../../support/random/random.js";
import { library } from "../../../tools/library.mjs";
import type { KilledEnvironment } from "./agent.js";

/** A conversation during which the process of an agent is killed with SIGKILL. */
export interface Kill {
  /** The moment, for the title of the test. */
  readonly when: string;
  /**
   * Note at which the process is killed, and how often it was noted in the process by then, such as
   * `word 3`; `waiting` kills the process between the messages.
   */
  readonly at: string;
  /** Messages to the task: the first one, and the answers to its questions. */
  readonly messages: readonly string[];
}

/** The end of the conversation, and all that has happened. */
export interface Survived {
  readonly task: Task;
  /** Text of the artifacts. */
  readonly text: string;
  /** Texts of the caller in the history, without an answer that was given again. */
  readonly said: readonly string[];
  /** The notes of all processes, in order. */
  readonly notes: readonly string[];
  /** Number of times that something was noted. */
  readonly count: (note: string) => number;
}

/** Stores that a killed process may use. */
const names = ["sqlite", "postgres", "redis"] as const;

/**
 * Runs conversations with an agent that is killed, on each store that the machine has. `program` is
 * the path of a module that calls `serveKilled`.
 */
export function describeKills(
  title: string,
  program: string,
  kills: readonly Kill[],
  check: (survived: Survived, kill: Kill) => void,
): void {
  const folder = join(packageFolder, "test", ".out", String(process.pid), basename(program, ".ts"));
  const bundle = join(folder, "agent.mjs");
  beforeAll(() => bundled(program, bundle));
  afterAll(() => {
    rmSync(folder, { recursive: true, force: true });
  });
  for (const name of names) {
    const kind = engines[name];
    const missing = kind?.missing;
    describe.skipIf(missing !== undefined)(`${title} (${name}: ${missing ?? "available"})`, () => {
      let engine: Engine | undefined;
      beforeAll(async () => {
        if (missing === undefined) engine = await kind?.start(new Random(1));
      });
      afterAll(() => engine?.stop());
      for (const kill of kills)
        it(`the task ends well after a kill ${kill.when}`, async () => {
          mkdirSync(folder, { recursive: true });
          const notes = join(folder, `${name}-${kill.at.replaceAll(" ", "-")}.log`);
          writeFileSync(notes, "");
          const env = { ENGINE: name, ADDRESS: engine?.address ?? "", NOTES: notes };
          check(await survive(bundle, env, kill), kill);
        });
    });
  }
}

async function bundled(program: string, outfile: string): Promise<void> {
  await build({
    entryPoints: [program],
    outfile,
    bundle: true,
    packages: "external",
    format: "esm",
    platform: "node",
    plugins: [library()],
    logLevel: "warning",
  });
}

/** Has a conversation with an agent that is killed once, and continues with the next process. */
async function survive(
  bundle: string,
  given: Omit<KilledEnvironment, "PORT" | "HOLD">,
  { at, messages }: Kill,
): Promise<Survived> {
  const port = await freePort();
  const env = { ...given, PORT: String(port) };
  let child = await start(bundle, { ...env, HOLD: at });
  const next = async (): Promise<void> => {
    child.kill("SIGKILL");
    await once(child, "exit");
    child = await start(bundle, { ...env, HOLD: "" });
  };
  let arrived: Promise<void> = Promise.resolve();
  // A client does not send a message again if its response is lost, so wait for the response.
  const replaced =
    at === "waiting"
      ? undefined
      : heldIn(given.NOTES)
          .then(() => arrived)
          .then(next);
  const client = await connect(`http://127.0.0.1:${env.PORT}`);
  onTestFinished(() => {
    client.close();
  });
  let task: Task | undefined;
  const say = async (text: string): Promise<void> => {
    const members: Partial<Message> = task === undefined ? {} : { taskId: task.id };
    const message = aMessage(text, members);
    let arrive: () => void = () => undefined;
    arrived = new Promise((resolve) => (arrive = resolve));
    const options = { delayMs: () => 50, retries: 4_000 };
    for await (const followed of followTask(client, { message }, options)) {
      task = followed.task;
      arrive();
    }
  };
  for (const [index, text] of messages.entries()) {
    if (index > 0 && at === "waiting") await next();
    await say(text);
  }
  await replaced;
  // If the process dies before it has stored that a turn reads the answer, the agent asks again.
  const [, answer] = messages;
  const isAskedAgain = answer !== undefined && isWaiting(task);
  if (isAskedAgain) await say(answer);
  if (task === undefined) throw new Error("The agent has replied without a task");
  const stored = await client.getTask({ id: task.id });
  const notes = readFileSync(given.NOTES, "utf8").trim().split("\n");
  expect(stored.artifacts).toEqual(task.artifacts);
  const asked = (stored.history ?? []).filter(({ role }) => role === "ROLE_USER");
  const said = asked.map(textOf);
  if (isAskedAgain) expect(said.pop()).toBe(answer);
  return {
    said,
    task: stored,
    text: (stored.artifacts ?? []).map(textOf).join("\n\n"),
    notes,
    count: (note) => notes.filter((each) => each === note).length,
  };
}

function isWaiting(task: Task | undefined): boolean {
  return task?.status.state === "TASK_STATE_INPUT_REQUIRED";
}

/** Starts a process; resolves when it listens. */
async function start(bundle: string, env: KilledEnvironment): Promise<ChildProcess> {
  const child = spawn(process.execPath, [bundle], {
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  await once(child.stdout, "data");
  return child;
}

/** Resolves when a process stands still at its note. */
function heldIn(file: string): Promise<void> {
  return new Promise((resolve) => {
    const look = (): void => {
      if (!readFileSync(file, "utf8").includes("held\n")) return;
      watcher.close();
      resolve();
    };
    const watcher = watch(file, look);
    onTestFinished(() => {
      watcher.close();
    });
    look();
  });
}
