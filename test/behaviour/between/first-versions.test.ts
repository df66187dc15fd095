import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { adaptedOutput } from "../../support/adapted.js";
import { all, refusal } from "../../support/everywhere.js";
import { outputOf, startScripted, type Scripted } from "../../support/scripted.js";

/** The words of versions in which only JSON-RPC carries calls. */
interface First {
  readonly version: string;
  readonly send: string;
  readonly stream: string;
  /** A request to send a text, and a task and the events of a stream as callers read them. */
  readonly request: object;
  readonly task: object;
  readonly events: readonly object[];
}

const status = { state: "completed" };
const spoken = { messageId: "m", role: "user", parts: [{ kind: "text", text: "hi" }] };
const answer = { artifactId: "a", parts: [{ kind: "text", text: "42" }] };
const named = { taskId: "t", contextId: "c" };
const firstAnswer = { index: 0, parts: [{ type: "text", text: "42" }] };

const versions: readonly First[] = [
  {
    version: "0.1.0",
    send: "sendTask",
    stream: "sendTaskStreaming",
    request: { id: "t", message: { role: "user", parts: [{ type: "text", text: "hi" }] } },
    task: { id: "t", sessionId: "c", status, artifacts: [firstAnswer] },
    events: [
      { id: "t", artifact: { parts: firstAnswer.parts } },
      { id: "t", status, final: true },
    ],
  },
  {
    version: "0.2.1",
    send: "sendMessage",
    stream: "sendStreamingMessage",
    request: { message: { ...spoken, kind: "message" } },
    task: { id: "t", contextId: "c", kind: "task", status, artifacts: [answer] },
    events: [
      { ...named, kind: "artifact-update", artifact: answer },
      { ...named, kind: "status-update", status, final: true },
    ],
  },
];

const done = { state: "TASK_STATE_COMPLETED" };
const artifact = { artifactId: "a", parts: [{ text: "42" }] };
const task = { id: "t", contextId: "c", status: done, artifacts: [artifact] };

describe.each(versions)(
  "a caller of $version, of an agent of 1.0",
  ({ version, send, stream, ...words }) => {
    let agent: Scripted;
    let call: (method: string, request: object) => unknown;

    beforeAll(async () => {
      const { own, adapters } = await adaptedOutput("1.0", ["0.1.0", "0.2.1"]);
      const served = Object.values(adapters).map((one) => one.served);
      agent = await startScripted("1.0", { output: own, versions: served });
      const output = await outputOf(version);
      const client = await output.connect(agent.url, { transports: [output.jsonRpc()] });
      call = (method, request) =>
        Reflect.apply(Reflect.get(client, method) as () => unknown, client, [request]);
      expect(client.card).toMatchObject({ name: "Scripted", url: agent.url });
    });

    afterAll(() => agent.close());

    it("the caller sends, reads and cancels with the types of its version", async () => {
      agent.response = { task };
      expect(await call(send, words.request)).toEqual(words.task);
      expect(agent.request).toMatchObject({
        message: { role: "ROLE_USER", parts: [{ text: "hi" }] },
      });
      agent.response = task;
      for (const method of ["getTask", "cancelTask"]) {
        expect(await call(method, { id: "t" })).toEqual(words.task);
        expect(agent.request).toEqual({ id: "t" });
      }
    });

    it("the caller gets the events of a stream with the types of its version, and the last event is marked", async () => {
      agent.response = [
        { artifactUpdate: { ...named, artifact } },
        { statusUpdate: { ...named, status: done } },
      ];
      expect(await all(call(stream, words.request) as AsyncIterable<unknown>)).toEqual(
        words.events,
      );
    });

    it.runIf(version === "0.1.0")(
      "the caller gets an error if the agent responds with a message and no task",
      async () => {
        const message = { messageId: "m", role: "ROLE_AGENT", parts: [{ text: "42" }] };
        agent.response = { message };
        expect(await refusal(call(send, words.request) as Promise<unknown>)).toMatchObject({
          name: "InternalError",
        });
        agent.response = [{ message }];
        const events = all(call(stream, words.request) as AsyncIterable<unknown>);
        expect(await refusal(events)).toMatchObject({ name: "InternalError" });
      },
    );
  },
);
