import { describe, expect, it, onTestFinished } from "vitest";
import { transcript } from "../../../examples/client/transcript.js";
import { transcript as oldTranscript } from "../../../examples/client-0.3/transcript.js";
import { echoBehavior } from "../../../examples/echo-agent/echo.js";
import { agentCard } from "../../../examples/echo-agent/card.js";
import { startEchoAgent } from "../../../examples/echo-agent/server.js";
import * as oldEcho from "../../../examples/echo-agent-0.3/echo.js";
import { startEchoAgent as startOldEchoAgent } from "../../../examples/echo-agent-0.3/server.js";
import * as oldTask from "../../../examples/echo-agent-0.3/task.js";
import { realEnvironment } from "../../../examples/shared/environment.js";
import * as current from "../../../generated/1.0/index.js";
import {
  applyEvent,
  isInterrupted,
  isTerminal,
  taskService,
} from "../../../generated/1.0/kit/index.js";
import { operations } from "../../../generated/1.0/operations.js";
import * as old from "../../../generated/0.3.0/index.js";
import { operations as oldOperations } from "../../../generated/0.3.0/operations.js";
import { all } from "../../support/everywhere.js";
import fc from "../../support/properties.js";
import { at } from "../interop/json.js";
import { artifactsOf, textsOf, userMessage } from "./editions.js";

const anyText = fc.oneof(
  fc.string({ unit: "grapheme" }),
  fc.stringMatching(/^(ask|fail|slow 0|reject|auth)?\s[\sa-c]*$/),
);

const hook = "http://127.0.0.1:9/hook";

function oldMessage(text: string, more: Partial<old.Message> = {}): old.Message {
  return {
    kind: "message",
    messageId: "m-1",
    role: "user",
    parts: [{ kind: "text", text }],
    ...more,
  };
}

/** Connects a client to the echo agent of 1.0 without a socket. */
async function connectInMemory() {
  const card = agentCard({ url: "http://agent.test", grpcUrl: "agent.test:1", hasUsers: false });
  const service = taskService({ ...echoBehavior(realEnvironment), checkInputModes: false });
  onTestFinished(() => service.close());
  const handler = current.fetchHandler(
    current.createAgent({ card, service, authenticate: () => "ada" }),
  );
  return current.connect("http://agent.test", {
    fetch: (input, init) => handler(new Request(input, init)),
  });
}

/** How the agents of both versions are started. */
interface Starting {
  readonly port?: number;
  readonly grpcPort?: number;
  readonly push?: { readonly allowPrivateAddresses: boolean };
}

/** Result of an echo agent for a text: whether the turn ended, the task, and its events. */
interface Worked {
  readonly isSettled: boolean;
  readonly task: unknown;
  readonly updates: readonly unknown[];
}

const editions = [
  {
    version: "1.0",
    async work(text: string): Promise<Worked> {
      const client = await connectInMemory();
      const updates = await all(client.sendStreamingMessage({ message: userMessage(text) }));
      const task = updates.reduce<current.Task | undefined>(
        (task, update) => update.task ?? (task && applyEvent(task, update)),
        undefined,
      );
      const { state } = task?.status ?? { state: "TASK_STATE_UNSPECIFIED" };
      return { isSettled: isTerminal(state) || isInterrupted(state), task, updates };
    },
    async reply(text: string, hasTask: boolean): Promise<unknown> {
      const client = await connectInMemory();
      const { task } = hasTask ? await client.sendMessage({ message: userMessage("ask") }) : {};
      const { message } = await client.sendMessage({
        message: userMessage(text, task && { taskId: task.id }),
      });
      return message;
    },
    isTask: current.isTask,
    isEvent: current.isStreamResponse,
    operations,
    start: (options: Starting) => startEchoAgent({ ...options, onError: () => undefined }),
    play: async (url: string) => await all(transcript(await current.connect(url), hook)),
  },
  {
    version: "0.3.0",
    async work(text: string): Promise<Worked> {
      const [task, updates] = [
        new oldTask.LiveTask("t", "c", { state: "submitted" }),
        [] as unknown[],
      ];
      task.listen((update) => updates.push(update));
      task.receive(oldMessage(text), undefined);
      await oldEcho.work(task, realEnvironment);
      return { isSettled: oldTask.isSettled(task.state), task: task.snapshot, updates };
    },
    reply: (text: string, hasTask: boolean): Promise<unknown> =>
      Promise.resolve(
        oldEcho.quickReply(oldMessage(text, hasTask ? { taskId: "t" } : {}), realEnvironment),
      ),
    isTask: old.isTask,
    isEvent: old.isStreamResponse,
    operations: oldOperations,
    start: ({ push: _push, ...options }: Starting) => startOldEchoAgent(options),
    play: async (url: string) => await all(oldTranscript(await old.connect(url), hook)),
  },
] as const;

describe.each(editions)("the echo agent of $version", ({ version, start, play, ...edition }) => {
  it("the agent ends or pauses its work and leaves a valid task and valid updates for any text", async () => {
    await fc.assert(
      fc.asyncProperty(anyText, async (text) => {
        const { isSettled: hasEnded, task, updates } = await edition.work(text);
        expect(hasEnded && edition.isTask(task) && updates.every(edition.isEvent)).toBe(true);
        // In 0.3 an update says of itself that it is the last one.
        const finals = updates.map((update) => at(update, "final") === true);
        expect(finals.indexOf(true)).toBe(version === "0.3.0" ? updates.length - 1 : -1);
      }),
    );
  });

  it("the agent splits a text into at most four chunks, which together are the text", async () => {
    await fc.assert(
      fc.asyncProperty(anyText, async (text) => {
        const [pieces = []] = artifactsOf((await edition.work(`x${text}`)).task);
        expect(pieces.length).toBeLessThanOrEqual(4);
        expect(pieces.join("")).toBe(`x${text}`);
      }),
    );
  });

  it("the agent replies with a message only on request and without a task", async () => {
    expect([await edition.reply("hi", false), await edition.reply("message: hi", true)]).toEqual([
      undefined,
      undefined,
    ]);
    expect(textsOf(at(await edition.reply("Message:  hi", false), "parts"))).toEqual(["hi"]);
  });

  it("the agent responds to every operation as in the transcript of the client", async () => {
    const agent = await start({ push: { allowPrivateAddresses: true } });
    const lines = await play(agent.url);
    await agent.close();
    expect(lines.filter(({ expected, outcome }) => expected !== outcome)).toEqual([]);
    expect(new Set(lines.map(({ operation }) => operation))).toEqual(
      new Set(edition.operations.map(({ name }) => name)),
    );
  });

  it("the agent does not start if a port is in use, and releases the other port", async () => {
    const [first, spare] = [await start({}), await start({})];
    const [port, grpcPort] = [Number(new URL(first.url).port), Number(spare.grpcUrl.split(":")[1])];
    await spare.close();
    await expect(start({ port, grpcPort })).rejects.toThrow("EADDRINUSE");
    await first.close();
    const again = await start({ port, grpcPort });
    expect(again).toMatchObject({ url: first.url, grpcUrl: spare.grpcUrl });
    await again.close();
  });
});
