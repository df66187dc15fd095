import { pathToFileURL } from "node:url";
import ts from "typescript";
import { describe, expect, it } from "vitest";
import type * as output from "../../../generated/1.0/index.js";
import { findSource, generateFrom } from "../../support/output.js";
import { Project } from "./command.js";

/** Exports of an agent file, for a version whose types are not relevant to this test. */
interface Skeleton {
  readonly Agent?: new () => output.A2AService;
  readonly service?: output.AgentOptions["service"];
  readonly card: output.AgentCard;
}

type Call = (method: string, params: object) => Promise<unknown>;

/** Returns a function that calls the skeleton of a version over JSON-RPC, without a socket. */
async function skeletonOf(spec: string, version: string): Promise<Call> {
  const project = new Project();
  await project.run("init --yes --runtime copy --import-extension ts --spec", spec);
  const [declarations = ""] = project.read("src/agent.ts").split("\nconst agent =");
  project.write({ "src/agent.ts": declarations });
  const load = (path: string): Promise<unknown> => import(pathToFileURL(project.path(path)).href);
  const skeleton = (await load("src/agent.ts")) as Skeleton;
  const service = skeleton.service ?? (skeleton.Agent && new skeleton.Agent());
  if (service === undefined) throw new Error("The skeleton exports no service");
  const { createAgent, fetchHandler } = (await load("src/a2a/server/index.ts")) as typeof output;
  const handler = fetchHandler(createAgent({ card: skeleton.card, service }));
  const headers = { "content-type": "application/json", "a2a-version": version };
  return async (method, params) => {
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
    const response = await handler(
      new Request("http://localhost:4000/", { method: "POST", headers, body }),
    );
    return response.json();
  };
}

const part = { text: "hi" };
const uuid: unknown = expect.stringMatching(/^[0-9a-f-]{36}$/);

describe.each([
  {
    spec: "0.4-draft",
    version: "0.4",
    methods: { send: "message/send", get: "tasks/get", cancel: "tasks/cancel" },
    message: { messageId: "m-1", role: "ROLE_USER", content: [part], parts: [part] },
    wrap: (message: object) => ({ message }),
  },
  {
    spec: "0.3.0",
    version: "0.3",
    methods: { send: "message/send", get: "tasks/get", cancel: "tasks/cancel" },
    message: {
      kind: "message",
      messageId: "m-1",
      role: "user",
      parts: [{ kind: "text", ...part }],
    },
    wrap: (message: object) => message,
  },
])("the agent skeleton of $spec", ({ spec, version, methods, message, wrap }) => {
  const skeleton = skeletonOf(spec, version);

  it("the skeleton responds with a message with a new id, in the context of the caller", async () => {
    const call = await skeleton;
    const params = { message: { ...message, contextId: "c-1" } };
    const results = [await call(methods.send, params), await call(methods.send, params)];
    const reply = wrap(expect.objectContaining({ messageId: uuid, contextId: "c-1" }) as object);
    expect(results).toEqual(
      [reply, reply].map((result) => expect.objectContaining({ result }) as unknown),
    );
    expect(results[0]).not.toEqual(results[1]);
  });

  it("the skeleton starts a context if the caller names none", async () => {
    const response = await (await skeleton)(methods.send, { message });
    expect(response).toMatchObject({
      result: wrap(expect.objectContaining({ contextId: uuid }) as object),
    });
  });

  it("the skeleton has no tasks, so that every task is not found", async () => {
    const call = await skeleton;
    const unknown = { error: { code: -32001 } };
    expect(await call(methods.send, { message: { ...message, taskId: "nowhere" } })).toMatchObject(
      unknown,
    );
    const params = spec === "0.4-draft" ? { name: "tasks/nowhere" } : { id: "nowhere" };
    expect(await call(methods.get, params)).toMatchObject(unknown);
    expect(await call(methods.cancel, params)).toMatchObject(unknown);
  });
});

describe("the agent skeleton of 1.0", () => {
  it("the skeleton is a task service and keeps its tasks", async () => {
    const call = await skeletonOf("1.0", "1.0");
    const message = { messageId: "m-1", role: "ROLE_USER", parts: [part] };
    const sent = (await call("SendMessage", { message })) as {
      readonly result: { readonly task: output.Task };
    };
    const { task } = sent.result;
    expect(task.status).toMatchObject({
      state: "TASK_STATE_COMPLETED",
      message: { parts: [{ text: "Done" }] },
    });
    expect(task.artifacts).toMatchObject([
      { name: "answer", parts: [{ text: "Hello! You said: hi" }] },
    ]);
    expect(await call("GetTask", { id: task.id })).toMatchObject({ result: task });
    expect(await call("CancelTask", { id: task.id })).toMatchObject({ error: { code: -32002 } });
    expect(await call("GetTask", { id: "nowhere" })).toMatchObject({ error: { code: -32001 } });
  });
});

describe("the agent skeleton of 0.1.0", () => {
  it("the skeleton responds with the task that the caller names", async () => {
    const call = await skeletonOf("0.1.0", "0.1");
    const message = { role: "user", parts: [{ type: "text", ...part }] };
    const params = { id: "task-7", sessionId: "s-1", message };
    expect(await call("tasks/send", params)).toMatchObject({
      result: { id: "task-7", sessionId: "s-1" },
    });
  });
});

describe("the agent skeleton", () => {
  it.each([
    ["with the task kit", undefined],
    ["without the task kit", ["server"]],
  ])("the skeleton %s serves the other versions that the output supports", async (_, targets) => {
    const source = { ...findSource("1.0"), versions: [findSource("0.3.0"), findSource("0.2.6")] };
    const { agent = "" } = await generateFrom(source, {
      agentImport: "./a2a",
      ...(targets && { targets }),
    });
    expect(agent).toContain('import { v0_3 } from "./a2a/versions/0.3/server.js";');
    expect(agent).toMatch(
      /createAgent\(\{ card, service(?:: new Agent\(\))?, versions: \[v0_3, v0_2\] \}\)/,
    );
    const alone = await generateFrom(findSource("1.0"), {
      agentImport: "./a2a",
      ...(targets && { targets }),
    });
    expect(alone.agent).not.toContain("versions");
    expect(
      [agent, alone.agent].map((text) => text?.includes("Calls without a version are rejected")),
    ).toEqual([false, true]);
  });

  it.each(["1.1-draft", "1.0", "0.3.0", "0.1.0"])(
    "the skeleton of %s has types where isolatedDeclarations requires them",
    async (spec) => {
      const { agent } = await generateFrom(findSource(spec), { agentImport: "./a2a" });
      const compilerOptions = {
        isolatedDeclarations: true,
        declaration: true,
        target: ts.ScriptTarget.ES2022,
      };
      const { diagnostics = [] } = ts.transpileDeclaration(agent ?? "", {
        compilerOptions,
        reportDiagnostics: true,
      });
      expect(
        diagnostics.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, " ")),
      ).toEqual([]);
      expect(agent).toContain("export const card");
    },
  );
});
